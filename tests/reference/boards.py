"""Where the board files lie: in the package as it is installed, which is found here without being imported."""

from importlib.util import find_spec
from pathlib import Path

_package = find_spec("hansa_fast")
assert _package is not None and _package.submodule_search_locations is not None

BOARD_FILES = Path(_package.submodule_search_locations[0]) / "boards"
