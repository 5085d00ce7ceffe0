"""Where a bot comes from: an object, a file, or the bots of this package. Each process can make its own."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from hansa_client._bot import Bot
from hansa_client._errors import BotError


@dataclass(frozen=True)
class BotSource:
    """A bot that can be made in any process: a ready object (then it must be possible to pickle it), or its place."""

    ready: Bot | None = None
    place: str = ""

    def make(self) -> Bot:
        """The bot."""
        return self.ready if self.ready is not None else load_bot(self.place)


def load_bot(place: str) -> Bot:
    """The bot of this name ("random", "planner") or of this file: `my_bot.py`, or `my_bot.py:MyBot` out of several."""
    from hansa_client.bots import bot_names, bot_of

    named = bot_of(place)
    if named is not None:
        return named
    file, _, wanted = place.partition(".py:")
    path = Path(file if not wanted else file + ".py")
    if not path.is_file():
        raise BotError(f"{place}: there is no such file, and no bot of this name; there are {', '.join(bot_names())}")
    found = _bots_in(_load(path))
    if wanted:
        found = [kind for kind in found if kind.__name__ == wanted]
    if len(found) != 1:
        names = ", ".join(kind.__name__ for kind in found)
        which = f"has several bots ({names}): name one as {path.name}:NAME" if found else "has no such class of a Bot"
        raise BotError(f"{path} {which}")
    try:
        return found[0]()
    except Exception as error:
        raise BotError(f"{path}: {found[0].__name__}() failed: {type(error).__name__}: {error}") from error


def _load(path: Path) -> ModuleType:
    """Run a file as a module. What lies beside it can be imported, as if it had been started itself."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BotError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BotError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _bots_in(module: ModuleType) -> list[type[Bot]]:
    """The bots a module defines itself."""
    kinds = (kind for _, kind in inspect.getmembers(module, inspect.isclass))
    return [kind for kind in kinds if issubclass(kind, Bot) and kind.__module__ == module.__name__]
