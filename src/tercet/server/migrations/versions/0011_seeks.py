"""People who wait to be paired for a quick game."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add their table."""
    op.create_table(
        "seeks",
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("id", sa.String(16), nullable=False, unique=True),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("time", sa.String(8), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("rating", sa.Float),
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("owner", sa.Integer, nullable=False),
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id")),
    )
