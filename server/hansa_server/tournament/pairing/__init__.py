"""Pairing schemes, a module each: one that sets `FORMAT` to its scheme adds a format, and nothing else is touched."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from hansa_server.tournament.pairing.scheme import Scheme, Setting, Setup

__all__ = ["Scheme", "Setting", "Setup", "formats"]


@cache
def formats() -> dict[str, type[Scheme]]:
    """All formats by name."""
    found: dict[str, type[Scheme]] = {}
    for module in iter_modules(__path__):
        kind = getattr(import_module(f"{__name__}.{module.name}"), "FORMAT", None)
        if kind is not None:
            found[kind.NAME] = kind
    return found
