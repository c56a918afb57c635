"""A game as a PettingZoo environment in which one agent acts at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from tercet.core.game import Game
from tercet.environments.play import RENDER_MODES, EnvError, Play, check_limit, check_render_mode, check_seed, render


class TurnEnv(AECEnv):  # type: ignore[misc]
    """``agent_selection`` is whose decision it is: a turn of several actions is several steps of the same agent.

    Rewards come at the end only, 1 for a win of all to 0 for an even share; they sum to 0. An action that is not legal
    raises IllegalAction and changes nothing. A game longer than ``max_plies`` is truncated. ``observe`` draws nothing
    up until it is asked. Without a seed each episode takes the next number of a random sequence.
    """

    def __init__(self, game: Game, max_plies: int | None = None, render_mode: str | None = None) -> None:
        super().__init__()
        self.play = Play(game)
        self.game = game
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": f"tercet_{game.name}_v{game.definition.environment_version}",
            "render_modes": list(RENDER_MODES), "render_fps": 2, "is_parallelizable": False,
        }  # fmt: skip
        self.possible_agents = [f"player_{number}" for number in range(len(game.players))]  # PettingZoo's custom
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, self.play.shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (game.rules.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.rules.actions) for agent in self.possible_agents}
        self._players = {agent: number for number, agent in enumerate(self.possible_agents)}
        self._limit = check_limit(max_plies)
        self._random = np.random.default_rng()
        self._ended = True

    def observation_space(self, agent: str) -> Any:
        """Return the space of ``agent``'s observations: a dictionary of planes and mask."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the numbers of the action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game, from the start that ``seed`` settles."""
        number = check_seed(self._random.integers(1 << 62) if seed is None else seed)
        if seed is not None:
            self._random = np.random.default_rng(number)
        self.play.begin(number)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[self.play.mover]
        self._ended = False

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` sees now; the mask is all 0 unless it is to act."""
        planes, mask = self.play.describe(self._players[agent])
        return {"observation": planes, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play the action of ``agent_selection``; None where that agent's game is over."""
        if self._ended:
            if not self.agents:
                raise EnvError("No agent is left. Call reset first.")
            self._was_dead_step(action)
            return
        play = self.play
        mover = play.act(action)
        if mover >= 0:
            self.agent_selection = self.possible_agents[mover]
            if play.plies < self._limit:
                return
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = dict(zip(self.agents, play.rewards(), strict=True))
            self._accumulate_rewards()
        self._ended = True
        self._deads_step_first()

    def state(self) -> Any:
        """Return the position as whole numbers: int64 (row size,)."""
        return self.play.row.copy()

    def render(self) -> Any:
        """Return the position as ``render_mode`` says."""
        return render(self.play.position, self.render_mode)

    def close(self) -> None:
        """There is nothing to let go of."""
