"""Judge tries: the replies, whether the goal is reached, and why not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal

from tercet.core.abilities.engine import WinProver
from tercet.core.game import Position
from tercet.core.proofs import TooMuch, Turn, whole_turns
from tercet.engines import level
from tercet.errors import IllegalAction
from tercet.learning.lessons.lesson import (
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

MOST = 60_000  # actions tried for one question; a lesson that asks for more asks too much
FEW = 4_000  # actions tried without a request
LONGEST = 12  # actions of one turn that are followed


def turns(position: Position, most: int = MOST) -> Iterator[Turn]:
    """Every way to play the mover's turn. A turn of many actions is followed for LONGEST of them. ValueError where more
    than ``most`` actions have to be tried."""
    try:
        yield from whole_turns(position, most, LONGEST)
    except TooMuch:
        raise ValueError(f"This turn has more than {most} actions to try. Give it fewer.") from None


def wins(position: Position, player: int) -> bool:
    """Return whether ``player`` has won."""
    outcome = position.outcome
    return outcome is not None and outcome.winners == (player,)


def winning_turn(position: Position, most: int = MOST) -> tuple[str, ...] | None:
    """Return a turn with which the mover wins at once, in notation; None where there is none. ValueError where more
    than ``most`` actions have to be tried."""
    player = position.mover
    if player is None:
        return None
    if position.game.definition.turn_is_open is None:  # each action is a turn: what it causes need not be shown
        return next(((str(action),) for action in position.legal_actions if wins(position.play(action), player)), None)
    return next((turn.actions for turn in turns(position, most) if wins(turn.after, player)), None)


def known_win(position: Position) -> tuple[str, ...] | None:
    """Return as :func:`winning_turn`, if that is quickly seen, else None."""
    try:
        return winning_turn(position, FEW)
    except ValueError:
        return None


def can_win(position: Position, player: int) -> bool:
    """Return whether ``player`` has won, or wins with their next turn whatever the others do before it."""
    if position.is_over:
        return wins(position, player)
    if position.mover == player:
        return winning_turn(position) is not None
    return all(can_win(turn.after, player) for turn in turns(position))


def forces_win(position: Position, player: int, most: int) -> bool:
    """Return whether ``player`` wins within ``most`` turns of their own whatever the others do. Beyond one turn the
    game's prover decides. Raise ValueError if it has none."""
    if position.is_over:
        return wins(position, player)
    if most == 1:
        return can_win(position, player)
    make = position.game.definition.engine.make_prover
    if make is None:
        raise ValueError("This game cannot prove wins of several turns.")
    prover = make(position.game)
    todo = [position] if position.mover == player else [turn.after for turn in turns(position)]
    for one in todo:
        if wins(one, player):
            continue
        win = None if one.is_over else prover.prove(one, tries=200_000)
        if win is None or win.turns > most:
            return False
    return True


RIGHT = "Correct!"
NOT_LOST = 100
PROOF = 3000  # actions tried to see whether a reply holds out
NOT_YET = "That doesn't reach the goal yet."


@dataclass(frozen=True)
class Refutation:
    """The refutation of a wrong try: ``actions`` in notation, after the try, and a sentence on them."""

    says: str
    actions: tuple[str, ...]


@dataclass(frozen=True)
class AttemptResult:
    """The result of a try: ``played`` holds its actions and the replies. ``state`` is ``going`` while the player has
    turns left, ``reached`` or ``missed``; ``says`` explains it; ``refutation`` shows it if there is one."""

    situation: Situation
    played: tuple[PlayedTransition, ...]
    state: Literal["going", "reached", "missed"]
    says: str = ""
    refutation: Refutation | None = None


def begin(step: LessonStep) -> Situation:
    """Return the situation at the beginning of a step."""
    return Situation(step.player, step.position)


def answer(step: LessonStep, moves: Sequence[str], actions: Sequence[str]) -> AttemptResult:
    """Return the result of the learner's ``actions`` after ``moves`` (of all players, from the step's position). Raise
    IllegalAction if an action is illegal, or it is not the learner's decision."""
    situation = begin(step).then(*moves)
    before = len(situation.played)
    state: Literal["going", "reached", "missed"] = "going"
    for action in actions:
        if state != "going":
            break  # a motion of several actions goes no further than the goal
        if situation.position.mover != step.player:
            raise IllegalAction(action, "It is another player's turn.")
        situation = situation.then(action)
        last = situation.played[-1]
        if (last.ends_turn or not step.whole_turn) and step.goal(situation):
            state = "reached"
        elif situation.position.is_over or (
            last.ends_turn and (situation.turns >= step.turns or any(wrong.fits(situation) for wrong in step.wrong))
        ):
            state = "missed"
        elif last.ends_turn:
            after = _replies(step, situation)
            if after.position.is_over:
                situation, state = after, "reached" if step.goal(after) else "missed"
            elif _in_reach(step, after):
                situation = after
            else:
                state = "missed"  # no further turn mends this one: what refutes it is shown instead of the reply
    played = situation.played[before:]
    if state == "missed":
        return AttemptResult(situation, played, state, *_why(step, situation))
    return AttemptResult(situation, played, state, (step.done or RIGHT) if state == "reached" else "")


def _in_reach(step: LessonStep, situation: Situation) -> bool:
    """Return whether the turns left may reach the goal, as far as that is seen without guessing a reply."""
    try:
        for turn in turns(situation.position, FEW):
            after = situation
            for action in turn.actions:
                after = after.then(action)
                if step.goal(after):
                    return True
            left, mover = after.turns < step.turns, after.position.mover
            if after.position.turn_is_open or (left and (mover not in (None, step.player) or _in_reach(step, after))):
                return True
    except ValueError:
        return True  # too much to try
    return False


def _replies(step: LessonStep, situation: Situation) -> Situation:
    """``situation`` after what the others do until it is the learner's decision again."""
    last = situation.own[-1]
    wanted = next((one for one in step.replies if one.to is None or last in one.to), Reply(()))
    for text in wanted.play:
        try:
            situation = situation.then(text)
        except IllegalAction:  # the learner did something that the script does not foresee
            break
    while not situation.position.is_over and situation.position.mover != step.player:
        if wanted.level is not None:  # the same engine plays the same in the same position
            player = level(situation.position.game, wanted.level, seed=0)
            situation = situation.then(str(player.choose(situation.position)))
            continue
        situation = situation.then(*reply(situation.position, step.player))
    return situation


def reply(position: Position, player: int) -> tuple[str, ...]:
    """Return a turn of the mover's against ``player``: it wins at once, else it holds out longest."""
    win = known_win(position)
    if win is not None:
        return win
    prover = position.game.definition.engine.make_prover
    best: tuple[int, tuple[str, ...]] = (-1, ())
    asks = prover(position.game) if prover is not None else None
    for turn in islice(turns(position), FEW):
        length = _holds_out(turn.after, player, asks)
        if length > best[0]:
            best = (length, turn.actions)
        if length >= NOT_LOST:
            break
    return best[1]


def _holds_out(position: Position, player: int, prover: WinProver | None) -> int:
    """Return for how many turns of ``player`` the others hold out; NOT_LOST if the search sees no win."""
    if position.is_over:
        return 0 if wins(position, player) else NOT_LOST
    if position.mover != player:
        return NOT_LOST
    if known_win(position) is not None:
        return 1
    found = None if prover is None else prover.prove(position, tries=PROOF)
    return NOT_LOST if found is None else found.turns


def _why(step: LessonStep, situation: Situation) -> tuple[str, Refutation | None]:
    """Why a try fails, in words, and what it leads to."""
    wrong = next((one for one in step.wrong if one.fits(situation)), None)
    if wrong is not None and wrong.play:
        return wrong.says, Refutation(wrong.says, wrong.play)
    refuted = _refuted(step, situation.position)
    if wrong is not None:
        return wrong.says, refuted
    says = "" if refuted is None else refuted.says
    return f"{says} {step.otherwise}".strip() or NOT_YET, refuted


def _refuted(step: LessonStep, position: Position) -> Refutation | None:
    """How another player wins now, at once or by force, unless the solution allows that as soon."""
    if position.is_over or position.mover == step.player:
        return None
    name, win = position.game.players[position.mover or 0], known_win(position)
    if win is not None:
        return Refutation(f"Now {name} wins: {' '.join(win)}.", win)
    make = position.game.definition.engine.make_prover
    if make is None:
        return None
    prover, solved = make(position.game), begin(step)
    for action in step.solution:
        if not solved.turns:
            solved = solved.then(action)
    win = _forced_win(prover, position)
    if not win or 0 < len(_forced_win(prover, solved.position)) <= len(win):
        return None
    return Refutation(f"Now {name} wins by force, beginning with {win[0]}.", win)


def _forced_win(prover: WinProver, position: Position) -> tuple[str, ...]:
    """Return how the mover wins against the longest defence, if that is soon seen; empty if it is not."""
    win = None if position.is_over else prover.prove(position, tries=PROOF)
    return () if win is None else tuple(position.notate(prover.line(position, win)))


def check(lesson: Lesson) -> list[LessonError]:
    """Return the errors of a lesson, or an empty list."""
    return [
        error
        for number, step in enumerate(lesson.steps, 1)
        for part, problems in CHECKS.items()
        for error in errors_of(lesson.file, f"step {number}, {part}", partial(problems, step))
    ]


def play_out(step: LessonStep, actions: Sequence[str]) -> AttemptResult:
    """Play the learner's actions one after another, with the replies, and return the result."""
    found = answer(step, (), ())
    for action in actions:
        found = answer(step, [one.text for one in found.situation.played], [action])
    return found


def _solution(step: LessonStep) -> list[str]:
    if not step.solution:
        return ["is empty"]
    found = play_out(step, step.solution)
    return [] if found.state == "reached" else [f"does not reach the goal: {found.state} {found.says}".strip()]


def _wrong(step: LessonStep) -> list[str]:
    """Each wrong try fails for the reason that is given, and what it leads to is legal and shows what it should."""
    found: list[str] = []
    for number, wrong in enumerate(step.wrong, 1):
        tries = list(wrong.tries) or _fitting(step, wrong)
        if not tries:
            found.append(f"{number}: no action fits `when` and misses the goal")
        for action in tries:
            missed = play_out(step, action.split())
            if missed.state == "reached":
                found.append(f"{number}: {action} reaches the goal")
            elif missed.says != wrong.says:
                found.append(f"{number}: {action} is answered otherwise: {missed.says}")
            elif wrong.play:
                found += [f"{number}: after {action}, {why}" for why in _refutes(missed.situation, wrong)]
    return found


def _fitting(step: LessonStep, wrong: Mistake) -> list[str]:
    """One action that is a turn and fits what a wrong try is described by, if there is one."""
    for action in step.position.legal_actions:
        situation = begin(step).then(str(action))
        if situation.played[-1].ends_turn and wrong.fits(situation) and not step.goal(situation):
            return [str(action)]
    return []


def _refutes(situation: Situation, wrong: Mistake) -> list[str]:
    situation = situation.then(*wrong.play)
    if wrong.shows is not None:
        return [] if wrong.shows(situation) else [f"{' '.join(wrong.play)} does not show it"]
    outcome = situation.position.outcome
    lost = outcome is not None and situation.player not in outcome.winners
    return [] if lost else [f"{' '.join(wrong.play)} is no loss; say what it `shows`"]


CHECKS: dict[str, Callable[[LessonStep], list[str]]] = {  # what is wrong with each part of a step
    "goal": lambda step: ["holds before anything is played"] if step.goal(begin(step)) else [],
    "aim": lambda step: (
        []
        if step.aim is None or step.goal(Situation(step.player, step.aim))
        else ["the goal is not reached in the position that is drawn"]
    ),
    "solution": _solution,
    "also": lambda step: [
        f"{action} does not reach the goal" for action in step.also if play_out(step, (action,)).state != "reached"
    ],
    "wrong": _wrong,
    "claim": lambda step: unproved_claims(step.position, step.claims),
}
