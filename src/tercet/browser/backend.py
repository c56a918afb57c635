"""The server's API without a server: the page's worker passes requests and sockets on to a :class:`Backend`.

Paths, requests and answers are those of ``docs/server.md``. What needs other people is refused with the code
``needs-server``.
"""

from __future__ import annotations

import asyncio
import datetime
import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import tercet
from tercet.answers import dial, games, lessons, positions, puzzles, records
from tercet.answers.errors import AnswerError, answer_error, answer_fields, as_text, status_of
from tercet.answers.records import record_text
from tercet.answers.tables import listed_table, past_position
from tercet.answers.translation import LANGUAGES, Translator
from tercet.answers.wire.addresses import Wrong, answer_type
from tercet.answers.wire.client_messages import AnalysisServerMessage, GoMessage, decode_analysis_message, legible_id
from tercet.answers.wire.table_messages import ServerMessage
from tercet.browser.played import PlayedGames
from tercet.browser.puzzles import LocalPuzzles
from tercet.browser.tables import LocalTable, LocalTables, MemoryStorage, Send, Storage
from tercet.browser.thinking import Engines, Helper, Helping
from tercet.core.execution import choose_execution
from tercet.core.view import to_json

NEEDS_SERVER = "This needs a server. Here you can play at one screen and against engines, and learn."
ANALYSIS_SECONDS = 30.0
MAX_RATING = 4000  # of a puzzle

Query = Mapping[str, list[str]]


class Backend:
    """Answers requests in this process. ``storage`` keeps tables and results (None: as long as the process lasts);
    ``execution`` is how kernels run (None: as they usually do)."""

    def __init__(self, storage: Storage | None = None, execution: str | None = None) -> None:
        for name in tercet.games() if execution is not None else ():
            choose_execution(name, execution or "")
        self._storage = storage or MemoryStorage()
        self._engines = Engines()
        self._tables = LocalTables(self._storage, self._engines)
        self._puzzles = LocalPuzzles(self._storage)
        self._played = PlayedGames(self._storage, self._tables)
        self._numbers = itertools.count(1)
        self._sockets: dict[int, _QuietSocket] = {}

    # A second worker ------------------------------------------------------------------------------------------------

    def lend(self, post: Send | None) -> Callable[[str], None] | None:
        """Let the engines of a second worker think, which ``post`` sends texts to. Return what takes its texts. None
        means that there is no second worker any more."""
        if self._engines.helper is not None:
            self._engines.helper.lose()
        helper = self._engines.helper = None if post is None else Helper(post)
        return None if helper is None else helper.hear

    @staticmethod
    def help(post: Send) -> Callable[[str], None]:
        """Be the second worker of another backend, which ``post`` sends texts to. Return what takes its texts."""
        return Helping(post).hear

    # Requests -------------------------------------------------------------------------------------------------------

    async def request(self, method: str, path: str, body: str | None = None, language: str = "en") -> tuple[int, str]:
        """Answer a request. ``path`` may have a query; ``body`` is JSON; texts for people are in ``language``. Returned
        are a status and a text: JSON, a drawing, or the record of a table."""
        status, found = await self._answered(method, path, body)
        if isinstance(found, str):
            return status, found
        if language in LANGUAGES:
            asked = urlsplit(path).path
            game = next((part for part in asked.split("/") if part in tercet.games()), None)
            found = Translator(language, game).value(found, answer_type(method, asked) if status < 400 else Wrong)
        return status, as_text(found)

    async def _answered(self, method: str, path: str, body: str | None) -> tuple[int, Any]:
        try:
            asked = urlsplit(path)
            given = _read(body)
            query = parse_qs(asked.query, keep_blank_values=True)
            found = await self._answer(method, asked.path, query, given)
            return (201 if (method, asked.path) == ("POST", "/api/tables") else 200), found
        except Exception as error:
            found_wrong = answer_error(error)
            if found_wrong is None:
                raise
            return status_of(found_wrong.code), {"error": found_wrong.data}

    async def _answer(self, method: str, path: str, query: Query, given: dict[str, Any]) -> Any:
        for wanted, pattern, function in ANSWERS:
            match = pattern.fullmatch(path)
            if match and method == wanted:
                parts: dict[str, Any] = {name: unquote(part) for name, part in match.groupdict().items()}
                if "step" in parts:
                    parts["step"] = int(parts["step"])
                return answer_fields(function, {**parts, **given})
        for wanted, pattern, handler in OWN_ANSWERS:
            match = pattern.fullmatch(path)
            if match and method == wanted:
                return await handler(self, query, given, *map(unquote, match.groups()))
        raise AnswerError("needs-server", "request", NEEDS_SERVER)

    async def _rules(self, query: Query, _given: dict[str, Any], game: str) -> Any:
        return {**games.rules(game, _one(query, "skin", "")), "printable": False}

    async def _drawing(self, _query: Query, given: dict[str, Any]) -> Any:
        return answer_fields(positions.drawn, given)

    async def _me(self, _query: Query, _given: dict[str, Any]) -> Any:
        return {"person": None}

    async def _my_tables(self, _query: Query, _given: dict[str, Any]) -> Any:
        tables = [table for table in await self._tables.all() if not table.session.is_over]
        return {
            "tables": [
                {**listed_table(table.info, table.session, {}), "yourSeats": sorted(table.held)} for table in tables
            ]
        }

    async def _my_games(self, query: Query, _given: dict[str, Any]) -> Any:
        before, limit = float(_one(query, "before", "inf")), int(_one(query, "limit", 20))
        wanted = {name: _one(query, name, "") for name in ("game", "speed", "result")}
        found = [
            game
            for game in (table.listed() for table in await self._tables.all())
            if game["opened"] < before and all(value in ("", game[name]) for name, value in wanted.items())
        ]
        return {"games": found[:limit], "more": str(found[limit - 1]["opened"]) if len(found) > limit else None}

    async def _starts(self, _query: Query, _given: dict[str, Any]) -> Any:
        return await self._played.starts()

    async def _continuations(self, _query: Query, given: dict[str, Any]) -> Any:
        return await answer_fields(self._played.continuations, given)

    async def _keep_records(self, _query: Query, given: dict[str, Any]) -> Any:
        return await answer_fields(self._played.keep, given)

    async def _kept_record(self, _query: Query, _given: dict[str, Any], ident: str) -> str:
        return await self._played.record(ident)

    async def _health(self, _query: Query, _given: dict[str, Any]) -> Any:
        return {"version": tercet.__version__}

    async def _themes(self, _query: Query, _given: dict[str, Any]) -> Any:
        return await self._puzzles.themes()

    async def _daily(self, query: Query, _given: dict[str, Any]) -> Any:
        return await self._puzzles.daily(_one(query, "game", ""), _date(query, "day"))

    async def _days(self, query: Query, _given: dict[str, Any]) -> Any:
        return await self._puzzles.days(_date(query, "month"))

    async def _run(self, query: Query, _given: dict[str, Any]) -> Any:
        return {"puzzles": puzzles.puzzle_run(_one(query, "game", ""))}

    async def _next_puzzle(self, query: Query, _given: dict[str, Any]) -> Any:
        low, high = int(_one(query, "low", 0)), int(_one(query, "high", MAX_RATING))
        repeat = _one(query, "repeat", "true") == "true"
        return await self._puzzles.following(_one(query, "game", ""), query.get("tag", ()), low, high, repeat)

    async def _tried(self, _query: Query, _given: dict[str, Any]) -> Any:
        return await self._puzzles.history()

    async def _puzzle(self, _query: Query, _given: dict[str, Any], ident: str) -> Any:
        return await self._puzzles.puzzle(ident)

    async def _try_puzzle(self, _query: Query, given: dict[str, Any], ident: str) -> Any:
        return await answer_fields(self._puzzles.attempt, {"ident": ident, **given})

    async def _puzzle_solution(self, _query: Query, given: dict[str, Any], ident: str) -> Any:
        return await answer_fields(self._puzzles.solution, {"ident": ident, **given})

    # Tables ---------------------------------------------------------------------------------------------------------

    async def _open(self, _query: Query, given: dict[str, Any]) -> Any:
        return await self._tables.open(given)

    async def _look(self, _query: Query, _given: dict[str, Any], table: str) -> Any:
        found = await self._tables.get(table)
        return found.snapshot(frozenset())

    async def _look_back(self, _query: Query, _given: dict[str, Any], table: str, ply: str) -> Any:
        found = await self._tables.get(table)
        return past_position(table, found.session, int(ply))

    async def _record(self, query: Query, _given: dict[str, Any], table: str) -> str:
        found = await self._tables.get(table)
        notes, retracted = _one(query, "notes", "false"), _one(query, "retracted", "true")
        return record_text(
            found.session,
            found.opened,
            found.log,
            {},
            notes=notes == "true",
            form=_one(query, "form", None),
            retracted=retracted == "true",
        )

    async def _hint(self, _query: Query, given: dict[str, Any], table: str) -> Any:
        if "position" in given:  # the table is on a server, whose page asks
            position = tercet.parse(given["position"].strip())
            return positions.hinted(position, 0, (await self._engines.suggest(position)).split(), given["strength"])
        session = (await self._tables.get(table)).session
        people = frozenset(number for number, seat in enumerate(session.seats) if seat.kind == "person")
        moves = given.get("moves", [])
        position = positions.hint_position(session, people, False, moves)
        turn = (await self._engines.suggest(position)).split()
        return positions.hinted(position, session.ply + len(moves), turn, given["strength"])

    async def _think(self, _query: Query, given: dict[str, Any]) -> Any:
        """Choose for an engine at a server's table, as its message ``think`` asks."""
        position = tercet.parse(given["position"])
        owner = f"{given['table']} {given['seat']}"
        return {"action": await self._engines.choose(owner, position, given["level"], given["seed"])}

    # Sockets --------------------------------------------------------------------------------------------------------

    def connect(self, path: str, send: Send) -> int:
        """Open a socket whose messages go to ``send``. Return its number, for :meth:`receive` and :meth:`close`."""
        ident = next(self._numbers)
        asked, query = urlsplit(path).path, parse_qs(urlsplit(path).query)
        language = _one(query, "lang", "en")
        line = _Line(send, Translator(language) if language in LANGUAGES else None)
        at_table = re.fullmatch(r"/api/tables/([^/]+)/live", asked)
        if at_table:
            self._sockets[ident] = _TableSocket(ident, self._tables, unquote(at_table[1]), line)
        elif asked == "/api/analysis":
            self._sockets[ident] = _AnalysisSocket(ident, self._tables, line, self._engines)
        else:
            self._sockets[ident] = _QuietSocket(ident, self._tables, line)
        self._sockets[ident].begin()
        return ident

    def receive(self, ident: int, text: str) -> None:
        """Take a message of a socket's client."""
        if ident in self._sockets:
            self._sockets[ident].receive(text)

    def close(self, ident: int) -> None:
        """Close a socket."""
        found = self._sockets.pop(ident, None)
        if found is not None:
            found.close()


@dataclass
class _Line:
    """Where a socket's messages go, and what puts them into its client's language (None: it is English)."""

    send: Send
    translator: Translator | None


class _QuietSocket:
    """A socket on which nothing happens: the news of other people."""

    messages: Any = None  # their type

    def __init__(self, ident: int, tables: LocalTables, line: _Line) -> None:
        self._ident = ident
        self._tables = tables
        self._line = line
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start to take messages."""
        self._task = self._tables.spawn(self._run())

    def receive(self, text: str) -> None:
        """Take a message when the earlier ones are done."""
        self._waiting.put_nowait(text)

    def close(self) -> None:
        """Take no more messages."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while True:
            await self._take(await self._waiting.get())

    async def _take(self, text: str) -> None:
        """Do what a message asks."""

    def _tell(self, message: Mapping[str, Any]) -> None:
        translator = self._line.translator
        said = message if translator is None else translator.value(message, self.messages)
        self._line.send(json.dumps(said, separators=(",", ":"), default=to_json))


class _TableSocket(_QuietSocket):
    """A client at a table."""

    messages = ServerMessage

    def __init__(self, ident: int, tables: LocalTables, table_id: str, line: _Line) -> None:
        super().__init__(ident, tables, line)
        self._table_id = table_id
        self._table: LocalTable | None = None

    async def _run(self) -> None:
        try:
            self._table = await self._tables.get(self._table_id)
        except Exception as error:
            found = answer_error(error)
            if found is None:
                raise
            self._tell(found.message())
            return
        if self._line.translator is not None:
            self._line.translator.game = self._table.info.settings.game
        self._table.join(self._ident, self._tell)
        await super()._run()

    async def _take(self, text: str) -> None:
        assert self._table is not None
        await self._table.take(self._ident, text)

    def close(self) -> None:
        """Take no more messages, and leave the table."""
        super().close()
        if self._table is not None:
            self._table.leave(self._ident)


class _AnalysisSocket(_QuietSocket):
    """A client whose positions an engine analyses, one at a time."""

    messages = AnalysisServerMessage

    def __init__(self, ident: int, tables: LocalTables, line: _Line, engines: Engines) -> None:
        super().__init__(ident, tables, line)
        self._engines = engines
        self._analysis: asyncio.Task[None] | None = None

    async def _take(self, text: str) -> None:
        try:
            message = decode_analysis_message(text)
            if message["type"] == "go":
                await self._go(message)
            elif message["type"] == "stop":
                self._halt()
            else:
                self._tell({"type": "pong"})
        except Exception as error:
            found = answer_error(error)
            if found is None:
                raise
            self._tell(found.message(legible_id(text)))

    async def _go(self, message: GoMessage) -> None:
        asked, lines, move_time = message["id"], message.get("multipv") or 1, message.get("movetime")
        seconds = ANALYSIS_SECONDS if move_time is None else min(ANALYSIS_SECONDS, move_time / 1000)
        position = tercet.parse(message["position"].strip())
        self._halt()
        if position.is_over:
            self._tell({"type": "done", "id": asked, "best": None})
            return

        def report(info: dict[str, Any]) -> None:
            self._tell({"type": "info", "id": asked, **info})

        async def analyse() -> None:
            best = await self._engines.analyse(position, lines, seconds, report)
            self._tell({"type": "done", "id": asked, "best": best or None})

        self._analysis = self._tables.spawn(analyse())

    def _halt(self) -> None:
        if self._analysis is not None:
            self._analysis.cancel()

    def close(self) -> None:
        """Take no more messages, and stop thinking."""
        super().close()
        self._halt()


def _explored(position: str, id: str, cell: str | None = None) -> dict[str, Any]:  # noqa: A002  (the field)
    return positions.explored(position, id, cell)


def _routes(*listed: tuple[str, str, Any]) -> list[tuple[str, re.Pattern[str], Any]]:
    """Return methods, patterns of addresses, and what answers there."""
    return [(method, re.compile(pattern), function) for method, pattern, function in listed]


# Answers to the fields of a request, named as in its body and its address.
ANSWERS = _routes(
    ("GET", "/api/games", games.games),
    ("GET", "/api/presets/(?P<game>[^/]+)", games.presets),
    ("POST", "/api/preview", games.preview),
    ("POST", "/api/analyse", positions.analysed),
    ("POST", "/api/position", positions.reached),
    ("POST", "/api/explore", _explored),
    ("POST", "/api/why", positions.why),
    ("POST", "/api/politics", positions.measured),
    ("POST", "/api/dial", dial.played),
    ("POST", "/api/dial/compare", dial.compared),
    ("POST", "/api/record", records.record_read),
    ("POST", "/api/record/write", records.record_written),
    ("GET", "/api/lessons", lessons.lessons),
    ("GET", "/api/lessons/(?P<game>[^/]+)/(?P<lesson>[^/]+)", lessons.lesson),
    ("POST", r"/api/lessons/(?P<game>[^/]+)/(?P<lesson>[^/]+)/(?P<step>\d{1,6})/try", lessons.step_tried),
    ("GET", r"/api/lessons/(?P<game>[^/]+)/(?P<lesson>[^/]+)/(?P<step>\d{1,6})/solution", lessons.solution),
    ("POST", "/api/advice", lessons.advice),
    ("POST", "/api/first-game", lessons.first_game),
)
# Answers that need the backend's tables and storage, or the query of the address.
OWN_ANSWERS = _routes(
    ("GET", "/api/rules/([^/]+)", Backend._rules),
    ("POST", "/api/draw", Backend._drawing),
    ("GET", "/api/me", Backend._me),
    ("GET", "/api/me/tables", Backend._my_tables),
    ("GET", "/api/me/games", Backend._my_games),
    ("GET", "/api/me/played", Backend._starts),
    ("POST", "/api/me/played", Backend._continuations),
    ("POST", "/api/me/records", Backend._keep_records),
    ("GET", "/api/me/records/([^/]+)", Backend._kept_record),
    ("GET", "/health", Backend._health),
    ("GET", "/api/puzzles", Backend._themes),
    ("GET", "/api/puzzles/daily", Backend._daily),
    ("GET", "/api/puzzles/next", Backend._next_puzzle),
    ("GET", "/api/puzzles/days", Backend._days),
    ("GET", "/api/puzzles/run", Backend._run),
    ("GET", "/api/puzzles/history", Backend._tried),
    ("GET", "/api/puzzles/([^/]+)", Backend._puzzle),
    ("POST", "/api/puzzles/([^/]+)/try", Backend._try_puzzle),
    ("POST", "/api/puzzles/([^/]+)/solution", Backend._puzzle_solution),
    ("POST", "/api/tables", Backend._open),
    ("GET", "/api/tables/([^/]+)", Backend._look),
    ("GET", r"/api/tables/([^/]+)/at/(\d{1,7})", Backend._look_back),
    ("GET", "/api/tables/([^/]+)/record", Backend._record),
    ("POST", "/api/tables/([^/]+)/hint", Backend._hint),
    ("POST", "/api/think", Backend._think),
)


def _read(body: str | None) -> dict[str, Any]:
    """Return a request's body; empty if it has none."""
    if not body:
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise AnswerError("bad-message", "body", "The body must be JSON.") from None
    if not isinstance(found, dict):
        raise AnswerError("bad-message", "body", "The body must be an object.")
    return found


def _date(query: Query, name: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(query[name][-1]) if name in query else None
    except ValueError:
        raise AnswerError("bad-message", f"query.{name}", f"The field {name} must be a date.") from None


def _one(query: Query, name: str, usual: Any) -> Any:
    return query[name][-1] if name in query else usual
