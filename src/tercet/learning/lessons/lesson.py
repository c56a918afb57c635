"""A lesson as values: :class:`Lesson`, its :class:`LessonStep` and what belongs to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tercet.core.game import Position, Transition
from tercet.core.view import Mark
from tercet.errors import TercetError


class LessonError(TercetError, ValueError):
    """A lesson that cannot be read or does not hold. ``file`` is its file's name, ``where`` the place in it (as in
    ``step 2, goal``), ``why`` the reason."""

    def __init__(self, file: str, where: str, why: str) -> None:
        super().__init__(f"{file}: {where}: {why}")
        self.file, self.where, self.why = file, where, why


@dataclass(frozen=True)
class PlayedTransition:
    """An action of ``seat``'s in the position ``before``, with what it caused."""

    seat: int
    before: Position
    transition: Transition

    @property
    def text(self) -> str:
        """Return the action in canonical notation."""
        return str(self.transition.action)

    @property
    def short(self) -> str:
        """Return the short form of the action for lists."""
        return self.before.short_text(self.transition.action)

    @property
    def ends_turn(self) -> bool:
        """Return whether the player's turn was over then."""
        after = self.transition.after
        return after.is_over or not after.turn_is_open


@dataclass(frozen=True)
class Situation:
    """What a goal is tested on: the actions ``played`` since the step began, the ``position`` after them, and the
    ``player`` whose goal it is."""

    player: int
    position: Position
    played: tuple[PlayedTransition, ...] = ()

    def then(self, *actions: str) -> Situation:
        """Return the situation after ``actions``, each the mover's; IllegalAction says why one cannot be played."""
        position, played = self.position, list(self.played)
        for action in actions:
            transition, seat = position.transition(action), position.mover
            assert seat is not None  # else the action was refused
            played.append(PlayedTransition(seat, position, transition))
            position = transition.after
        return Situation(self.player, position, tuple(played))

    @property
    def turns(self) -> int:
        """Return the number of turns that ``player`` has completed."""
        return sum(one.seat == self.player and one.ends_turn for one in self.played)

    @property
    def own(self) -> tuple[str, ...]:
        """Return the actions of ``player``, in notation."""
        return tuple(one.text for one in self.played if one.seat == self.player)


Test = Callable[[Situation], bool]


@dataclass(frozen=True)
class Reply:
    """The others' reply after the learner's last action, if that is among ``to`` (None: after any action). After
    ``play``, an engine of this ``level`` plays for them, if one is given."""

    play: tuple[str, ...]
    to: tuple[str, ...] | None = None
    level: int | None = None


@dataclass(frozen=True)
class Mistake:
    """A typical wrong try: one of ``tries`` (each an action, or several with spaces between them), or any of which
    ``when`` is true. ``says`` is the reason; ``play`` is what it leads to, after which ``shows`` is true."""

    says: str
    tries: tuple[str, ...] = ()
    when: Test | None = None
    play: tuple[str, ...] = ()
    shows: Test | None = None

    def fits(self, situation: Situation) -> bool:
        """Return whether the learner's last actions are this try."""
        own = situation.own
        tried = any(own[-len(words) :] == words for words in (tuple(one.split()) for one in self.tries))
        return tried or (bool(own) and self.when is not None and self.when(situation))


@dataclass(frozen=True)
class Assertion:
    """Something that a text says and that can be checked: ``holds`` of ``player`` after the actions ``after``."""

    says: str
    player: int
    holds: Test
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonStep:
    """One thing to do. ``shown`` are actions that lead from ``before`` to ``position``, shown before one's own; then
    ``player`` has ``turns`` turns to reach the ``goal``, which is judged after each action, or (``whole_turn``)
    at the end of their turns only. ``text`` explains, ``task`` says what to do, ``done`` what was done; ``hint`` helps,
    ``otherwise`` is said where a try fails and nothing better is known. ``solution`` are actions of the player's that
    reach the goal, ``also`` others that do. ``aim`` is a position in which the goal is reached, drawn beside the task.
    """

    text: str
    task: str
    position: Position
    before: Position
    player: int
    goal: Test
    solution: tuple[str, ...]
    title: str = ""
    shown: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    turns: int = 1
    whole_turn: bool = False
    hint: str = ""
    done: str = ""
    otherwise: str = ""
    aim: Position | None = None
    marks: tuple[Mark, ...] = ()
    replies: tuple[Reply, ...] = ()
    wrong: tuple[Mistake, ...] = ()
    claims: tuple[Assertion, ...] = ()


@dataclass(frozen=True)
class Lesson:
    """A lesson of ``game``: ``id`` names it among the game's, ``chapter`` groups it with others, ``about`` is a
    sentence that says what one learns. ``file`` is the name of its file."""

    game: str
    id: str
    title: str
    chapter: str
    about: str
    steps: tuple[LessonStep, ...]
    file: str


def unproved_claims(position: Position, claims: Sequence[Assertion]) -> list[str]:
    """Return what is wrong with ``claims`` about ``position``: those that are not so."""
    return [
        f"is not so: {claim.says}"
        for claim in claims
        if not claim.holds(Situation(claim.player, position).then(*claim.after))
    ]


def errors_of(file: str, where: str, check: Callable[[], list[str]]) -> list[LessonError]:
    """Return an error for each reason that ``check`` gives against the place ``where``, or raises."""
    try:
        whys = check()
    except (TercetError, ValueError, TypeError, KeyError) as error:
        whys = [str(error)]
    return [LessonError(file, where, why) for why in whys]


@dataclass(frozen=True)
class IdeaExample:
    """A ``situation`` in which an idea comes up after those ``seen``, pointing at ``cells`` and with ``arrows`` from
    cell to cell, each as ``c3-c4``; ``claims`` about it."""

    situation: Situation
    seen: tuple[str, ...]
    cells: tuple[str, ...]
    arrows: tuple[str, ...]
    claims: tuple[Assertion, ...]


@dataclass(frozen=True)
class Idea:
    """One idea of a first game: ``text`` under ``title``, shown where ``when`` holds. ``find`` finds cells to point
    at with a ``mark`` of that kind, and marks of its own; where it finds nothing, the idea does not matter yet. An idea
    with ``again`` is shown whenever it matters, others once, and not after one of those in ``unless``, which say it
    too. One that the newcomer has ``learned`` counts as shown."""

    id: str
    title: str
    text: str
    when: Test | None
    find: Callable[[Situation], Sequence[str | Mark]] | None
    mark: str
    again: bool
    unless: tuple[str, ...]
    learned: Test | None
    examples: tuple[IdeaExample, ...]


@dataclass(frozen=True)
class FirstGame:
    """The ideas of a game's guided first game, the most urgent first. ``file`` is the name of its file."""

    game: str
    ideas: tuple[Idea, ...]
    file: str
