"""How we use psycopg, which is there only where PostgreSQL is asked for."""

from __future__ import annotations

from typing import Any

import psycopg


class Stream(psycopg.ServerCursor[Any]):
    """A cursor on the server that may be forgotten once its connection is lost.

    SQLAlchemy does not close such a cursor, and where it tries psycopg cannot: nothing is left to close.
    """

    def __del__(self, *words: Any) -> None:
        if not self.connection.closed:
            super().__del__(*words)


def prepare_connection(connection: psycopg.Connection[Any], _record: object) -> None:
    """Called by the pool for every new connection."""
    connection.server_cursor_factory = Stream
