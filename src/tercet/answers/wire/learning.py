"""Lessons, tips for beginners and the guided first game, as clients are sent them."""

from __future__ import annotations

from typing import Literal

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import PositionView, TableView, Titled, TitledGame
from tercet.core.texts import GameName, Text
from tercet.core.view import Mark


class LessonProgressData(TypedDict):
    """How many steps of a lesson are done this time, whether it was ever done, and when (milliseconds)."""

    game: str
    lesson: str
    steps: int
    done: bool
    at: int


class ProgressKept(TypedDict):
    """A person's progress in all lessons that they have begun."""

    lessons: list[LessonProgressData]


class LessonHead(Titled):
    """A lesson in a list; ``steps`` is how many it has."""

    chapter: Text
    about: Text
    steps: int


class GameLessons(TitledGame):
    """The lessons of a game, in their order."""

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


class LessonData(TitledGame):
    """A whole lesson; ``next`` is the one after it, null after the last."""

    id: str
    chapter: Text
    about: Text
    tables: list[TableView]
    steps: list[StepData]
    next: Titled | None


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


class FirstIdea(Titled):
    """An idea of a first game that matters now, with marks that point at its cells."""

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


class PuzzleData(TypedDict):
    """A puzzle to solve. ``player`` is the solver; ``again``: they failed it before and it is due; ``settled``: they
    have tried it, so their rating stays as it is; ``day``: the day (as 2026-11-25) whose puzzle was asked for;
    ``motif``: the one that the trainer gives it for; ``options``: the names of those always named to the solver."""

    id: str
    game: GameName
    task: Text
    player: int
    turns: int
    rating: int
    tries: int
    again: bool
    settled: bool
    day: str | None
    motif: str | None
    options: list[str]
    table: TableView
    view: PositionView


class PuzzleStanding(TypedDict):
    """A person's rating in the puzzles of a game, the number of puzzles tried, and the streak: how many of the last
    ones were right at the first try. The rating is ``provisional`` until some puzzles have settled it."""

    rating: int
    deviation: int
    provisional: bool
    tried: int
    streak: int


class MotifData(TitledGame):
    """A motif of the trainer by its ``id``, which names its game before a slash: ``reviews`` is how often it was tried,
    ``recall`` the probability that it is seen today, ``due`` when it is to be tried again, in milliseconds, and
    ``fresh`` how many of its positions the asker has not tried."""

    id: str
    says: Text
    state: Literal["new", "due", "learning", "holds"]
    reviews: int
    recall: float | None
    due: int | None
    fresh: int


class RecallBin(TypedDict):
    """The tries that were made from ``least`` to ``most`` (null: any number of) days after the last of their motif: the
    ``share`` that was right, with Wilson's 95 % interval, and the recall that the memory expected."""

    least: int
    most: int | None
    tries: int
    share: float
    low: float
    high: float
    expected: float


class TrainerData(TypedDict):
    """The motifs of a game (or of all), how many of them hold, and how well they are remembered."""

    motifs: list[MotifData]
    holds: int
    curve: list[RecallBin]


class PuzzleAnswer(TypedDict):
    """The result of a try: its actions and the best answers as ``frames``. A decided puzzle shows its ``tags`` with
    ``titles`` for people, the solver's ``standing``, and the ``motif`` that the trainer gave it for, as it is after the
    try; the ``change`` of the rating is null if it was decided before. After a wrong action ``refutation`` shows why it
    is wrong."""

    game: GameName
    state: Literal["going", "right", "wrong", "unsure"]
    frames: list[LessonFrame]
    refutation: list[LessonFrame]
    tags: list[str]
    titles: list[Text]
    change: int | None
    standing: PuzzleStanding | None
    motif: MotifData | None


class PuzzleDay(TypedDict):
    """A day (as 2026-11-25) and whether the asker solved its puzzle at the first try (null: not tried)."""

    day: str
    right: bool | None


class GamePuzzleDays(TitledGame):
    """The days of a month that have a puzzle of a game."""

    days: list[PuzzleDay]


class PuzzleDays(TypedDict):
    """The daily puzzles of a month, and which day is ``today`` (UTC)."""

    today: str
    games: list[GamePuzzleDays]


class PuzzleRun(TypedDict):
    """Ids of puzzles to solve one after another, from easy to hard."""

    puzzles: list[str]


class PuzzleTheme(TypedDict):
    """A tag, its title for people, and how many puzzles have it."""

    tag: str
    title: Text
    count: int


class PuzzleGame(TitledGame):
    """The puzzles of a game: how many, between which ratings, with which themes; ``standing`` is the asker's."""

    count: int
    low: int
    high: int
    themes: list[PuzzleTheme]
    standing: PuzzleStanding


class PuzzleThemes(TypedDict):
    """All games that have puzzles."""

    games: list[PuzzleGame]


class PuzzleTried(TypedDict):
    """A puzzle that was tried: ``at`` in milliseconds, the rating after it, ``due`` when it comes again (null: not)."""

    id: str
    game: str
    right: bool
    at: int
    rating: int
    due: int | None


class PuzzleHistory(TypedDict):
    """What the asker has tried, the last first."""

    tried: list[PuzzleTried]
