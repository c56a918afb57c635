"""Small games solved, with certificates that ``tercet puzzle check`` verifies.

    python benchmarks/solved.py whole --boards 2x2 2x3 --out docs/research/solved/whole.jsonl  # Sparklies and its Duel
    python benchmarks/solved.py whole --boards 3x3 --seconds 60 --out whole-3x3.jsonl
    python benchmarks/solved.py solitaires --out docs/research/solved/solitaires.jsonl
    python benchmarks/solved.py openings --out docs/research/solved/openings.jsonl  # SanQi: how early a game is decided
    python benchmarks/solved.py endings                                    # Triplicity
    tercet puzzle check docs/research/solved/*.jsonl

Each prints a line of a table for what it solves, with what could not be decided within ``--seconds``.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import tercet
from tercet.core.game import Position
from tercet.core.proofs import Claim, Tree, grouped
from tercet.engines import Limits, level
from tercet.learning.puzzles import check

LARGEST = 60_000  # characters of a certificate
GAMES = 60
SIDES = (4, 5, 6, 8, 10)
OPENINGS = 200  # games at each side
PROOF_TRIES = 100_000  # actions, for each position of theirs
CERTIFICATE_TRIES = 10_000_000
AGES = 60  # turns: more than any of these games has


class Late(Exception):  # noqa: N818  (no error: it is given up)
    """Time is up."""


class Whole:
    """A game of two, searched to its end from everywhere that is asked, with all positions remembered."""

    def __init__(self, seconds: float) -> None:
        self.until = time.perf_counter() + seconds
        self.known: dict[bytes, float] = {}

    def value(self, position: Position) -> float:
        """The first player's share of the point with best play. Late."""
        scores = position.scores
        if scores is not None:
            return float(scores[0])
        key = hashlib.blake2b(position.key(), digest_size=16).digest()
        if key not in self.known:
            if time.perf_counter() > self.until:
                raise Late
            best = -1.0
            sign = 1 if position.mover == 0 else -1
            for action in position.legal_actions:
                found = sign * self.value(position.play(action))
                best = found if best == -1.0 or found > best else best
                if best == max(sign, 0):
                    break
            self.known[key] = sign * best
        return self.known[key]

    def proof(self, position: Position, winner: int) -> Tree:
        """A proof that ``winner`` wins from ``position``, as ``docs/puzzles.md`` describes it."""
        won = 1.0 - winner
        if position.mover == winner:
            for action in position.legal_actions:
                after = position.play(action)
                if self.value(after) == won:
                    rest = None if after.is_over else self.proof(after, winner)
                    return [str(action)] if rest is None else [str(action), rest]
            raise AssertionError("the position is won")
        answers = []
        for action in position.legal_actions:
            after = position.play(action)
            answers.append((action, None if after.is_over else self.proof(after, winner)))
        return grouped(answers)


def puzzle(
    position: Position, claim: Claim, right: dict[str, Tree], task: str, name: str, **more: Any
) -> dict[str, Any]:
    """A certificate in the form of a puzzle; Refused where it does not hold."""
    made = {
        "id": name, "game": position.game.name, "options": dict(position.game.options), "position": str(position),
        "attackers": list(claim.attackers), "goal": dict(claim.goal), "turns": claim.turns, "mover": position.mover,
        "right": right, "task": task, "tags": ["solved"], "rating": 0, "source": {"command": "benchmarks/solved.py"},
    } | more  # fmt: skip
    check(made)
    return made


def whole(seconds: float, boards: Sequence[str] = ("2x2", "2x3", "3x3")) -> Iterator[dict[str, Any]]:
    """Sparklies for two and its Duel, on 2x2 and 3x3; where the proof of the whole is too long, of a position that is
    come to from there."""
    rulesets = tercet.game("sparklies").definition.options
    choices = next(option for option in rulesets if option.name == "ruleset").choices
    wanted = [{"board": board, "mode": "duel"} for board in boards]
    wanted += [{"board": board, "ruleset": name} for board in boards for name in reversed(choices)]
    for options in wanted:
        try:
            game = tercet.game("sparklies", **options)
        except tercet.TercetError:
            continue
        for seed in range(3):
            start, solver, began = game.start(seed), Whole(seconds), time.perf_counter()
            try:
                share = solver.value(start)
            except (Late, RecursionError):
                print(f"| {options} | {seed} | not decided in {seconds:.0f} s | {len(solver.known)} |", flush=True)
                continue
            took = time.perf_counter() - began
            print(f"| {options} | {seed} | {share:g} | {len(solver.known)} | {took:.1f} s |", flush=True)
            made = certificate(start, solver, seed)
            if made is not None:
                yield made


def certificate(start: Position, solver: Whole, seed: int) -> dict[str, Any] | None:
    """The proof for the first position on the way of a game whose proof is short enough; it begins a turn."""
    chance, position = random.Random(seed), start
    solver.until = time.perf_counter() + 30
    while not position.is_over:
        share = solver.value(position)
        if share in (0.0, 1.0) and not position.turn_is_open:
            winner = 1 - int(share)
            try:
                made = won(position, solver, winner)
            except Late:
                return None
            if made is not None:
                return made
        position = position.play(chance.choice(position.legal_actions))
    return None


def won(position: Position, solver: Whole, winner: int) -> dict[str, Any] | None:
    """A certificate that ``winner`` wins; None where it would be too long."""
    name = f"solved-{hashlib.blake2b(str(position).encode(), digest_size=5).hexdigest()}"
    claim = Claim((winner,), {"win": True}, AGES)
    task = f"{position.game.players[winner]} wins, whatever the other one does."
    if position.mover == winner:
        tree = solver.proof(position, winner)
        right = {tree[0]: tree[1] if len(tree) > 1 else None}
    else:  # nothing helps the mover: every first action is one after which the other wins
        return None
    if len(json.dumps(right)) > LARGEST:
        return None
    return puzzle(position, claim, right, task, name)


def solitaires(seconds: float) -> Iterator[dict[str, Any]]:
    """Speed for one: the fewest turns. That fewer are not enough is checked by trying everything."""
    for board in ("2x2", "2x3", "3x3", "3x4", "4x4"):
        game = tercet.game("sparklies", board=board, ruleset="speed", players=1)
        solver = game.definition.solver
        assert solver is not None
        for seed in range(4):
            start = game.start(seed)
            found = solver.solve(start, seconds, None)
            said = f"{found.high}" if found.is_proven else f"{found.low} to {found.high}"
            print(f"| {board} | {seed} | {said} | {found.tried} | {found.seconds:.1f} s |", flush=True)
            if not found.is_proven or len(game.board) > 9:
                continue
            actions = [action for turn in found.line for action in turn]
            tree: Tree = None
            for action in reversed(actions[1:]):
                tree = [action] if tree is None else [action, tree]
            claim = Claim((0,), {"over": True}, found.high)
            more: dict[str, Any] = {}
            if found.high > 1:
                more["best"] = {"goal": {"over": True}, "turns": found.high - 1, "proof": None}
            task = f"Fill the board in {found.high} turns; fewer are not enough."
            yield puzzle(start, claim, {actions[0]: tree}, task, f"solitaire-{board}-{seed}", **more)


def openings(seconds: float) -> Iterator[dict[str, Any]]:
    """How early the prover decides games of SanQi at each side: First's first action is any, then engines of level 9
    play both."""
    from tercet.core.proofs import solved
    from tercet.games.sanqi.engine.prover import Prover, Win

    for side in SIDES:
        game = tercet.game("sanqi", side=side)
        prover, until = Prover(game, 1 << 20), time.perf_counter() + seconds
        earliest: tuple[int, Position, Win] | None = None
        for seed in range(OPENINGS):
            if time.perf_counter() > until:
                print(f"side {side}: {seed} games only in {seconds:.0f} s", file=sys.stderr)
                break
            players = [level(game, 9, seed=2 * seed + seat) for seat in range(2)]
            start = game.start()
            line = [start, start.play(random.Random(seed).choice(list(start.legal_actions)))]
            while not line[-1].is_over:
                line.append(line[-1].play(players[line[-1].mover or 0].think(line[-1], Limits()).action))
            for ply, position in enumerate(line[:-1] if earliest is None else line[: earliest[0]]):
                win = prover.prove(position, tries=PROOF_TRIES)
                if win is not None:
                    earliest = ply, position, win
                    break
        if earliest is None:
            continue
        ply, position, win = earliest

        def advise(left: Position, turns: int, mode: int = win.mode, prover: Prover = prover) -> int | None:
            found = prover.shortest(left, turns, mode)
            return None if found is None else found.action

        winner = position.mover or 0
        claim = Claim((winner,), {"win": True}, win.turns)
        proved = solved(
            position, claim, most=1, budget=CERTIFICATE_TRIES, advise=advise, right=[win.action], refute=False
        )
        if proved is None:
            continue
        (first,) = proved.right
        who = game.players[winner]
        print(f"| {side} | {ply} actions | {who} in {win.turns}, beginning with {first} | {position} |", flush=True)
        name = f"solved-{hashlib.blake2b(str(position).encode(), digest_size=5).hexdigest()}"
        task = f"{who} wins in {win.turns} turns, whatever {game.players[1 - winner]} does."
        yield puzzle(position, claim, proved.right, task, name)


def endings(seconds: float) -> Iterator[dict[str, Any]]:  # noqa: ARG001  (the tables are built, however long it takes)
    """King, and king and one man, against king: how many positions are won, and the longest wins. Certificates of some
    come with the game: ``tercet puzzle list triplicity --tag ending``."""
    import numpy as np

    from tercet.games.triplicity.engine.tablebase import ORDER
    from tercet.games.triplicity.engine.tablebase import endings as tables
    from tercet.games.triplicity.rules import KINDS

    known = tables()
    for kind in ORDER:
        known.build(kind)
        values = known.values(kind)
        mover, other = values[..., 0], values[..., 1]
        seen = int((mover > 0).sum())
        longest = int(np.abs(values).max())
        name = KINDS[kind] if kind else "none"
        lost = int((other < 0).sum())
        print(f"| {name} | {seen} won of those with the move | {lost} lost for the king alone | {(longest + 1) // 2} |")
    yield from ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    makers: dict[str, Callable[[float], Iterator[dict[str, Any]]]] = {
        "whole": whole,
        "solitaires": solitaires,
        "openings": openings,
        "endings": endings,
    }
    parser.add_argument("what", choices=list(makers))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--out", type=Path, default=Path(os.devnull))
    parser.add_argument("--boards", nargs="*", default=["2x2", "2x3", "3x3"], help="of whole games")
    chosen = parser.parse_args()
    makers["whole"] = functools.partial(whole, boards=chosen.boards)
    sys.setrecursionlimit(20_000)
    with chosen.out.open("w", encoding="utf-8") as out:
        for made in makers[chosen.what](chosen.seconds):
            out.write(json.dumps(made, ensure_ascii=False) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
