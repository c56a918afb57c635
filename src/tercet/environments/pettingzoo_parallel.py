"""A game as a PettingZoo environment in which all agents step together and one of them acts."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from tercet.environments.pettingzoo_aec import agent_names, observation_spaces
from tercet.environments.play import EnvError, Play, as_action, check_seed
from tercet.environments.rendering import RENDER_MODES, check_render_mode, render
from tercet.game import Game

__all__ = ["TogetherEnv"]


class TogetherEnv(ParallelEnv):  # type: ignore[misc]
    """In each step the action of the agent whose decision it is gets played; what the others say is not looked at, and
    their masks are all 0. Everything else is as in :class:`~tercet.environments.pettingzoo_aec.TurnEnv`."""

    def __init__(self, game: Game, max_plies: int | None = None, render_mode: str | None = None) -> None:
        self.play = Play(game)
        self.game = game
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {"name": f"tercet_{game.name}_v0", "render_modes": list(RENDER_MODES), "render_fps": 2}
        self.possible_agents = agent_names(game)
        self.agents: list[str] = []
        self.observation_spaces = observation_spaces(game, self.possible_agents)
        self.action_spaces = {agent: spaces.Discrete(game.rules.actions) for agent in self.possible_agents}
        self._limit = max_plies if max_plies is not None else 1 << 60
        if self._limit < 1:
            raise EnvError(f"max_plies: at least 1, not {max_plies}")
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """What ``agent`` sees: a dictionary of planes and mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The numbers of the action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:  # noqa: ARG002
        """Begin a game, from the start that ``seed`` settles; what each agent sees, and nothing more."""
        if seed is not None:
            self._random = np.random.default_rng(check_seed(seed))
        self.play.begin(int(self._random.integers(1 << 62)) if seed is None else seed)
        self.agents = self.possible_agents[:]
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Any]:
        found = {}
        for player, agent in enumerate(self.possible_agents):
            planes, mask = self.play.look(player)
            found[agent] = {"observation": planes, "action_mask": mask}
        return found

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Play the action of the agent whose decision it is; EnvError where it has none."""
        if not self.agents:
            raise EnvError("there is no agent left: reset")
        play = self.play
        agent = self.possible_agents[play.mover]
        if agent not in actions:
            raise EnvError(f"{agent} is to act and has no action")
        play.act(as_action(actions[agent]))
        agents = self.possible_agents
        rewards = dict(zip(agents, play.rewards(), strict=True))
        over = play.status != 0
        cut = not over and play.plies >= self._limit
        if over or cut:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, cut),
            {agent: {} for agent in agents},
        )

    def state(self) -> Any:
        """The position as whole numbers: int64 (row size,)."""
        return self.play.row.copy()

    def render(self) -> Any:
        """The position as ``render_mode`` says."""
        return render(self.play.position, self.render_mode)

    def close(self) -> None:
        """There is nothing to let go of."""
