"""Endpoints of the lessons. The page knows no goal and no rule: it sends a try and gets the result."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter, Request

import tercet
from tercet.games import game_definition
from tercet.lessons import (
    AttemptResult,
    Lesson,
    LessonStep,
    PlayedTransition,
    Situation,
    Tip,
    answer,
    first_game_of,
    lessons_of,
    next_idea,
)
from tercet.presentation import action_cells, position_view, table_view
from tercet.server.errors import ApiError, Json
from tercet.server.services import services_of
from tercet.server.wire.lessons import AdviceRequest, FirstGameRequest, TryRequest
from tercet.view import to_json

__all__ = ["router"]

router = APIRouter()


@router.get("/api/lessons")
async def lessons(request: Request) -> Json:
    """The lessons of all games that have any."""
    return Json(await services_of(request).study(_all))


@router.get("/api/lessons/{game}/{lesson}")
async def lesson(game: str, lesson: str, request: Request) -> Json:
    """A whole lesson."""
    return Json(await services_of(request).study(lambda: _lesson_data(game, lesson)))


@router.post("/api/lessons/{game}/{lesson}/{step}/try")
async def attempt(game: str, lesson: str, step: int, ask: TryRequest, request: Request) -> Json:
    """What comes of the learner's actions in a step (counted from 0): the replies to them, and whether the goal is
    reached."""

    def work() -> dict[str, Any]:
        found = _step(game, lesson, step)
        return _answered(answer(found, ask.moves, ask.actions))

    return Json(await services_of(request).study(work))


@router.get("/api/lessons/{game}/{lesson}/{step}/solution")
async def solution(game: str, lesson: str, step: int, request: Request) -> Json:
    """One way to reach the goal of a step."""

    def work() -> dict[str, Any]:
        found = _step(game, lesson, step)
        done = answer(found, (), ())
        for action in found.solution:
            done = answer(found, [one.text for one in done.situation.played], [action])
        return {"frames": _frames(done.situation.played)}

    return Json(await services_of(request).study(work))


@router.post("/api/advice")
async def advice(ask: AdviceRequest, request: Request) -> Json:
    """Return the tips for a beginner in a position of a game."""

    def work() -> dict[str, Any]:
        position = tercet.parse(ask.position.strip())
        parts = position.game.definition.lessons
        if parts is None or parts.advise is None:
            raise ApiError("not-found", "game", f"{position.game.definition.title} has no tips.")
        if ask.player >= len(position.game.players):
            raise ApiError("bad-message", "player", f"The player must be from 0 to {len(position.game.players) - 1}.")
        found: dict[str, Any] = to_json(parts.advise(position, ask.player))
        return found

    return Json(await services_of(request).study(work))


@router.post("/api/first-game")
async def first_game(ask: FirstGameRequest, request: Request) -> Json:
    """Return what to show a newcomer, who has the first seat, in their guided first game."""

    def work() -> dict[str, Any]:
        situation = Situation(0, tercet.parse(ask.position.strip()))
        definition = situation.position.game.definition
        first = first_game_of(definition.name)
        if first is None or definition.lessons is None:
            raise ApiError("not-found", "game", f"{definition.title} has no guided first game.")
        for move in ask.moves:
            situation = situation.then(move)
        tip, position = next_idea(first, situation, ask.seen), situation.position
        careless = definition.lessons.careless
        return {
            "game": definition.name,
            "idea": None if tip is None else _idea_data(tip),
            "grave": careless(position, 0) if careless is not None and position.mover == 0 else {},
            "all": len(first.ideas),
        }

    return Json(await services_of(request).study(work))


def _idea_data(tip: Tip) -> dict[str, Any]:
    return {"id": tip.idea.id, "title": tip.idea.title, "says": tip.idea.text, "marks": to_json(tip.marks)}


def _find(game: str, ident: str) -> Lesson:
    if game not in tercet.games():
        raise ApiError("not-found", "game", f"There is no such game. Choose from {', '.join(tercet.games())}.")
    known = {lesson.id: lesson for lesson in lessons_of(game)}
    if ident not in known:
        raise ApiError("not-found", "lesson", "This lesson does not exist.")
    return known[ident]


def _step(game: str, ident: str, number: int) -> LessonStep:
    steps = _find(game, ident).steps
    if not 0 <= number < len(steps):
        raise ApiError("not-found", "step", f"The step must be from 0 to {len(steps) - 1}.")
    return steps[number]


@functools.cache
def _all() -> list[dict[str, Any]]:
    return [
        {"game": name, "title": game_definition(name).title, "lessons": [_head(one) for one in lessons_of(name)]}
        for name in tercet.games()
        if lessons_of(name)
    ]


def _head(lesson: Lesson) -> dict[str, Any]:
    return {
        "id": lesson.id,
        "title": lesson.title,
        "chapter": lesson.chapter,
        "about": lesson.about,
        "steps": len(lesson.steps),
    }


@functools.cache
def _lesson_data(game: str, ident: str) -> dict[str, Any]:
    lesson = _find(game, ident)
    games = list(dict.fromkeys(step.position.game for step in lesson.steps))
    all_lessons = lessons_of(lesson.game)
    following = all_lessons[[one.id for one in all_lessons].index(lesson.id) + 1 :]
    return {
        "game": lesson.game,
        "id": lesson.id,
        "title": lesson.title,
        "chapter": lesson.chapter,
        "about": lesson.about,
        "tables": [table_view(game) for game in games],
        "steps": [_step_data(step, games.index(step.position.game)) for step in lesson.steps],
        "next": {"id": following[0].id, "title": following[0].title} if following else None,
    }


def _step_data(step: LessonStep, table: int) -> dict[str, Any]:
    shown = Situation(step.player, step.before)
    for move in step.shown:
        shown = shown.then(move)
    return {
        "title": step.title,
        "text": step.text,
        "task": step.task,
        "hint": step.hint,
        "player": step.player,
        "name": step.position.game.players[step.player],
        "turns": step.turns,
        "table": table,
        "before": position_view(step.before, paths=False),
        "shown": _frames(shown.played),
        "view": position_view(step.position),
        "aim": None if step.aim is None else position_view(step.aim, paths=False),
        "marks": to_json(step.marks),
    }


def _frames(played: Iterable[PlayedTransition], last: bool = False) -> list[dict[str, Any]]:
    """Actions with the positions after them, the last of which can be played on (``last``)."""
    listed = list(played)
    return [
        {
            "seat": one.seat,
            "text": one.text,
            "short": one.short,
            "says": " ".join(event.says for event in one.transition.events),
            "cells": action_cells(one.transition.events),
            "view": position_view(one.transition.after, paths=last and i == len(listed) - 1),
        }
        for i, one in enumerate(listed)
    ]


def _answered(found: AttemptResult) -> dict[str, Any]:
    refutation = None
    if found.refutation is not None:
        situation = found.situation
        for action in found.refutation.actions:
            situation = situation.then(action)
        line = situation.played[len(found.situation.played) :]
        refutation = {"says": found.refutation.says, "frames": _frames(line)}
    return {
        "state": found.state,
        "says": found.says,
        "frames": _frames(found.played, found.state == "going"),
        "refutation": refutation,
    }
