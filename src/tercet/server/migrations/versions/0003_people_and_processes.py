"""People, their ratings, what they say, tournaments; what a table needs where several processes serve."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def _person(name: str = "person_id", **how: bool) -> sa.Column[str]:
    return sa.Column(name, sa.String(24), sa.ForeignKey("people.id"), **how)  # type: ignore[arg-type]


def _table(**how: bool) -> sa.Column[str]:
    return sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), **how)  # type: ignore[arg-type]


def upgrade() -> None:
    """Create the tables, and fill the new columns of those there are."""
    op.create_table(
        "people",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("handle", sa.String(24), unique=True),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("password_hash", sa.String(200)),
        sa.Column("owner", sa.String(24), sa.ForeignKey("people.id")),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("deleted", sa.Float),
    )
    with op.batch_alter_table("tables") as tables:
        for column in (
            sa.Column("game", sa.String(20), nullable=False, server_default=""),
            sa.Column("speed", sa.String(16), nullable=False, server_default=""),
            sa.Column("creator", sa.String(24), sa.ForeignKey("people.id", name="creator_of_a_table")),
            sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
            sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()),
            sa.Column("waiting", sa.Integer, nullable=False, server_default="0"),
            sa.Column("number", sa.Integer, nullable=False, server_default="0"),
            sa.Column("owner", sa.Integer, sa.ForeignKey("runs.id", name="owner_of_a_table")),
            sa.Column("deadline", sa.BigInteger),
            sa.Column("over", sa.Boolean, nullable=False, server_default=sa.false()),
            sa.Column("ended", sa.Float),
            sa.Column("result", sa.JSON(none_as_null=True)),
            sa.Column("counted", sa.Boolean, nullable=False, server_default=sa.false()),
            sa.Column("after", sa.String(32)),
        ):
            tables.add_column(column)
        tables.create_index("tables_by_deadline", ["deadline"])
        tables.create_index("tables_by_owner", ["owner"])
        tables.create_index("tables_by_state", ["over", "waiting", "public"])
        tables.create_index("tables_to_count", ["over", "counted"])
    with op.batch_alter_table("runs") as runs:
        runs.add_column(sa.Column("process", sa.String(120), nullable=False, server_default=""))
        runs.create_index("ix_runs_seen", ["seen"])
    with op.batch_alter_table("seats") as seats:
        seats.alter_column("token_hash", existing_type=sa.String(64), nullable=True)
        seats.add_column(sa.Column("person_id", sa.String(24), sa.ForeignKey("people.id", name="person_in_a_seat")))
        seats.create_index("seats_by_person", ["person_id", "table_id"])
    connection = op.get_bind()
    connection.execute(
        sa.text(
            "UPDATE tables SET number = (SELECT coalesce(max(events.number), 0) FROM events "
            "WHERE events.table_id = tables.id)"
        )
    )
    for row in connection.execute(sa.text("SELECT id, setup FROM tables")).all():
        setup = json.loads(row.setup) if isinstance(row.setup, str) else row.setup
        connection.execute(
            sa.text("UPDATE tables SET game = :game WHERE id = :id"), {"game": setup["game"], "id": row.id}
        )
    op.create_table(
        "talk",
        sa.Column("id", sa.Integer, primary_key=True),
        _table(nullable=False),
        sa.Column("room", sa.String(10), nullable=False),
        sa.Column("seat", sa.Integer),
        _person(),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("text", sa.String(500), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Index("talk_by_table", "table_id", "id"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        _person(nullable=False, index=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_table("blocks", _person(primary_key=True), _person("other_id", primary_key=True))
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer, primary_key=True),
        _person(),
        sa.Column("table_id", sa.String(32)),
        sa.Column("talk_id", sa.Integer),
        sa.Column("about", sa.String(24)),
        sa.Column("why", sa.String(500), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("handled", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "ratings",
        _person(primary_key=True),
        sa.Column("game", sa.String(20), primary_key=True),
        sa.Column("speed", sa.String(16), primary_key=True),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("values", sa.JSON, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Index("ratings_by_rank", "game", "speed", "rating"),
    )
    op.create_table(
        "rating_history",
        _table(primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        _person(nullable=False, index=True),
        sa.Column("before", sa.JSON, nullable=False),
        sa.Column("after", sa.JSON, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("form", sa.String(20), nullable=False),
        sa.Column("setup", sa.JSON, nullable=False),
        sa.Column("creator", sa.String(24), sa.ForeignKey("people.id")),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("round", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("begins", sa.Float),
        sa.Column("ends", sa.Float),
        sa.Column("owner", sa.Integer, sa.ForeignKey("runs.id")),
    )
    op.create_table(
        "entrants",
        sa.Column("tournament_id", sa.String(32), sa.ForeignKey("tournaments.id"), primary_key=True),
        _person(primary_key=True),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("joined", sa.Float, nullable=False),
    )
    op.create_table(
        "pairings",
        sa.Column("tournament_id", sa.String(32), sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("people", sa.JSON, nullable=False),
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), index=True),
        sa.Column("result", sa.JSON(none_as_null=True)),
    )
    op.create_table(
        "kept", sa.Column("name", sa.String(40), primary_key=True), sa.Column("value", sa.String(200), nullable=False)
    )


def downgrade() -> None:
    """Drop them."""
    for name in (
        "kept",
        "pairings",
        "entrants",
        "tournaments",
        "rating_history",
        "ratings",
        "reports",
        "blocks",
        "sessions",
        "talk",
    ):
        op.drop_table(name)
    with op.batch_alter_table("runs") as runs:
        runs.drop_index("ix_runs_seen")
        runs.drop_column("process")
    with op.batch_alter_table("seats") as seats:
        seats.drop_index("seats_by_person")
        seats.drop_column("person_id")
    with op.batch_alter_table("tables") as tables:
        for index in ("tables_by_deadline", "tables_by_owner", "tables_by_state", "tables_to_count"):
            tables.drop_index(index)
        for name in (
            "after", "counted", "result", "ended", "over", "deadline", "owner", "number", "waiting", "rated", "public",
            "creator", "speed", "game",
        ):  # fmt: skip
            tables.drop_column(name)
    op.drop_table("people")
