"""Who may do what: bearer tokens with roles. A token is shown once, when it is made; the store keeps its hash only."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from hansa_server.errors import BadField, NotAllowed, WhoAreYou
from hansa_server.store import Store, utc_now

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
PREFIX = "hansa_"


class Role(Enum):
    """What a token is for."""

    BOT = "bot"
    ORGANISER = "organiser"
    WATCHER = "watcher"


ANYONE = frozenset(Role)
LOOKING = frozenset({Role.ORGANISER, Role.WATCHER, Role.BOT})
ORGANISING = frozenset({Role.ORGANISER})
PLAYING = frozenset({Role.BOT})

# Every call and who may make it; None is open to all, with or without a token. Without a row no server starts.
ROLES: dict[str, frozenset[Role] | None] = {
    "/hansa.v1.ServerService/GetServerInfo": None,
    "/hansa.v1.PlayService/Play": PLAYING,
    "/hansa.v1.MatchService/ListBots": LOOKING,
    "/hansa.v1.MatchService/CreateMatch": ORGANISING,
    "/hansa.v1.MatchService/GetMatch": LOOKING,
    "/hansa.v1.MatchService/ListMatches": LOOKING,
    "/hansa.v1.MatchService/GetRecord": LOOKING,
    "/hansa.v1.MatchService/AbortMatch": ORGANISING,
    "/hansa.v1.WatchService/WatchMatch": LOOKING,
    "/hansa.v1.WatchService/WatchMatches": LOOKING,
    "/hansa.v1.TournamentService/CreateTournament": ORGANISING,
    "/hansa.v1.TournamentService/GetTournament": LOOKING,
    "/hansa.v1.TournamentService/ListTournaments": LOOKING,
    "/hansa.v1.TournamentService/StartTournament": ORGANISING,
    "/hansa.v1.TournamentService/PauseTournament": ORGANISING,
    "/hansa.v1.TournamentService/ResumeTournament": ORGANISING,
    "/hansa.v1.TournamentService/StopTournament": ORGANISING,
    "/hansa.v1.TournamentService/SetConcurrency": ORGANISING,
    "/hansa.v1.TournamentService/EnterBot": ORGANISING,
    "/hansa.v1.TournamentService/WithdrawBot": ORGANISING,
    "/hansa.v1.TournamentService/GetStandings": LOOKING,
    "/hansa.v1.TournamentService/GetCrosstable": LOOKING,
    "/hansa.v1.TournamentService/ListTournamentMatches": LOOKING,
    "/hansa.v1.TournamentService/GetBotLog": ORGANISING,
    "/hansa.v1.TournamentService/WatchTournament": LOOKING,
    "/hansa.v1.TournamentService/ExportTournament": LOOKING,
    "/hansa.v1.EngineService/ListGames": ANYONE,
    "/hansa.v1.EngineService/ListBoards": ANYONE,
    "/hansa.v1.EngineService/GetBoard": ANYONE,
    "/hansa.v1.EngineService/NewGame": ANYONE,
    "/hansa.v1.EngineService/GetPosition": ANYONE,
    "/hansa.v1.EngineService/ApplyActions": ANYONE,
    "/hansa.v1.EngineService/DescribeActions": ANYONE,
    "/hansa.v1.EngineService/ParseActions": ANYONE,
    "/hansa.v1.EngineService/RunPlayouts": ANYONE,
    "/hansa.v1.EngineService/CountPerft": ANYONE,
    "/hansa.v1.EngineService/AnalysePosition": ANYONE,
}


@dataclass(frozen=True)
class Principal:
    """Who makes a call. Without tokens everybody is everything, and nobody has a name."""

    name: str
    roles: frozenset[Role]
    token_id: str = ""

    @property
    def is_organiser(self) -> bool:
        """Whether hidden things of running matches may be told."""
        return Role.ORGANISER in self.roles


ANONYMOUS = Principal("", frozenset(Role))


def check_name(name: str, where: str = "name") -> str:
    """A name of a bot or token, or `BadField`."""
    if not NAME.fullmatch(name):
        raise BadField(where, f"must be 1 to 64 letters, digits or any of '._-', not {name[:80]!r}")
    return name


def digest(token: str) -> str:
    """What the store keeps of a token. Tokens are random and long, so a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def create_token(store: Store, role: Role, name: str, lifetime: timedelta | None = None) -> tuple[str, str]:
    """Make a token; returns its id and the token itself, which cannot be had again."""
    check_name(name)
    token = PREFIX + secrets.token_urlsafe(32)
    token_id = secrets.token_hex(4)
    now = utc_now()
    expires = None if lifetime is None else now + lifetime
    store.add_token(
        {
            "token_id": token_id,
            "hash": digest(token),
            "role": role.value,
            "name": name,
            "created": now,
            "expires": expires,
        }
    )
    return token_id, token


class Gatekeeper:
    """Looks at the token of every call."""

    def __init__(self, store: Store, required: bool) -> None:
        self.required = required
        self._store = store
        self._lent: dict[str, Principal] = {}  # by hash
        self._taken_back: set[str] = set()  # ids

    def lend(self, name: str) -> tuple[str, str]:
        """Make a token of a bot that is worth something to this process only; returns its id and the token.

        Nothing of it is stored, so nothing of it is left when the server is killed.
        """
        token = PREFIX + secrets.token_urlsafe(32)
        token_id = secrets.token_hex(4)
        self._lent[digest(token)] = Principal(check_name(name), PLAYING, token_id)
        return token_id, token

    def take_back(self, token_id: str) -> None:
        """Make a token that was lent worthless."""
        self._lent = {hashed: owner for hashed, owner in self._lent.items() if owner.token_id != token_id}
        self._taken_back.add(token_id)

    def admit(self, method: str, authorization: str | None) -> Principal:
        """Who calls, if the call is allowed. Raises `WhoAreYou` or `NotAllowed`.

        Without a need for tokens everything is allowed to everybody. A good token still says who calls, if the call is
        one that it is for; any other is passed over.
        """
        roles = ROLES[method]
        if roles is None:
            return ANONYMOUS
        if not self.required:
            if authorization is None:
                return ANONYMOUS
            try:
                return self._identify(authorization, roles)
            except (WhoAreYou, NotAllowed):
                return ANONYMOUS
        if authorization is None:
            raise WhoAreYou("this server needs a token: send the metadata 'authorization: Bearer ...'")
        return self._identify(authorization, roles)

    def _identify(self, authorization: str, roles: frozenset[Role]) -> Principal:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise WhoAreYou("the metadata 'authorization' must be 'Bearer' and a token")
        owner = self._owner(digest(token.strip()))
        if not owner.roles & roles:
            (role,) = owner.roles
            wanted = " or ".join(sorted(other.value for other in roles))
            raise NotAllowed(f"a {role.value}'s token may not do this; it takes one of a {wanted}")
        return owner

    def _owner(self, hashed: str) -> Principal:
        """Whose token it is, if it is good."""
        if hashed in self._lent:
            return self._lent[hashed]
        row = self._store.find_token(hashed)
        if row is None:
            raise WhoAreYou("this token is not known here")
        if problem := _problem(row):
            raise WhoAreYou(problem)
        return Principal(row.name, frozenset({Role(row.role)}), row.token_id)

    def worthless(self) -> dict[str, str]:
        """Ids of the tokens that are worth nothing any more, and why."""
        problems = {row.token_id: _problem(row) for row in self._store.list_tokens()}
        problems |= {token_id: f"the token {token_id} was taken back" for token_id in self._taken_back}
        return {token_id: problem for token_id, problem in problems.items() if problem}


def _problem(row: Any) -> str:
    """Why a token is worth nothing; empty if it is good."""
    if row.revoked is not None:
        return f"the token {row.token_id} was revoked"
    if row.expires is not None and _passed(row.expires):
        return f"the token {row.token_id} has expired"
    return ""


def _passed(moment: datetime) -> bool:
    now = utc_now()
    return moment <= (now if moment.tzinfo is not None else now.replace(tzinfo=None))
