"""Endpoints of the lessons. The page knows no goal and no rule: it sends a try and gets the result."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tercet.answers import lessons
from tercet.server.errors import Json
from tercet.server.services import answered, services_of
from tercet.server.wire.lessons import AdviceRequest, FirstGameRequest, TryRequest

__all__ = ["router"]

router = APIRouter()


@router.get("/api/lessons")
async def all_lessons(request: Request) -> Json:
    """Return the lessons of all games that have any."""
    return Json(await services_of(request).compute(lessons.lessons))


@router.get("/api/lessons/{game}/{lesson}")
async def lesson(game: str, lesson: str, request: Request) -> Json:
    """Return a whole lesson."""
    return Json(await services_of(request).compute(lambda: lessons.lesson(game, lesson)))


@router.post("/api/lessons/{game}/{lesson}/{step}/try")
async def attempt(game: str, lesson: str, step: int, ask: TryRequest, request: Request) -> Json:
    """What comes of the learner's actions in a step (counted from 0): the replies to them, and whether the goal is
    reached."""
    services = services_of(request)
    return Json(await services.compute(lambda: lessons.step_tried(game, lesson, step, ask.actions, ask.moves)))


@router.get("/api/lessons/{game}/{lesson}/{step}/solution")
async def solution(game: str, lesson: str, step: int, request: Request) -> Json:
    """Return one way to reach the goal of a step."""
    return Json(await services_of(request).compute(lambda: lessons.solution(game, lesson, step)))


@router.post("/api/advice")
async def advice(ask: AdviceRequest, request: Request) -> Response:
    """Return the tips for a beginner in a position of a game."""
    return await answered(request, lessons.advice, ask)


@router.post("/api/first-game")
async def first_game(ask: FirstGameRequest, request: Request) -> Response:
    """Return what to show a newcomer, who has the first seat, in their guided first game."""
    return await answered(request, lessons.first_game, ask)
