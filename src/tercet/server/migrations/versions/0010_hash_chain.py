"""Each table's log has a hash chain (:mod:`tercet.server.store.chain`), and damage to it is noted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

TABLES = sa.table(
    "tables", sa.column("id", sa.String), sa.column("setup", sa.JSON), sa.column("digest", sa.LargeBinary)
)
EVENTS = sa.table(
    "events",
    sa.column("table_id", sa.String),
    sa.column("number", sa.Integer),
    sa.column("kind", sa.String),
    sa.column("data", sa.JSON),
    sa.column("client_id", sa.String),
    sa.column("at", sa.Float),
    sa.column("digest", sa.LargeBinary),
)


def upgrade() -> None:
    """Add the columns, and take what is there for what was written."""
    from tercet.server.store.chain import first_link, link

    op.add_column("events", sa.Column("digest", sa.LargeBinary))
    op.add_column("tables", sa.Column("digest", sa.LargeBinary))
    op.add_column("tables", sa.Column("damage", sa.String(200)))
    connection = op.get_bind()
    seal = (
        EVENTS.update()
        .where(EVENTS.c.table_id == sa.bindparam("of"), EVENTS.c.number == sa.bindparam("at_number"))
        .values(digest=sa.bindparam("made"))
    )
    for table_id in connection.scalars(sa.select(TABLES.c.id)).all():
        setup = connection.execute(sa.select(TABLES.c.setup).where(TABLES.c.id == table_id)).scalar_one()
        digest = first_link(table_id, setup)
        rows = connection.execute(sa.select(EVENTS).where(EVENTS.c.table_id == table_id).order_by(EVENTS.c.number))
        made = []
        for row in rows.all():
            digest = link(digest, row.number, row.kind, row.data, row.client_id, row.at)
            made.append({"of": table_id, "at_number": row.number, "made": digest})
        if made:
            connection.execute(seal, made)
        connection.execute(TABLES.update().where(TABLES.c.id == table_id).values(digest=digest))
