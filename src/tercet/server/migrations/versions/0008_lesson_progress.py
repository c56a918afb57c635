"""How far people with an account have come in the lessons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "lesson_progress",
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("game", sa.String(20), primary_key=True),
        sa.Column("lesson", sa.String(60), primary_key=True),
        sa.Column("steps", sa.Integer, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
