"""Vacations of people who play by correspondence."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add their table."""
    op.create_table(
        "vacations",
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("year", sa.Integer, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
    )
