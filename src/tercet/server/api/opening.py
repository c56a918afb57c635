"""Opening tables: at a client's request, and for a rematch."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from starlette.requests import Request

from tercet.game import Game
from tercet.games import game_definition
from tercet.ratings import speed_of
from tercet.server.api.access import entered
from tercet.server.api.social import blocks_between, find_person
from tercet.server.errors import ApiError, as_text
from tercet.server.limits.spender import spender
from tercet.server.people import Person, people_of, person_for, remember
from tercet.server.people.free_names import free_name
from tercet.server.people.names import clean
from tercet.server.services import Services, address_of, network_of, services_of
from tercet.server.store import AlsoWrite, SeatAccess, TableInfo, hash_token
from tercet.server.store.schema import TABLES
from tercet.server.study.start import MOST_MOVES, StudyStart, begin, is_long
from tercet.server.tables.rated import why_unrated_table
from tercet.server.tables.table import Table
from tercet.server.wire.requests import TableRequest
from tercet.session import USUAL_ABSENCE, LogEvent, Seat, Session, TableSettings

__all__ = ["open_requested", "rematch"]

WAITING = 12  # tables that one person may have waiting for players

_THEIRS = (TABLES.c.creator == sa.bindparam("creator")) & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
_WAIT = sa.select(sa.func.count()).select_from(TABLES).where(_THEIRS)


async def open_requested(ask: TableRequest, request: Request) -> dict[str, Any]:
    """Open the table that a client asks for. Return its id and the tokens and links of its seats, which appear only
    here. Raise a typed error if it is refused."""
    services = services_of(request)
    rate, address = services.fair_share.tables, address_of(request)
    if not rate.take(address):
        raise ApiError(
            "too-many", "address", "You have created too many games. Wait a moment.", retry=rate.wait(address)
        )
    if sum(given is not None for given in (ask.position, ask.record, ask.table)) > 1:
        raise ApiError("bad-message", "table", "Start from one of a position, a record or a game.")
    person = await person_for(request)
    services.fair_share.budgets.check(spender(), "cpu", "rows")
    await _check_names(ask, request, person)
    if ask.rated:
        _may_be_rated(ask, person)
        if ask.game is not None and not ask.options:
            ask = ask.model_copy(update={"options": game_definition(ask.game).rated_options})
    settings = await _settled(ask, request, person)
    if ask.rated and (why := why_unrated_table(settings)) is not None:
        raise ApiError("bad-option", "rated", why)
    bots = await _asked_bots(ask, request, person)
    info = TableInfo(
        secrets.token_hex(8),
        settings,
        speed_of(settings.clock, settings.game),
        person.id,
        public=settings.watch == "public",
        rated=ask.rated,
    )
    await remember(request, person)
    if not info.waiting:
        return await _open(ask, services, info, bots)
    await _may_wait(services, person)
    network = network_of(request)
    async with services.waiting.place(network):
        opened = await _open(ask, services, info, bots)
        await services.waiting.opened(network, info.id)
    return opened


async def _open(ask: TableRequest, services: Services, info: TableInfo, bots: dict[int, str]) -> dict[str, Any]:
    """Open a table that may be opened."""
    services.fair_share.budgets.spend(spender(), rows=1 + len(ask.seats))
    people = [seat for seat, sits in enumerate(info.settings.seats) if sits.kind == "person"]
    tokens = {seat: secrets.token_urlsafe(24) for seat in people}
    places = {}
    for seat, asked in enumerate(ask.seats):
        sits = info.creator if asked.kind == "me" else bots.get(seat)
        if seat in tokens or sits is not None:
            places[seat] = SeatAccess(hash_token(tokens[seat]) if seat in tokens else None, sits)
    await services.registry.open(info, places)
    await services.lobby.announce(info.id, bots.values(), info.creator)
    return {"id": info.id, "seats": _seats_opened(info.id, ask, tokens), "watch": f"/t/{info.id}"}


def _seats_opened(table_id: str, ask: TableRequest, tokens: dict[int, str]) -> list[dict[str, Any]]:
    found = []
    for seat, asked in enumerate(ask.seats):
        token, link = tokens.get(seat), None
        if asked.kind == "friend":
            token, link = None, f"/t/{table_id}" + ("" if token is None else f"#seat={token}")
        found.append({"seat": seat, "token": token, "link": link})
    return found


async def _settled(ask: TableRequest, request: Request, person: Person) -> TableSettings:
    """What the table that ``ask`` wishes for is settled to be. What makes no sense is stored nowhere: typed errors."""
    begun: StudyStart | None = None
    if ask.table is not None:
        begun = await _other_table(ask, request)
    elif is_long(ask.record):
        begun = await _read_apart(ask, request)

    def settle() -> TableSettings:
        settings = _settings(ask, begun or _study(ask), person)
        Session.open(settings)
        return settings

    return await services_of(request).study(settle, request, "opening")


async def _read_apart(ask: TableRequest, request: Request) -> StudyStart:
    """Where ``ask`` begins, whose long record is read in another process."""
    found = json.loads(await services_of(request).study_apart(f"{__name__}:study_text", ask.model_dump(), request))
    return StudyStart(
        Game(game_definition(found["game"]), found["options"]), found["seed"], found["position"], tuple(found["moves"])
    )


def study_text(asked: dict[str, Any]) -> str:
    """The study that a :class:`TableRequest`, given as its fields, describes, as text. Typed errors."""
    study = _study(TableRequest(**asked))
    found = {"game": study.game.name, "options": dict(study.game.options), "seed": study.seed}
    return as_text({**found, "position": study.position, "moves": study.moves})


def _study(ask: TableRequest) -> StudyStart:
    study = begin(ask, secrets.randbits(53))
    if ask.ply is not None and ask.ply > len(study.moves):
        raise ApiError("bad-record", "ply", f"The record has {len(study.moves)} actions, not {ask.ply}.")
    if len(study.moves if ask.ply is None else study.moves[: ask.ply]) > MOST_MOVES:
        raise ApiError("too-large", "record", f"The game must have at most {MOST_MOVES} moves.")
    return study if ask.ply is None else dataclasses.replace(study, moves=study.moves[: ask.ply])


async def _other_table(ask: TableRequest, request: Request) -> StudyStart:
    """The game at another table up to ``ask.ply``: if it is over, listed, or one's own."""
    assert ask.table is not None
    async with entered(request, ask.table) as entry:
        session = entry.table.session
        if not (session.is_over or entry.table.settings.watch == "public" or entry.client.held or entry.client.opened):
            raise ApiError("not-allowed", "table", "You can only start from a game that is over, or that is yours.")
        ply = session.ply if ask.ply is None else ask.ply
        if ply > session.ply:
            raise ApiError("bad-record", "ply", f"The game has {session.ply} actions, not {ply}.")
        if not session.resigned or not session.plays_on:
            played = tuple(one.text for one in session.played[:ply])
            return StudyStart(session.game, session.settings.seed, session.settings.position, played)
        return StudyStart(session.game, 0, str(await services_of(request).study(lambda: session.at(ply), request)))


def _settings(ask: TableRequest, study: StudyStart, person: Person) -> TableSettings:
    seats = []
    for number, asked in enumerate(ask.seats):
        name = clean(asked.name or "")
        if asked.kind == "engine":
            seats.append(Seat("engine", name, asked.level or 5))
        elif asked.kind == "bot":
            seats.append(Seat("bot", (asked.handle or "").lower()))
        elif asked.kind == "open" or (asked.kind == "friend" and ask.rated):
            seats.append(Seat("open"))
        else:
            seats.append(Seat("person", name))
        if asked.kind != "bot" and asked.handle is not None:
            raise ApiError("bad-option", f"seats.{number}.handle", "Only the seat of a bot has a username.")
    if isinstance(ask.takebacks, bool):
        takebacks = "consent" if ask.takebacks else "off"
    else:
        takebacks = ask.takebacks or study.game.definition.takebacks
    if sum(asked.kind == "me" for asked in ask.seats) > 1 and ask.rated:
        raise ApiError("bad-option", "seats", f"{person.name} cannot have two seats in a rated game.")
    if "gone" in ask.model_fields_set:
        gone = None if ask.gone is None else ask.gone.model_dump()
    else:
        gone = dict(USUAL_ABSENCE) if ask.clock is not None and ask.clock.get("kind") != "correspondence" else None
    anybody = any(asked.kind == "open" for asked in ask.seats)
    if ask.public and ask.watch not in (None, "public"):
        raise ApiError("bad-option", "watch", "The fields watch and public contradict each other. Leave one out.")
    return TableSettings(
        study.game.name,
        study.game.options,
        tuple(seats),
        study.seed,
        study.position,
        study.moves,
        takebacks,
        ask.clock,
        ask.confirm,
        ask.chat,
        gone,
        ask.watch or ("public" if ask.public or anybody else "link"),
        ask.explore,
    )


async def _check_names(ask: TableRequest, request: Request, person: Person) -> None:
    """Check the names of the players at a new table."""
    for number, asked in enumerate(ask.seats):
        if clean(asked.name or ""):
            await free_name(people_of(request), asked.name or "", person, f"seats.{number}.name")


def _may_be_rated(ask: TableRequest, person: Person) -> None:
    if person.kind == "guest":
        raise ApiError("not-signed-in", "rated", "You need an account for rated games. Sign in first.")
    if ask.seed is not None:
        raise ApiError("bad-option", "rated", "A rated game has no chosen seed: the server draws the start.")
    if any(asked.kind not in ("me", "friend", "open", "bot") for asked in ask.seats):
        raise ApiError("bad-option", "rated", "A rated game is between people with accounts.")


async def _asked_bots(ask: TableRequest, request: Request, person: Person) -> dict[int, str]:
    """The ids of the bots that are asked to play, by seat."""
    found: dict[int, str] = {}
    people = people_of(request)
    for seat, asked in enumerate(ask.seats):
        if asked.kind != "bot":
            continue
        try:
            bot = await find_person(people, asked.handle or "")
        except ApiError:
            bot = None
        if bot is None or bot.kind != "bot":
            raise ApiError("bad-option", f"seats.{seat}.handle", "There is no bot with this username.")
        if bot.id in found.values() or bot.id == person.id:
            raise ApiError("bad-option", f"seats.{seat}.handle", "You cannot play against yourself.")
        found[seat] = bot.id
    if found and await blocks_between(people, person.id, list(found.values())):
        raise ApiError("not-allowed", "seats", "This bot does not play against you.")
    return found


async def _may_wait(services: Services, person: Person) -> None:
    find = services.registry.store.database.find
    if (await find(lambda connection: connection.scalar(_WAIT, {"creator": person.id})) or 0) >= WAITING:
        raise ApiError("too-many", "person", f"{WAITING} of your games are already waiting for players.")


def rematch(table: Table, new_id: str) -> AlsoWrite:
    """Return what opens the table of an agreed rematch: all players move one seat on and keep their tokens."""

    def write(connection: sa.Connection, events: Sequence[LogEvent]) -> None:
        if not any(event.kind == "rematch" for event in events):
            return
        session = table.session
        settings = session.rematch_settings(secrets.randbits(53))
        places = {}
        for seat, sits in enumerate(session.seats):
            to = (seat + 1) % len(session.seats)
            occupant = table.occupants.get(seat)
            if sits.kind != "engine":
                token = table.tokens.get(seat) if settings.seats[to].kind == "person" else None
                places[to] = SeatAccess(token, None if occupant is None else occupant.person_id)
        rated = table.info.rated and why_unrated_table(settings) is None  # older tables had fewer rules
        info = dataclasses.replace(
            table.info, id=new_id, settings=settings, after=table.id, tournament=None, rated=rated
        )
        table.host.store.opening(info, places)(connection)

    return write
