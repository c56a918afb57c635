"""Storage in SQLite or PostgreSQL."""

from tercet.server.store.database import HEAD, Database, address, migrate
from tercet.server.store.leases import LeaseRow, Leases, SharedTime, time_down
from tercet.server.store.schema import METADATA
from tercet.server.store.table_data import (
    AlsoWrite,
    Conflict,
    Occupant,
    SeatAccess,
    StoredTable,
    TableInfo,
    TableSummary,
    hash_token,
)
from tercet.server.store.tables import Store

__all__ = [
    "HEAD",
    "METADATA",
    "AlsoWrite",
    "Conflict",
    "Database",
    "LeaseRow",
    "Leases",
    "Occupant",
    "SeatAccess",
    "SharedTime",
    "Store",
    "StoredTable",
    "TableInfo",
    "TableSummary",
    "address",
    "hash_token",
    "migrate",
    "time_down",
]
