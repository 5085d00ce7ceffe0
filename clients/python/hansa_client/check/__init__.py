"""Walk a bot, in any language, through the protocol step by step and say what was right and what was wrong.

The bot is started as a command and connects to a small server of ours that speaks the real contract and plays by a
script. The positions come from the rules engine, so hansa_fast must be installed.
"""

from hansa_client.check._walk import Judged, Report, check_command, lines_of

__all__ = ["Judged", "Report", "check_command", "lines_of"]
