"""The games of this device, those played here and those from files, by what was played in each position."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from typing import Any

import tercet
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import PositionText
from tercet.answers.played_games import PlayedGame, continuations, starts
from tercet.answers.records import record_of
from tercet.answers.starts import bad_record
from tercet.answers.wire import my_games
from tercet.browser.tables import LocalTable, LocalTables, Storage
from tercet.errors import OptionError, ParseError, TercetError
from tercet.record import date_text, read, result_token

KEY = "record/"  # what keys of games from files begin with


class PlayedGames:
    """The games that a visitor can look through. The moves of a game are read once, and again when it has gone on."""

    def __init__(self, storage: Storage, tables: LocalTables) -> None:
        self._storage = storage
        self._tables = tables
        self._known: dict[str, tuple[int, PlayedGame]] = {}  # by key; with the number of the game's last event

    @address("GET /api/me/played", my_games.PlayedStarts)
    async def starts(self) -> dict[str, Any]:
        """Return the positions in which games began, and how many games come from files."""
        return {"starts": starts(await self._all()), "loaded": len(await self._storage.list(KEY))}

    @address("POST /api/me/played", my_games.Continuations)
    async def continuations(self, position: PositionText) -> dict[str, Any]:
        """Return what was played in a position."""
        here = tercet.parse(position.strip())
        games = []
        for one in await self._all():
            if one.game == here.game:
                with contextlib.suppress(TercetError):  # moves that this version cannot read
                    _ = one.places
                    games.append(one)
                await asyncio.sleep(0)  # other requests are answered meanwhile
        return continuations(games, here)

    @address("POST /api/me/records", my_games.KeptGames)
    async def keep(self, text: str) -> dict[str, Any]:
        """Store the games of a file of records that are not on this device yet. Raise AnswerError where the file has
        none."""
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
        days = {record.headers.get("Date") for record in kept}
        tables = [table for table in await self._tables.all() if date_text(table.opened) in days]
        here = {record_of(table.session, table.opened, table.log, {}).write() for table in tables}
        written = {_key(text): text for text in {record.write() for record in kept} - here}
        fresh = written.keys() - set(await self._storage.list(KEY))
        for key in fresh:
            await self._storage.put(key, written[key])
        unread = len(records.problems) + sum(bool(record.problems) for record in records)
        return {"games": len(fresh), "unread": unread}

    @address("GET /api/me/records/{ident}", media="text/plain")
    async def record(self, ident: str) -> str:
        """Return the record of a game from a file. Raise AnswerError where there is none."""
        text = await self._storage.get(KEY + ident)
        if text is None:
            raise AnswerError("not-found", "record", "Game not found.")
        return text

    async def _all(self) -> list[PlayedGame]:
        """Return the games at tables and then those from files, the latest of each first."""
        tables = [table for table in await self._tables.all() if not table.session.aborted]
        loaded = []
        for key in await self._storage.list(KEY):
            with contextlib.suppress(TercetError, ValueError):  # one that this version cannot read hides no other
                loaded.append(await self._loaded(key))
        return [self._table(table) for table in tables] + sorted(
            loaded, key=lambda one: str(one.known["date"]), reverse=True
        )

    def _table(self, table: LocalTable) -> PlayedGame:
        ident, session = table.info.id, table.session
        number, game = self._known.get(ident, (-1, None))
        if game is None or number != session.number:
            result = "*" if session.result is None else result_token(session.result.outcome.scores)
            known = {"table": ident, "loaded": None, "date": date_text(table.opened), "result": result}
            log = tuple(table.log)
            game = PlayedGame(
                session.game, str(session.start), known, lambda: record_of(session, table.opened, log, {})
            )
            self._known[ident] = session.number, game
        return game

    async def _loaded(self, key: str) -> PlayedGame:
        if key not in self._known:
            text = await self._storage.get(key) or ""
            (heading,) = read(text.partition("\n\n")[0], lenient=True)
            known = {
                "table": None,
                "loaded": key.removeprefix(KEY),
                "date": heading.headers.get("Date", ""),
                "result": heading.result,
            }
            self._known[key] = 0, PlayedGame(heading.game, str(heading.start), known, lambda: read(text)[0])
        return self._known[key][1]


def _key(text: str) -> str:
    return KEY + hashlib.sha256(text.encode()).hexdigest()[:16]
