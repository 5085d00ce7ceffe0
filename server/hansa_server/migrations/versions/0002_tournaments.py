"""Tournaments: their schedule, results and what is derived from them; matches that are stored as a whole."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables of tournaments."""
    op.create_table(
        "records",
        sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
        sa.Column("actions", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "tournaments",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False, unique=True),
        sa.Column("request_id", sa.String(64), unique=True),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True)),
        sa.Column("ended", sa.DateTime(timezone=True)),
        sa.Column("played_seconds", sa.Float, nullable=False),
        sa.Column("blocks_made", sa.Integer, nullable=False),
        sa.Column("blocks_finished", sa.Integer, nullable=False),
        sa.Column("blocks_void", sa.Integer, nullable=False),
        sa.Column("games_finished", sa.BigInteger, nullable=False),
        sa.Column("decisions", sa.BigInteger, nullable=False),
        sa.Column("chain", sa.String(64), nullable=False),
        sa.Column("chain_blocks", sa.Integer, nullable=False),
        sa.Column("outcome", sa.Text),
    )
    tournament = sa.ForeignKey("tournaments.name")
    op.create_table(
        "entrants",
        sa.Column("tournament", sa.String(64), tournament, primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("uses", sa.Text, nullable=False),
        sa.Column("entered", sa.Integer, nullable=False),
        sa.Column("withdrawn", sa.Integer),
    )
    op.create_table(
        "notes",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("chained", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "blocks",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("seat_table", sa.SmallInteger, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("seatings", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("chain", sa.String(64), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "games",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("block", sa.Integer, primary_key=True),
        sa.Column("game", sa.SmallInteger, primary_key=True),
        sa.Column("match_id", sa.String(32), nullable=False, unique=True),
        sa.Column("result", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tallies",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("pool", sa.String(128), primary_key=True),
        sa.Column("bot", sa.String(64), primary_key=True),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "pairs",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("pool", sa.String(128), primary_key=True),
        sa.Column("bot", sa.String(64), primary_key=True),
        sa.Column("other", sa.String(64), primary_key=True),
        sa.Column("ahead", sa.BigInteger, nullable=False),
        sa.Column("tied", sa.BigInteger, nullable=False),
        sa.Column("behind", sa.BigInteger, nullable=False),
        sa.Column("after", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "fits",
        sa.Column("tournament", sa.String(64), sa.ForeignKey("tournaments.name"), primary_key=True),
        sa.Column("pool", sa.String(128), primary_key=True),
        sa.Column("blocks", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "logs",
        sa.Column("match_id", sa.String(32), primary_key=True),
        sa.Column("bot", sa.String(64), primary_key=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("logs", "fits", "pairs", "tallies", "games", "blocks", "notes", "entrants", "tournaments", "records"):
        op.drop_table(table)
