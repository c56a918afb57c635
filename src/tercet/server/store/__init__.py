"""What is kept on disk."""

from tercet.server.store.database import HEAD, Database, DatabaseError, Unreachable, address, migrate
from tercet.server.store.leases import LeaseRow, Leases
from tercet.server.store.schema import METADATA
from tercet.server.store.tables import (
    AlsoWrite,
    Conflict,
    Occupant,
    SeatAccess,
    Store,
    StoredTable,
    TableSummary,
    hash_token,
)

__all__ = [
    "HEAD",
    "METADATA",
    "AlsoWrite",
    "Conflict",
    "Database",
    "DatabaseError",
    "LeaseRow",
    "Leases",
    "Occupant",
    "SeatAccess",
    "Store",
    "StoredTable",
    "TableSummary",
    "Unreachable",
    "address",
    "hash_token",
    "migrate",
]
