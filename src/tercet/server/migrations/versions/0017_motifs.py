"""The motifs that the trainer gave puzzles for."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add them to the tries at puzzles."""
    op.add_column("puzzle_tries", sa.Column("motif", sa.String(60)))
