"""The hash chain of a table's log. Each event's row has a digest of its content and of the digest before it; the
table's row has the last one. So a reader notices a row that is damaged, missing or rewritten.

Names that players gave themselves are not part of the digests: they are erased when an account is deleted.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tercet.play.session import LogEvent
from tercet.server.store.database import Database
from tercet.server.store.schema import EVENTS

DIGEST_BYTES = 16


@dataclass(frozen=True)
class ChainSegment:
    """Events of a log that are as they were written, and the ``digest`` of the last. ``fault`` says what is wrong with
    the next one (None: nothing)."""

    events: tuple[LogEvent, ...]
    client_ids: tuple[str | None, ...]
    digest: bytes
    fault: str | None = None

    @property
    def acks(self) -> dict[str, int]:
        """Return the event number that each client id was acknowledged with."""
        return {by: event.number for event, by in zip(self.events, self.client_ids, strict=True) if by}


def first_link(table_id: str, setup: Mapping[str, Any]) -> bytes:
    """Return the digest before a table's first event. ``setup`` are its settings as they are stored."""
    seats = [{key: value for key, value in seat.items() if key != "name"} for seat in setup.get("seats", ())]
    content = f"{table_id}\0{json.dumps({**setup, 'seats': seats})}"
    return blake2b(content.encode(), digest_size=DIGEST_BYTES).digest()


def link(previous: bytes, number: int, kind: str, data: Mapping[str, Any], client_id: str | None, at: float) -> bytes:
    """Return the digest of an event after one whose digest is ``previous``."""
    if kind == "sit":
        data = {key: value for key, value in data.items() if key != "name"}
    content = f"{number}\0{kind}\0{client_id or ''}\0{at!r}\0{json.dumps(data)}"
    return blake2b(content.encode(), key=previous, digest_size=DIGEST_BYTES).digest()


def columns(is_sqlite: bool) -> list[sa.ColumnElement[Any]]:
    """Return the columns of an event that :func:`follow` reads. SQLite's texts are read as bytes: a damaged one may not
    be UTF-8, and the driver would fail before its digest is compared."""
    kind: sa.types.TypeEngine[Any] = sa.LargeBinary() if is_sqlite else sa.Text()
    texts = {name: sa.cast(EVENTS.c[name], kind).label(name) for name in ("kind", "data", "client_id")}
    return [EVENTS.c.number, *texts.values(), EVENTS.c.at, EVENTS.c.digest]


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def follow(previous: bytes, number: int, rows: Iterable[sa.Row[Any]]) -> ChainSegment:
    """Return the events of ``rows`` (which have :func:`columns`) up to the first that is not as it was written.
    ``number`` and ``previous`` are number and digest of the event before them."""
    events: list[LogEvent] = []
    client_ids: list[str | None] = []
    fault = None
    for row in rows:
        if row.number != number + 1:
            fault = f"event {number + 1} is missing"
            break
        kind, client_id = _text(row.kind), _text(row.client_id)
        try:
            data = json.loads(_text(row.data))
            digest = link(previous, row.number, kind, data, client_id, row.at)
        except (ValueError, TypeError, AttributeError):  # it is no JSON any more, or not an event's
            digest = None
        if digest is None or digest != row.digest:
            fault = f"event {row.number} is not as it was written"
            break
        previous, number = digest, row.number
        events.append(LogEvent(row.number, kind, data))
        client_ids.append(client_id)
    return ChainSegment(tuple(events), tuple(client_ids), previous, fault)


MAX_BYTES = 1 << 22  # of a file; with the one before it there are always some ten thousand events in it


class Heads:
    """A file beside an SQLite database that names the events written last, so that a database that has lost some is
    noticed. It is written without waiting for the disk: after a power cut it may name fewer events than the database
    has, never more. Several processes may write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._older = path.with_name(f"{path.name}.1")
        self._file: io.FileIO | None = None

    @classmethod
    def beside(cls, database: Database) -> Heads | None:
        """Return the file beside ``database``; None if the database is not a file."""
        name = database.url.database if database.is_sqlite else None
        return None if name in (None, "", ":memory:") else cls(Path(f"{name}-heads"))

    def note(self, table_id: str, number: int, digest: bytes) -> None:
        """Add an event that was written. On a full disk it is left out, and play goes on."""
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = io.FileIO(self.path, "a")
            self._file.write(b"%s %d %s\n" % (table_id.encode(), number, digest.hex().encode()))
            if self._file.tell() > MAX_BYTES:
                self._file = None
                self.path.replace(self._older)

    def forget(self, table_id: str) -> None:
        """Let the file name no event of this table that was written until now."""
        self.note(table_id, 0, b"")

    def read(self) -> dict[str, tuple[int, bytes]]:
        """Return number and digest of the last event of each table in the file."""
        heads: dict[str, tuple[int, bytes]] = {}
        for path in (self._older, self.path):
            with contextlib.suppress(OSError):
                for line in path.read_bytes().splitlines():
                    with contextlib.suppress(ValueError):  # cut off by a power failure
                        table_id, number, digest = line.decode().split(" ")
                        if not table_id.isalnum():  # which may leave zero bytes, too
                            continue
                        if number == "0":
                            heads.pop(table_id, None)
                        elif len(digest) == 32 and int(number) >= heads.get(table_id, (0, b""))[0]:
                            heads[table_id] = (int(number), bytes.fromhex(digest))
        return heads

    def clear(self) -> None:
        """Empty the file."""
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)
            self._older.unlink(missing_ok=True)
