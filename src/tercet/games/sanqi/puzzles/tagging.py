"""What a puzzle of SanQi is about, and how hard it may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.core.game import Action, Position
from tercet.core.proofs import Claim, ProofStep, Solved, walk
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import decode
from tercet.games.sanqi.rules import SIDES

CROWDED = 8  # vacant cells of a nearly full board
QUIET_REPLIES = 12  # that are tried to see whether a pattern wins whatever is played


def tags(position: Position, claim: Claim, proved: Solved) -> tuple[str, ...]:
    """Words for what happens in the proofs: patterns, replacements and the like."""
    found = {SIDES[position.mover or 0]}
    if int(position.row[layout.VACANT]) <= CROWDED:
        found.add("full board")
    if position.mover in claim.attackers:
        for text, rest in proved.right.items():
            for step in walk(position, claim, text, rest):
                found |= _of_step(step)
    else:
        found |= {"replacement"} if any("x" in text for text in proved.right) else set()
        found |= {"delayed win"} if _may_complete_theirs(position, proved.right) else set()
    return tuple(sorted(found))


def _may_complete_theirs(position: Position, right: Mapping[str, Any]) -> bool:
    """Return whether another type on the cell of a right action completes the opponent's pattern, which then wins
    wherever the opponent plays."""
    cells = {decode(position.action(text).id)[0] for text in right}
    wrong = [action for action in position.legal_actions if decode(action.id)[0] in cells and str(action) not in right]
    return any(_wins_anywhere(position, action) for action in wrong)


def _wins_anywhere(position: Position, action: Action) -> bool:
    """Return whether the opponent has a pattern after ``action``, with its piece in it."""
    after = position.play(action)
    placed = {cell for event in position.transition(action).events for cell in event.cells}
    for reply in [] if after.is_over else after.legal_actions[:QUIET_REPLIES]:
        outcome = after.play(reply).outcome
        here = {cell for event in after.transition(reply).events for cell in event.cells}
        if outcome is not None and placed & set(outcome.cells) and not here & set(outcome.cells):
            return True
    return False


def _of_step(step: ProofStep) -> set[str]:
    found = set()
    if any(event.kind == "replaced" for event in step.before.transition(step.action).events):
        found.add("replacement")
    if step.after.outcome:
        outcome = step.after.outcome
        found.add(str(outcome.pattern or outcome.reason))
        here = {cell for event in step.before.transition(step.action).events for cell in event.cells}
        if outcome.cells and not here & set(outcome.cells):
            found.add("delayed win")
        return found
    replies = step.rest if isinstance(step.rest, dict) else {}
    usual = replies.get("*")
    if isinstance(usual, list) and len(usual) == 1:
        if any(_second_threat(step.after, key.split()[0], rest) for key, rest in replies.items() if rest != usual):
            found.add("pivot")
        if _ko(step.after, usual[0]):
            found.add("ko")
    elif step.turns > 0:
        found.add("quiet move")
    return found


def _second_threat(position: Position, reply: str, rest: list[str]) -> bool:
    """Return whether what answers ``reply`` wins at once and is not just any action."""
    if len(rest) > 1:
        return False
    left = position.play(reply)
    if left.is_over:
        return False
    after = left.play(rest[0])
    placed = {cell for event in left.transition(rest[0]).events for cell in event.cells}
    return after.outcome is not None and bool(placed & set(after.outcome.cells))


def _ko(position: Position, threat: str) -> bool:
    """Return whether ``threat`` could be stopped by replacing what has just been played, if ko did not forbid it."""
    free = position.row.copy()
    ko = int(free[layout.KO])
    free[layout.KO] = 0
    without = Position(position.game, free)
    barred = [action for action in without.legal_actions if decode(action.id)[0] == ko - 1]
    return any(not _wins(without.play(action), threat) for action in barred)


def _wins(position: Position, threat: str) -> bool:
    if position.is_over or threat not in position.legal_actions:
        return False
    return position.play(threat).is_over


def difficulty(position: Position, claim: Claim, right: int, found: tuple[str, ...]) -> int:
    """An estimate in points of rating, to begin with."""
    points = 500 + 300 * claim.turns + 25 * (int(position.game.options["side"]) - 4)
    points += 200 if position.mover not in claim.attackers else 0
    points += 60 * (3 - right)
    for tag, more in {"quiet move": 200, "replacement": 80, "delayed win": 120, "ko": 120, "full board": 60}.items():
        points += more if tag in found else 0
    return points
