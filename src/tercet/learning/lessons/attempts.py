"""Judge tries: the replies, whether the goal is reached, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tercet.core.abilities.engine import WinProver
from tercet.core.game import Action, Position
from tercet.engines import Limits, level
from tercet.errors import IllegalAction
from tercet.learning.lessons.lesson import LessonStep, PlayedTransition, Reply, Situation
from tercet.learning.lessons.turns import FEW, known_win, turns, wins

__all__ = ["AttemptResult", "Refutation", "answer", "begin", "reply"]

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
    situation = begin(step)
    for move in moves:
        situation = situation.then(move)
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
        elif situation.position.is_over or (last.ends_turn and _fails(step, situation)):
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
    if state == "reached":
        return AttemptResult(situation, played, state, step.done or RIGHT)
    if state == "missed":
        says, refutation = _why(step, situation)
        return AttemptResult(situation, played, state, says, refutation)
    return AttemptResult(situation, played, state)


def _fails(step: LessonStep, situation: Situation) -> bool:
    """Return whether the learner has no turns left, or has made a wrong try."""
    return situation.turns >= step.turns or any(wrong.fits(situation) for wrong in step.wrong)


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
        if wanted.level is not None:
            situation = situation.then(_chosen(situation.position, wanted.level))
            continue
        for text in reply(situation.position, step.player):
            situation = situation.then(text)
    return situation


def _chosen(position: Position, strength: int) -> str:
    """Return the action of the engine of that strength: the same in the same position."""
    return str(level(position.game, strength, seed=0).think(position, Limits()).action)


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
    """Return for how many turns of ``player`` the others hold out, as far as the search sees; NOT_LOST if it sees no
    win."""
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
    name = position.game.players[position.mover or 0]
    win = known_win(position)
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
    line: list[str] = []
    for number in () if win is None else prover.line(position, win):
        line.append(str(Action(number, position)))
        position = position.play(line[-1])
    return tuple(line)
