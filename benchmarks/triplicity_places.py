"""What is a man of Triplicity worth on each cell?

    python -m benchmarks.triplicity_places play games --games 20000
    python -m benchmarks.triplicity_places learn games --out placement.csv
    python -m benchmarks.triplicity_tuning match shipped unplaced --nodes 2000 --blocks 200 --out placed.jsonl

``play`` lets full strength, without these points, play itself with few nodes an action. A game begins with 2 to 10
random actions, and later one action in forty is random. Files of :data:`PIECE` games hold the actions and what each
search expected. A file is whole or absent: after any interruption the command goes on where it was.

``learn`` replays the games. It takes the positions of three players in which nothing is taken next, and finds the
points of each kind on each cell, as White sees the board, that predict best what each player may expect: the mean of
what the player's own later searches expect and of the result, each search counting for a fifth of what is left. All
three players share the table. One game in twenty is held out. The loss is the cross entropy in nats.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tercet
from benchmarks.triplicity_tuning import Lead, choose
from tercet.core.game import Game
from tercet.games.triplicity.engine.planner import LEVELS, SearchPlanner, places
from tercet.games.triplicity.kernels import layout

PIECE = 200
WANDER = 1 / 40
KEPT = 0.8  # of an expectation, the part that comes from later searches and the result
SOFT = 0.5, 1.2  # by which values are multiplied before they predict results best, with three and with two left
BATCH, RATE = 2048, 0.1
KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")
EDGE = 31_000  # values beyond are decided games

Array = NDArray[Any]


@cache
def game() -> Game:
    return tercet.game("triplicity")


@cache
def player() -> SearchPlanner:
    made = SearchPlanner(game(), replace(LEVELS[10], table=14, endings=False, placed=False), 0)
    made.lines = 0
    return made


def play_game(seed: int, nodes: int) -> tuple[list[int], list[int], list[bool], tuple[float, ...]]:
    """Return the actions of a game, what the mover expected, which actions were random, and the scores."""
    chance, thinker, position, lead = random.Random(seed), player(), game().start(seed=0), Lead()
    thinker.reset()
    start, actions, values, lots = chance.randint(2, 10), list[int](), list[int](), list[bool]()
    while position.mover is not None:
        mover = position.mover
        lots.append(len(actions) < start or chance.random() < WANDER)
        if lots[-1]:
            actions.append(chance.choice([int(action) for action in position.legal_actions]))
            values.append(0)
        else:
            actions.append(choose(thinker, position, nodes, None))
            values.append(max(-EDGE - 1, min(EDGE + 1, thinker.value)))
        position = position.play(actions[-1])
        winner = None if lots[-1] else lead.winner(position, mover, values[-1])
        if winner is not None:
            return actions, values, lots, tuple(float(seat == winner) for seat in range(3))
    assert position.scores is not None
    return actions, values, lots, position.scores


def play_piece(task: tuple[Path, int, int]) -> int:
    """Play the games of one file, and write it."""
    path, number, nodes = task
    games = [play_game(PIECE * number + i, nodes) for i in range(PIECE)]
    beside = path.with_suffix(".part.npz")
    np.savez_compressed(
        beside,
        a=np.array([action for one in games for action in one[0]], np.uint16),
        v=np.array([value for one in games for value in one[1]], np.int16),
        f=np.array([lot for one in games for lot in one[2]], np.uint8),
        s=np.array([one[3] for one in games], np.float32),
        n=np.array([len(one[0]) for one in games], np.int32),
    )
    beside.replace(path)
    return number


def expectations(values: Array, left: Array) -> Array:
    """What share of the point the mover may expect where a search expects ``values``, with so many players left."""
    three, two = SOFT
    soft = np.where(left == 3, three * (values + 400) - 400, two * values)
    return np.where(np.abs(values) >= EDGE, values > 0, 1 / (1 + 2 ** (-soft / 400)))


def read_piece(path: Path) -> list[Array]:
    """Return, of the positions to learn from: the men on all cells, each player's strength without a search, what each
    may expect, the result, and the number of the game."""
    piece, search = np.load(path), player().search
    first, found = 0, list[list[Array]]()
    for number, length in enumerate(piece["n"]):
        actions, lots = piece["a"][first : first + length], piece["f"][first : first + length] > 0
        values = piece["v"][first : first + length].astype(np.float64)
        first += length
        position, rows, strong = game().start(seed=0), [], []
        for action in actions:
            rows.append(np.array(position.row))
            strong.append(search.strengths(position))
            position = position.play(int(action))
        table = np.array(rows)
        states, turns = table[:, layout.STATE : layout.STATE + 3] == layout.ACTIVE, table[:, layout.TURN]
        own = (table[:, layout.PENDING] == 0) & ~lots
        share = expectations(values, states.sum(1))
        later, target = piece["s"][number].astype(np.float64), np.zeros((length, 3))
        for ply in range(length - 1, -1, -1):
            if own[ply]:
                later[turns[ply]] = KEPT * later[turns[ply]] + (1 - KEPT) * share[ply]
            now = later * states[ply]
            target[ply] = now / max(now.sum(), 1e-3)
        men = table[:, layout.CELLS : layout.CELLS + layout.SIZE].astype(np.int8)
        calm = np.append((men[1:] != 0).sum(1) >= (men[:-1] != 0).sum(1), False)  # nothing is taken next
        kept = own & calm & states.all(1) & (np.abs(values) < EDGE) & (np.arange(length) >= 4)
        result = np.broadcast_to(piece["s"][number], (length, 3))
        game_of = np.full(length, PIECE * int(path.stem) + number)
        found.append([x[kept] for x in (men, np.array(strong, np.int32), target, result, game_of)])
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


def spread(table: Array) -> Array:
    """The points of ``table`` (kinds, cells) for each player, by the number of a man and its cell: (3, 32, cells)."""
    seen = np.array(places(game())).reshape(3, layout.SIZE)
    out = np.zeros((3, 32, layout.SIZE))
    for who in range(3):
        out[who, 8 * who + 1 : 8 * who + 1 + layout.KING] = table[:, seen[who]]
    return out


def gathered(slope: Array) -> Array:
    """The slope of the table from that of `spread`."""
    seen = np.array(places(game())).reshape(3, layout.SIZE)
    out = np.zeros((layout.KING, layout.SIZE))
    for who in range(3):
        out[:, seen[who]] += slope[who, 8 * who + 1 : 8 * who + 1 + layout.KING]
    return out


def chances(men: Array, strong: Array, table: Array) -> Array:
    """Each player's share of the chances, (positions, 3), by strengths and ``table``."""
    points = spread(table)
    cells = np.arange(layout.SIZE)
    strengths = strong + np.stack([points[who][men, cells].sum(1) for who in range(3)], 1)
    odds = SOFT[0] * np.log(2) / 400 * strengths
    odds = np.exp(odds - odds.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True))


def losses(data: Sequence[Array], table: Array) -> str:
    men, strong, target, result, _ = data
    logs = np.log(
        np.concatenate(
            [chances(men[i : i + 50_000], strong[i : i + 50_000], table) for i in range(0, len(men), 50_000)]
        )
        + 1e-9
    )
    return f"expectations {-(target * logs).sum(1).mean():.5f}, results {-(result * logs).sum(1).mean():.5f}"


def run_play(given: argparse.Namespace, pool: Any) -> None:
    given.folder.mkdir(parents=True, exist_ok=True)
    paths = [(given.folder / f"{number:05d}.npz", number, given.nodes) for number in range(-(-given.games // PIECE))]
    for number in pool.imap_unordered(play_piece, [task for task in paths if not task[0].exists()]):
        print(f"games {PIECE * number} to {PIECE * (number + 1) - 1}", flush=True)


def run_learn(given: argparse.Namespace, pool: Any) -> None:
    pieces = list(pool.imap(read_piece, sorted(given.folder.glob("?????.npz"))))
    every = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
    held = every[4] % 20 == 0
    known, other = [x[~held] for x in every], [x[held] for x in every]
    table, mean, square = (np.zeros((layout.KING, layout.SIZE)) for _ in range(3))
    chance, cells, steps = np.random.default_rng(0), np.arange(layout.SIZE), 0
    print(len(known[0]), "positions; held out, before:", losses(other, table), flush=True)
    total = given.epochs * (len(known[0]) // BATCH)
    for epoch in range(given.epochs):
        order = chance.permutation(len(known[0]))
        for part in range(len(order) // BATCH):
            men, strong, target, *_ = (x[order[part * BATCH : (part + 1) * BATCH]] for x in known)
            wrong = chances(men, strong, table) - target
            slope = np.zeros((3, 32, layout.SIZE))
            for who in range(3):
                at = (men.astype(np.int64) * layout.SIZE + cells).ravel()
                more = np.bincount(at, np.repeat(wrong[:, who], layout.SIZE), 32 * layout.SIZE)
                slope[who] = more.reshape(32, layout.SIZE)
            turn = gathered(slope) / BATCH
            steps += 1
            mean, square = 0.9 * mean + 0.1 * turn, 0.999 * square + 0.001 * turn**2
            rate = RATE * (0.51 + 0.49 * np.cos(np.pi * steps / total))
            table -= rate * (mean / (1 - 0.9**steps)) / (np.sqrt(square / (1 - 0.999**steps)) + 1e-8)
        print(f"after pass {epoch + 1}:", losses(other, table), flush=True)
    with given.out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["cell", *KINDS])
        for cell, name in enumerate(game().board.names):
            writer.writerow([name, *(round(float(points)) for points in table[:, cell])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(required=True)
    play = doing.add_parser("play", help="Play games to learn from.")
    play.add_argument("folder", type=Path)
    play.add_argument("--games", type=int, default=20_000)
    play.add_argument("--nodes", type=int, default=400, help="of each search")
    play.set_defaults(run=run_play)
    learn = doing.add_parser("learn", help="Learn from such games what men are worth on each cell.")
    learn.add_argument("folder", type=Path)
    learn.add_argument("--out", type=Path, required=True, help="a table (CSV)")
    learn.add_argument("--epochs", type=int, default=4)
    learn.set_defaults(run=run_learn)
    for one in (play, learn):
        one.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    given = parser.parse_args()
    player()  # compiled once, before there are processes
    with multiprocessing.get_context("spawn").Pool(given.workers) as pool:
        given.run(given, pool)


if __name__ == "__main__":
    main()
