"""What can be played: every row of the first section of docs/rules.md, of both games."""

from __future__ import annotations

import hansa_fast as hf

# (game, edition, board, numbers of players, whether the modules can be added)
TABLE = (
    ("teutonica", "2009", "standard-3", (2, 3), False),
    ("teutonica", "2009", "standard-4-5", (4, 5), False),
    ("teutonica", "big-box", "britannia-3", (3,), False),
    ("teutonica", "big-box", "britannia-4-5", (4, 5), False),
    ("teutonica", "big-box", "east", (3, 4, 5), False),
    ("teutonica", "big-box", "standard-3", (3,), True),
    ("teutonica", "big-box", "standard-4-5", (4, 5), True),
    ("hansa", "2004", "hansa-2004", (2, 3, 4), False),
)
RULES = tuple(
    hf.Rules(game=game, edition=edition, board=board, players=players, missions=missions, favours=favours)
    for game, edition, board, seats, modules in TABLE
    for players in seats
    for missions in ((False, True) if modules else (False,))
    for favours in ((False, True) if modules else (False,))
)
BOARDS = tuple(dict.fromkeys(rules.board for rules in RULES))


def rules_of(game: str) -> tuple[hf.Rules, ...]:
    """The rows of one game."""
    return tuple(rules for rules in RULES if rules.game == game)


def row_name(rules: hf.Rules) -> str:
    """A short name of the rules."""
    modules = [name for name in ("missions", "favours") if getattr(rules, name)]
    return " ".join([rules.edition, rules.board, str(rules.players), *modules])
