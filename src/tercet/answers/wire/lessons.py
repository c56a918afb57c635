"""Lessons, tips for beginners and the guided first game, as clients are sent them."""

from __future__ import annotations

from typing import Literal

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import PositionView, TableView
from tercet.core.texts import GameName, Text
from tercet.core.view import Mark

__all__ = [
    "AdviceData",
    "FirstGameData",
    "GameLessons",
    "LessonData",
    "LessonFrame",
    "LessonProgressData",
    "ProgressKept",
    "StepSolution",
    "TryAnswer",
]


class LessonProgressData(TypedDict):
    """How many steps of a lesson are done in the present going through it, whether it was done once, and when that was
    so, in milliseconds."""

    game: str
    lesson: str
    steps: int
    done: bool
    at: int


class ProgressKept(TypedDict):
    """A person's progress in all lessons that they have begun."""

    lessons: list[LessonProgressData]


class LessonHead(TypedDict):
    """A lesson in a list; ``steps`` is how many it has."""

    id: str
    title: Text
    chapter: Text
    about: Text
    steps: int


class GameLessons(TypedDict):
    """The lessons of a game, in their order."""

    game: GameName
    title: Text
    lessons: list[LessonHead]


class LessonFrame(TypedDict):
    """An action, and the position that it led to. ``cells`` are where it was made."""

    seat: int
    text: str
    short: str
    says: Text
    cells: list[str]
    view: PositionView


class StepData(TypedDict):
    """One step. ``shown`` are actions from the position of ``before`` to that of ``view``, in which ``player`` (whose
    name is ``name``) has ``turns`` turns; ``table`` is an index of the lesson's tables. ``aim`` is a position to draw
    beside the task, in which the goal is reached; null where there is none."""

    title: Text
    text: Text
    task: Text
    hint: Text
    player: int
    name: Text
    turns: int
    table: int
    before: PositionView
    shown: list[LessonFrame]
    view: PositionView
    aim: PositionView | None
    marks: list[Mark]


class LessonName(TypedDict):
    """What a lesson is called."""

    id: str
    title: Text


class LessonData(TypedDict):
    """A whole lesson; ``next`` is the one after it, null after the last."""

    game: GameName
    id: str
    title: Text
    chapter: Text
    about: Text
    tables: list[TableView]
    steps: list[StepData]
    next: LessonName | None


class RefutationData(TypedDict):
    """What a wrong try leads to."""

    says: Text
    frames: list[LessonFrame]


class TryAnswer(TypedDict):
    """What came of a try: its actions and the replies as ``frames``; ``state`` says whether the goal is reached,
    missed, or the learner goes on."""

    state: Literal["going", "reached", "missed"]
    says: Text
    frames: list[LessonFrame]
    refutation: RefutationData | None


class StepSolution(TypedDict):
    """Actions that reach the goal, with the replies."""

    frames: list[LessonFrame]


class AdviceData(TypedDict):
    """Tips for a beginner: the aim, a hint (empty if there is none) with marks for the board, and moves that the page
    asks about before it plays one (``grave``), each with the reason."""

    aim: Text
    hint: Text
    marks: list[Mark]
    grave: dict[str, Text]


class FirstIdea(TypedDict):
    """An idea of a first game that matters now, with marks that point at its cells."""

    id: str
    title: Text
    says: Text
    marks: list[Mark]


class FirstGameData(TypedDict):
    """The ``idea`` to show now (null: none); ``grave`` maps actions to why a newcomer would regret them; ``learned``
    are ideas that their last turn shows they know; ``all`` is how many ideas the game has."""

    game: GameName
    idea: FirstIdea | None
    grave: dict[str, Text]
    learned: list[str]
    all: int
