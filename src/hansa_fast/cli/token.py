"""`hansa token`: who may call a server. Works on the store itself, whether the server runs or not."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hansa_fast.cli import arena, output
from hansa_fast.cli.errors import CliError
from hansa_fast.cli.options import ColourOption, JsonOption

if TYPE_CHECKING:
    from hansa_server.store import Store

app = typer.Typer(
    no_args_is_help=True,
    help="Make, list and revoke the tokens of a server.",
    epilog="Example: hansa token create --role bot --name my_bot",
)


class RoleName(StrEnum):
    """What a token is for."""

    BOT = "bot"
    ORGANISER = "organiser"
    WATCHER = "watcher"


@app.command(epilog="Example: hansa token create --role bot --name my_bot --days 90 > my_bot.token")
def create(
    name: Annotated[str, typer.Option(help="Whose token it is; a bot plays under this name.")],
    role: Annotated[RoleName, typer.Option(help="What the token is for.")] = RoleName.BOT,
    days: Annotated[float | None, typer.Option(help="How long it is good for.", show_default="for ever")] = None,
    store: arena.StoreOption = None,
    config: arena.ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Make a token and write it to the output. It is shown this once: the store keeps only its hash."""
    if days is not None and not 0 < days <= 36_500:
        raise CliError(f"--days: must be more than 0 and at most 36500, not {days:g}")
    with arena.opened_store(store, config, must_exist=False) as opened:
        from hansa_server.auth import Role, create_token

        lifetime = None if days is None else timedelta(days=days)
        token_id, token = create_token(opened, Role(role.value), name, lifetime)
        row = next(row for row in _rows(opened) if row["id"] == token_id)
    if json:
        output.write_json({**row, "token": token})
    else:
        output.write(token)
        until = f"until {row['expires']}" if row["expires"] else "for ever"
        output.note(f"token {token_id}: {role.value} {name}, good {until}; it is not shown again")


@app.command("list", epilog="Example: hansa token list --json")
def list_tokens(
    store: arena.StoreOption = None,
    config: arena.ConfigOption = None,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """List all tokens: id, role, name, times and state, never the token itself."""
    with arena.opened_store(store, config, must_exist=True) as opened:
        rows = _rows(opened)
    if json:
        output.write_json(rows)
        return
    cells = [[row["id"], row["role"], row["name"], row["created"], row["expires"] or "-", row["state"]] for row in rows]
    heads = ["id", "role", "name", "created", "expires", "state"]
    output.write(output.table(heads, cells, colour=output.want_colour(colour)) if rows else "there are no tokens")


@app.command(epilog="Example: hansa token revoke 1f2e3d4c")
def revoke(
    ids: Annotated[list[str], typer.Argument(help="Ids of tokens, see `hansa token list`.", metavar="ID")],
    store: arena.StoreOption = None,
    config: arena.ConfigOption = None,
) -> None:
    """Make tokens worthless. New calls fail at once, open streams end within the server's setting `token_check`."""
    with arena.opened_store(store, config, must_exist=True) as opened:
        from hansa_server.errors import NotFound
        from hansa_server.store import utc_now

        good = {row["id"] for row in _rows(opened) if row["state"] != "revoked"}
        for token_id in ids:
            if token_id not in good:
                raise CliError(f"there is no token {token_id!r} that is not revoked", hint="see `hansa token list`")
        for token_id in ids:
            with suppress(NotFound):  # somebody else may revoke it just now
                opened.revoke_token(token_id, utc_now())
            output.note(f"token {token_id}: revoked")


def _rows(store: Store) -> list[dict[str, Any]]:
    """All tokens as plain values."""
    now = datetime.now(UTC)
    rows = []
    for row in store.list_tokens():
        expires = _utc(row.expires)
        state = "revoked" if row.revoked is not None else "expired" if expires and expires <= now else "good"
        times = {"created": _text(_utc(row.created)), "expires": _text(expires), "revoked": _text(_utc(row.revoked))}
        rows.append({"id": row.token_id, "role": row.role, "name": row.name, **times, "state": state})
    return rows


def _utc(value: datetime | None) -> datetime | None:
    """SQLite forgets the zone; all times are UTC."""
    return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


def _text(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat(timespec="seconds")
