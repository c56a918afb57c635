"""Whom somebody follows, what friends write each other, who challenges whom, and how an account is recovered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def _person(name: str, **how: bool) -> sa.Column[str]:
    return sa.Column(name, sa.String(24), sa.ForeignKey("people.id"), **how)  # type: ignore[arg-type]


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "follows",
        _person("person_id", primary_key=True),
        _person("other_id", primary_key=True),
        sa.Column("at", sa.Float),
    )
    op.create_index("ix_follows_other_id", "follows", ["other_id"])
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer, primary_key=True),
        _person("from_id", nullable=False),
        _person("to_id", nullable=False),
        sa.Column("text", sa.String(1000), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("read", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("messages_by_pair", "messages", ["from_id", "to_id", "id"])
    op.create_index("messages_to", "messages", ["to_id", "read"])
    op.create_table(
        "challenges",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        _person("from_id", nullable=False),
        _person("to_id", nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("ix_challenges_to_id", "challenges", ["to_id"])
    op.create_index("ix_challenges_from_id", "challenges", ["from_id"])
    op.create_table(
        "emails",
        _person("person_id", primary_key=True),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("confirmed", sa.Float, nullable=False),
    )
    op.create_table(
        "recovery",
        sa.Column("secret_hash", sa.String(64), primary_key=True),
        _person("person_id", nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("email", sa.String(254)),
        sa.Column("expires", sa.Float),
    )
    op.create_index("ix_recovery_person_id", "recovery", ["person_id"])
