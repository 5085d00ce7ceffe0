"""What can go wrong for a bot.

ClientError
├── BotError        there is no bot in this file, or it is not one
├── ChoiceError     choose() returned something that is no legal action
├── OptionError     an option, or options that do not go together
├── RefusedError       the server does not let this bot in, and trying again would not help
└── ReplacedError      another process plays under the same name or token
"""

from __future__ import annotations


class ClientError(Exception):
    """Base of all errors of this package. The text says what to do about it."""


class BotError(ClientError):
    """There is no bot where one was looked for."""


class ChoiceError(ClientError):
    """What `choose` returned is no legal action."""


class OptionError(ClientError):
    """An option that cannot be."""


class RefusedError(ClientError):
    """The server does not let this bot in, and trying again would not help."""


class ReplacedError(ClientError):
    """Another process plays under the same name or token."""
