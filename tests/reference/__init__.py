"""Slow, obvious engines that the fast core is checked against, one for each game."""

from __future__ import annotations

from typing import Any, Protocol, Self

import hansa_fast as hf
from tests.reference.hansa import Hansa
from tests.reference.teutonica import Teutonica

Json = dict[str, Any]


class Reference(Protocol):
    """What both engines can do."""

    phase: str

    @property
    def player(self) -> int: ...

    @property
    def is_over(self) -> bool: ...

    def legal(self) -> list[str]: ...

    def apply(self, text: str) -> None: ...

    def to_dict(self) -> Json: ...

    def copy(self) -> Self: ...

    def scores(self) -> list[dict[str, int]]: ...

    def result(self) -> Json: ...


def _options(rules: hf.Rules) -> Json:
    """The options that the engine of the game takes, but for the turn limit."""
    keys = ("edition", "board", "players", "missions", "favours") if rules.game == "teutonica" else ("players",)
    return {key: getattr(rules, key) for key in keys}


def new_reference(rules: hf.Rules, setup: Json) -> Reference:
    """A new game with an explicit set-up, all parts of it given."""
    options = {**_options(rules), "turn_limit": rules.turn_limit}
    if rules.game == "teutonica":
        return Teutonica(**options, setup=setup)
    return Hansa(**options, setup=setup)


def reference_at(rules: hf.Rules, position: Json) -> Reference:
    """The game in the position of a canonical dict."""
    engine: type[Teutonica | Hansa] = Teutonica if rules.game == "teutonica" else Hansa
    return engine.from_dict(_options(rules), position)


def setup_of(state: hf.State) -> Json:
    """The explicit set-up of a new game of the core."""
    d, rules = state.to_dict(), state.rules
    if rules.game == "hansa":
        numbered = [
            (number, good)
            for city in hf.board(rules.board)["cities"]
            for number, good in zip(city["warehouses"], d["warehouses"][city["name"]], strict=True)
        ]
        goods = [good for _, good in sorted(numbered, key=lambda pair: pair[0])]
        return {"colours": d["colours"], "goods": goods, "piles": d["piles"]}
    setup: Json = {"taverns": d["markers"], "pile": d["pile"]}
    if rules.favours:
        setup["favours"] = d["favours"]
    if rules.missions:
        setup["missions"] = [player["mission"] for player in d["players"]]
    return setup
