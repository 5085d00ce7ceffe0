"""`hansa replay`: a record, turn by turn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast._draw_terminal import TextLayout
from hansa_fast.cli import output, sources
from hansa_fast.cli.errors import CliError
from hansa_fast.cli.options import ColourOption, JsonOption, LayoutOption, SourceArgument
from hansa_fast.cli.prompt import ask
from hansa_fast.cli.show import parse_layout, scores_with_title

EPILOG = "Example: hansa replay game.hansa --step"

NOTE_INDENT = " " * 6
NOTE_WIDTH = 100

STEP_HELP = "Enter: next turn   b: back   NUMBER: after so many turns   s: show the board   q: quit"


@dataclass
class Turn:
    """A turn of a record: who decided what, and how many actions the record has up to its end."""

    number: int
    decisions: list[tuple[int, str]] = field(default_factory=list)
    end: int = 0


def replay(
    file: SourceArgument,
    to: Annotated[
        int | None, typer.Option("--to", min=0, help="Stop after so many actions.", show_default="the end")
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait after each turn and show the board when asked.")] = False,
    layout: LayoutOption = "auto",
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Replay a record: a line a turn, with the notes of the record, then the scores."""
    drawn = parse_layout(layout)
    if step and (json or file == "-"):
        raise CliError("--step asks at the terminal, so it goes with neither --json nor the record from the input")
    source = sources.read_source(file)
    game = source.need_game()
    last = source.at(to)
    count = len(game) if to is None else to
    if json:
        output.write_json(_as_json(game, last, count))
        return
    coloured = output.want_colour(colour)
    turns = _turns(game, count)
    if step:
        last = source.at(_step(game, turns, source.names, drawn, coloured))
    else:
        for turn in turns:
            output.write(turn_line(turn, source.names, coloured) + note_lines(turn, game.tags, coloured))
    output.write("\n" + scores_with_title(last, source.names, coloured), end="")


def turn_line(turn: Turn, names: Sequence[str] | None, coloured: bool) -> str:
    """`12. anna: income 2 traders; end`; a decision of somebody else stands in brackets with the name."""
    owner = turn.decisions[0][0]
    parts = []
    decider = owner
    for seat, text in turn.decisions:
        parts.append(text if seat == decider else f"[{_name(seat, names)}] {text}")
        decider = seat
    return f"{turn.number:>4}. {output.paint(_name(owner, names), '1', coloured)}: {'; '.join(parts)}"


def note_lines(turn: Turn, tags: Mapping[str, str], coloured: bool) -> str:
    """What the tag `Note 12` says about turn 12, below its line; empty if there is none."""
    note = tags.get(f"Note {turn.number}")
    if not note:
        return ""
    width = max(min(output.terminal_width(), NOTE_WIDTH) - len(NOTE_INDENT), 20)
    lines = textwrap.wrap(note, width, break_on_hyphens=False)
    return "".join("\n" + NOTE_INDENT + output.paint(line, "3", coloured) for line in lines)


def _name(seat: int, names: Sequence[str] | None) -> str:
    return f"seat {seat}" if names is None else f"{seat} {names[seat]}"


def _turns(game: hf.Game, count: int) -> list[Turn]:
    """The turns of the first actions of a record."""
    turns: list[Turn] = []
    for done, (state, _, text) in enumerate(game.steps()):
        if done == count:
            break
        if not turns or turns[-1].number != state.turn + 1:
            turns.append(Turn(state.turn + 1))
        turns[-1].decisions.append((state.player, text))
        turns[-1].end = done + 1
    return turns


def _step(game: hf.Game, turns: Sequence[Turn], names: Sequence[str] | None, layout: TextLayout, coloured: bool) -> int:
    """Go through the turns as asked for at the terminal; returns after how many actions the person left."""
    output.write(STEP_HELP)
    done = 0
    while True:
        answer = ask(f"turn {done} of {len(turns)}> ")
        count = turns[done - 1].end if done else 0
        if answer is None or answer in ("q", "quit"):
            return count
        if answer in ("s", "show"):
            state = game.state_at(count)
            width = output.terminal_width()
            output.write(_draw.text(state, colour=coloured, width=width, layout=layout, names=names))
            continue
        if answer == "" and done < len(turns):
            done += 1
        elif answer in ("b", "back") and done:
            done -= 1
        elif answer.isdecimal() and int(answer) <= len(turns):
            done = int(answer)
        else:
            output.write("This is the end." if answer == "" else STEP_HELP)
            continue
        turn = turns[done - 1]
        output.write(turn_line(turn, names, coloured) + note_lines(turn, game.tags, coloured) if done else "The start.")


def _as_json(game: hf.Game, last: hf.State, count: int) -> dict[str, Any]:
    """The replay as plain values."""
    steps = [
        {"turn": state.turn, "player": state.player, "phase": state.phase, "action": action, "text": text}
        for state, action, text in game.steps()
    ]
    return {
        "rules": game.rules.to_dict(),
        "seed": game.seed,
        "tags": game.tags,
        "steps": steps[:count],
        "scores": last.scores(),
        "result": last.result() if last.is_over else None,
    }
