"""Saved analyses: chapters with trees of moves, private or shared, changed by several people at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NotRequired, Unpack

import sqlalchemy as sa
from fastapi import Request
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import Action, Limit, PositionText
from tercet.answers.names import clean
from tercet.answers.records import Comment, Headers, TreeMove
from tercet.answers.wire import TypedDict
from tercet.errors import TercetError
from tercet.play.session import SessionError
from tercet.server import wire
from tercet.server.api.accounts import Handle, account_of
from tercet.server.api.analysis import closed_positions
from tercet.server.api.connection import open_socket, until_first
from tercet.server.api.lobby import listen, push_news
from tercet.server.api.social import blocks_between, find_person
from tercet.server.errors import ApiError
from tercet.server.limits.spenders import SPENDER
from tercet.server.people.identity import Person, people_of, person_of
from tercet.server.schema import socket
from tercet.server.services import Services, services_of
from tercet.server.store import analyses as store
from tercet.server.store.analyses import MAX_EDITORS, MAX_MOVES, Content, SavedMove, tree_of
from tercet.server.store.pubsub import news_of
from tercet.server.store.schema import ANALYSES, ANALYSIS_EDITORS, SEATS, TABLES

MAX_NAME = 80  # characters
MAX_CHANGES = 200  # of one request
ROW_CHARACTERS = 10_000  # of a chapter that a change writes again, which are charged as one row
Id = Annotated[str, Limit(16, 1, pattern="^[0-9a-f]*$")]
Number = Annotated[int, Limit(1 << 20, 1)]
Name = Annotated[str, Limit(MAX_NAME, 1)]
Moves = Annotated[Sequence[TreeMove], Limit(MAX_MOVES)]


class TreeChange(TypedDict):
    """A change of a chapter at the node that the moves of ``path`` lead to from its start: without ``what`` the node is
    added where it is missing, and gets the ``comment`` and the ``signs`` given; ``main`` makes it the main line, and
    ``remove`` deletes it with all moves after it."""

    path: Annotated[Sequence[Action], Limit(MAX_MOVES)]
    what: NotRequired[Literal["main", "remove"]]
    comment: NotRequired[Comment]
    signs: NotRequired[Annotated[str, Limit(400, pattern=r"^[!?$0-9 ]*$")]]


class ChapterWish(TypedDict):
    """A chapter to save: where it starts, its ``moves``, the ``comment`` before them, and the headers of its record."""

    start: PositionText
    moves: NotRequired[Moves]
    comment: NotRequired[Comment]
    headers: NotRequired[Headers]


def _named(name: str) -> str:
    cleaned = clean(name, MAX_NAME)
    if not cleaned:
        raise ApiError("bad-message", "name", "The name must not be empty.")
    return cleaned


async def _person_id(connection: HTTPConnection) -> str | None:
    person = await person_of(connection)
    return None if person is None else person.id


async def _written(request: Request, do: Callable[[sa.Connection], Any]) -> Any:
    """Return the result of ``do``, whose writes are charged to the client."""
    budgets = services_of(request).fair_share.budgets
    result = await people_of(request).database.write_alone(do)
    budgets.spend(request.scope[SPENDER], rows=2)
    return result


async def _told(request: Request, analysis: str) -> None:
    await services_of(request).registry.pubsub.publish(f"analysis:{analysis}", {})


async def _content(request: Request, wish: ChapterWish) -> tuple[str, Content]:
    """Return the name of the game of a chapter, and the chapter as it is stored."""
    position = await services_of(request).compute(lambda: tercet.parse(wish["start"]))
    return position.game.name, {"comment": "", "headers": {}, "moves": [], **wish, "start": str(position)}


# Many of them -------------------------------------------------------------------------------------------------------


@address("GET /api/me/analyses", wire.AnalysesResponse)
async def mine(request: Request) -> Any:
    """List your analyses and those that you may edit, the latest first."""
    person = await account_of(request)
    listed = await people_of(request).database.find(lambda connection: store.listed(connection, person.id))
    return {"analyses": listed}


@address("GET /api/analyses", wire.AnalysesResponse)
async def public(request: Request) -> Any:
    """List the public analyses that were changed last."""
    return {"analyses": await people_of(request).database.find(lambda connection: store.listed(connection, None))}


@address("POST /api/analyses", wire.AnalysisResponse, status=201, quota=("rows", "bytes"))
async def save(request: Request, name: Name, chapter: Name, **wish: Unpack[ChapterWish]) -> Any:
    """Save an analysis with your account, with its first ``chapter``. It is private until you share it."""
    person, names = await account_of(request), (_named(name), _named(chapter))
    game, content = await _content(request, wish)
    made = await _written(request, lambda connection: store.opened(connection, person.id, *names, game, content))
    return await shown(request, made)


# One ----------------------------------------------------------------------------------------------------------------


@address("GET /api/analyses/{analysis}", wire.AnalysisResponse)
async def shown(request: Request, analysis: Id) -> Any:
    """Return the chapters of an analysis, and who may see and edit it."""
    person_id = await _person_id(request)
    return await people_of(request).database.find(
        lambda connection: store.described(connection, store.find(connection, analysis, person_id))
    )


@address("POST /api/analyses/{analysis}", wire.AnalysisResponse, quota=("rows",))
async def change(
    request: Request,
    analysis: Id,
    name: Name | None = None,
    access: wire.AnalysisAccess | None = None,
    editors: Annotated[Sequence[Handle], Limit(MAX_EDITORS)] | None = None,
) -> Any:
    """Rename your analysis, or choose who may see it (``private``: only the editors; ``link``: all who know its
    address; ``public``: it is listed, too) and who may edit it besides you."""
    person, people = await account_of(request), people_of(request)
    named = None if name is None else _named(name)
    others = [(await find_person(people, handle)).id for handle in editors or ()]
    if others and await blocks_between(people, person.id, others):
        raise ApiError("not-allowed", "editors", "You cannot choose this player.")
    values = {key: value for key, value in (("name", named), ("access", access)) if value is not None}

    def write(connection: sa.Connection) -> None:
        store.find(connection, analysis, person.id, "own")
        if values:
            connection.execute(ANALYSES.update().where(ANALYSES.c.id == analysis).values(**values))
        if editors is not None:
            connection.execute(ANALYSIS_EDITORS.delete().where(ANALYSIS_EDITORS.c.analysis_id == analysis))
            for other in {*others} - {person.id}:
                connection.execute(ANALYSIS_EDITORS.insert().values(analysis_id=analysis, person_id=other))

    await _written(request, write)
    await _told(request, analysis)
    return await shown(request, analysis)


@address("DELETE /api/analyses/{analysis}", wire.NotedResponse)
async def remove(request: Request, analysis: Id) -> Any:
    """Delete your analysis."""
    person = await account_of(request)

    def write(connection: sa.Connection) -> None:
        store.find(connection, analysis, person.id, "own")
        connection.execute(ANALYSES.delete().where(ANALYSES.c.id == analysis))

    await _written(request, write)
    await _told(request, analysis)
    return {"noted": True}


# Chapters -----------------------------------------------------------------------------------------------------------


@address("POST /api/analyses/{analysis}/chapters", wire.ChapterMade, status=201, quota=("rows", "bytes"))
async def add(request: Request, analysis: Id, name: Name, **wish: Unpack[ChapterWish]) -> Any:
    """Add a chapter to an analysis that you may edit."""
    person, named = await account_of(request), _named(name)
    game, content = await _content(request, wish)

    def write(connection: sa.Connection) -> int:
        store.find(connection, analysis, person.id, "edit")
        return store.add_chapter(connection, analysis, named, game, content)

    number = await _written(request, write)
    await _told(request, analysis)
    return {"number": number, "version": 1}


@address("GET /api/analyses/{analysis}/chapters/{number}", wire.ChapterResponse, quota=("bytes",))
async def chapter(request: Request, analysis: Id, number: Number) -> Any:
    """Return a chapter with its moves. It is closed to you while you play a rated game that stands at one of its
    positions."""
    person, person_id = await person_of(request), await _person_id(request)

    def read(connection: sa.Connection) -> sa.Row[Any]:
        store.find(connection, analysis, person_id)
        return store.chapter_row(connection, analysis, number)

    row = await people_of(request).database.find(read)
    content: Content = json.loads(row.data)
    if person is not None:
        await _check_open(services_of(request), person, row.game, content)
    return {"number": number, "name": row.name, "version": row.version, **content}


@address("POST /api/analyses/{analysis}/chapters/{number}", wire.ChapterMade, quota=("rows", "bytes"))
async def edit(
    request: Request,
    analysis: Id,
    number: Number,
    name: Name | None = None,
    changes: Annotated[Sequence[TreeChange], Limit(MAX_CHANGES)] = (),
) -> Any:
    """Rename a chapter, and change its tree. Of two changes of the same node the last one holds. What is answered is
    stored."""
    person, named = await account_of(request), None if name is None else _named(name)

    def write(connection: sa.Connection) -> tuple[int, int]:
        known = store.find(connection, analysis, person.id, "edit")
        return store.change_chapter(connection, known, number, named, changes)

    version, written = await _written(request, write)
    services_of(request).fair_share.budgets.spend(request.scope[SPENDER], rows=written // ROW_CHARACTERS)
    await _told(request, analysis)
    return {"number": number, "version": version}


@address("DELETE /api/analyses/{analysis}/chapters/{number}", wire.NotedResponse)
async def drop(request: Request, analysis: Id, number: Number) -> Any:
    """Delete a chapter."""
    person = await account_of(request)

    def write(connection: sa.Connection) -> None:
        store.remove_chapter(connection, store.find(connection, analysis, person.id, "edit"), number)

    await _written(request, write)
    await _told(request, analysis)
    return {"noted": True}


@socket("/api/analyses/{analysis}/live", wire.NewsServerMessage, wire.LobbyClientMessage)
async def live(socket: WebSocket, analysis: str) -> None:
    """Say ``news`` at first, whenever the analysis changes, and when it may have changed."""
    async with open_socket(socket) as services:
        person_id, database = await _person_id(socket), services.people.database
        await database.find(lambda connection: store.find(connection, analysis[:16], person_id))
        async with news_of(services.registry.pubsub, f"analysis:{analysis[:16]}") as news:
            news.set()
            await until_first(push_news(socket, news), listen(socket))


# What is closed to players -------------------------------------------------------------------------------------------


async def _check_open(services: Services, person: Person, game: str, content: Content) -> None:
    """ApiError where the person plays a rated game, or one without analysis tools, that stands at one of the
    positions."""
    playing = (
        sa.select(TABLES.c.id)
        .join(SEATS, SEATS.c.table_id == TABLES.c.id)
        .where((SEATS.c.person_id == person.id) & ~TABLES.c.over & (TABLES.c.game == game))
    )
    closed: set[str] = set()
    for table_id in await services.people.database.scalars(playing):
        try:
            async with services.registry.table(table_id) as table:
                closed.update(closed_positions([table], person.id))
        except SessionError:  # it has been damaged or closed meanwhile
            continue
    is_closed = bool(closed) and await services.compute(lambda: _reaches(content, closed))
    if is_closed:
        why = "This chapter has the position of a rated game that you are playing. It opens when the game has moved on."
        raise ApiError("not-possible", "chapter", why)


def _reaches(content: Content, closed: set[str]) -> bool:
    """Return whether one of the positions of a chapter is closed."""
    todo: list[tuple[tercet.Position, SavedMove]] = [(tercet.parse(content["start"]), tree_of(content))]
    while todo:
        position, node = todo.pop()
        if str(position) in closed:
            return True
        for one in node.children:
            try:
                todo.append((position.play(one.text), one))
            except TercetError:  # no legal move leads on
                continue
    return False
