"""Many games at once as a native environment of PufferLib over :class:`tercet.batch.Batch`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pufferlib import PufferEnv

from tercet.batch import Batch
from tercet.core.game import Game
from tercet.environments.play import EnvError, check_limit, check_seed, utilities


class GamesEnv(PufferEnv):  # type: ignore[misc]
    """``num_envs`` games of self-play, stepped together. Every player of every game is an agent: agent
    ``players * game + player``. PufferLib's ``masks`` (bool, an entry for each agent) say whose decision it is; what
    the other agents answer is not looked at.

    Observations are uint8 (planes * cells + actions,): the planes from the agent's own side as those of a batch, and
    behind them the agent's legal actions as zeros and ones, all 0 unless it is to act. Rewards come at the end of a
    game only and sum to 0; the next one begins in the same step. An action that is not legal raises IllegalBatchAction
    and nothing is stepped; with ``illegal="loss"`` it loses the game, and the others share the point. A game longer
    than ``max_plies`` is truncated.
    """

    def __init__(
        self, game: Game, num_envs: int, threads: int, illegal: str, max_plies: int | None, buf: Any, seed: int
    ) -> None:
        if illegal not in ("error", "loss"):
            raise EnvError(f"illegal must be 'error' or 'loss', not {illegal!r}.")
        self._forgives = illegal == "loss"
        self.game = game
        self.batch = Batch(game, num_envs, seed=check_seed(seed), threads=threads)
        self._players = len(game.players)
        self._entries = len(game.rules.planes) * len(game.board)
        self._planes = np.empty(self.batch.observations.shape, np.uint8)
        self._limit = check_limit(max_plies)
        self.single_observation_space = spaces.Box(0, 255, (self._entries + game.rules.actions,), np.uint8)
        self.single_action_space = spaces.Discrete(game.rules.actions)
        self.num_agents = self.batch.games * self._players
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[Any, list[Any]]:
        """Begin all games; with ``seed`` all that chance settles follows from it."""
        if seed is None:
            self.batch.reset()
        else:
            self.batch.reset(seed=check_seed(seed))
        self._see()
        self.rewards[:] = 0.0
        self.terminals[:] = False
        self.truncations[:] = False
        return self.observations, []

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[dict[str, float]]]:
        """Play in each game the action of the agent whose decision it is."""
        batch = self.batch
        every = np.arange(batch.games)
        given = np.asarray(actions)
        if given.shape != (self.num_agents,) or given.dtype.kind not in "iu":
            raise EnvError(f"actions must be whole numbers ({self.num_agents},), not {given.dtype} {given.shape}.")
        chosen = given.reshape(batch.games, self._players)[every, batch.movers].astype(np.int64)
        lost = np.zeros(batch.games, np.bool_)
        if self._forgives:
            known = (chosen >= 0) & (chosen < self.game.rules.actions)
            lost = ~(known & batch.masks[every, np.where(known, chosen, 0)])
        shares = np.zeros((batch.games, self._players))
        shares[lost] = 1.0 / (self._players - 1)
        shares[lost, batch.movers[lost]] = 0.0
        plies = np.where(batch.done, 0, batch.plies)  # where one is over, the next has begun
        batch.step(chosen, where=~lost)
        ended = batch.done & ~lost
        shares[ended] = batch.scores[ended]
        plies = np.where(lost, plies, batch.plies)
        over = ended | lost
        cut = ~over & (batch.plies >= self._limit)
        if lost.any() or cut.any():
            batch.reset(where=lost | cut)
        self.rewards[:] = np.where(over[:, None], utilities(shares), 0.0).ravel()
        self.terminals[:] = np.repeat(over, self._players)
        self.truncations[:] = np.repeat(cut, self._players)
        self._see()
        return self.observations, self.rewards, self.terminals, self.truncations, self._told(over | cut, shares, plies)

    def _see(self) -> None:
        """Write what every agent sees and whose decision it is."""
        batch = self.batch
        seen = self.observations.reshape(batch.games, self._players, -1)
        for player in range(self._players):
            batch.observe(player, out=self._planes)
            seen[:, player, : self._entries] = self._planes.reshape(batch.games, -1)
            seen[:, player, self._entries :] = batch.masks & batch.agents[:, player, None]
        self.masks[:] = batch.agents.ravel()

    def _told(self, ended: Any, shares: Any, plies: Any) -> list[dict[str, float]]:
        """Return the average results of the games that have just ended; empty if none has."""
        if not ended.any():
            return []
        found = {f"share_{player}": float(shares[ended, player].mean()) for player in range(self._players)}
        return [{"episode_length": float(plies[ended].mean()), **found}]

    def close(self) -> None:
        """There is nothing to let go of."""
