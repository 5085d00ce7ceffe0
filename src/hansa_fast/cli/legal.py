"""`hansa legal`: what may be decided."""

from __future__ import annotations

from hansa_fast import _draw
from hansa_fast.cli import output, sources
from hansa_fast.cli.choices import Choices, rest_of
from hansa_fast.cli.options import ColourOption, JsonOption, SourceArgument
from hansa_fast.cli.show import AtOption

EPILOG = "Example: hansa legal game.hansa --json"


def legal(file: SourceArgument, at: AtOption = None, colour: ColourOption = None, json: JsonOption = False) -> None:
    """List the legal actions: number, text and id, grouped by verb."""
    source = sources.read_source(file)
    state = source.at(at)
    choices = Choices(state)
    if json:
        output.write_json(
            {
                "player": None if state.is_over else state.player,
                "phase": state.phase,
                "actions": [{"id": action, "text": text} for action, text in choices.actions],
            }
        )
        return
    coloured = output.want_colour(colour)
    output.write(_draw.decision(state, names=source.names))
    for verb, entries in choices.groups().items():
        output.write(output.paint(f"{verb} ({len(entries)})", "1", coloured))
        lines = [f"{number:>4}  {rest_of(text)}  [{action}]" for number, action, text in entries]
        output.write(output.columns(lines, output.terminal_width(), indent=0))
