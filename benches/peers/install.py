"""Makes an environment with the package and its peers, for `table.py` to measure side by side.

python benches/peers/install.py ENVIRONMENT

What cannot be installed is left out; the table names it. Peers are never a dependency of the package.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS = ("open_spiel", "chess", "catanatron")
STOCKFISH_PATH = "/usr/games:/usr/local/bin:/usr/bin"  # Debian keeps games out of the usual path


def run(*command: str) -> bool:
    """Whether the command worked."""
    print("+", *command, flush=True)
    return subprocess.run(command, check=False).returncode == 0


def main(environment: str) -> None:
    """Install everything that installs."""
    place = Path(environment)
    venv.create(place, with_pip=True)
    python = str(place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    if not run(python, "-m", "pip", "install", "-q", str(ROOT)):
        sys.exit("the package itself does not install")
    for peer in PEERS:
        run(python, "-m", "pip", "install", "-q", "--only-binary", "open_spiel", peer)
    if not shutil.which("stockfish", path=STOCKFISH_PATH) and shutil.which("apt-get"):
        run("apt-get", "install", "-y", "-qq", "stockfish")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
