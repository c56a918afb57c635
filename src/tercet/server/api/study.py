"""Endpoints that need no table: the games, boards to look at, rules, analysis, drawings."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

import tercet
from tercet.abilities import Skins
from tercet.errors import IllegalAction, ParseError
from tercet.game import Game, Position
from tercet.games import game_definition
from tercet.presentation import board_view, explorations_view, position_view, skins_view, table_view
from tercet.ratings import why_unrated
from tercet.server.api.printing import can_print
from tercet.server.errors import ApiError, Json, as_text
from tercet.server.limits.spender import spender
from tercet.server.people import person_of
from tercet.server.services import made, services_of, share_of, until_gone
from tercet.server.study.lines import played
from tercet.server.study.start import StudyStart, begin, is_long
from tercet.server.tables.table import Table
from tercet.server.wire.requests import (
    AnalyseRequest,
    DrawRequest,
    ExploreRequest,
    PositionRequest,
    PreviewRequest,
    StartRequest,
    WhyRequest,
)
from tercet.tournaments import FORM_TITLES, FORMS
from tercet.view import RulesPage, to_json

__all__ = ["analysed", "router"]

router = APIRouter()
PICTURE_SEED = 1  # of the start that shows a preset


@functools.cache
def _levels() -> list[dict[str, Any]]:
    from tercet.engines import LEVELS

    return [{"number": number, "title": title, "help": words} for number, title, words in LEVELS]


@functools.cache
def _game_data(name: str) -> dict[str, Any]:
    found = game_definition(name)
    usual = Game(found, {}, "interpreted")  # nothing to compile for texts
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
            if form in found.tournament_forms
        ],
        "takebacks": found.takebacks,
        "lessons": found.lessons is not None,
        "puzzles": found.puzzles is not None,
        "presets": to_json(found.presets),
        "ratedPreset": found.rated_preset,
        "links": to_json(found.links),
    }


@functools.cache
def _rules_data(name: str, skin: str = "") -> dict[str, Any]:
    """The rules of a game, or as a skin of it tells them and draws their examples; ApiError where it has no such."""
    definition, usual = game_definition(name), tercet.game(name)
    found_here = _own_rules(definition.skins, usual)
    if skin and skin not in found_here:
        raise ApiError(
            "not-found", "skin", f"Only these skins have their own rules: {', '.join(found_here) or 'none'}."
        )
    page = found_here[skin][1] if skin else definition.view.rules_page(usual)
    examples = []
    for example in page.examples:
        position = tercet.parse(example.position)
        table = table_view(position.game)
        if skin and definition.skins is not None and definition.skins.art is not None:
            table["art"] = to_json(definition.skins.art(position.game, skin))
        examples.append({**to_json(example), "table": table, "view": position_view(position, paths=False)})
    return {
        "title": page.title,
        "sections": to_json(page.sections),
        "examples": examples,
        "skins": [{"id": ident, "title": title} for ident, (title, _) in found_here.items()],
        "printable": can_print(),
    }


def _own_rules(skins: Skins | None, game: Game) -> dict[str, tuple[str, RulesPage]]:
    """Title and rules of the skins that have rules of their own, by id."""
    if skins is None or skins.rules is None:
        return {}
    pages = ((skin, skins.rules(game, skin.id)) for skin in skins.offered)
    return {skin.id: (skin.title, page) for skin, page in pages if page is not None}


@router.get("/api/games")
async def games(request: Request) -> Json:
    """The games, their options and the engine's levels."""
    return Json(await services_of(request).study(lambda: [_game_data(name) for name in tercet.games()], request))


@router.get("/api/presets/{game}")
async def presets(game: str, request: Request) -> Json:
    """How the game's presets look."""
    if game not in tercet.games():
        raise ApiError("not-found", "game", f"There is no such game. Choose from {', '.join(tercet.games())}.")
    return Json(await services_of(request).study(lambda: _preset_pictures(game), request))


@functools.cache
def _preset_pictures(name: str) -> list[dict[str, Any]]:
    pictures = []
    for preset in game_definition(name).presets:
        position = (
            tercet.parse(preset.picture) if preset.picture else tercet.game(name, **preset.options).start(PICTURE_SEED)
        )
        view = position.game.definition.view
        pictures.append(
            {
                "id": preset.id,
                "board": board_view(position.game.board),
                "art": to_json(view.art(position.game)),
                "pieces": to_json(view.scene(position).pieces),
            }
        )
    return pictures


@router.get("/api/rules/{game}")
async def rules(game: str, request: Request, skin: Annotated[str, Query(max_length=40)] = "") -> Json:
    """A game's rules, with drawn examples; ``skin`` asks for them as a skin tells them."""
    if game not in tercet.games():
        raise ApiError("not-found", "game", f"There is no such game. Choose from {', '.join(tercet.games())}.")
    return Json(await services_of(request).study(lambda: _rules_data(game, skin), request))


@router.post("/api/preview")
async def preview(ask: PreviewRequest, request: Request) -> Json:
    """The board and the start of a game with these options, or the position that is given."""

    def work() -> dict[str, Any]:
        study = begin(StartRequest(game=ask.game, options=ask.options, seed=ask.seed, position=ask.position))
        start = study.game.start(study.seed) if study.position is None else tercet.parse(study.position)
        view = position_view(start, paths=False)
        line, unrated = _changes(start, ask.moves), why_unrated(study.game)
        return {"table": table_view(study.game), "view": view, "line": line, "unrated": unrated}

    return Json(await services_of(request).study(work, request))


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


@router.post("/api/analyse")
async def analyse(ask: AnalyseRequest, request: Request) -> Response:
    """Play moves from somewhere: what each did, the last position with its legal actions, and all of it as a record."""
    return await made(request, analysed, ask, is_long(ask.record, ask.moves))


def analysed(asked: dict[str, Any]) -> str:
    """The answer to an :class:`AnalyseRequest`, given as its fields. Typed errors."""
    ask = AnalyseRequest(**asked)
    study = begin(ask)
    return as_text(_analysed(replace(study, moves=(*study.moves, *ask.moves))))


@router.post("/api/position")
async def reach(ask: PositionRequest, request: Request) -> Response:
    """Play moves from a position. Return each move's effect, and the last position with its legal actions, without
    drawing."""
    return await made(request, reached, ask, is_long(moves=ask.moves))


def reached(asked: dict[str, Any]) -> str:
    """The answer to a :class:`PositionRequest`, given as its fields. Typed errors."""
    start = tercet.parse(asked["position"].strip())
    return as_text(_reached(*played(StudyStart(start.game, 0, str(start), tuple(asked["moves"])))))


def _reached(start: Position, line: Sequence[tuple[dict[str, Any], Position]]) -> dict[str, Any]:
    nodes = []
    for found_here, position in line:
        tally = None if position.tally is None else list(position.tally)
        nodes.append({**found_here, "position": str(position), "standing": tally})
    return {"nodes": nodes, "view": position_view(line[-1][1] if line else start)}


def _analysed(study: StudyStart) -> dict[str, Any]:
    from tercet.record import Record

    start, line = played(study)
    headers = {"Seed": str(study.seed)} if study.seed else {}
    record = Record.from_actions(study.game, start, [found_here["text"] for found_here, _ in line], headers)
    return {
        "table": table_view(study.game),
        "start": str(start),
        **_reached(start, line),
        "record": record.write(),
    }


@router.post("/api/explore")
async def explore(ask: ExploreRequest, request: Request) -> Json:
    """What an exploration finds out about a position: marks for the board, lines, a sentence."""
    services = services_of(request)
    person = await person_of(request)
    if person is not None:
        _may_explore(services.registry.tables, person.id, ask.position.strip())
    services.fair_share.budgets.check(spender(), "engine")
    who = share_of(request) if person is None else person.id
    return Json(await until_gone(request, services.engine_pool.explore(ask.position, ask.id, ask.cell, who)))


def _may_explore(tables: Iterable[Table], person_id: str, position: str) -> None:
    """ApiError where the person plays a game that stands at ``position``, and it is rated or played without
    explorations."""
    for table in tables:
        if (table.settings.explore and not table.info.rated) or table.session.is_over:
            continue
        plays = any(occupant.person_id == person_id for occupant in table.occupants.values())
        if plays and str(table.session.position) == position:
            raise ApiError("not-possible", "id", "Explorations are off in the game that you are playing.")


@router.post("/api/why")
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
                raise ApiError("bad-message", "action", "Name an action, or the steps that would enter it.")
            return {"legal": False, "why": None}
        try:
            position.action(action)
        except IllegalAction as error:
            return {"legal": False, "why": error.why}
        return {"legal": True, "why": None}

    return Json(await services_of(request).study(work, request))


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

    text = await services_of(request).study(work, request, "drawing")
    return Response(text.encode("utf-8", "replace"), media_type="image/svg+xml")
