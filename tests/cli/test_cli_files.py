"""Commands that read and write games and positions: new, show, legal, replay, perft, record check, boards."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import hansa_fast as hf
from tests.cli.runner import Runner


def save_game(path: str, players: int = 3, seed: int = 7, actions: int | None = None) -> hf.Game:
    """A record of greedy play: so many actions, or a whole game."""
    names = {f"Seat {seat}": name for seat, name in enumerate(["anna", "bert", "carla", "dora", "emil"][:players])}
    game = hf.Game(hf.Rules(players=players), seed, tags=names)
    while not game.state.is_over and (actions is None or len(game) < actions):
        game.play(game.state.choose(len(game), "greedy"))
    game.save(path)
    return game


# -- boards --------------------------------------------------------------------------------------------------------


def test_boards_lists_every_board(run: Runner) -> None:
    rows = run("boards", "--json").json
    assert {row["name"] for row in rows} >= {"standard-3", "standard-4-5", "east", "britannia-3", "britannia-4-5"}
    table = run("boards").out
    for row in rows:
        assert row["name"] in table
        assert row["title"] in table


def test_boards_shows_every_board(run: Runner) -> None:
    for row in run("boards", "--json").json:
        data = run("boards", row["name"], "--json").json
        text = run("boards", row["name"], "--layout", "list").out
        assert all(city["name"] in text for city in data["cities"])


def test_boards_draws_a_board(run: Runner) -> None:
    data = run("boards", "east", "--json").json
    drawn = run("boards", "east", "--layout", "map").out
    assert all(city["name"] in drawn for city in data["cities"])
    assert run("boards", "east", "--svg", "board.svg").out == ""
    assert ElementTree.parse("board.svg").getroot().tag.endswith("svg")


# -- new -----------------------------------------------------------------------------------------------------------


def test_new_writes_a_record(run: Runner) -> None:
    done = run("new", "--players", "2", "--seed", "5", "--turn-limit", "30", "--name", "anna")
    game = hf.Game.from_text(done.out)
    assert game.rules == hf.Rules(players=2, turn_limit=30)
    assert (game.seed, len(game), game.tags) == (5, 0, {"Seat 0": "anna"})


def test_new_takes_all_rules(run: Runner) -> None:
    options = ["--game", "teutonica", "--edition", "big-box", "--board", "standard-4-5", "--players", "5"]
    game = hf.Game.from_text(run("new", *options, "--missions", "--favours").out)
    assert game.rules == hf.Rules(players=5, missions=True, favours=True)


def test_new_draws_a_seed_and_writes_it_down(run: Runner) -> None:
    seeds = {hf.Game.from_text(run("new").out).seed for _ in range(5)}
    assert len(seeds) > 1


def test_new_json_is_a_position_that_everything_reads(run: Runner) -> None:
    value = run("new", "--players", "3", "--seed", "7", "--json").json
    assert set(value) == {"rules", "state"}
    assert hf.State.from_dict(hf.Rules(**value["rules"]), value["state"]) == hf.Rules(players=3).new(7)
    text = json.dumps(value)
    assert run("show", "-", "--json", stdin=text).json == value
    assert run("legal", "-", "--json", stdin=text).json["phase"] == "main"
    assert run("perft", "-", "--depth", "2", stdin=text).out == run("perft", "--players", "3", "-s", "7", "-d", "2").out


def test_new_with_a_set_up(run: Runner) -> None:
    pile = run("new", "--seed", "1", "--json").json["state"]["pile"]
    Path("setup.json").write_text(json.dumps({"pile": pile[::-1]}), encoding="utf-8")
    value = run("new", "--seed", "1", "--setup", "setup.json", "--json").json
    assert value["state"]["pile"] == pile[::-1]
    Path("setup.json").write_text('{"pile": ["swap_posts"]}', encoding="utf-8")
    assert run("new", "--setup", "setup.json").code == 2
    Path("setup.json").write_text("[]", encoding="utf-8")
    assert run("new", "--setup", "setup.json").code == 3


# -- show ----------------------------------------------------------------------------------------------------------


def test_show_draws_board_desks_and_scores(run: Runner) -> None:
    game = save_game("game.hansa", actions=40)
    done = run("show", "game.hansa")
    assert done.code == 0
    for city in ("Hamburg", "Coellen"):
        assert city in done.out
    for seat, name in enumerate(("anna", "bert", "carla")):
        assert f"{seat} {name}" in done.out
    assert "Scores if the game ended now" in done.out
    assert str(game.state.scores()[0]["total"]) in done.out


def test_show_at_a_position_and_as_seen_by_a_seat(run: Runner) -> None:
    game = save_game("game.hansa", actions=20)
    for at in (0, 7, 20):
        shown = run("show", "game.hansa", "--at", str(at), "--json").json
        assert shown["state"] == game.state_at(at).to_dict()
        assert shown["names"] == ["anna", "bert", "carla"]
    seen = run("show", "game.hansa", "--view", "1", "--json").json
    assert seen["state"] == game.state.view(1).to_dict()
    assert run("show", "-", stdin=json.dumps(seen)).code == 0


def test_show_writes_a_picture(run: Runner) -> None:
    save_game("game.hansa", actions=20)
    assert run("show", "game.hansa", "--svg", "game.svg").out == ""
    assert "anna" in Path("game.svg").read_text(encoding="utf-8")
    ElementTree.parse("game.svg")
    assert run("show", "game.hansa", "--svg", "-").out == Path("game.svg").read_text(encoding="utf-8")


def test_colours_only_where_they_are_wanted(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    save_game("game.hansa", actions=20)
    plain = run("show", "game.hansa", "--width", "90").out
    coloured = run("show", "game.hansa", "--width", "90", "--colour").out
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured
    assert run("show", "game.hansa", "--width", "90", terminal=True).out == coloured
    assert run("show", "game.hansa", "--width", "90", "--plain", terminal=True).out == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("show", "game.hansa", "--width", "90", terminal=True).out == plain
    assert run("show", "game.hansa", "--width", "90", "--colour", terminal=True).out == coloured


def test_layouts(run: Runner) -> None:
    save_game("game.hansa", actions=20)
    as_list = run("show", "game.hansa", "--layout", "list", "--width", "150").out
    as_map = run("show", "game.hansa", "--layout", "map", "--width", "150").out
    assert "Routes" in as_list
    assert "Routes" not in as_map
    assert run("show", "game.hansa", "--width", "150").out == as_map
    assert (
        run("show", "game.hansa", "--width", "60").out
        == run("show", "game.hansa", "--layout", "list", "--width", "60").out
    )


def test_show_takes_the_second_game(run: Runner) -> None:
    hf.Game(hf.Rules(game="hansa", players=2), 3).save("game.hansa")
    text = run("show", "game.hansa").out
    for city in run("boards", "hansa-2004", "--json").json["cities"]:
        assert city["name"] in text
    assert "Seat 0 decides: place" in text
    assert "Piles: 8 8 8 7 7 " in text  # their sizes only: what lies face down is shown to nobody


def test_a_finished_game_has_final_scores(run: Runner) -> None:
    game = save_game("game.hansa")
    reasons = ", ".join(game.state.result()["reasons"])
    assert f"Final scores ({reasons})" in run("show", "game.hansa").out
    legal = run("legal", "game.hansa", "--json").json
    assert legal == {"player": None, "phase": "over", "actions": []}


# -- legal ---------------------------------------------------------------------------------------------------------


def test_legal_lists_every_action_once(run: Runner) -> None:
    game = save_game("game.hansa", actions=31)
    state = game.state
    value = run("legal", "game.hansa", "--json").json
    assert (value["player"], value["phase"]) == (state.player, state.phase)
    assert {entry["id"]: entry["text"] for entry in value["actions"]} == {
        a: state.describe(a) for a in state.legal_actions()
    }
    text = run("legal", "game.hansa").out
    for entry in value["actions"]:
        verb, _, rest = entry["text"].partition(" ")
        assert f"{verb} (" in text
        assert f"  {rest or verb}  [{entry['id']}]" in text


# -- replay --------------------------------------------------------------------------------------------------------


def test_replay_has_a_line_for_each_turn(run: Runner) -> None:
    game = save_game("game.hansa")
    lines = run("replay", "game.hansa").out.splitlines()
    turns = [line for line in lines if line[:5].strip().rstrip(".").isdecimal() and line[4] == "."]
    assert len(turns) == len({state.turn for state, _, _ in game.steps()})
    assert turns[0].startswith("   1. 0 anna: ")
    for _, _, text in game.steps():
        assert any(text in line for line in turns)
    assert f"Final scores ({', '.join(game.state.result()['reasons'])})" in lines


def test_replay_json(run: Runner) -> None:
    game = save_game("game.hansa")
    value = run("replay", "game.hansa", "--json").json
    assert set(value) == {"rules", "seed", "tags", "steps", "scores", "result"}
    assert [step["action"] for step in value["steps"]] == list(game.actions)
    assert [step["text"] for step in value["steps"]] == [text for _, _, text in game.steps()]
    assert value["result"] == game.state.result()
    part = run("replay", "game.hansa", "--to", "10", "--json").json
    assert part["steps"] == value["steps"][:10]
    assert part["scores"] == game.state_at(10).scores()
    assert part["result"] is None


def test_replay_step_by_step(run: Runner) -> None:
    save_game("game.hansa", actions=12)
    done = run("replay", "game.hansa", "--step", stdin="\n\nb\ns\n3\n99\nq\n")
    assert done.code == 0
    order = [done.out.index(text) for text in ("turn 0 of", "turn 1 of", "turn 2 of", "turn 3 of")]
    assert order == sorted(order)
    assert done.out.count("turn 1 of") == 3  # first, after going back, after the board
    assert "Hansa Teutonica, 2-3 player side" in done.out
    assert done.out.count("q: quit") == 2  # at the start, and after the turn that does not exist
    assert "Scores if the game ended now" in done.out
    assert run("replay", "game.hansa", "--step", stdin="").code == 0


def test_replay_shows_the_notes_of_a_record(run: Runner) -> None:
    game = save_game("game.hansa", actions=12)
    game.set_tag("Note 2", "A bold turn. " * 12)
    game.save("game.hansa")
    lines = run("replay", "game.hansa").out.splitlines()
    second = next(number for number, line in enumerate(lines) if line.startswith("   2. "))
    assert lines[second + 1].startswith("      A bold turn. A bold")
    assert " ".join(line.strip() for line in lines[second + 1 : second + 3]) == ("A bold turn. " * 12).strip()
    assert lines[second + 3].startswith("   3. ")
    stepped = run("replay", "game.hansa", "--step", stdin="2\n1\nq\n").out
    assert stepped.count("      A bold turn.") == 1
    assert run("replay", "game.hansa", "--json").json["tags"]["Note 2"].startswith("A bold turn.")


# -- perft ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_perft_counts(run: Runner, depth: int) -> None:
    state = hf.Rules(players=2).new(0)
    value = run("perft", "--players", "2", "--depth", str(depth), "--json").json
    assert value["nodes"] == hf.perft(state, depth)
    assert run("perft", "--players", "2", "--depth", str(depth)).out == f"perft({depth}) = {value['nodes']:,}\n"


def test_deep_perft_is_the_sum_of_its_pieces(run: Runner) -> None:
    save_game("game.hansa", players=2, actions=200)
    state = hf.Game.load("game.hansa").state
    assert run("perft", "game.hansa", "--depth", "5", "--json").json["nodes"] == hf.perft(state, 5)


def test_perft_divide(run: Runner) -> None:
    save_game("game.hansa", actions=30)
    value = run("perft", "game.hansa", "--at", "12", "--depth", "3", "--divide", "--json").json
    state = hf.Game.load("game.hansa").state_at(12)
    for entry in value["divide"]:
        child = state.copy()
        child.apply(entry["id"])
        assert (entry["text"], entry["nodes"]) == (state.describe(entry["id"]), hf.perft(child, 2))
    assert sum(entry["nodes"] for entry in value["divide"]) == value["nodes"] == hf.perft(state, 3)
    text = run("perft", "game.hansa", "--at", "12", "--depth", "3", "--divide").out
    assert f"{value['divide'][0]['nodes']:,}" in text


# -- record check --------------------------------------------------------------------------------------------------


def test_record_check(run: Runner) -> None:
    game = save_game("good.hansa")
    lines = game.to_text().split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith("1. "))
    lines[first] = "1. @0 place trader Nowhere 1"
    Path("bad.hansa").write_text("\n".join(lines), encoding="utf-8")
    result = game.to_text().replace(f'Totals "{game.state.scores()[0]["total"]}', 'Totals "99')
    Path("lie.hansa").write_text(result, encoding="utf-8")
    good = run("record", "check", "good.hansa")
    assert (good.code, good.out) == (0, f"good.hansa: ok, {len(game)} actions in {game.state.turn} turns, over\n")
    wrong = run("record", "check", "good.hansa", "bad.hansa", "lie.hansa")
    assert wrong.code == 1
    assert [line.split(": ")[1].split(",")[0] for line in wrong.out.splitlines()] == ["ok", "WRONG", "WRONG"]
    assert f"line {first + 1}: " in wrong.out
    reports = json.loads(run("record", "check", "good.hansa", "bad.hansa", "lie.hansa", "--json").out)
    assert [report["ok"] for report in reports] == [True, False, False]
    assert reports[1]["line"] == first + 1
    assert "Totals" in reports[2]["problem"]
    missing = run("record", "check", "good.hansa", "gone.hansa")
    assert missing.code == 3
    assert "gone.hansa: WRONG: no such file" in missing.out


# -- the command as a program --------------------------------------------------------------------------------------


HERE = str(Path(hf.__file__).parent.parent.absolute())  # the package under test, whatever the current folder
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"PYTHONPATH": HERE}


def spawn(*args: str, **environment: str) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    command = [sys.executable, "-m", "hansa_fast.cli", *args]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, env={**ENVIRONMENT, **environment})


def test_closed_output_ends_quietly(run: Runner) -> None:
    save_game("game.hansa", actions=3)
    with spawn("legal", "game.hansa") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141
    assert run("legal", "game.hansa").code == 0


def test_names_survive_any_locale(run: Runner) -> None:
    save_game("game.hansa", actions=3)
    with spawn("legal", "game.hansa", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii") as process:
        out = process.communicate()[0].decode("utf-8").replace("\r\n", "\n")
    assert process.returncode == 0
    assert out == run("legal", "game.hansa").out
    assert "Lübeck" in out


def test_only_the_command_line_imports_its_libraries() -> None:
    code = "import sys, hansa_fast; print(sorted({'typer', 'rich', 'click'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, env=ENVIRONMENT)
    assert done.stdout.strip() == "[]"
