"""What can go wrong at the arena's door, and how it is told over gRPC.

ArenaError
├── BadField            a field of a request is wrong; names the field and says what would be right
├── NotFound            there is no such thing
├── AlreadyThere        there is such a thing already
├── NotNow              the request is fine but the state of things does not allow it
│   └── CannotStart     the command of a local bot cannot be run; says why
├── TooMuch             a limit was passed; names the limit
├── NotAllowed          the token may not do this
├── WhoAreYou           the token is missing, unknown, expired or revoked
├── Replaced            a newer stream of the same bot took this one's place
└── Stopping            the server is about to stop
    └── NoStore         the database does not answer
"""

from __future__ import annotations

import grpc
import sqlalchemy.exc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from sqlalchemy.exc import InterfaceError, OperationalError

from hansa_fast import HansaError

DOMAIN = "hansa.v1"
LONGEST_TEXT = 240


class ArenaError(Exception):
    """Base of all refusals. `reason` is stable and meant for programs."""

    code = grpc.StatusCode.UNKNOWN
    reason = "UNKNOWN"

    def details(self) -> list[any_pb2.Any]:
        """The error as `google.rpc` messages."""
        return [_pack(error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN))]


class BadField(ArenaError):
    """A field of a request is wrong."""

    code = grpc.StatusCode.INVALID_ARGUMENT
    reason = "BAD_FIELD"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{clip(name)}: {clip(problem)}")
        self.name = clip(name)
        self.problem = clip(problem)

    def details(self) -> list[any_pb2.Any]:
        violation = error_details_pb2.BadRequest.FieldViolation(field=self.name, description=self.problem)
        return [*super().details(), _pack(error_details_pb2.BadRequest(field_violations=[violation]))]


class NotFound(ArenaError):
    """There is no such thing."""

    code = grpc.StatusCode.NOT_FOUND
    reason = "NOT_FOUND"

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"there is no {kind} {clip(name)!r}")
        self.kind = kind
        self.name = clip(name)

    def details(self) -> list[any_pb2.Any]:
        info = error_details_pb2.ResourceInfo(resource_type=self.kind, resource_name=self.name, description=str(self))
        return [*super().details(), _pack(info)]


class AlreadyThere(ArenaError):
    """There is such a thing already."""

    code = grpc.StatusCode.ALREADY_EXISTS
    reason = "ALREADY_THERE"

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"there is a {kind} {clip(name)!r} already")
        self.kind = kind
        self.name = clip(name)

    def details(self) -> list[any_pb2.Any]:
        info = error_details_pb2.ResourceInfo(resource_type=self.kind, resource_name=self.name, description=str(self))
        return [*super().details(), _pack(info)]


class NotNow(ArenaError):
    """The state of things does not allow it."""

    code = grpc.StatusCode.FAILED_PRECONDITION
    reason = "NOT_NOW"

    def __init__(self, subject: str, problem: str) -> None:
        super().__init__(f"{clip(subject)}: {clip(problem)}")
        self.subject = clip(subject)
        self.problem = clip(problem)

    def details(self) -> list[any_pb2.Any]:
        violation = error_details_pb2.PreconditionFailure.Violation(
            type="STATE", subject=self.subject, description=self.problem
        )
        return [*super().details(), _pack(error_details_pb2.PreconditionFailure(violations=[violation]))]


class CannotStart(NotNow):
    """The command of a local bot cannot be run."""

    reason = "CANNOT_START"


class TooMuch(ArenaError):
    """A limit was passed."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED
    reason = "LIMIT_PASSED"

    def __init__(self, subject: str, problem: str) -> None:
        super().__init__(f"{clip(subject)}: {clip(problem)}")
        self.subject = clip(subject)
        self.problem = clip(problem)

    def details(self) -> list[any_pb2.Any]:
        violation = error_details_pb2.QuotaFailure.Violation(subject=self.subject, description=self.problem)
        return [*super().details(), _pack(error_details_pb2.QuotaFailure(violations=[violation]))]


class NotAllowed(ArenaError):
    """The token may not do this."""

    code = grpc.StatusCode.PERMISSION_DENIED
    reason = "NOT_ALLOWED"


class WhoAreYou(ArenaError):
    """The token is missing or worth nothing."""

    code = grpc.StatusCode.UNAUTHENTICATED
    reason = "BAD_TOKEN"


class Replaced(ArenaError):
    """A newer stream of the same bot took this one's place."""

    code = grpc.StatusCode.ABORTED
    reason = "REPLACED"


class Stopping(ArenaError):
    """The server is about to stop; come back later."""

    code = grpc.StatusCode.UNAVAILABLE
    reason = "STOPPING"

    def details(self) -> list[any_pb2.Any]:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.seconds = 1
        return [*super().details(), _pack(retry)]


class NoStore(Stopping):
    """The database does not answer; come back later."""

    reason = "NO_STORE"


def clip(text: str) -> str:
    """A text short enough for the trailers of a call, which have room for a few kilobytes."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _pack(message: object) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)  # type: ignore[arg-type]
    return packed


def as_arena_error(error: BaseException) -> ArenaError | None:
    """Errors of the rules engine are refusals too: the request named something that cannot be."""
    if isinstance(error, ArenaError):
        return error
    if isinstance(error, HansaError):
        name, colon, problem = str(error).partition(": ")
        return BadField(name, problem) if colon else BadField("request", str(error))
    if isinstance(error, (OperationalError, InterfaceError, sqlalchemy.exc.TimeoutError)):
        return NoStore("the store does not answer; try again later")
    return None


def grpc_status(error: ArenaError) -> grpc.Status:
    """The error as a gRPC status with details in its trailers."""
    code, _ = error.code.value
    message = status_pb2.Status(code=code, message=str(error), details=error.details())
    assert code in code_pb2.Code.values()
    return rpc_status.to_status(message)
