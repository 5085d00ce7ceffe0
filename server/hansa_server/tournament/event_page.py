"""Writes docs/event-files.md from the tables that event files are checked by.

Run it after every change of a setting: `python -m hansa_server.tournament.event_page docs/event-files.md`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from hansa_server.tournament.event_file import BOT, CLOCK, KIND, KINDS, LIMITS, TABLE, TOP, TURNS, example
from hansa_server.tournament.pairing import Setting, formats

HEAD = """\
# Event files

Written by `hansa_server.tournament.event_page` from the tables that files are checked by; change them there.

A tournament is a TOML file: what holds for all of it at the top, then `[format]`, one `[[tables]]` for each kind of
table, one `[[bots]]` for each bot, and, if the usual is not wanted, `[clock]` and `[limits]`. What is left out has its
default. A file is checked as a whole: every mistake is named at once, with its place, such as `bots[2].uses` (counted
from 0) or `format.rounds`.

The unit of play is the block: one deal, played through seatings in which every bot sits in every seat equally often.
`both_ways` also plays them in the opposite order round the table, so that neighbours change sides; at two seats it
changes nothing.
"""


def settings_table(settings: Sequence[Setting]) -> str:
    """Settings as a Markdown table."""
    lines = ["| setting | type | default | meaning |", "|---|---|---|---|"]
    for setting in settings:
        needed = isinstance(setting.default, type)
        kind = setting.default if needed else type(setting.default)
        default = "has to be given" if needed else f"`{json.dumps(setting.default)}`"
        if setting.name == "turn_limit":
            default = f"{TURNS} for each player"
        meaning = setting.meaning + (f" ({setting.wanted})" if setting.wanted else "")
        lines.append(f"| `{setting.name}` | {KINDS[kind]} | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


def document() -> str:
    """The page."""
    parts = [HEAD]
    for title, settings in (
        ("At the top", TOP),
        ("`[[tables]]`", TABLE),
        ("`[[bots]]`", BOT),
        ("`[clock]`", CLOCK),
        ("`[limits]`", LIMITS),
    ):
        parts.append(f"## {title}\n\n{settings_table(settings)}")
    kinds = ", ".join(f"[`{name}`](#{name})" for name in sorted(formats()))
    parts.append(f"## `[format]`\n\n`kind` is {KIND.meaning}: {kinds}. Each has settings of its own.\n")
    for name, scheme in sorted(formats().items()):
        late = (
            "Bots can enter and withdraw at any time."
            if scheme.OPEN
            else "Bots can withdraw, but nobody can enter late."
        )
        rules = "\n\n".join(" ".join(part.split()) for part in (scheme.__doc__ or "").split("\n\n"))
        parts.append(
            f"### {name}\n\n{scheme.MEANING} {late}\n\n{rules}\n\n{settings_table(scheme.SETTINGS)}\n"
            f"```toml\n{example(name)}```\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
