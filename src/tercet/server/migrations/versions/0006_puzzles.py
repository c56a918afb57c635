"""Puzzles: their ratings and tags, who has tried which, and how strong people are in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def _person() -> sa.Column[str]:
    return sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True)


def upgrade() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "puzzles",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("values", sa.JSON, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("puzzles_by_rating", "puzzles", ["game", "rating"])
    op.create_table(
        "puzzle_tags",
        sa.Column("puzzle_id", sa.String(40), sa.ForeignKey("puzzles.id"), primary_key=True),
        sa.Column("tag", sa.String(40), primary_key=True),
    )
    op.create_index("puzzle_tags_by_tag", "puzzle_tags", ["tag", "puzzle_id"])
    op.create_table(
        "puzzle_tries",
        _person(),
        sa.Column("puzzle_id", sa.String(40), sa.ForeignKey("puzzles.id"), primary_key=True),
        sa.Column("right", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("due", sa.Float),
    )
    op.create_index("puzzle_tries_by_time", "puzzle_tries", ["person_id", "at"])
    op.create_table(
        "puzzle_ratings",
        _person(),
        sa.Column("game", sa.String(20), primary_key=True),
        sa.Column("values", sa.JSON, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
