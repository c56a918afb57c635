"""Notices while the page is closed: devices, settings, and of which deadlines players were reminded."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add their tables, and a column to the tables of games."""
    op.create_table(
        "notice_devices",
        sa.Column("session_id", sa.String(24), sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("endpoint", sa.String(1000), nullable=False, unique=True),
        sa.Column("p256dh", sa.String(100), nullable=False),
        sa.Column("auth", sa.String(30), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_table(
        "notice_settings",
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("off", sa.String(80), nullable=False),
        sa.Column("mail", sa.Boolean, nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
    )
    op.add_column("tables", sa.Column("reminded", sa.BigInteger))
