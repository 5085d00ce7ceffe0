"""`hansa lobby`: who is connected to a server."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from time import sleep
from typing import Annotated, Any

import typer

from hansa_fast.cli import arena, output
from hansa_fast.cli.options import ColourOption, JsonOption

EPILOG = "Example: hansa lobby --server 127.0.0.1:7717 --watch"

PAGE = 1000
CLEAR = "\x1b[H\x1b[2J"


def lobby(
    server: arena.ServerOption = arena.USUAL_SERVER,
    token: arena.TokenOption = None,
    token_file: arena.TokenFileOption = None,
    tls: arena.TlsOption = False,
    tls_ca: arena.TlsCaOption = None,
    tls_cert: arena.TlsCertOption = None,
    tls_key: arena.TlsKeyOption = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Show it again whenever it changes.")] = False,
    every: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds between looks with --watch.")] = 2.0,
    colour: ColourOption = None,
    json: JsonOption = False,
) -> None:
    """Show which bots are connected, what they play and how busy they are."""
    access = arena.Access(server or arena.USUAL_SERVER, token, token_file, tls, tls_ca, tls_cert, tls_key)
    shown: list[dict[str, Any]] | None = None
    with access.channel() as channel:
        while True:
            bots = _list_bots(channel)
            if bots != shown:
                shown = bots
                if json:
                    output.write_json(bots)
                else:
                    clear = CLEAR if watch and sys.stdout.isatty() else ""
                    output.write(clear + _table(bots, output.want_colour(colour)))
            if not watch:
                return
            sleep(every)


def _list_bots(channel: Any) -> list[dict[str, Any]]:
    """All pages of the lobby."""
    from hansa_client.pb.hansa.v1 import match_pb2, match_pb2_grpc

    stub = match_pb2_grpc.MatchServiceStub(channel)
    bots: list[dict[str, Any]] = []
    page = ""
    while True:
        response = stub.ListBots(match_pb2.ListBotsRequest(page_size=PAGE, page_token=page), timeout=arena.PATIENCE)
        bots += [
            {
                "name": bot.name,
                "version": bot.version,
                "games": list(bot.games),
                "running_matches": bot.running_matches,
                "max_matches": bot.max_matches,
                "connected": bot.connect_time.ToDatetime(UTC).isoformat(timespec="seconds"),
            }
            for bot in response.bots
        ]
        page = response.next_page_token
        if not page:
            return bots


def _table(bots: list[dict[str, Any]], coloured: bool) -> str:
    if not bots:
        return "nobody is connected"
    rows = [
        [
            bot["name"],
            bot["version"],
            ", ".join(bot["games"]) or "all",
            f"{bot['running_matches']} of {bot['max_matches']}",
            datetime.fromisoformat(bot["connected"]).astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        ]
        for bot in bots
    ]
    return output.table(["bot", "version", "games", ">matches", "connected since"], rows, colour=coloured)
