"""What is kept on disk."""

from tercet.server.store.database import HEAD, Database, DatabaseError, Unreachable, address, migrate
from tercet.server.store.log import Also, Conflict, Place, Saved, Sitter, Standing, Store, hash_token
from tercet.server.store.runs import Run, Runs
from tercet.server.store.schema import METADATA

__all__ = [
    "HEAD",
    "METADATA",
    "Also",
    "Conflict",
    "Database",
    "DatabaseError",
    "Place",
    "Run",
    "Runs",
    "Saved",
    "Sitter",
    "Standing",
    "Store",
    "Unreachable",
    "address",
    "hash_token",
    "migrate",
]
