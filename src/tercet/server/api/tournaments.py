"""Endpoints of tournaments."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, Unpack

from fastapi import Request
from sqlalchemy.exc import IntegrityError
from starlette.responses import Response
from starlette.websockets import WebSocket

from tercet.answers.addresses import address
from tercet.answers.fields import Clock, GameField, Limit, Options
from tercet.answers.home import ClientSecret
from tercet.answers.names import clean
from tercet.answers.wire import TypedDict
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import speed_of
from tercet.play.session import Seat, Session, TableSettings
from tercet.play.tournaments import BEST_MARGIN, Form, check_form
from tercet.server import wire
from tercet.server.api.connection import open_socket, receive_text, translated, until_first
from tercet.server.api.opening import check_opening_rate
from tercet.server.errors import TRANSLATOR, ApiError
from tercet.server.lobby import fairly
from tercet.server.people.identity import Person, people_of, person_for, person_of, remember
from tercet.server.people.rating_updates import why_unrated_table
from tercet.server.schema import socket
from tercet.server.services import language_of, services_of, written
from tercet.server.store.tournaments import Announcement, StoredTournament
from tercet.server.tables.clients import encode, in_language
from tercet.server.tournaments import PUSH_SECONDS, Director, head, pairings_before, rights, your_part

MAX_LISTED = 100  # tournaments of an answer
MAX_NAME_CHARACTERS = 80
MAX_PRIZE_CHARACTERS = 200
MAX_OPEN_TOURNAMENTS = 5  # that one person has announced and that are not over
SEND_SECONDS = 20.0  # that a client has to take a message
LIVE_WAIT_SECONDS, DAY_SECONDS = 60, 86_400
AHEAD_SECONDS, BEHIND_SECONDS = 366 * DAY_SECONDS, 600  # from now, within which a tournament may begin


class TournamentWish(TypedDict):
    """A tournament to create. ``rounds`` are those of a Swiss (or of the form by margins before the play-off, which
    is a round robin without them); ``cycles`` of a round robin; ``minutes`` of an arena; for ``days`` the form by
    margins pairs free players, then the best play off. ``prize`` is public. ``begins`` is a time in milliseconds;
    without it the creator starts it. A round waits for its games, or begins ``hours`` after the one before. A player
    without a first turn after ``wait`` seconds is absent."""

    name: Annotated[str, Limit(MAX_NAME_CHARACTERS, 1)]
    form: wire.FormName
    game: GameField
    options: NotRequired[Options]
    clock: Clock
    rounds: NotRequired[Annotated[int, Limit(40, 1)] | None]
    cycles: NotRequired[Annotated[int, Limit(4, 1)]]
    minutes: NotRequired[Annotated[float, Limit(1440, 0.2)] | None]
    days: NotRequired[Annotated[int, Limit(60, 1)] | None]
    prize: NotRequired[Annotated[str, Limit(MAX_PRIZE_CHARACTERS)]]
    hours: NotRequired[Annotated[int, Limit(2400, 1)] | None]
    begins: NotRequired[Annotated[int, Limit(least=0, below=1 << 53)] | None]
    wait: NotRequired[Annotated[int, Limit(60 * DAY_SECONDS, 5)] | None]
    rated: NotRequired[bool]
    id: NotRequired[ClientSecret | None]


def _plan(ask: TournamentWish) -> tuple[Form, Announcement]:
    """Return the form and the plan that ``ask`` describes; typed errors."""
    definition, rated = game_definition(ask["game"]), ask.get("rated", False)
    game = Game(definition, ask.get("options") or definition.rated_options)
    seats = len(game.players)
    rounds, cycles, hours = ask.get("rounds"), ask.get("cycles", 1), ask.get("hours")
    form = Form(ask["form"], seats, rounds, cycles, _seconds(ask), hours, secrets.randbits(30))
    check_form(form, game.definition)
    settings = TableSettings(game.name, game.options, (Seat("person"),) * seats, takebacks="off", clock=ask["clock"])
    Session.open(settings)
    if rated and (why := why_unrated_table(settings)) is not None:
        raise ApiError("bad-option", "rated", why)
    correspondence = speed_of(ask["clock"], game.name) == "correspondence"
    if ask["form"] == "arena" and correspondence:
        raise ApiError("bad-option", "clock", "An arena needs a clock with minutes, not days.")
    wait = ask.get("wait") or (DAY_SECONDS * int(ask["clock"]["days"]) if correspondence else LIVE_WAIT_SECONDS)
    prize = clean(ask.get("prize", ""), MAX_PRIZE_CHARACTERS)
    return form, Announcement(game.name, dict(game.options), dict(ask["clock"]), rated, wait, prize)


def _seconds(ask: TournamentWish) -> int | None:
    """How long a tournament without rounds is to last; ApiError where that is said twice, or of another form."""
    days, minutes = ask.get("days"), ask.get("minutes")
    if days is not None:
        if ask["form"] != BEST_MARGIN or minutes is not None:
            raise ApiError("bad-option", "days", "Only the form by margins has days, in place of minutes.")
        return DAY_SECONDS * days
    return None if minutes is None else round(60 * minutes)


def _may_enter(person: Person, rated: bool) -> None:
    if rated and person.kind == "guest":
        raise ApiError("not-signed-in", "person", "You need an account for rated tournaments. Sign in first.")


async def _answer(
    director: Director, request: Request, tournament_id: str, status: int = 200, before: int | None = None
) -> Response:
    """Return the tournament as the asking person sees it; what all see is written once a change."""
    person = await person_of(request)
    kept, shown = await director.shown(tournament_id, language_of(request))
    yours = in_language(your_part(kept, person), request.scope.get(TRANSLATOR), wire.TournamentResponse)
    earlier = {}
    if before is not None:
        earlier["pairings"] = await director.registry.compute(lambda: pairings_before(kept, before))
    answer = written(encode({**yours, **shown, **earlier}), request)
    answer.status_code = status
    return answer


async def _asked(request: Request, tournament_id: str) -> tuple[Director, Person | None, StoredTournament]:
    """Return the director, who asks, and the tournament. Raise TournamentError if there is none."""
    director = services_of(request).director
    return director, await person_of(request), await director.load(tournament_id)


async def _may_organise(director: Director, person: Person) -> None:
    if await director.keeper.announced_by(person.id) >= MAX_OPEN_TOURNAMENTS:
        why = f"{MAX_OPEN_TOURNAMENTS} of your tournaments are not over yet. Wait for one to end, or call one off."
        raise ApiError("too-many", "tournaments", why)


@address("GET /api/tournaments", wire.TournamentsResponse)
async def tournaments(request: Request, state: Literal["waiting", "running", "over"] | None = None) -> Any:
    """Tournaments: those that run first, then those that wait, then those that are over and had begun, the newest
    first."""
    services = services_of(request)

    def fair(rows: Sequence[Any]) -> list[Any]:
        """Let the organisers of tournaments take turns."""
        turns = fairly(
            enumerate(rows),
            lambda one: services.lobby.turn_of(one[1].creator or one[1].id),
            lambda one: str(one[1].creator or one[1].id),
            lambda one: one[0],
        )
        return [row for _, row in turns]

    listed = await services.director.keeper.listed(state, MAX_LISTED, fair)
    return {"tournaments": [head(kept, entrants) for kept, entrants in listed]}


@address("POST /api/tournaments", wire.TournamentResponse, status=201)
async def announce(request: Request, **ask: Unpack[TournamentWish]) -> Any:
    """Create a tournament. Its creator does not take part unless they join. Sent again with the same ``id``, it gets
    the same tournament."""
    services, director = services_of(request), services_of(request).director
    check_opening_rate(request)
    name = clean(ask["name"], MAX_NAME_CHARACTERS)
    if not name:
        raise ApiError("bad-message", "name", "The name must have a letter.")
    now, asked = director.registry.now() / 1000, ask.get("begins")
    begins = None if asked is None else asked / 1000
    if begins is not None and not now - BEHIND_SECONDS <= begins <= now + AHEAD_SECONDS:
        raise ApiError("bad-option", "begins", "A tournament must begin within a year from now.")
    form, plan = await services.compute(lambda: _plan(ask), request)
    ident = ask.get("id")
    person = await person_for(request, ident and f"tournament {ident}")
    _may_enter(person, plan.rated)
    await remember(request, person)
    made = people_of(request).sign(f"tournament {ident or secrets.token_hex()} {person.id}")[:16]
    if await director.keeper.stamp(made) is None:
        await _may_organise(director, person)
        with contextlib.suppress(IntegrityError):  # the same request has announced it meanwhile
            await director.keeper.announce(made, name, form, plan, person.id, begins, now)
    return await _answer(director, request, made, 201)


@address("GET /api/tournaments/{tournament_id}", wire.TournamentResponse)
async def look(
    tournament_id: str, request: Request, before: Annotated[int, Limit(least=1, below=1 << 31)] | None = None
) -> Any:
    """Return a tournament: standings, the latest pairings (or those ``before`` the one of that number), and your next
    table."""
    return await _answer(services_of(request).director, request, tournament_id, before=before)


@address("POST /api/tournaments/{tournament_id}/join", wire.TournamentResponse)
async def join(tournament_id: str, request: Request) -> Any:
    """Join a tournament, or join it again after leaving."""
    director = services_of(request).director
    person = await person_for(request)
    kept = await director.load(tournament_id)
    kept.tournament.join(person.id)  # so that a refused player leaves no trace
    _may_enter(person, kept.plan.rated)
    await remember(request, person)
    await director.change(tournament_id, lambda tournament: tournament.join(person.id), kept)
    return await _answer(director, request, tournament_id)


@address("POST /api/tournaments/{tournament_id}/leave", wire.TournamentResponse)
async def leave(tournament_id: str, request: Request) -> Any:
    """Leave a tournament: you are not paired again. A game that you are playing goes on."""
    director = services_of(request).director
    person = await person_of(request)
    who = "" if person is None else person.id
    await director.change(tournament_id, lambda tournament: tournament.leave(who))
    return await _answer(director, request, tournament_id)


@address("POST /api/tournaments/{tournament_id}/begin", wire.TournamentResponse)
async def begin(tournament_id: str, request: Request) -> Any:
    """Start a tournament; only its organiser can."""
    director, person, kept = await _asked(request, tournament_id)
    if person is None or person.id != kept.creator:
        raise ApiError("not-allowed", "tournament", "Only its organiser can start a tournament.")
    await director.open_lists(kept)
    return await _answer(director, request, tournament_id)


@address("POST /api/tournaments/{tournament_id}/call-off", wire.TournamentResponse)
async def call_off(tournament_id: str, request: Request) -> Any:
    """End a tournament as it stands; its organiser or a moderator can. Games in progress go on, and do not count for
    it. Sent again, it changes nothing."""
    director, person, kept = await _asked(request, tournament_id)
    if person is None or not (person.id == kept.creator or person.kind == "staff"):
        raise ApiError("not-allowed", "tournament", "Only its organiser or a moderator can call off a tournament.")
    why = "organiser" if person.id == kept.creator else "moderator"
    await director.change(tournament_id, lambda found: [] if found.called_off else found.call_off(why), kept)
    return await _answer(director, request, tournament_id)


@address("POST /api/tournaments/{tournament_id}/take-over", wire.TournamentResponse)
async def take_over(tournament_id: str, request: Request) -> Any:
    """Organise a tournament whose organiser is gone; an entrant or a moderator can. Sent again, it changes nothing."""
    director, person, kept = await _asked(request, tournament_id)
    if person is not None and "take-over" in rights(kept, person):
        await _may_organise(director, person)
        await director.keeper.take_over(tournament_id, person.id, kept.creator)
        kept = await director.load(tournament_id)
    if person is None or person.id != kept.creator:
        why = "You can take over a tournament only as an entrant or a moderator, and if its organiser is gone."
        raise ApiError("not-allowed", "tournament", why)
    return await _answer(director, request, tournament_id)


# The socket ----------------------------------------------------------------------------------------------------------


@socket("/api/tournaments/{tournament_id}/live", wire.TournamentServerMessage)
async def live(socket: WebSocket, tournament_id: str) -> None:
    """Follow a tournament: the same object as the address without /live, whenever it changes, at most once a second."""
    async with open_socket(socket) as services:
        director = services_of(socket).director
        person = await person_of(socket)
        reading = _push(socket, person, director, tournament_id)
        await until_first(reading, _hear(socket, services.limits.message))


async def _push(socket: WebSocket, person: Person | None, director: Director, tournament_id: str) -> None:
    said = ""
    while True:
        kept, shown = await director.shown(tournament_id, language_of(socket), exact=False)
        yours = {"type": "tournament", **your_part(kept, person)}
        text = encode({**translated(socket, yours, wire.TournamentServerMessage), **shown})
        if text != said:
            said = text
            async with asyncio.timeout(SEND_SECONDS):
                await socket.send_text(text)
        await asyncio.sleep(PUSH_SECONDS)


async def _hear(socket: WebSocket, longest: int) -> None:
    """Hear until the client hangs up; nothing is to be said here but ``ping``."""
    while True:
        await receive_text(socket, longest)
