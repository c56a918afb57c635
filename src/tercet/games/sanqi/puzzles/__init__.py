"""Puzzles of SanQi: wins by force, and how to stop them. The prover's answers become claims with proofs."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tercet.core.abilities.knowledge import Motif, PuzzleIdea, Puzzles, PuzzleSource
from tercet.core.game import Action, Game, Position
from tercet.core.proofs import Advice, Claim, ProofStep, Solved, TooMuch, solved, walk
from tercet.games import game_definition
from tercet.games.sanqi.engine.kernels.attacks import ALL, ANY, QUIET, THREATS
from tercet.games.sanqi.engine.prover import FEW, Prover
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.notation import decode
from tercet.games.sanqi.rules import SIDES, patterns

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


MOST_TURNS = 5
MOST_RIGHT = 3
APART = 4  # plies between puzzles of one game
EASY = 0.12  # share of the wins in one that become puzzles
TRIES, FIRST_TRIES, TREE = 12_000, 6_000, 60_000
MOST_HOLDING = 12  # actions that stop a win in one
CERTIFIED = 2  # turns up to which the other first actions are proved to be wrong
NUMBERS = {2: "two turns", 3: "three turns", 4: "four turns", 5: "five turns"}


def find(positions: Sequence[Position], seed: int, tag: str = "") -> Iterator[PuzzleIdea]:
    """Wins by force in ``positions``, those of one game, and wins of the opponent's that can still be stopped; only
    what may have the ``tag``, if there is one."""
    finder = _Finder(positions[0], random.Random(seed), tag)
    last = {"win": -APART, "stop": -APART}
    begins = int(positions[0].row[layout.VACANT]) == len(positions[0].game.board)
    first = 8 if len(positions) > 1 and begins else 0  # the beginnings of games have no puzzles
    seen: set[tuple[str, ...]] = set()  # right first actions: puzzles of one game do not repeat them
    for ply, position in enumerate(positions):
        if ply < first:
            continue
        kind = "win"
        idea = None
        if ply - last["win"] >= APART and tag != "delayed win":
            idea = finder.win(position)
        if idea is None and ply - last["stop"] >= APART and tag in ("", "delayed win"):
            kind, idea = "stop", finder.stop(position)
        if idea is not None and tuple(idea.right) not in seen:
            last[kind] = ply
            seen.add(tuple(idea.right))
            yield idea


class _Finder:
    def __init__(self, position: Position, chance: random.Random, tag: str) -> None:
        self.prover = Prover(position.game, 1 << 16)
        self.chance = chance
        self.tag = tag

    def win(self, position: Position) -> PuzzleIdea | None:
        """The mover's win by force at ``position``, if all is known of its first actions."""
        found = self.shortest(position)
        if found is None:
            return None
        turns, mode = found
        if turns == 1 and self.tag != "triangle" and self.chance.random() > EASY:
            return None
        if turns > 1 and self.tag == "triangle":
            return None  # a triangle that lacks one piece is the opponent's, too: it is completed at once
        if self.tag == "quiet move" and (turns < 3 or mode == THREATS):
            return None
        right = self.first_actions(position, turns, mode)
        if right is None:
            return None
        mover = position.mover or 0
        task = f"{SIDES[mover]} to move: win this turn."
        if turns > 1:
            task = f"{SIDES[mover]} wins in {NUMBERS[turns]}, whatever {SIDES[1 - mover]} does."
        return self.idea(position, Claim((mover,), {"win": True}, turns), task, mode, right, turns <= CERTIFIED)

    def shortest(self, position: Position) -> tuple[int, int] | None:
        """Return in how many turns the mover wins, and what the search has to try to see it. None if there is no such
        win, or if the search is not sure."""
        crowded = len(position.legal_actions) <= FEW
        for turns in range(1, MOST_TURNS + 1):
            modes: tuple[int, ...] = (QUIET,) if turns < 3 else (ANY,) if turns == 3 else (THREATS, QUIET)
            if turns == 3 and self.tag == "quiet move":
                modes = (THREATS, ANY)
            for mode in (ALL,) if crowded else modes:
                answer = self.prover.ask(position, turns, mode, tries=TRIES)
                if answer:
                    return turns, mode
                if answer is None and turns <= 3:
                    return None
        return None

    def first_actions(self, position: Position, turns: int, mode: int) -> list[int] | None:
        """The first actions of a win in ``turns``; None if they are too many, or not known in time."""
        player = position.mover or 0
        killers: list[int] = []
        found: list[int] = []
        for action in position.legal_actions:
            after = position.play(action)
            if after.scores:
                wins: bool | None = after.scores[player] == 1.0
            elif turns == 1 or self.prover.ask(after, 1):
                wins = False
            else:
                wins = self.holds(after, player, turns - 1, mode, killers)
            if wins is None:
                return None
            if wins:
                found.append(action.id)
                if len(found) > MOST_RIGHT:
                    return None
        return found

    def holds(self, after: Position, player: int, turns: int, mode: int, killers: list[int]) -> bool | None:
        """Return whether ``player`` wins in ``turns`` after every reply; None if that is not known in time."""
        known = [number for number in killers if after.allows(number)]
        for number in [*known, *(int(reply) for reply in after.legal_actions if int(reply) not in known)]:
            left = after.play(number)
            if left.scores:
                wins: bool | None = left.scores[player] == 1.0
            else:
                wins = self.prover.ask(left, turns, mode, tries=FIRST_TRIES)
            if wins is None:
                return None
            if not wins:
                if number not in killers:
                    killers.insert(0, number)
                    del killers[6:]
                return False
        return True

    def stop(self, position: Position) -> PuzzleIdea | None:
        """The opponent's win at ``position`` that few actions stop."""
        mover = position.mover or 0
        if self.prover.ask(position, 3, THREATS, tries=TRIES) is not False:
            return None
        holding = [action.id for action in position.legal_actions if self.survives(position, action, 1)]
        if not holding or len(holding) == len(position.legal_actions) > FEW:
            return None  # there is nothing to stop, or no way
        if self.tag and len(holding) > MOST_HOLDING:
            return None  # the opponent has no pattern but for one piece
        lasting = [number for number in holding if self.survives(position, Action(number, position), 2)]
        if not 1 <= len(lasting) <= MOST_RIGHT:
            return None
        turns = 1 if len(lasting) == len(holding) else 2
        if turns == 1 and self.chance.random() > 3 * EASY:
            return None
        when = "next turn" if turns == 1 else "in the next two turns"
        opponent = SIDES[1 - mover]
        task = f"{opponent} threatens to win. {SIDES[mover]} to move: stop {opponent} from winning {when}."
        return self.idea(position, Claim((1 - mover,), {"win": True}, turns), task, QUIET, lasting)

    def advice(self, mode: int) -> Advice:
        """Return what the attacker plays who wins within so many turns, as far as ``mode`` shows it."""

        def advise(position: Position, turns: int) -> int | None:
            tried = ALL if len(position.legal_actions) <= FEW else mode
            win = self.prover.shortest(position, turns, tried)
            return None if win is None else win.action

        return advise

    def survives(self, position: Position, action: Action, turns: int) -> bool:
        """Return whether the opponent does not win within ``turns`` turns after ``action``."""
        after = position.play(action)
        if after.scores:
            return after.scores[1 - (position.mover or 0)] < 1.0
        return not self.prover.ask(after, turns, ALL if len(after.legal_actions) <= FEW else QUIET)

    def idea(
        self, position: Position, claim: Claim, task: str, mode: int, right: list[int], refute: bool = True
    ) -> PuzzleIdea | None:
        """Return the puzzle with these ``right`` first actions; None if they are not proved in time."""
        advise = self.advice(mode)
        try:
            proved = solved(position, claim, most=MOST_RIGHT, budget=TREE, advise=advise, right=right, refute=refute)
        except TooMuch:
            return None
        if proved is None:
            return None
        found = tags(position, claim, proved)
        return PuzzleIdea(
            position, claim.attackers, claim.goal, claim.turns, task, proved.right, proved.wrong, found,
            difficulty(position, claim, len(proved.right), found),
        )  # fmt: skip


def scattered(seed: int, side: int, share: float, pattern: str = "") -> Position:
    """Return a random position in which a ``share`` of the cells has pieces. A ``pattern`` lacks one of its pieces; the
    mover wins with a triangle, but has to stop a circle or a line."""
    chance = random.Random(seed)
    game = Game(game_definition("sanqi"), {"side": side})
    cells = range(len(game.board))
    while True:
        row = game.new_row()
        game.kernels.clear(game.data, row)
        kinds = {cell: chance.randint(1, 3) for cell in chance.sample(cells, round(share * len(cells)))}
        if pattern:
            almost = chance.choice(patterns(game.board)[pattern])
            kinds |= dict.fromkeys(almost, chance.randint(1, 3))
            kinds[chance.choice(almost)] = chance.randint(0, 3) if pattern == "triangle" else 0
        for cell, kind in kinds.items():
            if kind:
                game.kernels.flip(game.data, row, cell, kind)
        row[layout.MOVER] = {"circle": 1, "line": 0}.get(pattern, chance.randrange(2))
        game.kernels.refresh(game.data, row)
        if not row[layout.CIRCLES] + row[layout.LINES] + row[layout.TRIANGLES]:
            return Position(game, row)


def _near(tag: str, share: float, pattern: str = "", plies: int = 8) -> tuple[PuzzleSource, ...]:
    """Return the short games from scattered positions that are played for ``tag``."""
    return tuple(
        PuzzleSource(
            {"side": side}, "level:4", noise=0.3, plies=plies, find=functools.partial(find, tag=tag),
            start=functools.partial(scattered, side=side, share=share, pattern=pattern),
        )
        for side in (5, 6)
    )  # fmt: skip


NOISY = tuple(
    PuzzleSource({"side": side}, engine, noise=noise)
    for side, engine, noise in ((5, "level:4", 0.3), (6, "level:4", 0.3), (5, "random", 1.0))
)

MOTIFS = (
    Motif("circle", "Complete a circle", "Find how First gets six pieces of one kind around a cell.", ("circle",)),
    Motif("line", "Complete a line", "Find how Second gets six pieces of one kind in a row.", ("line",)),
    Motif("triangle", "Complete a triangle", "Find the triangle, which wins for either player.", ("triangle",)),
    Motif(
        "pivot",
        "Two threats at once",
        "Find the piece that threatens in two places, of which your opponent can stop only one.",
        ("pivot",),
    ),
    Motif(
        "ko", "Protected by ko", "Find the threat that your opponent could replace if ko did not forbid it.", ("ko",)
    ),
    Motif(
        "quiet", "The quiet move", "Find the move that threatens nothing yet and still wins by force.", ("quiet move",)
    ),
    Motif("stop", "Stop a win", "Find the few moves that stop every threat of your opponent.", ("defence",)),
    Motif(
        "right-kind",
        "Block with the right kind",
        "Find the kind that blocks without completing your opponent's pattern.",
        ("delayed win",),
    ),
)

PUZZLES = Puzzles(
    sources=tuple(
        PuzzleSource({"side": side}, "level:6", noise=noise) for side in (5, 6, 7, 8) for noise in (0.1, 0.2)
    ),
    find=find,
    folder=Path(__file__).parent,
    by_tag={
        "triangle": _near("triangle", 0.5, "triangle", 0),
        "ko": _near("ko", 0.5),
        "quiet move": _near("quiet move", 0.6, plies=30),
        "delayed win": (*_near("delayed win", 0.3, "circle"), *_near("delayed win", 0.3, "line")),
        "5 turns": NOISY,
    },
    named_options=("side",),
    motifs=MOTIFS,
)
