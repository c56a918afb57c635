"""Claims of what some players can force, and proofs of them as trees, found by trying everything.

A *claim* says that some players reach a goal within so many of their turns, whatever the others do. A *goal* is data:
``{"win": true}`` (one of them wins alone), ``{"over": true}`` (the game ends), ``{"tally": n}`` (one of them has so
much when a turn of theirs ends), ``{"event": kind, "data": {...}}`` (an action of theirs causes such an event, with at
least this data).

A *proof* is a tree of lists, mappings and None. Where the side chooses that proves something, it is a list: the action,
then, unless nothing is left to show, the proof of the rest. Where the other side chooses, it is a mapping from actions
(several in one key, separated by spaces; ``*`` for all that are not named) to proofs of the rest; None stands for
``{"*": None}``. All actions are in canonical notation. `tercet.learning.puzzles.checker` checks proofs, and shares
nothing with what is here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tercet.core.game import Action, Position

Tree = Any  # as above; JSON-able


@dataclass(frozen=True)
class Claim:
    """The players ``attackers`` reach ``goal`` within ``turns`` turns, theirs together, whatever the others do."""

    attackers: tuple[int, ...]
    goal: Mapping[str, Any]
    turns: int

    def play(self, position: Position, action: Action) -> tuple[Position, bool]:
        """Return the position after ``action``, and whether the goal is reached by it."""
        goal, attacked = self.goal, position.mover in self.attackers
        if "event" in goal:
            done = position.transition(action)
            wanted = goal.get("data", {}).items()
            caused = any(event.kind == goal["event"] and wanted <= event.data.items() for event in done.events)
            return done.after, caused and attacked
        after = position.play(action)
        if "tally" in goal:
            tally = after.tally
            assert tally is not None
            ended = attacked and not after.turn_is_open
            return after, ended and max(tally[player] for player in self.attackers) >= goal["tally"]
        scores = after.scores
        if scores is None:
            return after, False
        return after, "over" in goal or any(scores[player] == 1.0 for player in self.attackers)


@dataclass(frozen=True)
class ProofStep:
    """An action of the attackers' in a proof that they can force something: ``turns`` are left after it, ``rest`` is
    the proof from there on; ``reached``: the goal is, by it."""

    before: Position
    action: Action
    after: Position
    turns: int
    rest: Tree
    reached: bool


def walk(position: Position, claim: Claim, text: str, rest: Tree) -> Iterator[ProofStep]:
    """Yield the attackers' actions along the main line of the proof ``rest`` of ``claim`` after the first action
    ``text``: the others always give the answer that holds out longest."""
    turns = claim.turns
    while True:
        action = position.action(text)
        attacking = position.mover in claim.attackers
        if attacking and not position.turn_is_open:
            turns -= 1
        after, reached = claim.play(position, action)
        if attacking:
            yield ProofStep(position, action, after, turns, rest, reached)
        if reached or after.is_over:
            return
        if after.mover in claim.attackers:
            text, rest = rest[0], rest[1] if len(rest) > 1 else None
        else:
            text, rest = longest(after, rest)
        position = after


def longest(position: Position, tree: Tree) -> tuple[str, Tree]:
    """Return the reply that holds out longest, and what follows it; of equal ones, one that meets the usual answer."""
    replies = {"*": None} if tree is None else tree
    key = max(replies, key=lambda key: (depth(replies[key]), key == "*"))
    if key != "*":
        return key.split()[0], replies[key]
    named = {reply for key in replies for reply in key.split()}
    return next(str(action) for action in position.legal_actions if str(action) not in named), replies["*"]


def depth(tree: Tree) -> int:
    """Return how many actions of the proving side's follow each other in a proof."""
    if isinstance(tree, list):
        return 1 + (depth(tree[1]) if len(tree) > 1 else 0)
    return max(map(depth, tree.values()), default=0) if tree else 0


@dataclass(frozen=True)
class Turn:
    """A way to play a turn: its ``actions`` in notation, and the position ``after`` it."""

    actions: tuple[str, ...]
    after: Position


def whole_turns(position: Position, budget: int, longest: int | None = None) -> Iterator[Turn]:
    """Yield every way to play the mover's turn from ``position``, those with its first legal action first; none where
    the game is over. A turn of more than ``longest`` actions is cut there. TooMuch after ``budget`` actions tried."""
    stack: list[tuple[Position, tuple[str, ...]]] = [(position, ())]
    while stack:
        place, before = stack.pop()
        if before and (place.is_over or not place.turn_is_open or len(before) == longest):
            yield Turn(before, place)
            continue
        actions = list(place.legal_actions)
        budget -= len(actions)
        if budget < 0:
            raise TooMuch
        stack += [(place.play(action), (*before, str(action))) for action in reversed(actions)]


FAILED: Final = False  # as a proof: there is none
REMEMBERED_ANSWERS = 4  # actions that answered well, for each number of turns left

Advice = Callable[[Position, int], "int | None"]
"""``advise(position, turns)``: the attackers' action that reaches the goal within ``turns``, the beginning of one; None
if they cannot."""


class TooMuch(Exception):  # noqa: N818  (no error: it is given up)
    """More actions were tried than allowed."""


class Proofs:
    """A search for proofs of a claim, and of its opposite.

    At most ``budget`` actions are tried in all, then TooMuch is raised. ``advise`` knows what attackers should play;
    where it is given, nothing else is tried for them, and what it says of a last turn is believed. Actions that
    answered well are tried first elsewhere, so that proofs are short.
    """

    def __init__(self, claim: Claim, budget: int, advise: Advice | None = None) -> None:
        self.claim = claim
        self.left = budget
        self._advise = advise
        self._good: dict[tuple[bool, int], list[int]] = {}

    def follow(self, position: Position, action: Action, turns: int, *, forced: bool) -> Tree:
        """Return a proof that after ``action``, with ``turns`` turns of the attackers' left before it, the goal is
        (``forced``) or is not reached in time; FAILED if there is none."""
        return self._step(position, action, self._left(position, turns), forced)

    def never(self, position: Position) -> Tree:
        """Return a proof that the attackers, who begin a turn, do not reach the goal in time; FAILED if they do."""
        return self._all(position, self.claim.turns, forced=False)

    def _left(self, position: Position, turns: int) -> int:
        """Return the turns that are left once an action of ``position`` is played."""
        begins = position.mover in self.claim.attackers and not position.turn_is_open
        return turns - 1 if begins else turns

    def _step(self, position: Position, action: Action, turns: int, forced: bool) -> Tree:
        self.left -= 1
        if self.left < 0:
            raise TooMuch
        after, reached = self.claim.play(position, action)
        if reached:
            return None if forced else FAILED
        if after.is_over:
            return FAILED if forced else None
        attacking = after.mover in self.claim.attackers
        if turns == 0 and not (attacking and after.turn_is_open):
            return FAILED if forced else None
        return self._choose(after, turns, forced) if attacking == forced else self._all(after, turns, forced)

    def _choose(self, position: Position, turns: int, forced: bool) -> Tree:
        """Return what the proving side plays."""
        left = self._left(position, turns)
        good = self._good.setdefault((forced, turns), [])
        if forced and self._advise is not None and not position.turn_is_open:
            actions = self._advised(position, turns, good)
        else:
            actions = self._ordered(position, good)
        for action in actions:
            rest = self._step(position, action, left, forced)
            if rest is not FAILED:
                _remember(action, good)
                return [str(action)] if rest is None else [str(action), rest]
        return FAILED

    def _ordered(self, position: Position, good: list[int]) -> Iterator[Action]:
        """Yield all legal actions, those first that were good elsewhere."""
        known = [number for number in good if position.allows(number)]
        yield from (Action(number, position) for number in known)
        yield from (action for action in position.legal_actions if action.id not in known)

    def _advised(self, position: Position, turns: int, good: list[int]) -> Iterator[Action]:
        """On the last turn what was good elsewhere, for it is seen at once whether it is here; then the advice."""
        assert self._advise is not None
        if turns == 1:
            yield from (Action(number, position) for number in list(good) if position.allows(number))
        advised = self._advise(position, turns)
        if advised is not None:
            yield Action(advised, position)

    def _all(self, position: Position, turns: int, forced: bool) -> Tree:
        """Return the proving side's answer to each action of the other side."""
        left = self._left(position, turns)
        good = self._good.setdefault((not forced, turns), [])
        if not forced and turns == 1 and self._advise is not None and not position.turn_is_open:
            return None if self._advise(position, 1) is None else FAILED
        found: list[tuple[Action, Tree]] = []
        for action in self._ordered(position, good):
            rest = self._step(position, action, left, forced)
            if rest is FAILED:
                _remember(action, good)
                return FAILED
            found.append((action, rest))
        return grouped(found)


def _remember(action: Action, good: list[int]) -> None:
    """Put an action that answered well before the other ``good`` ones."""
    good[:] = [action.id, *(number for number in good if number != action.id)][:REMEMBERED_ANSWERS]


def grouped(answers: list[tuple[Action, Tree]]) -> Tree:
    """Return a mapping of actions to proofs, with equal proofs put together and the most frequent one as ``*``."""
    groups: dict[Any, list[Action]] = {}
    trees: dict[Any, Tree] = {}
    for action, tree in answers:
        key = tree if tree is None else tree[0] if len(tree) == 1 and isinstance(tree, list) else json.dumps(tree)
        groups.setdefault(key, []).append(action)
        trees[key] = tree
    if not groups or (len(groups) == 1 and None in groups):
        return None
    usual = max(groups, key=lambda key: (len(groups[key]), len(key or "")))
    named = {" ".join(map(str, actions)): trees[key] for key, actions in groups.items() if key != usual}
    return {**named, "*": trees[usual]}


@dataclass(frozen=True)
class Solved:
    """The ``right`` first actions with their proofs; ``wrong``: the proofs of all others, None if not proved."""

    right: dict[str, Tree]
    wrong: Tree


def solved(
    position: Position,
    claim: Claim,
    *,
    most: int,
    budget: int,
    advise: Advice | None = None,
    right: Collection[int] | None = None,
    refute: bool = True,
) -> Solved | None:
    """Sort the first actions of ``position``, the beginning of a turn. If its mover is one of the attackers, those are
    right with which the goal can be forced; else those after which it cannot. ``right``: they are known already, and
    need only be proved. With ``refute``, all others are proved to be wrong.

    None if none is right, more than ``most`` are, or a proof was not found. TooMuch beyond ``budget`` actions tried.
    """
    if right is not None and not 0 < len(right) <= most:
        return None
    attacking = position.mover in claim.attackers
    proofs = Proofs(claim, budget, advise)
    proved: dict[str, Tree] = {}
    wrong: list[tuple[Action, Tree]] = []
    for action in position.legal_actions:
        tree: Tree = FAILED
        if refute and (right is None or action.id not in right):
            tree = proofs.follow(position, action, claim.turns, forced=not attacking)
            if tree is not FAILED:
                wrong.append((action, tree))
                continue
            if right is not None:
                return None
        elif right is not None and action.id not in right:
            continue
        tree = proofs.follow(position, action, claim.turns, forced=attacking)
        if tree is not FAILED:
            proved[str(action)] = tree
        elif refute or right is not None:
            return None
        if len(proved) > most:
            return None
    if not proved:
        return None
    return Solved(proved, (grouped(wrong) or {"*": None}) if refute else None)
