"""What our part of a step of a single-game environment takes, beside an empty game behind the same library's layers.

    python benchmarks/environments.py [--rounds 9] [--seconds 0.3] [--json]

A game is recorded, and its actions are played again: in our environment, and in an *empty* one, which returns what was
recorded and does nothing else. Both are asked the same and draw an action from the same masks or lists, in turns. Our
part is the difference, for each step, in nanoseconds of processor time; medians of rounds. Libraries that are not
installed are left out. In Gymnasium the other seat plays at random; its engine is part of ours.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from tercet import environments

KINDS: dict[str, dict[str, Any]] = {
    "sanqi side=6": {"game": "sanqi", "side": 6},
    "sparklies 9x9": {"game": "sparklies"},
    "triplicity": {"game": "triplicity"},
}
MOST_PLIES = 300
Play = Callable[[], None]  # plays the recorded game


def drawn(mask: Any) -> int:
    """Return a random action of a mask, as a program would."""
    return int(random.choice(np.flatnonzero(mask).tolist()))


def pettingzoo(kind: dict[str, Any]) -> tuple[Play, Play, int]:
    """Return what plays the game in our environment and in the empty one, and its steps."""
    from pettingzoo import AECEnv

    class Empty(AECEnv):  # type: ignore[misc]
        """Turns of agents and what they saw, as recorded."""

        def __init__(self, agents: list[str], turns: list[tuple[str, Any]]) -> None:
            super().__init__()
            self.possible_agents, self.turns = agents, turns

        def reset(self, seed: int | None = None, options: Any = None) -> None:  # noqa: ARG002
            self.agents = self.possible_agents[:]
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self.infos: Any = {agent: {} for agent in self.agents}
            self.at = 0
            self.agent_selection = self.turns[0][0]

        def observe(self, agent: str) -> Any:  # noqa: ARG002
            return self.turns[self.at][1]

        def step(self, action: Any) -> None:  # noqa: ARG002
            self.at += 1
            self.agent_selection = self.turns[self.at][0]

    env = environments.aec(**kind)
    env.reset(seed=1)
    actions: list[int] = []
    turns = [(env.agent_selection, env.observe(env.agent_selection))]
    while len(actions) < MOST_PLIES:
        actions.append(drawn(turns[-1][1]["action_mask"]))
        env.step(actions[-1])
        if any(env.terminations.values()):
            actions.pop()
            break
        turns.append((env.agent_selection, env.observe(env.agent_selection)))

    def playing(env: Any) -> Play:
        def play() -> None:
            env.reset(seed=1)
            for action in actions:
                observation, _, _, _, _ = env.last()
                drawn(observation["action_mask"])
                env.step(action)

        return play

    return playing(env), playing(Empty(env.possible_agents, turns)), len(actions)


def gymnasium_seat(kind: dict[str, Any]) -> tuple[Play, Play, int]:
    """As `pettingzoo`."""

    class Empty(gymnasium.Env[Any, Any]):
        """What the seat saw, as recorded."""

        def __init__(self, seen: list[Any]) -> None:
            self.seen = seen

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed, options=options)
            self.at = 0
            return self.seen[0]

        def step(self, action: Any) -> Any:  # noqa: ARG002
            self.at += 1
            return *self.seen[self.at][:1], 0.0, False, False, self.seen[self.at][1]

    env = environments.gymnasium(opponents="random", **kind)
    actions: list[int] = []
    seen = [env.reset(seed=1)]
    while len(actions) < MOST_PLIES:
        actions.append(drawn(seen[-1][1]["action_mask"]))
        planes, _, over, _, info = env.step(actions[-1])
        seen.append((planes, info))
        if over:
            break

    def playing(env: Any) -> Play:
        def play() -> None:
            _, info = env.reset(seed=1)
            for action in actions:
                drawn(info["action_mask"])
                _, _, _, _, info = env.step(action)

        return play

    return playing(env), playing(Empty(seen)), len(actions)


def openspiel(kind: dict[str, Any]) -> tuple[Play, Play, int]:
    """As `pettingzoo`."""
    import pyspiel

    class EmptyState(pyspiel.State):  # type: ignore[misc]
        """The players to move and their legal actions, as recorded."""

        def __init__(self, game: EmptyGame) -> None:
            super().__init__(game)
            self.turns, self.at = game.turns, 0

        def current_player(self) -> int:
            return self.turns[self.at][0]

        def is_terminal(self) -> bool:
            return False

        def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
            return self.turns[self.at][1]

        def _apply_action(self, action: int) -> None:  # noqa: ARG002
            self.at += 1

    class EmptyGame(pyspiel.Game):  # type: ignore[misc]
        """Where `EmptyState` begins."""

        def __init__(self, like: Any, turns: list[tuple[int, list[int]]]) -> None:
            info = pyspiel.GameInfo(
                num_distinct_actions=like.num_distinct_actions(), max_chance_outcomes=0,
                num_players=like.num_players(), min_utility=-1.0, max_utility=1.0, utility_sum=0.0,
                max_game_length=MOST_PLIES,
            )  # fmt: skip
            super().__init__(like.get_type(), info, {})
            self.turns = turns

        def new_initial_state(self, state: Any = None) -> Any:  # noqa: ARG002
            return EmptyState(self)

    game = environments.openspiel(**kind)
    state = game.new_initial_state()
    turns: list[tuple[int, list[int]]] = []
    actions: list[int] = []
    while not state.is_terminal() and len(actions) < MOST_PLIES:
        turns.append((state.current_player(), state.legal_actions()))
        actions.append(random.choice(turns[-1][1]))
        state.apply_action(actions[-1])
    turns.append(turns[-1])

    def playing(game: Any) -> Play:
        def play() -> None:
            state = game.new_initial_state()
            for action in actions:
                state.is_terminal()
                random.choice(state.legal_actions())
                state.apply_action(action)

        return play

    return playing(game), playing(EmptyGame(game, turns)), len(actions)


def measured() -> Iterator[tuple[str, Play, Play, int]]:
    """Return all that can be measured here."""
    for library, make in (("PettingZoo", pettingzoo), ("Gymnasium", gymnasium_seat), ("OpenSpiel", openspiel)):
        for name, kind in KINDS.items():
            try:
                yield (f"{library}, {name}", *make(kind))
            except ImportError as error:
                print(f"{library} is left out: {error.name} is not installed.")
                break


def spent(play: Play, steps: int, seconds: float) -> float:
    """Nanoseconds of processor time of a step."""
    games, begun = 0, time.process_time_ns()
    while (used := time.process_time_ns() - begun) < seconds * 1e9:
        play()
        games += 1
    return used / games / steps


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a round")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    random.seed(1)
    every = list(measured())
    times: dict[str, list[tuple[float, float]]] = {name: [] for name, *_ in every}
    for _ in range(chosen.rounds):
        for name, ours, empty, steps in every:
            times[name].append((spent(ours, steps, chosen.seconds), spent(empty, steps, chosen.seconds)))
    found = {
        name: [round(statistics.median(column)) for column in (*zip(*each, strict=True), [a - b for a, b in each])]
        for name, each in times.items()
    }
    if chosen.json:
        print(json.dumps(found))
        return
    print("| environment | ns a step | empty game | our part |\n| --- | --- | --- | --- |")
    for name, numbers in found.items():
        print(f"| {name} |" + "".join(f" {number:,} |" for number in numbers))


if __name__ == "__main__":
    main()
