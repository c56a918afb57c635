"""What is said has the id that its client gave it, so that it is said once whatever happens between two tries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("talk", sa.Column("client_id", sa.String(96)))
    op.create_index("one_line_for_a_client_id", "talk", ["table_id", "client_id"], unique=True)
