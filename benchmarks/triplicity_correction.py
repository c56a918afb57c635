"""Learns the network that corrects Triplicity's evaluation (``tercet.games.triplicity.engine.correction``), in steps:

    python benchmarks/triplicity_correction.py play games.npz --games 3000 --seed 1
    python benchmarks/triplicity_correction.py learn correction.json games.npz
    python benchmarks/triplicity_correction.py play more.npz --games 3000 --seed 2 --random 0.2 --with correction.json
    python benchmarks/triplicity_correction.py learn correction.json games.npz more.npz
    python benchmarks/triplicity_correction.py match correction.json --games 300

``play`` lets the engine play itself, ``--nodes`` an action, and now and then an action at random, and notes of each
position what the network is given and the strengths made by hand, for each player what his next search expected (the
mover's of this position, the next one's of the next), and the result, if few actions were at random. ``learn`` fits the
network so that strengths foretell what searches expect, and somewhat less results, prints how well they do of what was
held out (every sixth game), and writes the file, with the card named by ``--card``. ``match`` plays one engine with the
network against two without, and two against one, in all seats, at equal nodes. Learning needs PyTorch
(``tercet[train]``).
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import tercet
from tercet.game import Position
from tercet.games.triplicity.engine.correction import read_correction, written
from tercet.games.triplicity.engine.evaluation import WEIGHTS
from tercet.games.triplicity.engine.kernels import attacks
from tercet.games.triplicity.engine.kernels import correction as layout
from tercet.games.triplicity.engine.kernels.evaluation import NEARLY
from tercet.games.triplicity.engine.levels import LEVELS
from tercet.games.triplicity.engine.planner import Plan, SearchPlanner
from tercet.games.triplicity.engine.search import Search
from tercet.games.triplicity.kernels import layout as board

OPENING = range(3, 9)  # actions at random at the beginning
SETTLED = 8  # positions before that many actions are not learnt from
LONGEST = 700
UNKNOWN = 1 << 30  # in the place of a value
POINT = math.log(2) / WEIGHTS["scale"]  # of the logarithm of odds
BATCH, PEAK, HELD_BACK, HUBER = 1024, 4e-3, 1e-2, 2e-5
RESULTS = 0.25  # how much results count beside what searches expect
FEW = 0.05  # with a greater share of actions at random results say little


class Player(SearchPlanner):
    """The engine at full strength with so many nodes, without the line that it expects."""

    def __init__(self, nodes: int, seed: int, corrected: Sequence[int]) -> None:
        strength = replace(LEVELS[10], nodes=nodes, table=16, endings=False)
        super().__init__(tercet.game("triplicity"), strength, seed, None, corrected)

    def choose(self, position: Position) -> tuple[int, int]:
        """An action, and what it is worth to the mover."""
        return self.plan(position, None, None, None, bool, lambda *_: None)[0].actions[0], self.value

    def _expected(self, position: Position, plan: Plan, until: float | None) -> Plan:  # noqa: ARG002
        return plan


def seen(search: Search, position: Position) -> tuple[Any, list[int]]:
    """What the network is given of each player, and their strengths made by hand, from the mover on."""
    strengths = search.strengths(position)
    found = np.array(search.memory.work[attacks.SEEN : attacks.READY]).reshape(3, attacks.EACH)
    order = [((position.mover or 0) + step) % 3 for step in range(3)]
    return found[order].astype(np.int16), [strengths[player] for player in order]


def expected(moves: list[tuple[int, int]], at: int) -> list[int]:
    """What the mover's search expects, and those of the next two actions, if they are those of the next two players."""
    mover = moves[at][0]
    found = [UNKNOWN] * 3
    for step in range(min(3, len(moves) - at)):
        player, value = moves[at + step]
        role = (player - mover) % 3
        if role < step:  # the turn is the mover's again: somebody has left the game, or owed a sacrifice
            break
        if abs(value) < NEARLY:
            found[role] = value
    return found


def play(arguments: argparse.Namespace) -> None:
    """Write ``given``, ``strengths``, ``values`` (UNKNOWN where there is none), ``results`` (the same), ``left`` and
    ``game`` of positions."""
    chance = random.Random(arguments.seed)
    corrected = read_correction(Path(arguments.corrected)) if arguments.corrected else ()
    players = [Player(arguments.nodes, 10 * arguments.seed + seat, corrected) for seat in range(3)]
    by_hand = Search(tercet.game("triplicity"), replace(LEVELS[10], table=8), None, [0] * layout.GIVEN)
    notes: dict[str, list[Any]] = {name: [] for name in ("given", "strengths", "values", "results", "left", "game")}
    for number in range(arguments.games):
        position, opening = tercet.game("triplicity").start(), chance.choice(OPENING)
        moves: list[tuple[int, int]] = []
        kept: list[tuple[int, Any, list[int]]] = []
        for player in players:
            player.reset()
        while not position.is_over and len(moves) < LONGEST:
            mover, value = position.mover or 0, UNKNOWN
            if len(moves) < opening or chance.random() < arguments.random:
                action = chance.choice([int(action) for action in position.legal_actions.ids])
            else:
                action, value = players[mover].choose(position)
            if len(moves) >= SETTLED and abs(value) < NEARLY and not position.row[board.PENDING]:
                kept.append((len(moves), *seen(by_hand, position)))
            moves.append((mover, value))
            position = position.play(action)
        outcome = position.outcome if arguments.random <= FEW else None
        scores = outcome.scores if outcome else (UNKNOWN,) * 3
        for at, given, strengths in kept:
            notes["results"].append([scores[(moves[at][0] + role) % 3] for role in range(3)])
            notes["given"].append(given)
            notes["strengths"].append(strengths)
            notes["values"].append(expected(moves, at))
            notes["left"].append(sum(strength > 0 for strength in strengths))
            notes["game"].append(number)
    arrays: dict[str, Any] = {name: np.array(found) for name, found in notes.items()}
    np.savez_compressed(arguments.out, **arrays)


def learn(arguments: argparse.Namespace) -> None:
    """Fit, tell of what was held out, and write the file."""
    data = [np.load(path) for path in arguments.data]
    weights: list[int] = []
    for left in (3, 2):
        parts = {name: np.concatenate([part[name][part["left"] == left] for part in data]) for name in data[0]}
        weights += fit(parts, left, arguments.passes)
    card = json.loads(Path(arguments.card).read_text()) if arguments.card else {}
    Path(arguments.out).write_text(written(weights, card), encoding="utf-8")


def fit(parts: dict[str, Any], left: int, passes: int) -> list[int]:
    """The weights for so many players left."""
    import torch
    from torch import nn
    from torch.nn import functional

    torch.manual_seed(0)
    hand = torch.tensor(parts["strengths"], dtype=torch.float32)
    values = torch.tensor(parts["values"], dtype=torch.float32)
    playing = hand > 0
    known = (values < UNKNOWN / 2) & playing
    given = parts["given"].reshape(len(hand), -1).astype(np.float32)
    spread = parts["given"][parts["strengths"] > 0].std(0)
    spread = np.tile(np.where(spread > 0, spread, np.inf), 3)
    mean = given.mean(0)
    inputs = torch.tensor((given - mean) / spread, dtype=torch.float32)
    results = torch.tensor(parts["results"], dtype=torch.float32)
    evenness = nn.Parameter(torch.zeros(()))  # how much less results follow strengths than searches do
    network = nn.Sequential(nn.Linear(layout.INPUTS, layout.HIDDEN), nn.ReLU(), nn.Linear(layout.HIDDEN, 3))
    nn.init.zeros_(network[2].weight)
    nn.init.zeros_(network[2].bias)

    def losses(which: Any, correcting: bool = True) -> tuple[Any, Any, Any]:
        """Divergence of shares from what searches expect, in nats, and of standings, in points; the cross-entropy of
        results, in nats."""
        odds = hand[which] * POINT + (network(inputs[which]) if correcting else 0)
        odds = odds.masked_fill(~playing[which], -1e4)
        others = [torch.logsumexp(odds[:, [(role + 1) % 3, (role + 2) % 3]], 1) for role in range(3)]
        standing = (odds - torch.stack(others, 1))[known[which]]
        value = values[which][known[which]]
        share = torch.sigmoid(value * POINT)
        nats = functional.binary_cross_entropy_with_logits(standing, share) - functional.binary_cross_entropy(
            share, share
        )
        over = results[which, 0] < UNKNOWN / 2
        shares = torch.log_softmax((odds * torch.exp(-evenness)).masked_fill(~playing[which], -1e4), 1)
        surprise = -(results[which] * shares * playing[which])[over].sum(1)
        found = surprise.mean() if len(surprise) else torch.zeros(())
        return nats, functional.smooth_l1_loss(standing / POINT, value, beta=100.0), found

    held_out = torch.tensor(parts["game"] % 6 == 0)
    learnt, told = torch.nonzero(~held_out)[:, 0], torch.nonzero(held_out)[:, 0]
    steps = passes * (len(learnt) // BATCH + 1)
    optimizer = torch.optim.AdamW([*network.parameters(), evenness], lr=PEAK, weight_decay=HELD_BACK)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, PEAK, total_steps=steps)
    for round_ in range(passes + 1):
        with torch.no_grad():
            nats, points, surprise = (float(loss) for loss in losses(told, correcting=round_ > 0))
        name = f"after pass {round_}" if round_ else "by hand"
        print(f"{left} left, {name}: searches {nats:.4f} nats, {points:.1f} points; results {surprise:.4f} nats")
        if round_ == passes:
            break
        for batch in torch.split(learnt[torch.randperm(len(learnt))], BATCH):
            nats, points, surprise = losses(batch)
            optimizer.zero_grad()
            (nats + HUBER * points + RESULTS * surprise).backward()
            optimizer.step()
            schedule.step()
    return whole_numbers(network, mean, spread)


def whole_numbers(network: Any, mean: Any, spread: Any) -> list[int]:
    """The network's weights as the kernels have them."""
    (first, first_bias), (last, last_bias) = (
        (layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in (network[0], network[2])
    )
    units = first / spread
    points = 1 << layout.POINT_SHIFT
    scaled = (
        layout.SCALE * units,
        layout.SCALE * (first_bias - units @ mean),
        last / POINT * points / (layout.SCALE >> layout.UNIT_SHIFT),
        last_bias / POINT * points,
    )
    return [int(weight) for part in scaled for weight in np.rint(part).ravel()]


def match(arguments: argparse.Namespace) -> None:
    """Print the share of one with the network against two without, and of two against one, after each opening."""
    chance = random.Random(arguments.seed)
    sides = [
        [Player(arguments.nodes, 10 * arguments.seed + number, corrected) for number in range(first, first + 3)]
        for first, corrected in ((0, ()), (3, read_correction(Path(arguments.out))))
    ]
    points = {1: 0.0, 2: 0.0}
    for played in range(1, arguments.games // 6 + 1):
        start = tercet.game("triplicity").start()
        for _ in range(chance.choice(OPENING)):
            start = start.play(chance.choice([int(action) for action in start.legal_actions.ids]))
        for count in (1, 2):
            for turned in range(3):
                seats = [(seat + turned) % 3 < count for seat in range(3)]
                players = [sides[int(which)][seat] for seat, which in enumerate(seats)]
                points[count] += share_of(seats, players, start)
        shares = {count: total / (3 * played) for count, total in points.items()}
        print(f"{3 * played} games each: one {shares[1]:.1%} (par 33.3), two {shares[2]:.1%} (par 66.7)", flush=True)


def share_of(seats: list[bool], players: list[Player], position: Position) -> float:
    """The point's share that those in ``seats`` get in a game from ``position``."""
    for player in players:
        player.reset()
    for _ in range(LONGEST):
        if position.is_over:
            break
        position = position.play(players[position.mover or 0].choose(position)[0])
    scores = position.outcome.scores if position.outcome else (1 / 3,) * 3
    return sum(score for score, which in zip(scores, seats, strict=True) if which)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for step in (play, learn, match):
        command = steps.add_parser(step.__name__, help=step.__doc__)
        command.add_argument("out", metavar="FILE")
        command.set_defaults(step=step)
        if step is learn:
            command.add_argument("data", nargs="+")
            command.add_argument("--passes", type=int, default=5)
            command.add_argument("--card", help="a JSON file to write into the network's")
        else:
            command.add_argument("--games", type=int, default=300)
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--nodes", type=int, default=2_000, help="of each action")
        if step is play:
            command.add_argument("--random", type=float, default=0.02, help="this share of actions")
            command.add_argument("--with", dest="corrected", help="play with this network")
    arguments = parser.parse_args()
    arguments.step(arguments)


if __name__ == "__main__":
    main()
