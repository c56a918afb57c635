"""Opening tables: at a client's request, and for a rematch."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request

from tercet.answers import home, starts
from tercet.answers.names import clean
from tercet.answers.starts import GameStart, is_long, start_of, table_settings
from tercet.answers.tables import TableInfo
from tercet.games import game_definition
from tercet.play.ratings import speed_of
from tercet.play.session import LogEvent, Session, TableSettings
from tercet.server.api.access import entered
from tercet.server.api.social import blocks_between
from tercet.server.errors import ApiError
from tercet.server.limits.spenders import spender
from tercet.server.people.identity import Person, free_name, people_of, person_for, remember
from tercet.server.people.rating_updates import why_unrated_table
from tercet.server.services import Services, address_of, network_of, services_of
from tercet.server.store.logs import AlsoWrite, SeatAccess
from tercet.server.store.schema import TABLES
from tercet.server.store.tables import hash_token
from tercet.server.tables.table import Table

MAX_WAITING_TABLES = 12  # tables that one person may have waiting for players

_THEIRS = (TABLES.c.creator == sa.bindparam("creator")) & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
_WAIT = sa.select(sa.func.count()).select_from(TABLES).where(_THEIRS)


def check_opening_rate(request: Request) -> None:
    """Raise ApiError if too many tables or tournaments were opened from the address of a request."""
    rate = services_of(request).fair_share.tables
    rate.check("address", "You have created too many games. Wait a moment.", address_of(request))


def check_account(person: Person) -> None:
    """Raise ApiError for guests: they play no rated games."""
    if person.kind == "guest":
        raise ApiError("not-signed-in", "rated", "You need an account for rated games. Sign in first.")


async def open_requested(ask: home.TableWish, request: Request) -> dict[str, Any]:
    """Open the table that a client asks for. Return its id and the tokens and links of its seats, which appear only
    here. Sent again with the same ``id``, it gets the same answer. Raise a typed error if it is refused."""
    services = services_of(request)
    check_opening_rate(request)
    starts.check_one_start(ask)
    ident = ask.get("id")
    person = await person_for(request, ident and f"open {ident}")
    services.fair_share.budgets.check(spender(), "cpu", "rows")
    for number, asked in enumerate(ask["seats"]):
        name = asked.get("name") or ""
        if clean(name):
            await free_name(people_of(request), name, person, f"seats.{number}.name")
    rated = ask.get("rated", False)
    if rated:
        _may_be_rated(ask, person)
        game = ask.get("game")
        if game is not None and not ask.get("options"):
            ask["options"] = game_definition(game).rated_options
    settings = await _settled(ask, request, person)
    if rated and (why := why_unrated_table(settings)) is not None:
        raise ApiError("bad-option", "rated", why)
    bots = await _asked_bots(ask, request, person)
    speed, public = speed_of(settings.clock, settings.game), settings.watch == "public"
    table_id = people_of(request).sign(f"table {ident or secrets.token_hex()} {person.id}")[:16]
    info = TableInfo(table_id, settings, speed, person.id, public=public, rated=rated)
    await remember(request, person)
    if not info.waiting:
        return await _open(ask, services, info, bots)
    if await services.registry.store.database.scalar(_WAIT, {"creator": person.id}) >= MAX_WAITING_TABLES:
        raise ApiError("too-many", "person", f"{MAX_WAITING_TABLES} of your games are already waiting for players.")
    network = network_of(request)
    async with services.waiting.reserve(network):
        opened = await _open(ask, services, info, bots)
        await services.waiting.opened(network, info.id)
    return opened


async def _open(ask: home.TableWish, services: Services, info: TableInfo, bots: dict[int, str]) -> dict[str, Any]:
    services.fair_share.budgets.spend(spender(), rows=1 + len(ask["seats"]))
    places, opened = {}, []
    for seat, asked in enumerate(ask["seats"]):
        token, link, person = None, None, info.creator if asked["kind"] == "me" else bots.get(seat)
        if info.settings.seats[seat].kind == "person":
            token = services.people.sign(f"seat {seat} {info.id} {ask.get('id')}")[:32]
        if token is not None or person is not None:
            places[seat] = SeatAccess(token and hash_token(token), person)
        if asked["kind"] == "friend":
            token, link = None, f"/t/{info.id}" + ("" if token is None else f"#seat={token}")
        opened.append({"seat": seat, "token": token, "link": link})
    try:
        await services.registry.store.open_table(info, places)
    except IntegrityError:  # the same request has opened it
        if await services.registry.store.load(info.id) is None:
            raise
    else:
        await services.lobby.announce(info.id, bots.values(), info.creator)
    return {"id": info.id, "seats": opened, "watch": f"/t/{info.id}"}


async def _settled(ask: home.TableWish, request: Request, person: Person) -> TableSettings:
    """What the table that ``ask`` wishes for is settled to be. What makes no sense is stored nowhere: typed errors."""
    services, given = services_of(request), cast("Mapping[str, Any]", ask)
    where = {name: given.get(name) for name in starts.START_FIELDS}
    begun: GameStart | None = None
    if ask.get("table") is not None:
        begun = await _other_table(ask, request)
    elif is_long(record=ask.get("record")):
        read = await services.compute_apart(starts.record_start, {"record": ask.get("record")}, request)
        begun = GameStart.read(json.loads(read)).up_to(ask.get("ply"))

    def settle() -> TableSettings:
        start = begun or start_of(**where, drawn=secrets.randbits(53)).up_to(ask.get("ply"))
        settings = table_settings(start, given["seats"], **starts.chosen_settings(given))
        if ask.get("rated") and sum(seat["kind"] == "me" for seat in ask["seats"]) > 1:
            raise ApiError("bad-option", "seats", f"{person.name} cannot have two seats in a rated game.")
        Session.open(settings)
        return settings

    return await services.compute(settle, request, "opening")


async def _other_table(ask: home.TableWish, request: Request) -> GameStart:
    """Return the game at another table up to ``ply``: if it is over, listed, or one's own."""
    async with entered(request, ask.get("table") or "") as entry:
        session = entry.table.session
        if not (session.is_over or entry.table.settings.watch == "public" or entry.client.held or entry.client.opened):
            raise ApiError("not-allowed", "table", "You can only start from a game that is over, or that is yours.")
        return await services_of(request).compute(lambda: GameStart.after(session, ask.get("ply")), request)


def _may_be_rated(ask: home.TableWish, person: Person) -> None:
    check_account(person)
    if ask.get("seed") is not None:
        raise ApiError("bad-option", "rated", "A rated game has no chosen seed: the server draws the start.")
    if any(asked["kind"] not in ("me", "friend", "open", "bot") for asked in ask["seats"]):
        raise ApiError("bad-option", "rated", "A rated game needs an account in every seat.")


async def _asked_bots(ask: home.TableWish, request: Request, person: Person) -> dict[int, str]:
    found, people = dict[int, str](), people_of(request)
    for seat, asked in enumerate(ask["seats"]):
        if asked["kind"] != "bot":
            continue
        bot = await people.with_handle(asked.get("handle") or "")
        if bot is None or bot.kind != "bot":
            raise ApiError("bad-option", f"seats.{seat}.handle", "There is no bot with this username.")
        if bot.id in found.values() or bot.id == person.id:
            raise ApiError("bad-option", f"seats.{seat}.handle", "You cannot play against yourself.")
        found[seat] = bot.id
    if found and await blocks_between(people, person.id, list(found.values())):
        raise ApiError("not-allowed", "seats", "This bot does not play against you.")
    return found


def rematch(table: Table, new_id: str) -> AlsoWrite:
    """Return what opens the table of an agreed rematch: all players move one seat on and keep their tokens. It is
    rated if the game was: one that was too short is not."""

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
        rated = table.info.rated and not table.info.is_short(session)
        rated = rated and why_unrated_table(settings) is None  # older tables had fewer rules
        again = dataclasses.replace(table.info, id=new_id, after=table.id, tournament=None)
        info = dataclasses.replace(again, settings=settings, rated=rated)
        table.host.store.opening(info, places)(connection)

    return write
