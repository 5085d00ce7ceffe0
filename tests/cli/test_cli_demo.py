"""The rated round of local bots, and its ratings."""

import inspect
from collections import Counter
from pathlib import Path

import pytest

from hansa_fast import bots
from hansa_fast.cli import demo
from hansa_fast.cli.ratings import Result, errors, expected, ladder, step_size
from tests.cli.runner import Runner


def test_elo_of_known_games() -> None:
    assert expected(1500, 1500) == 0.5
    assert expected(1900, 1500) == pytest.approx(10 / 11)
    assert ladder([Result(("a", "b"), (1, 2))]) == {"a": 1516, "b": 1484}
    assert ladder([Result(("a", "b"), (1, 1))]) == {"a": 1500, "b": 1500}
    assert ladder([Result(("a", "b", "c", "d"), (1, 4, 2, 3))]) == {
        "a": 1516,
        "b": 1484,
        "c": pytest.approx(1500 + 32 / 6),
        "d": pytest.approx(1500 - 32 / 6),
    }
    assert ladder([Result(("a", "b", "c"), (1, 1, 3))]) == {"a": 1508, "b": 1508, "c": 1484}
    second = ladder([Result(("a", "b"), (1, 2))] * 2)
    assert second["a"] == pytest.approx(1516 + 32 * (1 - expected(1516, 1484)))


def test_elo_keeps_its_sum_and_slows_down() -> None:
    games = [Result(("a", "b", "c"), (1 + (k % 3), 1 + (k + 1) % 3, 1 + (k + 2) % 3)) for k in range(200)]
    assert sum(ladder(games).values()) == pytest.approx(3 * 1500)
    assert [step_size(games) for games in (0, 29, 30, 99, 100)] == [32, 32, 16, 16, 8]


def test_errors_come_from_blocks() -> None:
    same = [[Result(("a", "b"), (1, 2)), Result(("b", "a"), (2, 1))]] * 8
    assert errors(same) == {"a": pytest.approx(0), "b": pytest.approx(0)}
    mixed = [[Result(("a", "b"), (1, 2))], [Result(("a", "b"), (2, 1))]] * 4
    spread = errors(mixed, seed=1)
    assert spread == errors(mixed, seed=1)
    assert spread["a"] is not None
    assert spread["a"] > 20
    assert errors(same[:1]) == {"a": None, "b": None}


def test_every_bot_sits_in_every_seat_equally_often() -> None:
    seats: Counter[tuple[str, int, int]] = Counter()
    plan = demo.schedule(2 * len(demo.one_round()), 0)
    for block in plan:
        for names in block.seatings():
            seats.update((name, seat, len(names)) for seat, name in enumerate(names))
    for players in (2, 3, 4):
        assert len({seats[name, seat, players] for name in demo.BOTS for seat in range(players)}) == 1
    assert inspect.signature(demo.demo).parameters["blocks"].default == len(demo.one_round())
    assert len({block.seed for block in plan}) == len(plan)
    assert {block.rules.board for block in plan} == {"standard-3", "standard-4-5", "east", "britannia-3", "hansa-2004"}
    assert {block.rules.players for block in plan} == {2, 3, 4}


def test_demo(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "PLAYOUTS", 1)
    monkeypatch.setattr(bots, "CANDIDATES", 4)
    done = run("demo", "--blocks", "6", "--out", "games", "--seed", "4")
    assert done.code == 0
    for text in (
        "Final scores",
        "First places",
        "Ratings",
        "± ",
        "20 games are in games",
        "standard-3, 2 players",
        "hansa-2004, 4 players",
    ):
        assert text in done.out
    for name in demo.BOTS:
        assert name in done.out
    files = sorted(str(path) for path in Path("games").iterdir())
    assert len(files) == 20
    assert run("record", "check", *files).code == 0
    value = run("demo", "--blocks", "6", "--out", "again", "--seed", "4", "--json").json
    assert set(value) == {"games", "ratings"}
    assert [game["file"].replace("again", "games") for game in value["games"]] == files
    assert [Path(game["file"]).read_bytes() for game in value["games"]] == [Path(file).read_bytes() for file in files]
    assert sum(row["elo"] for row in value["ratings"]) == pytest.approx(4 * 1500, abs=1)
    assert [row["elo"] for row in value["ratings"]] == sorted((row["elo"] for row in value["ratings"]), reverse=True)
    assert all(row["provisional"] for row in value["ratings"])
    assert value["ratings"][-1]["bot"] == "random"
