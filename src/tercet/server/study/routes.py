"""Endpoints that need no table: the games, boards to look at, rules, analysis, records, drawings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

import tercet
from tercet.errors import IllegalAction, OptionError, ParseError
from tercet.game import Game, Position
from tercet.games import game_definition
from tercet.presentation import explorations_view, position_view, skins_view, table_view
from tercet.server.http.errors import ApiError, Json
from tercet.server.http.requests import (
    AnalyseRequest,
    DrawRequest,
    ExploreRequest,
    PreviewRequest,
    RecordRequest,
    StartRequest,
    WhyRequest,
)
from tercet.server.people import person_of
from tercet.server.protocol.game_data import Analysed, GameData, Legality, Preview, RecordData, RulesData
from tercet.server.services import services_of, share_of
from tercet.server.tables.messages import move_data
from tercet.session import Seat as PlaySeat
from tercet.session import Session, TableSettings
from tercet.tournaments import BEST_MARGIN, FORM_TITLES, FORMS
from tercet.view import Findings, to_json

__all__ = ["Study", "begin", "router"]

router = APIRouter()
NOT_A_MOVE: dict[str, Any] = {
    "seat": None,
    "says": "",
    "begins": True,
    "cells": [],
}  # a resignation or an agreement among the moves


@dataclass(frozen=True)
class Study:
    """A game from some start: ``position`` replaces the game's own, which ``seed`` settles; ``moves`` follow."""

    game: Game
    seed: int
    position: str | None
    moves: tuple[str, ...] = ()


def begin(ask: StartRequest, seed: int = 0) -> Study:
    """The study that ``ask`` describes; ``seed`` settles chance in the game where ``ask`` names none. Typed errors."""
    if ask.position is not None:
        start = tercet.parse(ask.position.strip())
        return Study(start.game, 0, str(start))
    if ask.record is not None:
        return _of_record(ask.record)
    if ask.game is None:
        raise ApiError("bad-message", "game", "name a game, or give a position or a record")
    game = Game(game_definition(ask.game), ask.options)
    seed = seed if ask.seed is None else ask.seed
    chance = game.start(seed) != game.start()
    return Study(game, seed if chance else 0, None)


def _of_record(text: str) -> Study:
    from tercet.record import read

    try:
        records = read(text)
    except (ParseError, OptionError) as error:
        raise _bad_record(error) from None
    if not records:
        raise ApiError("bad-record", "record", "holds no game")
    record = records[0]
    last = record.last
    if last.parent is not None and last.action_text == "draw":  # no position string tells of an agreement
        last = last.parent
    start, moves = last.effective_line()
    usual = start == record.game.start()
    return Study(record.game, 0, None if usual else str(start), tuple(moves))


def _bad_record(error: ParseError | OptionError) -> ApiError:
    if isinstance(error, OptionError):
        return ApiError("bad-record", f"option {error.option}", error.why)
    place = error.where if error.line is None else f"line {error.line}, column {error.column or 1}: {error.where}"
    return ApiError("bad-record", place, error.why)


@functools.cache
def _levels() -> list[dict[str, Any]]:
    from tercet.engines import LEVELS

    return [{"number": number, "title": title, "help": words} for number, title, words in LEVELS]


@functools.cache
def _game_data(name: str) -> dict[str, Any]:
    found = game_definition(name)
    usual = Game(found, {}, "interpreted")  # nothing to compile for what is only told
    return {
        "name": found.name,
        "title": found.title,
        "designer": found.designer,
        "year": found.year,
        "summary": found.summary,
        "options": to_json(found.options),
        "players": list(usual.players),
        "quickStart": to_json(found.quick_start),
        "levels": _levels(),
        "explorations": explorations_view(usual),
        "skins": skins_view(usual),
        "standing": None if found.tally is None else found.tally.title,
        "forms": [
            {"id": form, "title": FORM_TITLES[form], "help": words}
            for form, words in FORMS.items()
            if form != BEST_MARGIN or found.tally is not None
        ],
        "takebacks": found.takebacks,
        "presets": to_json(found.presets),
    }


@functools.cache
def _rules_data(name: str) -> dict[str, Any]:
    page = game_definition(name).view.rules_page(tercet.game(name))
    examples = []
    for example in page.examples:
        position = tercet.parse(example.position)
        examples.append(
            {**to_json(example), "table": table_view(position.game), "view": position_view(position, paths=False)}
        )
    return {"title": page.title, "sections": to_json(page.sections), "examples": examples}


@router.get("/api/games", responses={200: {"model": list[GameData]}})
async def games(request: Request) -> Json:
    """The games, their options and the engine's levels."""
    return Json(await services_of(request).study(lambda: [_game_data(name) for name in tercet.games()]))


@router.get("/api/rules/{game}", responses={200: {"model": RulesData}})
async def rules(game: str, request: Request) -> Json:
    """A game's rules, with drawn examples."""
    if game not in tercet.games():
        raise ApiError("not-found", "game", f"there are {', '.join(tercet.games())}")
    return Json(await services_of(request).study(lambda: _rules_data(game)))


@router.post("/api/preview", responses={200: {"model": Preview}})
async def preview(ask: PreviewRequest, request: Request) -> Json:
    """The board and the start of a game with these options, or the position that is given."""

    def work() -> dict[str, Any]:
        study = begin(StartRequest(game=ask.game, options=ask.options, seed=ask.seed, position=ask.position))
        start = study.game.start(study.seed) if study.position is None else tercet.parse(study.position)
        view = position_view(start, paths=False)
        return {"table": table_view(study.game), "view": view, "line": _changes(start, ask.moves)}

    return Json(await services_of(request).study(work))


def _changes(position: Position, moves: Sequence[str]) -> list[dict[str, Any]]:
    """What each of ``moves`` changes on the board."""
    scene = position.game.definition.view.scene
    before = {piece.cell: piece for piece in scene(position).pieces}
    steps = []
    for number, text in enumerate(moves, 1):
        try:
            made = position.transition(text)
        except (IllegalAction, ParseError) as error:
            raise ApiError("illegal-action", f"move {number}", error.why) from None
        position = made.after
        now = scene(position)
        after = {piece.cell: piece for piece in now.pieces}
        changed = [piece for cell, piece in after.items() if before.get(cell) != piece]
        steps.append(
            {
                "pieces": to_json(changed),
                "gone": [cell for cell in before if cell not in after],
                "marks": to_json(now.marks),
                "events": [list(event.cells) for event in made.events if event.cells],
            }
        )
        before = after
    return steps


@router.post("/api/analyse", responses={200: {"model": Analysed}})
async def analyse(ask: AnalyseRequest, request: Request) -> Json:
    """Play moves from somewhere: what each did, the last position with its legal actions, and all of it as a record."""

    def work() -> dict[str, Any]:
        study = begin(ask)
        if len(study.moves) + len(ask.moves) > 5000:
            raise ApiError("too-large", "moves", "are more than 5000")
        moves = (*study.moves, *ask.moves)
        seats = (PlaySeat("person"),) * len(study.game.players)
        settings = TableSettings(study.game.name, study.game.options, seats, study.seed, study.position, moves)
        try:
            session = Session.open(settings)
        except tercet.session.SessionError as error:
            code = "illegal-action" if error.code == "bad-record" else error.code
            raise ApiError(code, error.where, error.why) from None
        return _analysed(session)

    return Json(await services_of(request).study(work))


def _analysed(session: Session) -> dict[str, Any]:
    from tercet.record import Record

    position = session.start
    nodes = []
    for ply, played in enumerate(session.played):
        position = position.play(played.action_id)
        tally = None if position.tally is None else list(position.tally)
        nodes.append({**move_data(ply, played), "position": str(position), "standing": tally})
    headers = {"Seed": str(session.settings.seed)} if session.settings.seed else {}
    record = Record.from_actions(session.game, session.start, [one.text for one in session.played], headers)
    return {
        "table": table_view(session.game),
        "start": str(session.start),
        "nodes": nodes,
        "view": position_view(position),
        "record": record.write(),
    }


@router.post("/api/explore", responses={200: {"model": Findings}})
async def explore(ask: ExploreRequest, request: Request) -> Json:
    """What an exploration finds out about a position: marks for the board, lines, a sentence."""
    engine_pool = services_of(request).engine_pool
    person = await person_of(request)
    return Json(
        await engine_pool.explore(ask.position, ask.id, ask.cell, share_of(request) if person is None else person.id)
    )


@router.post("/api/why", responses={200: {"model": Legality}})
async def why(ask: WhyRequest, request: Request) -> Json:
    """Whether an action is legal, and which rule forbids it where it is not."""

    def work() -> dict[str, Any]:
        position = tercet.parse(ask.position.strip())
        action = ask.action
        if action is None:
            attempt = position.game.definition.attempt
            action = attempt(position, ask.steps or []) if attempt is not None else None
        if action is None:
            if ask.steps is None:
                raise ApiError("bad-message", "action", "name an action, or the steps that would enter it")
            return {"legal": False, "why": None}
        try:
            position.action(action)
        except IllegalAction as error:
            return {"legal": False, "why": error.why}
        return {"legal": True, "why": None}

    return Json(await services_of(request).study(work))


@router.post("/api/record", responses={200: {"model": RecordData}})
async def read_record(ask: RecordRequest, request: Request) -> Json:
    """Read a record, keeping what can be kept; ``error`` says what could not."""
    return Json(await services_of(request).study(lambda: _record_data(ask.text)))


def _record_data(text: str) -> dict[str, Any]:
    from tercet.record import is_token, read

    try:
        records = read(text, lenient=True)
    except (ParseError, OptionError) as error:
        raise _bad_record(error) from None
    if not records:
        raise (
            _bad_record(records.problems[0]) if records.problems else ApiError("bad-record", "record", "holds no game")
        )
    record = records[0]
    seats = (PlaySeat("person"),) * len(record.game.players)
    settings = TableSettings(record.game.name, record.game.options, seats, position=str(record.start), opening=())
    session = Session.open(settings)
    moves: list[dict[str, Any]] = []
    for ply, node in enumerate(record.main()):
        told = node.action_text or ""
        if is_token(told):
            session = replace(session, position=node.position)
            moves.append(
                {"ply": ply, "seat": None, "text": told, "short": told, "says": "", "begins": True, "cells": []}
            )
        else:
            session = session.with_action(told)
            moves.append(move_data(ply, session.played[-1]))
    problem = record.problems[0] if record.problems else None
    return {
        "headers": record.headers,
        "table": table_view(record.game),
        "start": str(record.start),
        "moves": moves,
        "tree": _tree(record.root),
        "games": len(records),
        "error": _bad_record(problem).data if problem else None,
    }


def _tree(root: Any) -> list[dict[str, Any]]:
    """The main line below ``root``, each move with its comment and the lines that could have stood in its place."""
    top: list[dict[str, Any]] = []
    todo = [(root, top)]
    while todo:
        node, line = todo.pop()
        while node.variations:
            first, *others = node.variations
            entry: dict[str, Any] = {"text": first.action_text, "comment": first.comment, "variations": []}
            for other in others:
                branch: list[dict[str, Any]] = [{"text": other.action_text, "comment": other.comment, "variations": []}]
                entry["variations"].append(branch)
                todo.append((other, branch))
            line.append(entry)
            node = first
    return top


@router.post("/api/draw", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def draw(ask: DrawRequest, request: Request) -> Response:
    """A picture of a position."""

    def work() -> str:
        from tercet.draw import svg

        return svg(
            tercet.parse(ask.position.strip()),
            size=ask.size,
            style=ask.style,
            dark=ask.dark,
            coordinates=ask.coordinates,
            marks=ask.marks,
        )

    text = await services_of(request).study(work)
    return Response(text.encode("utf-8", "replace"), media_type="image/svg+xml")
