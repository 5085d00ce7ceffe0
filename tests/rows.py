"""What can be played: every row of the rules' first section."""

from __future__ import annotations

import itertools

import hansa_fast as hf
from hansa_fast._boards import board_names


def all_rules() -> list[hf.Rules]:
    """Every combination of options that can be played."""
    found = []
    for edition, board, players, missions, favours in itertools.product(
        ("2009", "big-box"),
        board_names(),
        range(1, 7),
        (False, True),
        (False, True),
    ):
        try:
            found.append(
                hf.Rules(
                    game="teutonica", edition=edition, board=board, players=players, missions=missions, favours=favours
                )
            )
        except hf.RulesError:
            continue
    return found


def row_name(rules: hf.Rules) -> str:
    """A short name of the rules."""
    modules = [name for name in ("missions", "favours") if getattr(rules, name)]
    return " ".join([rules.edition, rules.board, str(rules.players), *modules])
