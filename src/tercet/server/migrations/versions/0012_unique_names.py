"""No two accounts have names that read alike. Where two had, the younger has a number now, and the page says so."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the skeletons of names unique; the server computes them again when it starts."""
    op.drop_table("name_skeletons")
    op.create_table(
        "name_skeletons",
        sa.Column("skeleton", sa.String(120), primary_key=True),
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), nullable=False, index=True),
    )
    op.add_column("people", sa.Column("was", sa.String(40)))
    op.execute("DELETE FROM kept WHERE name = 'skeletons'")
