"""Saved analyses with their chapters and editors; reports of them."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add their tables, and a column to the reports."""
    op.create_table(
        "analyses",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("access", sa.String(8), nullable=False),
        sa.Column("chapters", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
    )
    op.create_index("analyses_by_access", "analyses", ["access", "changed"])
    op.create_table(
        "analysis_chapters",
        sa.Column("analysis_id", sa.String(16), sa.ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("game", sa.String(20), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "analysis_editors",
        sa.Column("analysis_id", sa.String(16), sa.ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id"), primary_key=True, index=True),
    )
    op.add_column("reports", sa.Column("analysis_id", sa.String(16)))
