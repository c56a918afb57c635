"""PPO with action masks in the manner of CleanRL, by self-play on a batch of games.

    pip install 'tercet[train]'
    python examples/ppo.py                                # minutes
    python examples/ppo.py --updates 2 --games 16         # a look

One network plays all seats. Its value head foretells every player's utility, the mover's first, so that two and three
players and turns of several actions are all one case: advantages are computed for every player, and each action is
credited with its own player's.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn

from tercet.batch import Batch


class Agent(nn.Module):
    """Planes in, logits of all actions and the players' utilities out."""

    def __init__(self, entries: int, actions: int, players: int, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(entries, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, players)

    def forward(self, planes: Any, masks: Any) -> tuple[torch.distributions.Categorical, Any]:
        hidden = self.body(planes.float())
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(hidden)


def by_player(values: Any, movers: Any) -> Any:
    """Values told from the mover on, put in the order of the players."""
    players = values.shape[-1]
    return values.gather(-1, (torch.arange(players) - movers.unsqueeze(-1)) % players)


def collect(agent: Agent, batch: Batch, steps: int) -> dict[str, Any]:
    """Play ``steps`` actions in every game; what was seen, done and given, first axis the step."""
    kept: dict[str, list[Any]] = {name: [] for name in ("planes", "masks", "movers", "actions", "logs", "values")}
    rewards, dones = [], []
    players = batch.scores.shape[1]
    for _ in range(steps):
        planes, masks, movers = (torch.from_numpy(a.copy()) for a in (batch.observations, batch.masks, batch.movers))
        with torch.no_grad():
            policy, values = agent(planes, masks)
        actions = policy.sample()
        for name, value in zip(
            kept, (planes, masks, movers, actions, policy.log_prob(actions), by_player(values, movers)), strict=True
        ):
            kept[name].append(value)
        batch.step(actions.numpy())
        utility = np.where(batch.done[:, None], (players * batch.scores - 1) / (players - 1), 0.0)
        rewards.append(torch.from_numpy(utility).float())
        dones.append(torch.from_numpy(batch.done.copy()))
    found = {name: torch.stack(values) for name, values in kept.items()}
    return {**found, "rewards": torch.stack(rewards), "dones": torch.stack(dones).float()}


def advantages(agent: Agent, batch: Batch, seen: dict[str, Any], decay: float = 0.95) -> tuple[Any, Any]:
    """Generalised advantages of each action for its player, and what each player's value should have been."""
    planes, masks, movers = (torch.from_numpy(a.copy()) for a in (batch.observations, batch.masks, batch.movers))
    with torch.no_grad():
        following = by_player(agent(planes, masks)[1], movers)
    gains = torch.zeros_like(seen["values"])
    gain = torch.zeros_like(following)
    for step in reversed(range(len(gains))):
        going = (1 - seen["dones"][step]).unsqueeze(-1)
        gain = seen["rewards"][step] + going * following - seen["values"][step] + decay * going * gain
        gains[step], following = gain, seen["values"][step]
    return gains.gather(-1, seen["movers"].unsqueeze(-1)).squeeze(-1), gains + seen["values"]


def update(agent: Agent, optimizer: Any, seen: dict[str, Any], gains: Any, targets: Any) -> tuple[float, float]:
    """Four epochs of clipped policy gradients; the last losses of policy and value."""
    flat = {name: value.flatten(0, 1) for name, value in seen.items()}
    gains, targets = gains.flatten(), targets.flatten(0, 1)
    for _ in range(4):
        for chosen in torch.randperm(len(gains)).split(1024):
            policy, values = agent(flat["planes"][chosen], flat["masks"][chosen])
            ratio = (policy.log_prob(flat["actions"][chosen]) - flat["logs"][chosen]).exp()
            gain = gains[chosen]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            value_loss = (by_player(values, flat["movers"][chosen]) - targets[chosen]).square().mean()
            loss = policy_loss + 0.5 * value_loss - 0.01 * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return policy_loss.item(), value_loss.item()


def against_random(agent: Agent, name: str, options: dict[str, str], games: int = 128) -> float:
    """The mean share of the point that the agent wins as first player from players who play at random."""
    batch = Batch(name, games, seed=7, autoreset="off", **options)
    while not batch.done.all():
        with torch.no_grad():
            policy, _ = agent(torch.from_numpy(batch.observations), torch.from_numpy(batch.masks))
        actions = np.where(batch.movers == 0, policy.sample().numpy(), batch.random_actions())
        batch.step(actions, where=~batch.done)
    return float(batch.scores[:, 0].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="sanqi")
    parser.add_argument("--option", action="append", default=[], help="name=value, repeatable")
    parser.add_argument("--games", type=int, default=128)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    options = dict(word.split("=", 1) for word in asked.option) or ({"side": "4"} if asked.game == "sanqi" else {})
    batch = Batch(asked.game, asked.games, seed=asked.seed, **options)
    entries = batch.observations.shape[1] * batch.observations.shape[2]
    agent = Agent(entries, batch.masks.shape[1], batch.scores.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    print(f"share of the point against random play: {against_random(agent, asked.game, options):.2f}")
    for number in range(1, asked.updates + 1):
        begun = time.perf_counter()
        seen = collect(agent, batch, asked.steps)
        losses = update(agent, optimizer, seen, *advantages(agent, batch, seen))
        rate = asked.games * asked.steps / (time.perf_counter() - begun)
        if number % 10 == 0 or number == asked.updates:
            print(f"update {number}: policy {losses[0]:+.3f}, value {losses[1]:.3f}, {rate:,.0f} steps/s", end="; ")
            print(f"against random play {against_random(agent, asked.game, options):.2f}")


if __name__ == "__main__":
    main()
