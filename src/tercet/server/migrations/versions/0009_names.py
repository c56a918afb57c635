"""What the names and handles of accounts look like, so that no other name is taken for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the table; the server fills it when it starts."""
    op.create_table(
        "name_skeletons",
        sa.Column("skeleton", sa.String(120), primary_key=True),
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True),
    )
    op.create_index("ix_name_skeletons_person_id", "name_skeletons", ["person_id"])
