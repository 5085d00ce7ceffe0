"""The version of the built-in bot that plays for an entrant. Of those that are there already it is not known."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add it."""
    op.add_column("entrants", sa.Column("version", sa.Text))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("entrants", "version")
