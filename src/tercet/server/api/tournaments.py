"""Endpoints of tournaments."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from fastapi import APIRouter, Request
from starlette.websockets import WebSocket

from tercet.answers.names import clean
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import speed_of
from tercet.play.session import Seat, Session, TableSettings
from tercet.play.tournaments import BEST_MARGIN, Form, check_form
from tercet.server.api.analysis import open_socket, receive_text, translated, until_first
from tercet.server.api.opening import check_opening_rate
from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import Person, person_for, person_of, remember
from tercet.server.people.rating_updates import why_unrated_table
from tercet.server.services import language_of, services_of
from tercet.server.store.tournaments import Announcement, StoredTournament
from tercet.server.tables.clients import encode
from tercet.server.tournaments import PUSH_SECONDS, Director, Followed, described, head, rights, your_part
from tercet.server.wire.tables import TournamentRequest, TournamentServerMessage

router = APIRouter(tags=["tournaments"])
MAX_LISTED = 100  # tournaments of an answer
MAX_NAME_CHARACTERS = 80
MAX_PRIZE_CHARACTERS = 200
MAX_OPEN_TOURNAMENTS = 5  # that one person has announced and that are not over
SEND_SECONDS = 20.0  # that a client has to take a message
LIVE_WAIT_SECONDS, DAY_SECONDS = 60, 86_400
AHEAD_SECONDS, BEHIND_SECONDS = 366 * DAY_SECONDS, 600  # from now, within which a tournament may begin


def _plan(ask: TournamentRequest) -> tuple[Form, Announcement]:
    """Return the form and the plan that ``ask`` describes; typed errors."""
    definition = game_definition(ask.game)
    game = Game(definition, ask.options or definition.rated_options)
    seats = len(game.players)
    form = Form(ask.form, seats, ask.rounds, ask.cycles, _seconds(ask), ask.hours, secrets.randbits(30))
    check_form(form, game.definition)
    settings = TableSettings(game.name, game.options, (Seat("person"),) * seats, takebacks="off", clock=ask.clock)
    Session.open(settings)
    if ask.rated and (why := why_unrated_table(settings)) is not None:
        raise ApiError("bad-option", "rated", why)
    correspondence = speed_of(ask.clock, game.name) == "correspondence"
    if ask.form == "arena" and correspondence:
        raise ApiError("bad-option", "clock", "An arena needs a clock with minutes, not days.")
    wait = ask.wait or (DAY_SECONDS * int(ask.clock["days"]) if correspondence else LIVE_WAIT_SECONDS)
    return form, Announcement(
        game.name, dict(game.options), dict(ask.clock), ask.rated, wait, clean(ask.prize, MAX_PRIZE_CHARACTERS)
    )


def _seconds(ask: TournamentRequest) -> int | None:
    """How long a tournament without rounds is to last; ApiError where that is said twice, or of another form."""
    if ask.days is not None:
        if ask.form != BEST_MARGIN or ask.minutes is not None:
            raise ApiError("bad-option", "days", "Only the form by margins has days, in place of minutes.")
        return DAY_SECONDS * ask.days
    return None if ask.minutes is None else round(60 * ask.minutes)


def _may_enter(person: Person, rated: bool) -> None:
    if rated and person.kind == "guest":
        raise ApiError("not-signed-in", "person", "You need an account for rated tournaments. Sign in first.")


async def _answer(director: Director, kept: StoredTournament, person: Person | None) -> dict[str, Any]:
    shown = await director.registry.compute(lambda: described(kept))
    return {**shown, **your_part(kept, person)}


async def _may_organise(director: Director, person: Person) -> None:
    if await director.keeper.announced_by(person.id) >= MAX_OPEN_TOURNAMENTS:
        why = f"{MAX_OPEN_TOURNAMENTS} of your tournaments are not over yet. Wait for one to end, or call one off."
        raise ApiError("too-many", "tournaments", why)


@router.get("/api/tournaments")
async def tournaments(request: Request, state: str | None = None) -> Json:
    """Tournaments: those that run first, then those that wait, then those that are over and had begun, the newest
    first. ``state`` is waiting, running or over."""
    if state not in (None, "waiting", "running", "over"):
        raise ApiError("bad-message", "state", "The field state must be waiting, running or over.")
    found = await services_of(request).director.keeper.listed(state, MAX_LISTED)
    return Json({"tournaments": [head(kept, entrants) for kept, entrants in found]})


@router.post("/api/tournaments", status_code=201)
async def announce(ask: TournamentRequest, request: Request) -> Json:
    """Create a tournament. Its creator does not take part unless they join."""
    services, director = services_of(request), services_of(request).director
    check_opening_rate(request)
    name = clean(ask.name, MAX_NAME_CHARACTERS)
    if not name:
        raise ApiError("bad-message", "name", "The name must have a letter.")
    now = director.registry.now() / 1000
    begins = None if ask.begins is None else ask.begins / 1000
    if begins is not None and not now - BEHIND_SECONDS <= begins <= now + AHEAD_SECONDS:
        raise ApiError("bad-option", "begins", "A tournament must begin within a year from now.")
    form, plan = await services.compute(lambda: _plan(ask), request)
    person = await person_for(request)
    _may_enter(person, plan.rated)
    await remember(request, person)
    await _may_organise(director, person)
    made = secrets.token_hex(8)
    await director.keeper.announce(made, name, form, plan, person.id, begins, now)
    return Json(await _answer(director, await director.load(made), person), 201)


@router.get("/api/tournaments/{tournament_id}")
async def look(tournament_id: str, request: Request) -> Json:
    """Return a tournament: standings, pairings, and your next table."""
    director = services_of(request).director
    kept = await director.load(tournament_id)
    return Json(await _answer(director, kept, await person_of(request)))


@router.post("/api/tournaments/{tournament_id}/join")
async def join(tournament_id: str, request: Request) -> Json:
    """Join a tournament, or join it again after leaving."""
    director = services_of(request).director
    person = await person_for(request)
    kept = await director.load(tournament_id)
    kept.tournament.join(person.id)  # so that a refused player leaves no trace
    _may_enter(person, kept.plan.rated)
    await remember(request, person)
    kept = await director.change(tournament_id, lambda tournament: tournament.join(person.id))
    return Json(await _answer(director, kept, person))


@router.post("/api/tournaments/{tournament_id}/leave")
async def leave(tournament_id: str, request: Request) -> Json:
    """Leave a tournament: you are not paired again. A game that you are playing goes on."""
    director = services_of(request).director
    person = await person_of(request)
    kept = await director.change(
        tournament_id, lambda tournament: tournament.leave("" if person is None else person.id)
    )
    return Json(await _answer(director, kept, person))


@router.post("/api/tournaments/{tournament_id}/begin")
async def begin(tournament_id: str, request: Request) -> Json:
    """Start a tournament; only its organiser can."""
    director = services_of(request).director
    person = await person_of(request)
    kept = await director.load(tournament_id)
    if person is None or person.id != kept.creator:
        raise ApiError("not-allowed", "tournament", "Only its organiser can start a tournament.")
    kept = await director.open_lists(kept)
    return Json(await _answer(director, kept, person))


@router.post("/api/tournaments/{tournament_id}/call-off")
async def call_off(tournament_id: str, request: Request) -> Json:
    """End a tournament as it stands; its organiser or a moderator can. Games in progress go on, and do not count for
    it. Sent again, it changes nothing."""
    director = services_of(request).director
    person = await person_of(request)
    kept = await director.load(tournament_id)
    if person is None or not (person.id == kept.creator or person.kind == "staff"):
        raise ApiError("not-allowed", "tournament", "Only its organiser or a moderator can call off a tournament.")
    why = "organiser" if person.id == kept.creator else "moderator"
    kept = await director.change(tournament_id, lambda found: [] if found.called_off else found.call_off(why), kept)
    return Json(await _answer(director, kept, person))


@router.post("/api/tournaments/{tournament_id}/take-over")
async def take_over(tournament_id: str, request: Request) -> Json:
    """Organise a tournament whose organiser is gone; an entrant or a moderator can. Sent again, it changes nothing."""
    director = services_of(request).director
    person = await person_of(request)
    kept = await director.load(tournament_id)
    if person is not None and "take-over" in rights(kept, person):
        await _may_organise(director, person)
        await director.keeper.take_over(tournament_id, person.id, kept.creator)
        kept = await director.load(tournament_id)
    if person is None or person.id != kept.creator:
        why = "You can take over a tournament only as an entrant or a moderator, and if its organiser is gone."
        raise ApiError("not-allowed", "tournament", why)
    return Json(await _answer(director, kept, person))


# The socket ----------------------------------------------------------------------------------------------------------


@router.websocket("/api/tournaments/{tournament_id}/live")
async def live(socket: WebSocket, tournament_id: str) -> None:
    """Follow a tournament: the same object as the address without /live, whenever it changes, at most once a second."""
    async with open_socket(socket) as services:
        director = services_of(socket).director
        await director.load(tournament_id)
        person = await person_of(socket)
        async with director.followers.following(tournament_id) as followed:
            await until_first(_push(socket, person, followed), _hear(socket, services.limits.message))


async def _push(socket: WebSocket, person: Person | None, followed: Followed) -> None:
    said = ""
    while True:
        kept, shown = await followed.read(language_of(socket))
        yours = {"type": "tournament", **your_part(kept, person)}
        text = encode({**translated(socket, yours, TournamentServerMessage), **shown})
        if text != said:
            said = text
            async with asyncio.timeout(SEND_SECONDS):
                await socket.send_text(text)
        await asyncio.sleep(PUSH_SECONDS)


async def _hear(socket: WebSocket, longest: int) -> None:
    """Hear until the client hangs up; nothing is to be said here but ``ping``."""
    while True:
        await receive_text(socket, longest)
