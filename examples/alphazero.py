"""Self-play in the manner of AlphaZero: a small network guides a tree search, and learns from what the search found.

    pip install 'tercet[train]'
    python examples/alphazero.py                                        # minutes
    python examples/alphazero.py --rounds 1 --games 4 --simulations 8   # a look

All games of a round think side by side, so that the network is asked about many positions at once. Values are kept for
every player, so that two and three players and turns of several actions are one case.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from torch import nn

import tercet


class Net(nn.Module):
    """Planes in, logits of all actions and the players' shares (the mover's first) out."""

    def __init__(self, game: tercet.Game, width: int = 128) -> None:
        super().__init__()
        entries = len(game.rules.planes) * len(game.board)
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(entries, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, game.rules.actions), nn.Linear(width, len(game.players))

    def forward(self, planes: Any) -> tuple[Any, Any]:
        hidden = self.body(planes)
        return self.policy(hidden), self.value(hidden).softmax(-1)


class Node:
    """A position in the tree: its actions, their priors and visits, and the sums of the players' shares below each."""

    def __init__(self, position: tercet.Position) -> None:
        self.position = position
        self.actions: list[int] = []
        self.children: dict[int, Node] = {}

    def open(self, logits: Any) -> None:
        self.actions = [int(action) for action in self.position.legal_actions]
        weights = np.exp(logits[self.actions] - logits[self.actions].max())
        self.priors = weights / weights.sum()
        self.visits = np.zeros(len(self.actions))
        self.totals = np.zeros((len(self.actions), len(self.position.game.players)))

    def best(self, explore: float = 1.5) -> int:
        """Where in ``actions`` the search goes on: PUCT."""
        mean = self.totals[:, self.position.mover] / np.maximum(self.visits, 1)
        return int(np.argmax(mean + explore * self.priors * np.sqrt(self.visits.sum() + 1) / (1 + self.visits)))


def descend(root: Node) -> tuple[list[tuple[Node, int]], Node]:
    """The way from the root to a node that nobody has looked at, or where the game is over."""
    path, node = [], root
    while node.actions:
        place = node.best()
        path.append((node, place))
        if place not in node.children:
            node.children[place] = Node(node.position.play(node.actions[place]))
        node = node.children[place]
    return path, node


def evaluate(net: Net, nodes: list[Node]) -> list[Any]:
    """Open the nodes that are not over; each one's shares by player."""
    going = [node for node in nodes if not node.position.is_over]
    found = {}
    if going:
        with torch.no_grad():
            logits, values = net(torch.from_numpy(np.stack([node.position.observe() for node in going])))
        for node, logit, value in zip(going, logits.numpy(), values.numpy(), strict=True):
            node.open(logit)
            found[id(node)] = np.roll(value, node.position.mover or 0)
    return [found[id(node)] if id(node) in found else np.array(node.position.outcome.scores) for node in nodes]


def think(net: Net, roots: list[Node], simulations: int, chance: np.random.Generator) -> None:
    """Search below all roots side by side."""
    evaluate(net, [root for root in roots if not root.actions])
    for root in roots:  # some noise, so that every action is tried now and then
        root.priors = 0.75 * root.priors + 0.25 * chance.dirichlet([0.3] * len(root.actions))
    for _ in range(simulations):
        ways = [descend(root) for root in roots]
        for (path, _), value in zip(ways, evaluate(net, [leaf for _, leaf in ways]), strict=True):
            for node, place in path:
                node.visits[place] += 1
                node.totals[place] += value


def play(
    net: Net, game: tercet.Game, games: int, simulations: int, chance: np.random.Generator
) -> list[tuple[Any, ...]]:
    """Play games to their ends; observation, policy and shares from the mover on for each decision."""
    roots = [Node(game.start(int(chance.integers(1 << 60)))) for _ in range(games)]
    paths: list[list[tuple[Any, Any, int]]] = [[] for _ in roots]
    examples = []
    while any(not root.position.is_over for root in roots):
        going = [index for index, root in enumerate(roots) if not root.position.is_over]
        think(net, [roots[index] for index in going], simulations, chance)
        for index in going:
            root = roots[index]
            policy = np.zeros(game.rules.actions, np.float32)
            policy[root.actions] = root.visits / root.visits.sum()
            paths[index].append((root.position.observe(), policy, root.position.mover or 0))
            place = int(chance.choice(len(root.actions), p=root.visits / root.visits.sum()))
            roots[index] = root.children[place]
    for root, path in zip(roots, paths, strict=True):
        scores = np.array(root.position.outcome.scores, np.float32)
        examples += [(planes, policy, np.roll(scores, -mover)) for planes, policy, mover in path]
    return examples


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="sanqi")
    parser.add_argument("--option", action="append", default=[], help="name=value, repeatable")
    for name, value in (("rounds", 10), ("games", 64), ("simulations", 48), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    options = dict(word.split("=", 1) for word in asked.option) or ({"side": "4"} if asked.game == "sanqi" else {})
    torch.manual_seed(asked.seed)
    chance = np.random.default_rng(asked.seed)
    game = tercet.game(asked.game, **options)
    net = Net(game)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for number in range(1, asked.rounds + 1):
        examples = zip(*play(net, game, asked.games, asked.simulations, chance), strict=True)
        planes, policies, shares = (torch.from_numpy(np.stack(each)) for each in examples)
        for _ in range(10):
            for chosen in torch.randperm(len(planes)).split(128):
                logits, values = net(planes[chosen])
                loss = nn.functional.cross_entropy(logits, policies[chosen])
                loss = loss + nn.functional.cross_entropy(values.log(), shares[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        print(f"round {number}: {len(planes)} decisions, loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
