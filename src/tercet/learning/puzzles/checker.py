"""Checks what a puzzle claims, with the rules alone.

It reads positions and actions, plays them, and looks whether a goal is reached; nothing else. How a proof is written
stands in ``docs/puzzles.md``. What is claimed:

- ``right``: after each of these first actions the attackers reach the goal within ``turns`` turns of theirs, whatever
  the others do, if the solver is one of them; otherwise they can be kept from it.
- ``wrong``, if it is there: after each other first action it is the other way round.
- ``best``, if it is there: the attackers cannot force this goal within so many turns at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import tercet

MALFORMED = (tercet.IllegalAction, tercet.ParseError, TypeError, AttributeError)  # of what should be an action


class Refused(tercet.TercetError, ValueError):  # noqa: N818  (no error of the program)
    """A puzzle whose proof does not hold; ``place`` are the actions that lead to where it fails."""

    def __init__(self, place: tuple[Any, ...], reason: str) -> None:
        self.place = " ".join(map(str, place)) or "the beginning"
        self.reason = reason
        super().__init__(f"at {self.place}: {reason}")


def check(puzzle: Mapping[str, Any]) -> int:
    """Check all that ``puzzle`` claims; returns how many actions were played for it. Refused where it does not hold,
    other errors of Tercet where it cannot be read."""
    position = tercet.parse(puzzle["position"])
    if position.is_over or position.turn_is_open:
        raise Refused((), "the position is not the beginning of a turn")
    proof = _Proof(puzzle["attackers"], puzzle["goal"])
    attacking = position.mover in proof.attackers  # the solver is: then right actions force the goal, wrong ones do not
    turns = proof.left(_positive(puzzle["turns"]), position, attacking)
    right = puzzle["right"]
    if not right:
        raise Refused((), "no first action is right")
    for text, rest in right.items():
        proof.step(position, text, attacking, turns, rest, attacking, ())
    if "wrong" in puzzle:
        for action, rest in _replies(position, puzzle["wrong"], (), but=right):
            proof.step(position, action, attacking, turns, rest, not attacking, ())
    if "best" not in puzzle:
        return proof.played
    better = _Proof(puzzle["attackers"], puzzle["best"]["goal"])
    better.node(position, _positive(puzzle["best"]["turns"]), puzzle["best"]["proof"], False, ())
    return proof.played + better.played


def _positive(turns: int) -> int:
    if turns < 1:
        raise Refused((), "the claim leaves no turn")
    return turns


class _Proof:
    """Goes through proofs that ``attackers`` can force ``goal`` (where ``forced`` is true), or that they cannot. Each
    leaf is a position of the rules; ``played`` counts the actions. ``place`` are the actions from the beginning on."""

    def __init__(self, attackers: list[int], goal: Mapping[str, Any]) -> None:
        self.attackers = attackers
        self.goal = goal
        self.played = 0

    def left(self, turns: int, position: Any, attacking: bool) -> int:
        """Return the attackers' turns left after an action at ``position``: one less where it begins their turn."""
        return turns - 1 if attacking and not position.turn_is_open else turns

    def node(self, position: Any, turns: int, tree: Any, forced: bool, place: tuple[Any, ...]) -> None:
        """Check ``tree`` at a position where the game goes on with ``turns`` turns of the attackers' left."""
        attacking = position.mover in self.attackers
        turns = self.left(turns, position, attacking)
        if attacking == forced:  # whose claim it is chooses, and the tree says what
            if not isinstance(tree, list) or not 1 <= len(tree) <= 2:
                raise Refused(place, "the proof does not say what to play")
            rest = tree[1] if len(tree) == 2 else None
            self.step(position, tree[0], attacking, turns, rest, forced, place)
        else:  # all that the others may do is looked at
            for action, rest in _replies(position, tree, place):
                self.step(position, action, attacking, turns, rest, forced, place)

    def step(
        self, position: Any, action: Any, attacking: bool, turns: int, tree: Any, forced: bool, place: tuple[Any, ...]
    ) -> None:
        """Play ``action`` (an Action or its notation), one of the attackers' if ``attacking``, then check ``tree``
        unless all is settled by it. ``turns`` are left after the turn that the action belongs to."""
        place = (*place, action)
        try:
            after = position.play(action)
        except MALFORMED as error:
            raise Refused(place, str(error)) from None
        self.played += 1
        if self.reached(position, action, after, attacking):
            if not forced:
                raise Refused(place, "the goal is reached")
        elif after.is_over or (turns == 0 and not (after.turn_is_open and after.mover in self.attackers)):
            if forced:
                raise Refused(place, "the game is over" if after.is_over else "the turns are used up")
        else:
            self.node(after, turns, tree, forced, place)

    def reached(self, position: Any, action: Any, after: Any, attacking: bool) -> bool:
        """Return whether the goal is reached by ``action``."""
        if "win" in self.goal:
            return after.is_over and 1.0 in map(after.scores.__getitem__, self.attackers)
        if "over" in self.goal:
            return bool(after.is_over)
        if "tally" in self.goal:
            ended = attacking and not after.turn_is_open
            return ended and any(after.tally[player] >= self.goal["tally"] for player in self.attackers)
        wanted = self.goal.get("data", {}).items()
        found = (event for event in position.transition(action).events if event.kind == self.goal["event"])
        return attacking and any(wanted <= event.data.items() for event in found)


def _legal(position: Any, text: Any, place: tuple[Any, ...]) -> Any:
    """Return the legal action with this notation."""
    try:
        return position.action(text)
    except MALFORMED as error:
        raise Refused((*place, text), str(error)) from None


def _replies(position: Any, tree: Any, place: tuple[Any, ...], but: Collection[str] = ()) -> Iterator[tuple[Any, Any]]:
    """Yield every legal action, ``but`` for these, with the proof that follows it."""
    if tree is None:
        tree = {"*": None}
    if not isinstance(tree, dict):
        raise Refused(place, "the proof does not say what follows the replies")
    named = {_legal(position, text, place).id: rest for key, rest in tree.items() if key != "*" for text in key.split()}
    for action in position.legal_actions:
        if but and str(action) in but:
            continue
        if action.id not in named and "*" not in tree:
            raise Refused((*place, action), "the proof leaves this out")
        yield action, named.get(action.id, tree.get("*"))
