"""`python -m hansa_client BOT [OPTIONS]`: run a bot of this package or of a file."""

from __future__ import annotations

import logging
import sys

from hansa_client._errors import ClientError
from hansa_client._options import options_from_arguments
from hansa_client._run import run_source
from hansa_client._source import BotSource
from hansa_client._worker import set_up_logging


def main() -> None:
    """Run the bot that is named first."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m hansa_client random|greedy|FILE.py [--server HOST:PORT] ...")
    try:
        options = options_from_arguments(sys.argv[2:])
        set_up_logging(getattr(logging, options.log_level.upper()))
        run_source(BotSource(place=sys.argv[1]), options)
    except ClientError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
