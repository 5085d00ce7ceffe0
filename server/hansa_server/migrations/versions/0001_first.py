"""Matches, their actions and forfeits, and tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables of the arena."""
    op.create_table(
        "matches",
        sa.Column("match_id", sa.String(32), primary_key=True),
        sa.Column("number", sa.BigInteger, nullable=False, unique=True),
        sa.Column("request_id", sa.String(64), unique=True),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended", sa.DateTime(timezone=True)),
        sa.Column("outcome", sa.Text),
    )
    op.create_table(
        "actions",
        sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
        sa.Column("sequence", sa.Integer, primary_key=True),
        sa.Column("seat", sa.SmallInteger, nullable=False),
        sa.Column("action", sa.SmallInteger, nullable=False),
        sa.Column("think_us", sa.BigInteger, nullable=False),
        sa.Column("bank_us", sa.BigInteger, nullable=False),
        sa.Column("said", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "forfeits",
        sa.Column("match_id", sa.String(32), sa.ForeignKey("matches.match_id"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True),
        sa.Column("sequence", sa.Integer, nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("replacement", sa.String(32), nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("token_id", sa.String(16), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True)),
        sa.Column("revoked", sa.DateTime(timezone=True)),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("tokens", "forfeits", "actions", "matches"):
        op.drop_table(table)
