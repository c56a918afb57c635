"""Requests about lessons, checked, and the answers to them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from tercet.answers.wire.client_messages import MAX_ACTION
from tercet.answers.wire.game_data import PositionView, TableView
from tercet.server.wire.requests import PositionText, RequestBody
from tercet.view import Mark

__all__ = [
    "AdviceData",
    "AdviceRequest",
    "FirstGameData",
    "FirstGameRequest",
    "GameLessons",
    "KeepProgressRequest",
    "LessonData",
    "LessonFrame",
    "LessonProgressData",
    "ProgressKept",
    "StepSolution",
    "TryAnswer",
    "TryRequest",
]

MOST_ACTIONS = 400  # of one step
Actions = Annotated[list[Annotated[str, Field(max_length=MAX_ACTION)]], Field(max_length=MOST_ACTIONS)]


class TryRequest(RequestBody):
    """The learner's ``actions`` after ``moves``, those of all players since the step began."""

    moves: Actions = Field(default_factory=list)
    actions: Actions = Field(min_length=1)


class AdviceRequest(RequestBody):
    """A position, and which player is to be advised."""

    position: PositionText
    player: int = Field(ge=0, lt=8)


class FirstGameRequest(RequestBody):
    """A newcomer's decision in their first game: the ``moves`` led to it from ``position``; ``seen`` are the ids of the
    ideas that they have seen."""

    position: PositionText
    moves: Actions = Field(default_factory=list)
    seen: list[Annotated[str, Field(max_length=60)]] = Field(default_factory=list, max_length=100)


class LessonProgressRequest(RequestBody):
    """How far a browser's learner has come in a lesson; ``at`` is when, in milliseconds."""

    game: str = Field(max_length=20)
    lesson: str = Field(max_length=60)
    steps: int = Field(ge=0, le=1000)
    done: bool
    at: int = Field(ge=0, lt=1 << 53)


class KeepProgressRequest(RequestBody):
    """What a browser knows of its learner's progress."""

    lessons: list[LessonProgressRequest] = Field(max_length=500)


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
    title: str
    chapter: str
    about: str
    steps: int


class GameLessons(TypedDict):
    """The lessons of a game, in their order."""

    game: str
    title: str
    lessons: list[LessonHead]


class LessonFrame(TypedDict):
    """An action, and the position that it led to. ``cells`` are where it was made."""

    seat: int
    text: str
    short: str
    says: str
    cells: list[str]
    view: PositionView


class StepData(TypedDict):
    """One step. ``shown`` are actions from the position of ``before`` to that of ``view``, in which ``player`` (whose
    name is ``name``) has ``turns`` turns; ``table`` is an index of the lesson's tables. ``aim`` is a position to draw
    beside the task, in which the goal is reached; null where there is none."""

    title: str
    text: str
    task: str
    hint: str
    player: int
    name: str
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
    title: str


class LessonData(TypedDict):
    """A whole lesson; ``next`` is the one after it, null after the last."""

    game: str
    id: str
    title: str
    chapter: str
    about: str
    tables: list[TableView]
    steps: list[StepData]
    next: LessonName | None


class RefutationData(TypedDict):
    """What a wrong try leads to."""

    says: str
    frames: list[LessonFrame]


class TryAnswer(TypedDict):
    """What came of a try: its actions and the replies as ``frames``; ``state`` says whether the goal is reached,
    missed, or the learner goes on."""

    state: Literal["going", "reached", "missed"]
    says: str
    frames: list[LessonFrame]
    refutation: RefutationData | None


class StepSolution(TypedDict):
    """Actions that reach the goal, with the replies."""

    frames: list[LessonFrame]


class AdviceData(TypedDict):
    """Tips for a beginner: the aim, and a hint (empty if there is none) with marks for the board."""

    aim: str
    hint: str
    marks: list[Mark]


class FirstIdea(TypedDict):
    """An idea of a first game that matters now, with marks that point at its cells."""

    id: str
    title: str
    says: str
    marks: list[Mark]


class FirstGameData(TypedDict):
    """The ``idea`` to show now (null: none); ``grave`` maps actions to why a newcomer would regret them; ``all`` is how
    many ideas the game has."""

    game: str
    idea: FirstIdea | None
    grave: dict[str, str]
    all: int
