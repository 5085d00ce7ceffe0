"""The kit for bots of the Hansa board games: a bot is one class with one method.

from hansa_client import Bot, run

class MyBot(Bot):
    name = "my-bot"

    def choose(self, view, legal):
        return legal[0]

if __name__ == "__main__":
    run(MyBot())
"""

from hansa_client._bot import Bot
from hansa_client._client import play
from hansa_client._errors import BotError, ChoiceError, ClientError, OptionError, RefusedError, ReplacedError
from hansa_client._match import Action, Choice, Clock, ClockRules, Match, Played, Result, Rules, SeatResult
from hansa_client._options import Options
from hansa_client._run import run
from hansa_client._source import load_bot
from hansa_client._view import View

__all__ = [
    "Action",
    "Bot",
    "BotError",
    "Choice",
    "ChoiceError",
    "ClientError",
    "Clock",
    "ClockRules",
    "Match",
    "OptionError",
    "Options",
    "Played",
    "RefusedError",
    "ReplacedError",
    "Result",
    "Rules",
    "SeatResult",
    "View",
    "load_bot",
    "play",
    "run",
]

__version__ = "0.1.0"
