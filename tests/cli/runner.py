"""What a run of the command `hansa` gives."""

import io
import json
from typing import Any, NamedTuple, Protocol


class Done(NamedTuple):
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON, of a command that went well."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Runner(Protocol):
    """Runs a command in the folder of the test."""

    def __call__(self, *args: str, stdin: str = "", terminal: bool = False) -> Done:
        """Run `hansa` with these arguments; `terminal` says that a person sits there."""


class Stream(io.StringIO):
    """An input or output that says whether it is a terminal."""

    def __init__(self, text: str = "", terminal: bool = False) -> None:
        """A stream of this text."""
        super().__init__(text)
        self.terminal = terminal

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self.terminal
