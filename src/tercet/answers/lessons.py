"""Lessons, tips for beginners and the guided first game. The page knows no rule: it sends a try and gets the result."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import tercet
from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import Actions, Limit, PositionText
from tercet.answers.games import board_picture
from tercet.answers.starts import known_game
from tercet.answers.wire import game_data
from tercet.answers.wire import learning as wire
from tercet.core.game import Position
from tercet.core.presentation import action_cells, position_view, table_view
from tercet.core.view import to_json
from tercet.games import game_definition
from tercet.learning import lessons as learning


@address("GET /api/lessons", list[wire.GameLessons], fixed=True)
@functools.cache
def lessons() -> list[dict[str, Any]]:
    """Return the lessons of all games that have any."""
    return [
        {
            "game": name,
            "title": game_definition(name).title,
            "lessons": [_head(one) for one in learning.lessons_of(name)],
        }
        for name in tercet.games()
        if learning.lessons_of(name)
    ]


@address("GET /api/covers/{game}", list[game_data.PresetPicture], fixed=True)
@functools.cache
def covers(game: str) -> list[dict[str, Any]]:
    """Return a board for each lesson of a game: of its steps' boards the fullest, and of several the last."""
    lessons = learning.lessons_of(known_game(game))
    boards = ([board_picture(one.id, step.position) for step in reversed(one.steps)] for one in lessons)
    return [max(pictures, key=lambda one: len(one["pieces"])) for pictures in boards]


@address("GET /api/lessons/{game}/{lesson}", wire.LessonData, fixed=True)
@functools.cache
def lesson(game: str, lesson: str) -> dict[str, Any]:
    """Return a whole lesson."""
    found = known_lesson(game, lesson)
    games = list(dict.fromkeys(step.position.game for step in found.steps))
    all_lessons = learning.lessons_of(found.game)
    following = all_lessons[[one.id for one in all_lessons].index(found.id) + 1 :]
    return {
        **_head(found),
        "game": found.game,
        "tables": [table_view(game) for game in games],
        "steps": [_step_data(step, games.index(step.position.game)) for step in found.steps],
        "next": {"id": following[0].id, "title": following[0].title} if following else None,
    }


@address("POST /api/lessons/{game}/{lesson}/{step}/try", wire.TryAnswer)
def step_tried(
    game: str, lesson: str, step: int, actions: Annotated[Actions, Limit(least=1)], moves: Actions = ()
) -> dict[str, Any]:
    """Return what comes of the learner's ``actions`` in a step (counted from 0), after ``moves``: the replies to them,
    and whether the goal is reached."""
    return _answered(learning.answer(_step(game, lesson, step), moves, actions))


@address("GET /api/lessons/{game}/{lesson}/{step}/solution", wire.StepSolution, fixed=True)
def solution(game: str, lesson: str, step: int) -> dict[str, Any]:
    """Return one way to reach the goal of a step."""
    found = _step(game, lesson, step)
    done = learning.answer(found, (), ())
    for action in found.solution:
        done = learning.answer(found, [one.text for one in done.situation.played], [action])
    return {"frames": frames(done.situation.played)}


@address("POST /api/advice", wire.AdviceData)
def advice(position: PositionText, player: Annotated[int, Limit(least=0, below=8)]) -> dict[str, Any]:
    """Return the tips for a beginner in a position of a game, and the moves to ask about before they are played."""
    found = tercet.parse(position.strip())
    parts = found.game.definition.lessons
    if parts is None or parts.advise is None:
        raise AnswerError("not-found", "game", f"{found.game.definition.title} has no tips.")
    if player >= len(found.game.players):
        raise AnswerError("bad-message", "player", f"The player must be from 0 to {len(found.game.players) - 1}.")
    return {**to_json(parts.advise(found, player)), "grave": _grave(found, player)}


def _grave(position: Position, player: int) -> Mapping[str, str]:
    """Return the moves that a newcomer would regret, each with the reason, where it is their turn."""
    parts = position.game.definition.lessons
    if parts is None or parts.careless is None or position.mover != player:
        return {}
    return parts.careless(position, player)


@address("POST /api/first-game", wire.FirstGameData)
def first_game(
    position: PositionText, moves: Actions = (), seen: Annotated[Sequence[Annotated[str, Limit(60)]], Limit(100)] = ()
) -> dict[str, Any]:
    """Return what to show a newcomer, who has the first seat, in their guided first game after ``moves`` from a
    position, besides the ideas that they have ``seen``."""
    situation = learning.Situation(0, tercet.parse(position.strip()))
    definition = situation.position.game.definition
    first = learning.first_game_of(definition.name)
    if first is None or definition.lessons is None:
        raise AnswerError("not-found", "game", f"{definition.title} has no guided first game.")
    for move in moves:
        situation = situation.then(move)
    learned = learning.learned_ideas(first, situation)
    tip, reached = learning.next_idea(first, situation, (*seen, *learned)), situation.position
    idea = None
    if tip is not None:
        idea = {"id": tip.idea.id, "title": tip.idea.title, "says": tip.idea.text, "marks": to_json(tip.marks)}
    known = {"learned": list(learned), "all": len(first.ideas)}
    return {"game": definition.name, "idea": idea, "grave": _grave(reached, 0), **known}


def known_lesson(game: str, ident: str) -> learning.Lesson:
    """Return the lesson of that id. Raise AnswerError if there is none."""
    found = next((lesson for lesson in learning.lessons_of(known_game(game)) if lesson.id == ident), None)
    if found is None:
        raise AnswerError("not-found", "lesson", "This lesson does not exist.")
    return found


def _step(game: str, ident: str, number: int) -> learning.LessonStep:
    steps = known_lesson(game, ident).steps
    if not 0 <= number < len(steps):
        raise AnswerError("not-found", "step", f"The step must be from 0 to {len(steps) - 1}.")
    return steps[number]


def _head(lesson: learning.Lesson) -> dict[str, Any]:
    about = {"id": lesson.id, "title": lesson.title, "chapter": lesson.chapter, "about": lesson.about}
    return {**about, "steps": len(lesson.steps)}


def _step_data(step: learning.LessonStep, table: int) -> dict[str, Any]:
    shown = learning.Situation(step.player, step.before)
    for move in step.shown:
        shown = shown.then(move)
    return {
        **{name: getattr(step, name) for name in ("title", "text", "task", "hint", "player", "turns")},
        "name": step.position.game.players[step.player],
        "table": table,
        "before": position_view(step.before, paths=False),
        "shown": frames(shown.played),
        "view": position_view(step.position),
        "aim": None if step.aim is None else position_view(step.aim, paths=False),
        "marks": to_json(step.marks),
    }


def frames(played: Iterable[learning.PlayedTransition], last: bool = False) -> list[dict[str, Any]]:
    """Return actions with the positions after them, the last of which can be played on (``last``)."""
    listed = list(played)
    return [
        {
            "seat": one.seat,
            "text": one.text,
            "short": one.short,
            "says": " ".join(event.says for event in one.transition.events),
            "cells": action_cells(one.transition.events),
            "view": position_view(one.transition.after, paths=last and number == len(listed) - 1),
        }
        for number, one in enumerate(listed)
    ]


def _answered(found: learning.AttemptResult) -> dict[str, Any]:
    refutation = None
    if found.refutation is not None:
        situation = found.situation
        for action in found.refutation.actions:
            situation = situation.then(action)
        line = situation.played[len(found.situation.played) :]
        refutation = {"says": found.refutation.says, "frames": frames(line)}
    return {
        "state": found.state,
        "says": found.says,
        "frames": frames(found.played, found.state == "going"),
        "refutation": refutation,
    }
