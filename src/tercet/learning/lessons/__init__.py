"""Lessons: steps that are done on the board, as data. A game that declares
:class:`~tercet.core.abilities.knowledge.LessonParts` has a folder of them; nothing here knows a rule or a game.

A lesson is a TOML file (``docs/lessons.md``), read by :func:`lessons_of`. Each step has a position, a text, a goal and
a solution. A goal is a predicate over the position and what happened on the way (`lessons.goals`), so all right answers
count. :func:`answer` says what a try leads to, and :func:`check` plays all that a lesson claims.

A game may also guide a newcomer, who has the first seat, through a first game. On each of their decisions
:func:`next_idea` gives the first new idea whose condition holds and whose finder finds cells. :func:`check_first_game`
plays every example and claim.

What is wrong with a file is a :class:`LessonError` that names the file and the table in it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tercet
from tercet.core.definition import GameDefinition
from tercet.core.game import Game, Position
from tercet.core.toml import MISSING, Place, TomlFile, TomlTable
from tercet.core.view import Mark
from tercet.errors import TercetError
from tercet.games import game_definition
from tercet.learning.lessons.attempts import AttemptResult, answer, check, play_out
from tercet.learning.lessons.goals import Goal, fitting_events, read_goal
from tercet.learning.lessons.lesson import (
    Assertion,
    FirstGame,
    Idea,
    IdeaExample,
    Lesson,
    LessonError,
    LessonStep,
    Mistake,
    PlayedTransition,
    Reply,
    Situation,
    errors_of,
    unproved_claims,
)
from tercet.record import read

__all__ = [
    "AttemptResult",
    "Lesson",
    "LessonError",
    "LessonStep",
    "PlayedTransition",
    "Situation",
    "Tip",
    "answer",
    "check",
    "check_first_game",
    "first_game_of",
    "learned_ideas",
    "lessons_of",
    "next_idea",
    "read_lesson",
]

T = TypeVar("T")


@functools.cache
def lessons_of(game: str) -> tuple[Lesson, ...]:
    """Return the lessons of the game of that name, in the order of their files' names; LessonError."""
    definition = game_definition(game)
    if definition.lessons is None:
        return ()
    return tuple(read_lesson(definition, path) for path in sorted(definition.lessons.folder.glob("*.toml")))


@functools.cache
def first_game_of(game: str) -> FirstGame | None:
    """Return the guided first game of the game of that name; None if it has none; LessonError."""
    definition = game_definition(game)
    path = None if definition.lessons is None else definition.lessons.first_game
    return None if path is None else read_first_game(definition, path)


def read_first_game(definition: GameDefinition, path: Path) -> FirstGame:
    """Return the guided first game in a file; LessonError where it cannot be read."""
    return _LessonReader(definition, path).first_game()


def read_lesson(definition: GameDefinition, path: Path) -> Lesson:
    """Return the lesson in a file; LessonError where it cannot be read."""
    return _LessonReader(definition, path).lesson()


LEVELS = range(1, 10)  # of engines that are as strong on every machine, and play the same every time


def _where(place: Place) -> str:
    """Return how a person writes a place, such as ``step 2, goal``."""
    words: list[str] = []
    for part in place:
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        else:
            words.append(part)
    return ", ".join(words) or "file"


class _LessonReader:
    """Reads one file."""

    def __init__(self, definition: GameDefinition, path: Path) -> None:
        self.definition, self.file, self._stem = definition, path.name, path.stem
        self._head = TomlFile(path, lambda _, place, why: LessonError(path.name, _where(place), why)).table()

    def lesson(self) -> Lesson:
        """Return the whole lesson; its id is the file's name without the number that orders it."""
        title, chapter, about = (self._head.text(name) for name in ("title", "chapter", "about"))
        steps: list[LessonStep] = []
        listed = self._head.tables("step")
        self._head.end()
        for table in listed:
            steps.append(self._part(table, lambda table: self._step(table, steps[-1] if steps else None)))
            table.end()
        if not steps:
            raise self._head.error("step", "A lesson must have steps, each under [[step]].")
        number_in_front, dash, rest = self._stem.partition("-")
        ident = rest if dash and number_in_front.isdigit() else self._stem
        return Lesson(self.definition.name, ident, title, chapter, about, tuple(steps), self.file)

    def first_game(self) -> FirstGame:
        """Return the ideas of a guided first game."""
        ideas = self._head.each("idea", lambda table: self._part(table, self._idea))
        self._head.end()
        for idea in ideas:
            if unknown := set(idea.unless) - {one.id for one in ideas}:
                raise LessonError(self.file, f"idea {idea.id}", f"There is no idea {min(unknown)}, named by `unless`.")
        if not ideas:
            raise self._head.error("idea", "A first game must have ideas, each under [[idea]].")
        return FirstGame(self.definition.name, ideas, self.file)

    def _part(self, table: TomlTable, read: Callable[[TomlTable], T]) -> T:
        """Return what ``read`` makes of ``table``; LessonError where the game refuses what it says."""
        try:
            return read(table)
        except LessonError:
            raise
        except TercetError as error:
            raise table.error("", str(error)) from None

    def _idea(self, table: TomlTable) -> Idea:
        when = self._goal(table, "when", None)
        return Idea(
            id=table.text("id"),
            title=table.text("title"),
            text=table.text("text"),
            when=when,
            find=self._finder(table, when),
            mark=table.text("mark", "hint"),
            again=table.take("again", bool, False),
            unless=table.texts("unless"),
            learned=self._goal(table, "learned", None),
            examples=table.each("example", self._example),
        )

    def _finder(self, table: TomlTable, when: Goal | None) -> Callable[[Situation], Sequence[str | Mark]] | None:
        """Return what finds the cells of an idea: one of the game's finders, or the events of its goal."""
        point = table.text("point", "")
        if not point:
            return None
        if point == "event":
            if when is None or "event" not in when.data:
                raise table.error("point", "The goal `when` must name an event, at whose cells the idea points.")
            wanted = when.data["event"]
            return lambda situation: list(
                dict.fromkeys(cell for event in fitting_events(situation, wanted) for cell in event.cells)
            )
        finders = {} if self.definition.lessons is None else self.definition.lessons.finders
        if point not in finders:
            raise table.error("point", f"There is no finder {point}. Choose from event, {', '.join(finders)}.")
        find = finders[point]
        return lambda situation: find(situation.position, situation.player)

    def _example(self, table: TomlTable) -> IdeaExample:
        situation = Situation(0, self._position(table, None)).then(*table.texts("moves"))
        claims = table.each("claim", lambda one: self._claim(one, situation.position, 0))
        return IdeaExample(situation, table.texts("seen"), table.texts("cells"), table.texts("arrows"), claims)

    def _step(self, table: TomlTable, previous: LessonStep | None) -> LessonStep:
        before = self._position(table, previous)
        shown = table.texts("moves")
        position = before
        for move in shown:
            position = position.play(move)
        if position.mover is None:
            raise table.error("position", "The game must not be over in this position.")
        player = self._player(table, position, position.mover)
        if position.mover != player:
            raise table.error("player", "It must be this player's turn in the position.")
        aim = tercet.parse(table.text("aim")) if table.has("aim") else None
        if aim is not None and aim.game != position.game:
            raise table.error("aim", "The aim must have the step's board and rules.")
        return LessonStep(
            aim=aim,
            text=table.text("text"),
            task=table.text("task"),
            position=position,
            before=before,
            player=player,
            goal=self._goal(table, "goal"),
            solution=table.texts("solution", MISSING),
            title=table.text("title", ""),
            shown=shown,
            also=table.texts("also"),
            turns=table.take("turns", int, 1),
            whole_turn=table.take("whole_turn", bool, False),
            hint=table.text("hint", ""),
            done=table.text("done", ""),
            otherwise=table.text("otherwise", ""),
            marks=table.each("mark", lambda one: self._mark(one, position)),
            replies=table.each("reply", self._reply),
            wrong=table.each("wrong", self._wrong),
            claims=table.each("claim", lambda one: self._claim(one, position, player)),
        )

    def _position(self, table: TomlTable, previous: LessonStep | None) -> Position:
        """Return the position of a step before its shown moves, which can be written in four ways."""
        named = [name for name in ("position", "start", "sample") if table.has(name)]
        if len(named) > 1:
            raise table.error(named[1], f"The step already has a {named[0]}.")
        if "position" in named:
            return tercet.parse(table.text("position"))
        if "start" in named:
            return Game(self.definition, table.take("start", dict)).start(table.take("seed", int, 0))
        if not named:
            if previous is None:
                raise table.error("position", "Give a position, a start (options), or a sample with a ply.")
            return play_out(previous, previous.solution).situation.position
        wanted = table.text("sample")
        ply: int = table.take("ply", int)
        known = {sample.id: sample for sample in self.definition.samples}
        if wanted not in known:
            raise table.error("sample", f"The sample must be one of {', '.join(known)}.")
        record = read(known[wanted].text)[0]
        nodes = [record.root, *record.main()]
        if not 0 <= ply < len(nodes):
            raise table.error("ply", f"The ply must be from 0 to {len(nodes) - 1}.")
        return nodes[ply].position

    def _player(self, table: TomlTable, position: Position, default: int) -> int:
        wanted, players = table.text("player", ""), position.game.players
        if wanted and wanted not in players:
            raise table.error("player", f"The player must be one of {', '.join(players)}.")
        return players.index(wanted) if wanted else default

    def _goal(self, table: TomlTable, name: str, default: Any = MISSING) -> Any:
        """Return the :class:`Goal` of that name; ``default`` where the table has none."""
        data = table.take(name, dict, default)
        try:
            return data if data is default else read_goal(self.definition, data)
        except ValueError as error:
            raise table.error(name, str(error)) from None

    def _mark(self, table: TomlTable, position: Position) -> Mark:
        mark = Mark(table.text("kind", "hint"), table.texts("cells", MISSING), table.text("says", ""))
        unknown = [cell for cell in mark.cells if cell not in position.game.board.index]
        if unknown:
            raise table.error("cells", f"There is no cell {unknown[0]}.")
        return mark

    def _reply(self, table: TomlTable) -> Reply:
        to = table.texts("to") if table.has("to") else None
        level = table.take("level", int, None)
        if level is not None and level not in LEVELS:
            raise table.error("level", f"The level must be from {LEVELS[0]} to {LEVELS[-1]}.")
        return Reply(table.texts("play", MISSING if level is None else ()), to, level)

    def _wrong(self, table: TomlTable) -> Mistake:
        when = self._goal(table, "when", None)
        shows = self._goal(table, "shows", None)
        found = Mistake(table.text("says"), table.texts("tries"), when, table.texts("play"), shows)
        if not found.tries and found.when is None:
            raise table.error("tries", "Name the wrong actions here, or describe them under `when`.")
        return found

    def _claim(self, table: TomlTable, position: Position, player: int) -> Assertion:
        whose = self._player(table, position, player)
        return Assertion(table.text("says"), whose, self._goal(table, "holds"), table.texts("after"))


@dataclass(frozen=True)
class Tip:
    """An idea that matters now, with the ``marks`` that point at its cells."""

    idea: Idea
    marks: tuple[Mark, ...] = ()


def next_idea(first: FirstGame, situation: Situation, seen: Collection[str] = ()) -> Tip | None:
    """Return the first idea that matters in ``situation``; None if there is none. Ideas that were ``seen``, or made
    needless by a seen one (``unless``), are left out. Ideas marked ``again`` always count."""
    if situation.position.is_over or situation.position.mover != situation.player:
        return None
    new = (idea for idea in first.ideas if idea.again or not {idea.id, *idea.unless} & set(seen))
    return next((found for idea in new if (found := _tip(idea, situation))), None)


def learned_ideas(first: FirstGame, situation: Situation) -> tuple[str, ...]:
    """Return the ideas that the newcomer's own actions in ``situation`` show they know."""
    return tuple(idea.id for idea in first.ideas if idea.learned is not None and idea.learned(situation))


def _tip(idea: Idea, situation: Situation) -> Tip | None:
    if idea.when is not None and not idea.when(situation):
        return None
    if idea.find is None:
        return Tip(idea)
    found = idea.find(situation)
    cells = tuple(one for one in found if isinstance(one, str))
    marks = ([Mark(idea.mark, cells, idea.title)] if cells else []) + [one for one in found if isinstance(one, Mark)]
    return Tip(idea, tuple(marks)) if marks else None


def check_first_game(first: FirstGame) -> list[LessonError]:
    """Return what does not hold: an idea without an example, one that does not come up in its example or points
    elsewhere, a claim that is not so."""
    ideas = ((f"idea {idea.id}", functools.partial(_wrong, first, idea)) for idea in first.ideas)
    return [error for where, check in ideas for error in errors_of(first.file, where, check)]


def _wrong(first: FirstGame, idea: Idea) -> list[str]:
    if not idea.examples:
        return ["has no example"]
    found = []
    for example in idea.examples:
        situation = example.situation
        tip = next_idea(first, situation, example.seen)
        if tip is None or tip.idea is not idea:
            found.append(f"does not come up in its example, but {'nothing' if tip is None else tip.idea.id}")
        else:
            pointed = sorted(cell for mark in tip.marks if mark.kind != "arrow" for cell in mark.cells)
            arrows = sorted("-".join(mark.cells) for mark in tip.marks if mark.kind == "arrow")
            if (pointed, arrows) != (sorted(example.cells), sorted(example.arrows)):
                found.append(f"points at {' '.join(pointed + arrows)}")
        found += unproved_claims(situation.position, example.claims)
    return found
