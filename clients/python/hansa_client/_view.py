"""The position as a seat sees it: the canonical JSON form (docs/formats.md), with its keys as attributes."""

from __future__ import annotations

import json
from typing import Any

from hansa_client._match import Clock, Match


class Facts(dict[str, Any]):
    """A JSON object whose keys can be read as attributes too: `facts.phase` is `facts["phase"]`.

    Names that a dict has itself are read with brackets: `abilities["keys"]`.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there are {', '.join(self) or 'no keys'}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (), self.__dict__ or None, None, iter(self.items()))


class View(Facts):
    """A position, the match it belongs to and the clock of the decision."""

    match: Match
    clock: Clock

    @property
    def seat(self) -> int:
        """Where this bot sits."""
        return self.match.seat

    @property
    def me(self) -> Any:
        """What lies in front of this bot: `players` at its seat."""
        return self["players"][self.match.seat]


def facts(value: Any) -> Any:
    """A JSON value with all its objects as `Facts`."""
    if isinstance(value, dict):
        return Facts((key, facts(part)) for key, part in value.items())
    return [facts(part) for part in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """The inverse of `facts`: a JSON value with all its objects as plain dicts."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def view_of(position: Facts, match: Match, clock: Clock) -> View:
    """A view out of a position read by `read_facts` or made by `facts`."""
    view = View(position)
    view.__dict__.update(match=match, clock=clock)
    return view


def read_facts(text: str) -> Facts:
    """The JSON text of a position, read."""
    found = json.loads(text, object_hook=Facts)
    assert isinstance(found, Facts)
    return found
