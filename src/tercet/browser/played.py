"""A person's games by what was played in each position: those played on this device, and those from files."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import tercet
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import PositionText
from tercet.answers.records import record_of
from tercet.answers.starts import bad_record
from tercet.answers.wire import my_games
from tercet.browser.tables import LocalTable, LocalTables, Storage
from tercet.core.game import Game, Position
from tercet.errors import OptionError, ParseError, TercetError
from tercet.record import Record, date_text, is_token, read, result_token
from tercet.record.tree import in_force

MAX_STARTS, MAX_LATEST = 20, 5


class PlayedGame:
    """A game as far as it is counted, from the position string ``start``. ``known`` is what clients get of it, its
    ``result`` (a result token) among that. ``record`` returns its record, and is called only when the moves are
    needed."""

    def __init__(self, game: Game, start: str, known: Mapping[str, Any], record: Callable[[], Record]) -> None:
        self.game = game
        self.start = start
        self.known = known
        result = known["result"]
        self.scores = None if result == "*" else [float(Fraction(share)) for share in result.split("-")]
        self._record = record

    @functools.cached_property
    def places(self) -> Mapping[bytes, tuple[int, Sequence[str]]]:
        """Return the positions of the game by their keys: after how many actions it first stood there, and the actions
        that were played, without turns that were taken back."""
        places: dict[bytes, tuple[int, list[str]]] = {}
        here: list[str] = []
        ply = 0
        for node in in_force(self._record().last):
            text = node.action_text
            if text is not None and not is_token(text):
                here.append(text)
                ply += 1
            _, here = places.setdefault(node.position.without_history().key(), (ply, []))
        return places


def starts(games: Iterable[PlayedGame]) -> list[dict[str, Any]]:
    """Return the positions in which games began, those of the most games first."""
    counted: Counter[tuple[Game, str]] = Counter((one.game, one.start) for one in games)
    found = []
    for (game, start), count in counted.most_common(MAX_STARTS):
        about = {"game": game.name, "title": game.definition.title, "optionText": game.option_text(changed_only=True)}
        found.append({**about, "position": start, "games": count})
    return found


def continuations(games: Iterable[PlayedGame], here: Position) -> dict[str, Any]:
    """Return how many of these games, the latest first, came to a position of their game, how they ended, and what was
    played there."""
    key = here.without_history().key()
    through = [one for one in games if key in one.places]
    by_action: dict[str, list[PlayedGame]] = {}
    for one in through:
        for text in dict.fromkeys(one.places[key][1]):
            by_action.setdefault(text, []).append(one)
    return {
        **_counted(through),
        "moves": [
            {"text": text, "short": here.short_text(here.action(text)) or text, **_counted(found)}
            for text, found in sorted(by_action.items(), key=lambda pair: -len(pair[1]))
        ],
        "latest": [{**one.known, "ply": one.places[key][0]} for one in through[:MAX_LATEST]],
    }


def _counted(games: Sequence[PlayedGame]) -> dict[str, Any]:
    """Return how many games there are, how many have a result, and the means of their players' shares of the point."""
    decided = [one.scores for one in games if one.scores is not None]
    means = [sum(shares) / len(decided) for shares in zip(*decided, strict=True)]
    return {"games": len(games), "decided": len(decided), "scores": means or None}


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
        texts = {record.write() for record in kept} - here
        written = {KEY + hashlib.sha256(text.encode()).hexdigest()[:16]: text for text in texts}
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
        loaded.sort(key=lambda one: str(one.known["date"]), reverse=True)
        return [*map(self._table, tables), *loaded]

    def _table(self, table: LocalTable) -> PlayedGame:
        ident, session = table.info.id, table.session
        number, game = self._known.get(ident, (-1, None))
        if game is None or number != session.number:
            result = "*" if session.result is None else result_token(session.result.outcome.scores)
            known = {"table": ident, "loaded": None, "date": date_text(table.opened), "result": result}
            log = tuple(table.log)
            made = functools.partial(record_of, session, table.opened, log, {})
            game = PlayedGame(session.game, str(session.start), known, made)
            self._known[ident] = session.number, game
        return game

    async def _loaded(self, key: str) -> PlayedGame:
        if key not in self._known:
            text = await self._storage.get(key) or ""
            (heading,) = read(text.partition("\n\n")[0], lenient=True)
            known = {"table": None, "loaded": key.removeprefix(KEY)}
            known |= {"date": heading.headers.get("Date", ""), "result": heading.result}
            self._known[key] = 0, PlayedGame(heading.game, str(heading.start), known, lambda: read(text)[0])
        return self._known[key][1]
