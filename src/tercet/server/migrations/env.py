"""Run by Alembic; the connection comes from :func:`tercet.server.store.database.migrate`."""

from alembic import context

from tercet.server.store.schema import METADATA

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
