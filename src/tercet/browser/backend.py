"""The server's API without a server: the page's worker passes requests and sockets on to a :class:`Backend`.

Paths, requests and answers are those of ``docs/server.md``. What needs other people is refused with the code
``needs-server``.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack
from urllib.parse import parse_qs, unquote, urlsplit

import tercet
from tercet.answers import dial, games, home, lessons, positions, records  # noqa: F401  (they declare addresses)
from tercet.answers.addresses import ADDRESSES, Wrong, address, answers, answers_of, find
from tercet.answers.errors import AnswerError, as_text, refusal, status_of
from tercet.answers.fields import PositionText
from tercet.answers.records import record_text
from tercet.answers.tables import listed_table, past_position
from tercet.answers.translation import LANGUAGES, Translator
from tercet.answers.wire import table_messages
from tercet.answers.wire.client_messages import AnalysisServerMessage, GoMessage, decode_analysis_message, legible_id
from tercet.answers.wire.table_messages import ServerMessage
from tercet.browser.played import PlayedGames
from tercet.browser.puzzles import Loader, LocalPuzzles
from tercet.browser.tables import LocalTable, LocalTables, MemoryStorage, Send, Storage
from tercet.browser.thinking import Engines, Helper, Helping
from tercet.core.execution import choose_execution
from tercet.core.presentation import HintStrength
from tercet.core.view import to_json

NEEDS_SERVER = "This needs a server. Here you can play on one device or against the computer, and learn."
ANALYSIS_SECONDS = 30.0


class Backend:
    """Answers requests in this process. ``storage`` keeps tables and results (None: as long as the process lasts);
    ``execution`` is how kernels run (None: as they usually do), ``load_motifs`` loads the puzzles made for motifs
    (None: they are here)."""

    def __init__(
        self, storage: Storage | None = None, execution: str | None = None, load_motifs: Loader | None = None
    ) -> None:
        for name in tercet.games() if execution is not None else ():
            choose_execution(name, execution or "")
        self._storage = storage or MemoryStorage()
        self._engines = Engines()
        self._tables = LocalTables(self._storage, self._engines)
        self._puzzles = LocalPuzzles(self._storage, load_motifs)
        self._played = PlayedGames(self._storage, self._tables)
        self._answers = {asked: one.function for asked, one in ADDRESSES.items() if one.is_shared}
        for place in (self, self._puzzles, self._played):
            self._answers |= {one.asked: answer for one, answer in answers_of(place)}
        self._numbers = itertools.count(1)
        self._sockets: dict[int, _QuietSocket] = {}

    # A second worker ------------------------------------------------------------------------------------------------

    def lend(self, post: Send | None) -> Callable[[str], None] | None:
        """Let the engines of a second worker think, which ``post`` sends texts to. Return what takes its texts. None
        means that there is no second worker any more."""
        if self._engines.helper is not None:
            self._engines.helper.lose()
        self._engines.helper = None if post is None else Helper(post)
        return None if self._engines.helper is None else self._engines.helper.hear

    @staticmethod
    def help(post: Send) -> Callable[[str], None]:
        """Be the second worker of another backend, which ``post`` sends texts to. Return what takes its texts."""
        return Helping(post).hear

    # Requests -------------------------------------------------------------------------------------------------------

    async def request(self, method: str, path: str, body: str | None = None, language: str = "en") -> tuple[int, str]:
        """Answer a request. ``path`` may have a query; ``body`` is JSON; texts for people are in ``language``. Returned
        are a status and a text: JSON, a drawing, or the record of a table."""
        asked = urlsplit(path)
        status, kind, found = await self._answer(method, asked.path, asked.query, body)
        if isinstance(found, str):
            return status, found
        if language in LANGUAGES:
            game = next((part for part in asked.path.split("/") if part in tercet.games()), None)
            found = Translator(language, game).value(found, kind)
        return status, as_text(found)

    async def _answer(self, method: str, path: str, query: str, body: str | None) -> tuple[int, Any, Any]:
        """Return the status of an answer, its type and itself."""
        try:
            address, parts = find(self._answers, method, path)
            if address is None:
                raise AnswerError("needs-server", "request", NEEDS_SERVER)
            found = self._answers[address.asked](**address.read(parts, query, body))
            return address.status, address.answer, await found if inspect.isawaitable(found) else found
        except Exception as error:
            wrong = refusal(error)
            return status_of(wrong.code), Wrong, {"error": wrong.data}

    @answers(home.health)
    async def health(self) -> Any:
        return {"version": tercet.__version__}

    @answers(home.me)
    async def me(self) -> Any:
        return {"person": None}

    @answers(home.my_tables)
    async def my_tables(self, table: Sequence[str] = ()) -> Any:  # noqa: ARG002  (all that are here are listed)
        tables = [one for one in await self._tables.all() if not one.session.is_over]
        listed = [{**listed_table(one.info, one.session, {}), "yourSeats": sorted(one.held)} for one in tables]
        return {"tables": listed}

    @answers(home.my_played_games)
    async def my_games(self, limit: int = 20, before: str = "inf", **wanted: Any) -> Any:
        wanted = {name: value for name, value in wanted.items() if name in ("game", "speed", "result")}
        until = 1000 * float(before.partition("_")[0])
        found = [
            game
            for game in (table.listed() for table in await self._tables.all())
            if game["opened"] < until and all(value == game[name] for name, value in wanted.items())
        ]
        more = f"{found[limit - 1]['opened'] / 1000:.3f}" if len(found) > limit else None
        return {"games": found[:limit], "more": more}

    @answers(home.open_table)
    async def open_table(self, **wish: Unpack[home.TableWish]) -> Any:
        return await self._tables.open(wish)

    @answers(home.look)
    async def look(self, table_id: str) -> Any:
        return (await self._tables.get(table_id)).snapshot(frozenset())

    @answers(home.look_back)
    async def look_back(self, table_id: str, ply: int) -> Any:
        return past_position(table_id, (await self._tables.get(table_id)).session, ply)

    @answers(home.record)
    async def record(self, table_id: str, **how: Any) -> str:
        table = await self._tables.get(table_id)
        return record_text(table.session, table.opened, table.log, {}, **how)

    @answers(home.hint)
    async def hint(self, table_id: str, strength: HintStrength, moves: Sequence[str] = ()) -> Any:
        table = await self._tables.get(table_id)
        position = positions.hint_position(table.session, table.held, False, moves)
        turn = (await self._engines.suggest(position)).split()
        return positions.hinted(position, table.session.ply + len(moves), turn, strength)

    @address("POST /api/hint", table_messages.HintData)
    async def hint_at(self, position: PositionText, strength: HintStrength) -> Any:
        """Return a hint for the player to move at a server's table, whose page asks."""
        here = tercet.parse(position.strip())
        return positions.hinted(here, 0, (await self._engines.suggest(here)).split(), strength)

    @address("POST /api/think")
    async def think(self, table: str, seat: int, position: PositionText, level: int, seed: int) -> Any:
        """Choose for an engine at a server's table, as its message ``think`` asks."""
        return {"action": await self._engines.choose(f"{table} {seat}", tercet.parse(position), level, seed)}

    # Sockets --------------------------------------------------------------------------------------------------------

    def connect(self, path: str, send: Send) -> int:
        """Open a socket whose messages go to ``send``. Return its number, for :meth:`receive` and :meth:`close`."""
        ident = next(self._numbers)
        asked, query = urlsplit(path).path, parse_qs(urlsplit(path).query)
        language = query.get("lang", ["en"])[-1]
        line = _Line(send, Translator(language) if language in LANGUAGES else None)
        at_table = re.fullmatch(r"/api/tables/([^/]+)/live", asked)
        if at_table:
            self._sockets[ident] = _TableSocket(ident, self._tables, unquote(at_table[1]), line)
        else:
            kind = _AnalysisSocket if asked == "/api/analysis" else _QuietSocket
            self._sockets[ident] = kind(ident, self._tables, line)
        return ident

    def receive(self, ident: int, text: str) -> None:
        """Take a message of a socket's client."""
        if ident in self._sockets:
            self._sockets[ident].receive(text)

    def close(self, ident: int) -> None:
        """Close a socket."""
        if ident in self._sockets:
            self._sockets.pop(ident).close()


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
        self._task = tables.spawn(self._run())

    def receive(self, text: str) -> None:
        """Take a message when the earlier ones are done."""
        self._waiting.put_nowait(text)

    def close(self) -> None:
        """Take no more messages."""
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
            self._tell(refusal(error).message())
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
    _analysis: asyncio.Task[None] | None = None

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
            self._tell(refusal(error).message(legible_id(text)))

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
            best = await self._tables.engines.analyse(position, lines, seconds, report)
            self._tell({"type": "done", "id": asked, "best": best or None})

        self._analysis = self._tables.spawn(analyse())

    def _halt(self) -> None:
        if self._analysis is not None:
            self._analysis.cancel()

    def close(self) -> None:
        """Take no more messages, and stop thinking."""
        super().close()
        self._halt()


def quick_wish(game: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table that the quick start of a game asks for, as the page writes it."""
    quick = game["quickStart"]
    engine = {"kind": "engine", "level": quick["level"]}
    seats = [{"kind": "me"}, *itertools.repeat(engine, len(game["players"]) - 1)]
    return {"game": game["name"], "options": quick["options"], "seats": seats}


async def warm() -> None:
    """Import and compute what the first requests of a visit need. Kernels run interpreted: those of WebAssembly cannot
    be part of a snapshot. More than this makes the snapshot larger, and reading it slower than doing without."""
    backend = Backend(None, "interpreted")
    _, listed = await backend.request("GET", "/api/games")
    for game in json.loads(listed):
        _, made = await backend.request("POST", "/api/tables", json.dumps(quick_wish(game)))
        await backend.request("GET", f"/api/tables/{json.loads(made)['id']}")
    del backend, listed, game, made
    gc.collect()
