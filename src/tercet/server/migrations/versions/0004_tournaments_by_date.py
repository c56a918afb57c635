"""Tournaments that are due are found by an index."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the index."""
    op.create_index("tournaments_by_state", "tournaments", ["state", "begins"])
