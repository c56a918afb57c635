"""The games of this device, those played here and those from files, by what was played in each position."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.answers.played_games import PlayedGame, continuations, starts
from tercet.answers.starts import bad_record
from tercet.answers.table_records import record_of
from tercet.browser.storage import Storage
from tercet.browser.tables import LocalTables
from tercet.errors import OptionError, ParseError
from tercet.record import Record, read

__all__ = ["PlayedGames"]

KEY = "record/"  # what keys of games from files begin with


class PlayedGames:
    """The games that a visitor can look through. Each is read once, and again when it has gone on."""

    def __init__(self, storage: Storage, tables: LocalTables) -> None:
        self._storage = storage
        self._tables = tables
        self._read: dict[str, tuple[int, PlayedGame]] = {}  # by key; with the last event that was read

    async def starts(self) -> dict[str, Any]:
        """Return the positions in which games began, and how many games come from files."""
        return {"starts": starts(await self._all()), "loaded": len(await self._storage.list(KEY))}

    async def continuations(self, position: str) -> dict[str, Any]:
        """Return what was played in a position."""
        return continuations(await self._all(), position)

    async def keep(self, text: str) -> dict[str, Any]:
        """Store the games of a file of records; a game that is stored already stays one. Raise AnswerError where the
        file has none."""
        try:
            records = read(text, lenient=True)
        except (ParseError, OptionError) as error:
            raise bad_record(error) from None
        kept = [record for record in records if record.root.variations]
        if not kept:
            problems = [*records.problems, *(problem for record in records for problem in record.problems)]
            if problems:
                raise bad_record(problems[0])
            raise AnswerError("bad-record", "record", "The record has no game.")
        for record in kept:
            written = record.write()
            await self._storage.put(KEY + hashlib.sha256(written.encode()).hexdigest()[:16], written)
        unread = len(records.problems) + sum(bool(record.problems) for record in records)
        return {"games": len(kept), "unread": unread}

    async def record(self, ident: str) -> str:
        """Return the record of a game from a file. Raise AnswerError where there is none."""
        text = await self._storage.get(KEY + ident)
        if text is None:
            raise AnswerError("not-found", "record", "Game not found.")
        return text

    async def _all(self) -> list[PlayedGame]:
        """Return the games at tables and then those from files, the latest of each first."""
        played, loaded = [], []
        for table in await self._tables.all():
            session = table.session
            if not session.aborted:
                key, number = f"table/{table.info.id}", session.number
                if self._read.get(key, (-1,))[0] != number:
                    record = record_of(session, table.opened, table.log, {})
                    self._read[key] = number, _played(record, table=table.info.id)
                    await asyncio.sleep(0)  # other requests are answered meanwhile
                played.append(self._read[key][1])
        for key in await self._storage.list(KEY):
            if key not in self._read:
                (record,) = read(await self._storage.get(key) or "")
                self._read[key] = 0, _played(record, loaded=key.removeprefix(KEY))
                await asyncio.sleep(0)
            loaded.append(self._read[key][1])
        return played + sorted(loaded, key=lambda one: str(one.known["date"]), reverse=True)


def _played(record: Record, table: str | None = None, loaded: str | None = None) -> PlayedGame:
    date = record.headers.get("Date", "")
    return PlayedGame.of_record(record, {"table": table, "loaded": loaded, "date": date, "result": record.result})
