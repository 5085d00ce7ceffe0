"""A game at the terminal: people decide, bots answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast._draw_terminal import TextLayout
from hansa_fast.bots import make_bot, parse_bot
from hansa_fast.cli import output
from hansa_fast.cli.choices import Choices
from hansa_fast.cli.errors import CliError, did_you_mean
from hansa_fast.cli.prompt import ask
from hansa_fast.cli.show import scores_with_title
from hansa_fast.cli.sources import seat_names

HELP = """\
Answer with a number, with a text, or with the beginnings of its words:
  17            the action with this number
  place         all actions that begin so (a single one is played)
  place t kamp  the same with more words: place trader Kampen-...
  sail d        and in Hansa: sail Danzig
In a list, `4-6 place trader Arnheim-Kampen 1/2/3` are three actions with the
numbers 4, 5 and 6. At a terminal the tab key completes.
Besides:
  all           every legal action with its number
  show          the board; `map` and `list` are the two ways to draw it
  desk          what lies before you
  scores        the scores if the game ended now
  log           what was decided in the last turns
  hint          what the greedy bot would do
  undo          back to your last choice
  save [FILE]   write the record
  quit          write the record and leave; `hansa play FILE` goes on
  help          this text"""

LOG_LINES = 30
LONG_LISTING = 60


class End(Enum):
    """Why a session ended."""

    OVER = auto()
    LEFT = auto()


@dataclass(frozen=True)
class Style:
    """How a session looks."""

    coloured: bool
    layout: TextLayout
    boards: bool  # draw the board at the start of every turn of a person


@dataclass(frozen=True)
class Decision:
    """What was decided, and by whom."""

    turn: int
    seat: int
    text: str


def check_bot(name: str) -> str:
    """The name of a bot as `make_bot` knows it, or `BotNameError`. `uniform`, as some records have it, is `random`."""
    known = "random" if name == "uniform" else name
    parse_bot(known)
    return known


class Session:
    """A game that is being played, with bots at some seats."""

    def __init__(self, game: hf.Game, bots: Mapping[int, str], path: str, style: Style) -> None:
        """The game may have begun already."""
        self.game = game
        self.bots = bots
        self.path = path
        self.style = style
        self.names = seat_names(game.tags, game.rules.players)
        self.log = [Decision(state.turn, state.player, text) for state, _, text in game.steps()]
        self.told = len(self.log)  # decisions the person knows of
        self.set_up = next(info.phases[0] for info in hf.games() if info.name == game.rules.game)
        self.shown: tuple[int, bool] | None = None  # the turn of which the person has seen the beginning
        self.commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: output.write(HELP),
            "all": lambda _: self._list(list(range(1, len(self.choices) + 1))),
            "show": lambda _: self._show(self.style.layout),
            "map": lambda _: self._show("map"),
            "list": lambda _: self._show("list"),
            "desk": lambda _: self._show_desk(),
            "scores": lambda _: output.write(scores_with_title(self.state, self.names, self.style.coloured), end=""),
            "log": lambda _: self._tell(self.log[-LOG_LINES:]),
            "hint": lambda _: self._hint(),
            "undo": lambda _: self._undo(),
            "save": self._save_as,
        }

    # -- The game ------------------------------------------------------------------------------------------------

    def run(self) -> End:
        """Play until the game is over or the person leaves."""
        while True:
            self.state = self.game.state
            if self.state.is_over:
                self._tell_news()
                self._show(self.style.layout)
                output.write(scores_with_title(self.state, self.names, self.style.coloured), end="")
                return End.OVER
            if self.state.player in self.bots:
                self._play(self._bot_choice(self.bots[self.state.player]))
            elif len(forced := self.state.legal_actions()) == 1:
                self._play(forced[0])
            elif not self._ask():
                return End.LEFT

    def _bot_choice(self, name: str) -> int:
        """The same position of the same game always gets the same answer, so undoing is no second chance.

        For that a bot begins anew at each decision; one that is limited by time can still answer differently.
        """
        seed = (self.game.seed * 0x9E3779B97F4A7C15 + len(self.game)) % 2**64
        return make_bot(check_bot(name)).choose(self.state, seed)

    def _play(self, action: int) -> None:
        self.log.append(Decision(self.state.turn, self.state.player, self.state.describe(action)))
        self.game.play(action)

    def _undo(self) -> None:
        """Take back what was played since the last real choice of a person, and that choice."""
        for count in range(len(self.game) - 1, -1, -1):
            state = self.game.state_at(count)
            if state.player not in self.bots and len(state.legal_actions()) > 1:
                break
        else:
            output.write("There is nothing to take back.")
            return
        taken = self.log[count]
        while len(self.game) > count:
            self.game.undo()
        del self.log[count:]
        self.told = min(self.told, count)
        output.write(f"Taken back: {taken.text}")

    # -- Asking --------------------------------------------------------------------------------------------------

    def _ask(self) -> bool:
        """Let the person decide; False if they leave."""
        self.choices = Choices(self.state)
        turn = (self.state.turn, self.state.phase == self.set_up)  # the first turn begins after the set-up
        if turn != self.shown:
            self.shown = turn
            if self.style.boards:
                self._show(self.style.layout)
            else:
                self._show_desk()
        self._tell_news()  # after the board, which may push everything before it out of the window
        output.write(output.paint(_draw.decision(self.state, names=self.names), "1", self.style.coloured))
        for line in self.choices.menu(output.terminal_width()):
            output.write(line)
        count = len(self.game)
        while len(self.game) == count:
            answer = ask("> ", [*self.choices.texts, *self.commands, "quit"])
            if answer is None or answer.casefold() in ("quit", "q", "exit"):
                return False
            self._obey(answer)
        return True

    def _obey(self, answer: str) -> None:
        word, _, rest = answer.partition(" ")
        word = {"?": "help", "h": "help", "u": "undo", "s": "show"}.get(word.casefold(), word.casefold())
        if not answer:
            output.write("A number, a text, or `help`.")
        elif word in self.commands and (not rest or word == "save"):
            self.commands[word](rest.strip())
        elif answer.isdecimal():
            self._choose_number(int(answer))
        else:
            self._choose_text(answer)

    def _choose_number(self, number: int) -> None:
        if not 1 <= number <= len(self.choices):
            output.write(f"There is no choice {number}; the numbers go from 1 to {len(self.choices)}.")
            return
        self._decide(number)

    def _choose_text(self, typed: str) -> None:
        found = self.choices.find(typed)
        if len(found) == 1:
            self._decide(found[0])
        elif found:
            self._list(found)
        else:
            try:
                action = self.state.parse(typed)  # knows other spellings of names
            except hf.HansaError as error:
                near = did_you_mean(typed, self.commands)
                output.write(f"{error}" + (f"; or {near}" if near else ""))
            else:
                self._decide([known for known, _ in self.choices.actions].index(action) + 1)

    def _decide(self, number: int) -> None:
        action, text = self.choices.actions[number - 1]
        self._play(action)
        self.told = len(self.log)
        output.write(f"  {text}")

    # -- Telling -------------------------------------------------------------------------------------------------

    def _tell_news(self) -> None:
        self._tell(self.log[self.told :])
        self.told = len(self.log)

    def _tell(self, decisions: list[Decision]) -> None:
        """What was decided: a line for each seat that decided something in a turn."""
        lines: list[tuple[int, int, list[str]]] = []
        for decision in decisions:
            if not lines or lines[-1][:2] != (decision.turn, decision.seat):
                lines.append((decision.turn, decision.seat, []))
            lines[-1][2].append(decision.text)
        for turn, seat, texts in lines:
            name = f"seat {seat}" if self.names is None else f"{seat} {self.names[seat]}"
            output.write(f"{turn + 1:>4}. {name}: {'; '.join(texts)}")

    def _show(self, layout: TextLayout) -> None:
        """The board as the person who decides sees it."""
        seen = self.state if self.state.is_over else self.state.view(self.state.player)
        width = output.terminal_width()
        output.write(_draw.text(seen, colour=self.style.coloured, width=width, layout=layout, names=self.names))

    def _show_desk(self) -> None:
        width = output.terminal_width()
        seen = self.state.view(self.state.player)
        output.write(_draw.desk(seen, seen.player, colour=self.style.coloured, width=width, names=self.names))

    def _list(self, numbers: list[int]) -> None:
        output.write(output.columns(self.choices.listing(numbers), output.terminal_width(), indent=0))
        if len(numbers) > LONG_LISTING:
            output.write(f"{len(numbers)} choices; another word makes them fewer, for example a name.")

    def _hint(self) -> None:
        action = self._bot_choice("greedy")
        number = [known for known, _ in self.choices.actions].index(action) + 1
        output.write(f"The greedy bot would choose {number}: {self.state.describe(action)}")

    # -- Saving --------------------------------------------------------------------------------------------------

    def _save_as(self, path: str) -> None:
        try:
            self.save(path)
        except CliError as error:
            output.write(str(error))

    def save(self, path: str = "") -> None:
        """Write the record, from now on to this file if one is named."""
        self.path = path or self.path
        output.save_text(self.path, self.game.to_text())
        output.write(f"Saved in {self.path}; `hansa play {self.path}` goes on.")
