"""The included bots, and playing without a server."""

from __future__ import annotations

import ast
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

import hansa_client
import hansa_fast as hf
from hansa_client import Action, Bot, BotError, Choice, ChoiceError, Match, OptionError, Played, Result, View, load_bot
from hansa_client._table import checked
from hansa_client.bots import BOTS, GreedyBot, RandomBot
from hansa_client.local import play

ROWS: list[dict[str, Any]] = [
    {"game": "teutonica", "players": 2},
    {"game": "teutonica", "players": 3},
    {"game": "teutonica", "players": 5, "missions": True, "favours": True},
    {"game": "teutonica", "players": 4, "board": "east"},
    {"game": "teutonica", "players": 3, "board": "britannia-3"},
    {"game": "hansa", "players": 2},
    {"game": "hansa", "players": 4},
]
GAMES = 10


@pytest.mark.parametrize("rules", ROWS, ids=str)
def test_greedy_is_clearly_better_than_random(rules: dict[str, Any]) -> None:
    """One greedy bot, from seat to seat, against random ones: it wins nearly always, with at least twice the points."""
    players = rules["players"]
    greedy_points = random_points = wins = 0
    for seed in range(GAMES):
        seat = seed % players
        bots = [GreedyBot() if other == seat else RandomBot() for other in range(players)]
        result = play(bots, {**rules, "turn_limit": 100}, seed).result
        greedy_points += result.totals[seat]
        random_points += sum(result.totals) - result.totals[seat]
        wins += result.ranks[seat] == 1
    assert wins >= GAMES - 1
    assert greedy_points > 2 * random_points / (players - 1)


@pytest.mark.parametrize("rules", ROWS, ids=str)
def test_greedy_bots_finish_their_games(rules: dict[str, Any]) -> None:
    """Among themselves they come to the end that the rules foresee, not to the turn limit."""
    result = play([GreedyBot() for _ in range(rules["players"])], {**rules, "turn_limit": 600}, seed=1).result
    assert "turn limit" not in result.reasons


def test_a_local_game_and_its_record() -> None:
    first = play([GreedyBot(), RandomBot(), RandomBot()], {"turn_limit": 20}, seed=5)
    again = play([GreedyBot(), RandomBot(), RandomBot()], hf.Rules(players=3, turn_limit=20), seed=5)
    assert first.game.to_text() == again.game.to_text()
    assert first.result == again.result
    record = hf.Game.from_text(first.game.to_text())
    assert record.tags["Seat 0"] == "greedy"
    assert tuple(record.state.result()["ranks"]) == first.result.ranks


class _Curious(Bot):
    """Looks at everything a bot is promised."""

    def __init__(self) -> None:
        self.heard: list[Played] = []
        self.result: Result | None = None
        self.looks = 0

    def choose(self, view: View, legal: list[Action]) -> Choice:
        assert view.seat == view.player == view["player"]
        assert view.me is view["players"][view.seat]
        assert view.match.history == self.heard
        assert view.clock.left() == float("inf")
        assert "hidden" in {good for pile in view.piles for good in pile}
        copy = pickle.loads(pickle.dumps(view))
        assert copy == view and copy.me.talers == view.me.talers and copy.match.id == view.match.id
        with pytest.raises(AttributeError, match="there is no 'shipp' here; there are turn"):
            _ = view.shipp
        self.looks += 1
        return Choice(legal[-1])

    def actions_played(self, match: Match, actions: list[Played]) -> None:
        assert match.rules.game == "hansa"
        self.heard += actions

    async def match_ended(self, match: Match, result: Result | None) -> None:
        assert match.players == ("_Curious", "random")
        self.result = result


def test_what_a_bot_sees() -> None:
    bot = _Curious()
    result, game = play([bot, RandomBot()], {"game": "hansa", "turn_limit": 6})
    assert bot.looks > 3
    assert bot.result == result
    assert [played.action for played in bot.heard] == list(game.actions)


def test_a_bot_that_fails_in_a_local_game_is_heard_of() -> None:
    class Failing(Bot):
        def choose(self, view: View, legal: list[Action]) -> int:  # noqa: ARG002
            return 1023

    with pytest.raises(ChoiceError, match="choose\\(\\) returned 1023, which is none of the"):
        play([Failing(), RandomBot()])
    with pytest.raises(OptionError, match="3 seats need as many bots, not 2"):
        play([RandomBot(), RandomBot()], hf.Rules(players=3))
    with pytest.raises(NotImplementedError, match=r"needs a method choose"):
        play([Bot(), RandomBot()])


def test_forms_of_a_choice() -> None:
    legal = [Action(3, "sail Danzig"), Action(5, "end")]
    for chosen in (legal[1], 5, "end", Choice(legal[1]), Choice(5), Choice("end")):
        assert checked(chosen, legal) == Choice(legal[1])
    for wrong in (None, 4, "sail", Action(5, "sail Danzig"), Choice(4)):
        with pytest.raises(ChoiceError):
            checked(wrong, legal)  # type: ignore[arg-type]


# -- Files -------------------------------------------------------------------------------------------------------------

ONE = "from hansa_client import Bot\nclass One(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        (ONE, "bot.py", ""),
        (ONE + "class Two(One): pass\n", "bot.py:Two", ""),
        (ONE + "class Two(One): pass\n", "bot.py", "several bots (One, Two): name one as bot.py:NAME"),
        (ONE, "bot.py:Three", "has no such class"),
        ("x = 1\n", "bot.py", "has no such class"),
        ("x = \n", "bot.py", "cannot be loaded: SyntaxError"),
        ("import nothing_of_this_name\n", "bot.py", "No module named 'nothing_of_this_name'"),
        (ONE + "    def __init__(self, depth): pass\n", "bot.py", "One() failed: TypeError"),
        (ONE, "elsewhere.py", "there is no such file, and no bot of this name; there are random, wavering"),
    ],
)
def test_bots_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, place: str, told: str) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "bot", raising=False)
    (tmp_path / "bot.py").write_text(text, encoding="utf-8")
    if told:
        with pytest.raises(BotError) as caught:
            load_bot(str(tmp_path / place))
        assert told in str(caught.value)
    else:
        assert play([load_bot(str(tmp_path / place)), RandomBot()], {"turn_limit": 2}).result.actions


# -- The package -------------------------------------------------------------------------------------------------------


def test_names_of_the_package() -> None:
    assert hansa_client.__all__ == sorted(hansa_client.__all__)
    assert all(hasattr(hansa_client, name) for name in hansa_client.__all__)
    assert set(BOTS) == {"random", "greedy"}


def test_the_kit_needs_neither_engine_nor_server() -> None:
    """Only playing without a server, the check and the engine's bots use the engine; no module uses the server."""
    root = Path(hansa_client.__file__).parent
    allowed = {root / "local.py", root / "check" / "_table.py", root / "bots" / "engine_bot.py"}
    users = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            tops = {name.partition(".")[0] for name in names}
            assert "hansa_server" not in tops, path
            if "hansa_fast" in tops:
                users.add(path)
    assert users == allowed
