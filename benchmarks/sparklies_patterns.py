"""Learns what Sparklies' patterns are worth (``tercet.games.sparklies.engine.search``), in three steps:

    python benchmarks/sparklies_patterns.py play games.npz --ruleset subtle --games 350 --seed 11
    python benchmarks/sparklies_patterns.py label labels.npz games.npz --ruleset subtle --positions 1800 --seed 1
    python benchmarks/sparklies_patterns.py learn weights.json games.npz labels.npz --ruleset subtle

``play`` lets the engine without weights play itself, some thousand actions tried a turn, and notes each position at the
end of a turn with the game's result. ``label`` searches ends of turns from there some turns ahead and notes what the
search expects. ``learn`` fits weights to both by logistic regression, prints how well they foretell what was held out,
and writes a file of them, beside those of other rulesets that are there, with the card named by ``--card``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import minimize

import tercet
from tercet.core.game import Game
from tercet.games.sparklies.engine import search
from tercet.games.sparklies.engine.kernels import evaluation
from tercet.games.sparklies.engine.kernels.evaluation import WON
from tercet.games.sparklies.engine.planner import SCALE, Look, TurnPlanner, make_planner, strength
from tercet.games.sparklies.engine.search import Effort, TurnSearch
from tercet.games.sparklies.kernels import layout

SIDES = (9, 9, 9, 8, 7)
NODES = 20_000
BLUNDER = 0.12  # what was before a random turn that costs more than this share of the point is not judged by the result
LABELS = {
    "subtle": (Effort(2, 4, 2, 8, 8_000, 32), 12, Look(4, 0, 5, Effort(2, 4, 2, 8, 8_000, 8))),
    "speed": (Effort(1, 1, 12, 8, 20_000, 200), 100, Look(2, 0, 16, Effort(1, 1, 4, 8, 20_000, 16))),
}  # how to find ends of a turn, how many of the best to draw from, and how far to look ahead from each
FITS = {"subtle": (SCALE, 0.3, 0.1), "speed": (1000, 1.0, 0.03)}
# ... points of a value to one logit, how freely classes may differ from their parts, and how all weights are held back
PHASES = evaluation.PHASES
Places = tuple[tuple[int, ...], ...]
SQUARE_PARTS: tuple[Places, ...] = (
    ((0, 2), (1, 3)), ((0, 1), (1, 2), (2, 3), (3, 0)), ((0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1)),
)  # fmt: skip
LINE_PARTS: tuple[Places, ...] = (((0, 2),), ((0, 1), (1, 2)))


def known(of_length: Callable[[int], Sequence[int]], length: int) -> Any:
    """What is known of each pattern of ``length`` cells, as an array."""
    return np.array(of_length(length))


def planner_without_weights(ruleset: str, side: int, seed: int) -> TurnPlanner:
    """The engine at full strength as it was before it had weights."""
    game = tercet.game("sparklies", ruleset=ruleset, board=f"{side}x{side}")
    own = strength(9, ruleset == "speed")
    return TurnPlanner(game, replace(strength(10, ruleset == "speed"), looks=own.looks, full=False), seed)


def planner_with_weights(ruleset: str, side: int, seed: int) -> TurnPlanner:
    """The engine at full strength as it is."""
    return make_planner(tercet.game("sparklies", ruleset=ruleset, board=f"{side}x{side}"), seed=seed)


def cells_of(row: Any, size: int) -> Any:
    """Colours and holders, filled up to the largest board."""
    cells = np.full(max(SIDES) ** 2, 255, np.uint8)
    cells[:size] = np.asarray(row[layout.PLACES : layout.PLACES + size]) & 15
    return cells


def play(arguments: argparse.Namespace) -> None:
    """Write positions (cells) and for each its side, its mover, the result for the first player, and its game."""
    chance = random.Random(arguments.seed)
    planners: dict[int, TurnPlanner] = {}
    cells, notes = [], []
    for number in range(arguments.games):
        side = chance.choice(SIDES)
        if side not in planners:
            make = planner_with_weights if arguments.with_weights else planner_without_weights
            planners[side] = make(arguments.ruleset, side, arguments.seed)
        planner = planners[side]
        position, turn = planner.game.start(chance.getrandbits(40)), 0
        seen: list[tuple[Any, int]] = []
        while not position.is_over:
            free, first, second = (int(held) for held in position.row[layout.HELD : layout.HELD + 3])
            if abs(first - second) >= (side + 5 if arguments.ruleset == "subtle" else free + 2 * side):
                break
            plans = planner.plan(position, None, arguments.nodes, None, bool, lambda *_: None)
            share = 0.5 if turn < 4 else 0.2 if turn < 10 else 0.06
            which = chance.randrange(min(10 if turn < 4 else 5, len(plans))) if chance.random() < share else 0
            mover = position.mover or 0
            if plans[0].scores[mover] - plans[which].scores[mover] > BLUNDER:
                seen = []
            for action in plans[which].actions:
                position = position.play(action)
            turn += 1
            if not position.is_over:
                seen.append((cells_of(position.row, side * side), position.mover or 0))
        lead = int(position.row[layout.HELD + 1] - position.row[layout.HELD + 2])
        for board, mover in seen:
            cells.append(board)
            notes.append((side, mover, float(np.sign(lead) + 1) / 2, number))
    np.savez_compressed(arguments.out, cells=np.array(cells), notes=np.array(notes, np.float64))


def row_of(game: Game, cells: Any, mover: int) -> Any:
    """A row at the start of the mover's turn."""
    row, size = game.start().row.copy(), len(game.board)
    row[layout.PLACES : layout.PLACES + size] = cells[:size]
    row[layout.MOVER], row[layout.STEP] = mover, layout.CONTROL
    game.kernels.refresh(game.data, row)
    return row


def label(arguments: argparse.Namespace) -> None:
    """Write positions and notes as `play` does, with the share that a search expects in the place of the result."""
    chance = random.Random(arguments.seed)
    games = np.load(arguments.games_file)
    order = list(range(len(games["notes"])))
    chance.shuffle(order)
    planners: dict[int, TurnPlanner] = {}
    effort, best, look = LABELS[arguments.ruleset]
    scale = FITS[arguments.ruleset][0]
    cells: list[Any] = []
    notes: list[tuple[float, ...]] = []
    for which in order:
        if len(cells) >= arguments.positions:
            break
        side, mover, _, number = games["notes"][which]
        if side not in planners:
            make = planner_with_weights if arguments.with_weights else planner_without_weights
            planners[side] = make(arguments.ruleset, int(side), arguments.seed)
        planner = planners[side]
        start = row_of(planner.game, games["cells"][which], int(mover))
        finals = TurnSearch(planner.game, learnt=arguments.with_weights).sweep(start, effort)
        count = min(best, len(finals))
        for place in sorted({0, *chance.sample(range(count), min(count, 5))}):
            row = finals[place].row
            if int(row[layout.STATUS]) == layout.PLAYING:
                following = int(row[layout.MOVER])
                value = planner.worth(row, following, look.turns, look, -2 * WON, 2 * WON)
                share = 1 / (1 + np.exp(-np.clip(value / scale, -20, 20)))
                cells.append(cells_of(row, len(planner.game.board)))
                notes.append((side, following, share if following == 0 else 1 - share, number))
    np.savez_compressed(arguments.out, cells=np.array(cells), notes=np.array(notes, np.float64))


def shared_parts() -> Any:
    """Which parts, that patterns of several classes share, each class has: pairs beside each other and across, corners
    of three, both ends of a line. (classes, parts + classes): the class itself is a part as well."""
    base, first = evaluation.STATES, 0
    found: list[tuple[Any, Any]] = []
    pairs = np.unique(pair_classes(), return_inverse=True)[1].reshape(-1)
    corners = known(search.classes, 3)
    squares, lines = (int(known(search.classes, length).max()) + 1 for length in (4, 3))
    for length, offset, groups in ((4, 0, SQUARE_PARTS), (3, squares, LINE_PARTS)):
        kinds = known(search.classes, length)
        examples = np.zeros(int(kinds.max()) + 1, np.int64)
        examples[kinds] = np.arange(len(kinds))
        digits = [examples // base**place % base for place in range(length)]
        for group in groups:
            table = pairs if len(group[0]) == 2 else corners
            for places in group:
                number = sum(digits[place] * base**power for power, place in enumerate(places))
                found.append((offset + np.arange(len(examples)), first + table[number]))
            first += int(table.max()) + 1
    rows, columns = (np.concatenate([pair[which] for pair in found]) for which in (0, 1))
    parts = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (squares + lines, first))
    return sparse.hstack([parts, sparse.identity(squares + lines)]).tocsr()


def pair_classes() -> Any:
    """For each pair of states the least that a rotation of colours or an exchange makes of it."""
    base = evaluation.STATES
    numbers = np.arange(base * base)
    one, other = numbers % base, numbers // base
    least = numbers
    for _ in range(3):
        least = np.minimum(least, np.minimum(one + base * other, other + base * one))
        one, other = (state // 3 * 3 + (state % 3 + 1) % 3 for state in (one, other))
    return least


def design(ruleset: str, cells: Any, notes: Any) -> tuple[Any, Any, Any]:
    """How often each class occurs as the mover sees it, less how often as the other does; the same added up; then
    the lead and one, by phase. And what the mover's share was."""
    squares = int(known(search.classes, 4).max()) + 1
    size = squares + int(known(search.classes, 3).max()) + 1
    rows: list[Any] = []
    mine: list[Any] = []
    others: list[Any] = []
    dense = np.zeros((len(notes), 2 * PHASES))
    for side in sorted(set(notes[:, 0].astype(int))):
        which = np.nonzero(notes[:, 0] == side)[0]
        board = cells[which, : side * side].astype(np.int64)
        states = (board & 3) + 3 * (board >> 2)
        states = np.where(notes[which, 1][:, None] == 1, np.array(search.OTHER_HOLDER)[states], states)
        windows = search.windows_of(tercet.game("sparklies", ruleset=ruleset, board=f"{side}x{side}"))
        for found, length, first in ((windows[0], 4, 0), (windows[1], 3, squares)):
            places = np.array(found)
            numbers = sum(states[:, places[:, at]] * evaluation.STATES**at for at in range(length))
            held = (states[:, places] >= 3).any(2).ravel()
            rows.append(np.repeat(which, len(places))[held])
            mine.append(first + known(search.classes, length)[numbers.ravel()[held]])
            kinds, other = known(search.classes, length), known(search.exchanged, length)
            others.append(first + kinds[other[numbers.ravel()[held]]])
        phase = (states < 3).sum(1) * PHASES // (side * side + 1)
        dense[which, phase] = ((states >= 3) & (states < 6)).sum(1) - (states >= 6).sum(1)
        dense[which, PHASES + phase] = 1
    row = np.concatenate(rows)
    seen, opposite = (
        sparse.csr_matrix((np.ones(len(row)), (row, np.concatenate(columns))), (len(notes), size))
        for columns in (mine, others)
    )
    parts = shared_parts()
    x = sparse.hstack([(seen - opposite) @ parts, (seen + opposite) @ parts, sparse.csr_matrix(dense)]).tocsr()
    return x, np.where(notes[:, 1] == 0, notes[:, 2], 1 - notes[:, 2]), parts


def loss_of(logits: Any, shares: Any) -> float:
    """Mean cross-entropy, in nats."""
    return float((np.logaddexp(0, logits) - shares * logits).mean())


def fit(x: Any, shares: Any, scales: Any, damping: float) -> Any:
    """Logistic regression; ``scales`` say how freely each weight may grow."""
    scaled = x.multiply(scales).tocsr()
    turned = scaled.T.tocsr()

    def objective(weights: Any) -> tuple[float, Any]:
        logits = scaled @ weights
        slope = turned @ (1 / (1 + np.exp(-logits)) - shares) / len(shares)
        return loss_of(logits, shares) + damping * float(weights @ weights) / 2, slope + damping * weights

    options = {"maxiter": 100}
    return minimize(objective, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options=options).x * scales


def whole_numbers(weights: Any, parts: Any, scale: int) -> dict[str, list[int]]:
    """The weights of classes, ``scale`` to one logit."""
    count = parts.shape[1]
    against, both = (parts @ weights[at : at + count] for at in (0, count))
    found, first = {}, 0
    for length, name in ((4, "squares"), (3, "lines")):
        kinds, other = known(search.classes, length), known(search.exchanged, length)
        size = int(kinds.max()) + 1
        one, two = first + kinds, first + kinds[other]
        worth = np.zeros(size)
        worth[kinds] = against[one] - against[two] + both[one] + both[two]
        free = known(search.is_free, length)
        worth[kinds[free]] = 0
        found[name] = np.rint(scale * worth).astype(int).tolist()
        first += size
    for name, values in (("lead", weights[2 * count : 2 * count + PHASES]), ("tempo", weights[2 * count + PHASES :])):
        found[name] = np.rint(scale * values).astype(int).tolist()
    return found


def learn(arguments: argparse.Namespace) -> None:
    """Fit, tell of what was held out (every sixth game), and write the weights learnt from everything."""
    data = [np.load(path) for path in arguments.data]
    cells, notes = (np.concatenate([part[name] for part in data]) for name in ("cells", "notes"))
    x, shares, parts = design(arguments.ruleset, cells, notes)
    scale, freedom, damping = FITS[arguments.ruleset]
    grouped = np.r_[np.full(parts.shape[1] - parts.shape[0], 1.0), np.full(parts.shape[0], freedom)]
    scales = np.r_[grouped, 0.3 * grouped, np.full(2 * PHASES, 3.0)]
    held_out = notes[:, 3] % 6 == 0
    lead = np.r_[np.zeros(2 * len(grouped)), np.ones(2 * PHASES)]
    for name, free in (("by the lead alone", lead), ("by patterns", scales)):
        logits = x[held_out] @ fit(x[~held_out], shares[~held_out], free, damping)
        right = np.mean((logits > 0) == (shares[held_out] > 0.5))
        print(f"{name}: held out {loss_of(logits, shares[held_out]):.4f} nats, {100 * right:.1f} % on the right side")
    found = {arguments.ruleset: whole_numbers(fit(x, shares, scales, damping), parts, scale)}
    if Path(arguments.out).exists():
        found = {**search.read_patterns(Path(arguments.out)), **found}
    content = {"weights": found, "card": json.loads(Path(arguments.card).read_text()) if arguments.card else {}}
    text = json.dumps({**content, "hash": search.hash_of(content)}, separators=(",", ":"), sort_keys=True)
    Path(arguments.out).write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for step in (play, label, learn):
        command = steps.add_parser(step.__name__, help=step.__doc__)
        command.add_argument("out")
        command.add_argument("--ruleset", choices=tuple(LABELS), default="subtle")
        command.add_argument("--seed", type=int, default=1)
        command.set_defaults(step=step)
        if step is play:
            command.add_argument("--games", type=int, default=350)
            command.add_argument("--nodes", type=int, default=NODES, help="actions tried a turn")
        if step is label:
            command.add_argument("games_file")
            command.add_argument("--positions", type=int, default=1800)
        if step in (play, label):
            command.add_argument("--with-weights", action="store_true", help="search with the weights that there are")
        if step is learn:
            command.add_argument("data", nargs="+")
            command.add_argument("--card", help="a JSON file to write into the file of weights")
    arguments = parser.parse_args()
    arguments.step(arguments)


if __name__ == "__main__":
    main()
