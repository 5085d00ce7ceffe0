"""`hansa legal`: what may be decided."""

from __future__ import annotations

import hansa_fast as hf
from hansa_fast import _draw
from hansa_fast.cli import output, sources
from hansa_fast.cli.options import ColourOption, JsonOption, SourceArgument
from hansa_fast.cli.show import AtOption

EPILOG = "Example: hansa legal game.hansa --json"


def legal(file: SourceArgument, at: AtOption = None, colour: ColourOption = None, json: JsonOption = False) -> None:
    """List the legal actions: number, text and id, grouped by verb."""
    source = sources.read_source(file)
    state = source.at(at)
    actions = legal_texts(state)
    if json:
        output.write_json(
            {
                "player": None if state.is_over else state.player,
                "phase": state.phase,
                "actions": [{"id": action, "text": text} for action, text in actions],
            }
        )
        return
    coloured = output.want_colour(colour)
    output.write(_draw.decision(state, names=source.names))
    for verb, entries in group_by_verb(actions).items():
        output.write(output.paint(f"{verb} ({len(entries)})", "1", coloured))
        lines = [f"{number:>4}  {rest_of(text)}  [{action}]" for number, action, text in entries]
        output.write(output.columns(lines, output.terminal_width(), indent=0))


def legal_texts(state: hf.State) -> list[tuple[int, str]]:
    """Ids and texts of the legal actions in the order people are shown them: by verb, then as on the board."""
    actions = [(action, state.describe(action)) for action in state.legal_actions()]
    verbs = list(dict.fromkeys(text.split(" ")[0] for _, text in actions))
    return sorted(actions, key=lambda entry: verbs.index(entry[1].split(" ")[0]))


def group_by_verb(actions: list[tuple[int, str]]) -> dict[str, list[tuple[int, int, str]]]:
    """Number (from 1), id and text of the actions, by the first word of the text."""
    groups: dict[str, list[tuple[int, int, str]]] = {}
    for number, (action, text) in enumerate(actions, 1):
        groups.setdefault(text.split(" ")[0], []).append((number, action, text))
    return groups


def rest_of(text: str) -> str:
    """An action's text under the heading of its verb: without it, unless there is nothing else."""
    verb, _, rest = text.partition(" ")
    return rest or verb
