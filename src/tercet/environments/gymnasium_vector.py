"""Many games at once as a Gymnasium vector environment over :class:`tercet.batch.Batch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tercet.batch import Batch
from tercet.core.game import Game
from tercet.core.rules import MAX_SEED
from tercet.environments.gymnasium_single import Opponents, check_seat
from tercet.environments.play import EnvError, check_limit, check_seed, utilities

MODES = {"next": AutoresetMode.NEXT_STEP, "same": AutoresetMode.SAME_STEP, "off": AutoresetMode.DISABLED}


class BatchEnv(VectorEnv[Any, Any, Any]):
    """``num_envs`` games stepped together.

    Without a ``seat`` it is self-play: each step is one action of the player to move in each game
    (``info["mover"]``), observations are from the mover's side, and the reward is that of the player who has just
    acted. With a ``seat`` a step is one action of the seat and the ``opponents``' answers, and rewards are the seat's.
    Either way ``info["rewards"]`` float64 (num_envs, players) has all players', and ``info["action_mask"]`` int8
    (num_envs, actions) the legal actions. Observations are float32 (num_envs, planes, cells), or ``packed``: uint8
    (num_envs, bytes), of which :func:`tercet.batch.unpack` makes planes.

    ``autoreset`` is Gymnasium's: ``"next"``: the step after a game's end begins another and ignores its action,
    ``"same"``: the step that ends a game begins another; ``info["final_obs"]`` and ``info["final_info"]`` have the last
    observation and information; ``"off"``: ``reset(options={"reset_mask": ...})`` does. All actions are checked first:
    IllegalBatchAction names the first that is not legal, and nothing has changed then.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seat: int | None,
        opponents: str | Sequence[str],
        autoreset: str,
        threads: int,
        max_plies: int | None,
        packed: bool = False,
    ) -> None:
        if autoreset not in MODES:
            raise EnvError(f"autoreset must be one of {', '.join(MODES)}, not {autoreset!r}.")
        dtype = "uint8" if packed else "float32"
        self.batch = Batch(game, num_envs, threads=threads, autoreset="off", dtype=dtype, packed=packed)
        self.game = game
        self.num_envs = num_envs = self.batch.games
        self.seat = None if seat is None else check_seat(game, seat)
        self.metadata = {"autoreset_mode": MODES[autoreset]}
        self._mode = autoreset
        self._limit = check_limit(max_plies)
        self._engines: list[Opponents] = []
        if self.seat is not None and opponents != "random":
            self._engines = [Opponents(game, self.seat, opponents) for _ in range(self.num_envs)]
        self._chance = [np.random.default_rng() for _ in range(self.num_envs)]  # of each game's episodes
        shape, kind = self.batch.observations.shape[1:], self.batch.dtype.type
        self.single_observation_space = spaces.Box(0, 255 if packed else 1, shape, kind)
        self.single_action_space = spaces.Discrete(game.rules.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.ones(num_envs, np.bool_)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin games, all or those of ``options["reset_mask"]`` (bool (num_envs,)); the others stay as they are. With
        ``seed`` all that chance settles in game ``i`` follows from ``seed + i``, or from ``seed[i]``."""
        seeds: list[Any] = [None] * self.num_envs
        if np.ndim(seed):
            seeds = [None if one is None else check_seed(one) for one in seed]
        elif seed is not None:
            seeds = [(check_seed(seed) + index) & MAX_SEED for index in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise EnvError(f"seed must be one number or {self.num_envs}, not {len(seeds)}.")
        where = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_)))
        if where.shape != (self.num_envs,) or where.dtype != np.bool_:
            raise EnvError(f"reset_mask must have the type bool and the shape ({self.num_envs},).")
        self._begin(where, seeds)
        return self._seen(), self._info(np.zeros((self.num_envs, len(self.game.players))))

    def _begin(self, where: Any, seeds: Sequence[Any] | None = None) -> None:
        """Begin games ``where`` it says, from ``seeds`` or else by chance, up to the seat's first decision."""
        begun: dict[int, int] = {}
        for index in np.flatnonzero(where).tolist():
            if seeds is not None and seeds[index] is not None:
                begun[index] = seeds[index]
                self._chance[index] = np.random.default_rng(begun[index])
            else:
                begun[index] = int(self._chance[index].integers(1 << 62))
        if not begun:
            return
        self.batch.reset(where=where, seeds=list(begun.values()))
        self._over[where] = False
        for index, number in begun.items() if self._engines else ():
            self._engines[index].begin(number)
        self._others()

    def _others(self) -> None:
        """Let the opponents act until everywhere the seat is to act or the game is over."""
        batch = self.batch
        while self.seat is not None:
            waiting = ~batch.done & (batch.movers != self.seat) & (batch.plies < self._limit)
            if not waiting.any():
                return
            if self._engines:
                actions = np.zeros(self.num_envs, np.int64)
                for index in np.flatnonzero(waiting):
                    actions[index] = self._engines[index].choose(batch.position(index))
            else:
                actions = batch.random_actions(where=waiting)
            batch.step(actions, where=waiting)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in each game that is going on."""
        batch = self.batch
        players = len(self.game.players)
        going = ~self._over
        if self._mode == "off" and not going.all():
            raise EnvError(f"Game {int(np.flatnonzero(self._over)[0])} is over. Reset it first.")
        acted = batch.movers.copy() if self.seat is None else np.full(self.num_envs, self.seat)
        batch.step(np.asarray(actions), where=going)
        self._others()
        terminated = going & batch.done
        truncated = going & ~batch.done & (batch.plies >= self._limit)
        everybody = np.zeros((self.num_envs, players))
        everybody[terminated] = utilities(batch.scores[terminated])
        rewards = np.where(terminated, everybody[np.arange(self.num_envs), np.maximum(acted, 0)], 0.0)
        ended = terminated | truncated
        final: dict[str, Any] = {}
        if self._mode == "next":
            self._begin(self._over.copy())
            self._over = ended
        elif self._mode == "same":
            if ended.any():
                final = self._final(ended, acted, everybody)
                self._begin(ended)
        else:
            self._over = ended
        return self._seen(), rewards, terminated, truncated, {**self._info(everybody), **final}

    def _final(self, ended: Any, acted: Any, rewards: Any) -> dict[str, Any]:
        """Return the last observation of the player who acted last, and the last information, in the games that
        ended, as Gymnasium's ``SyncVectorEnv`` does."""
        last = self.batch.observe(np.maximum(acted, 0))
        seen = np.full(self.num_envs, None, object)
        for index in np.flatnonzero(ended):
            seen[index] = last[index].copy()
        info = self._info(rewards)
        info |= {f"_{name}": ended.copy() for name in info}
        return {"final_obs": seen, "_final_obs": ended.copy(), "final_info": info, "_final_info": ended.copy()}

    def _seen(self) -> Any:
        return self.batch.observations.copy() if self.seat is None else self.batch.observe(self.seat)

    def _info(self, rewards: Any) -> dict[str, Any]:
        return {
            "action_mask": self.batch.masks.astype(np.int8), "mover": self.batch.movers.copy(), "rewards": rewards
        }  # fmt: skip

    def close_extras(self, **_: Any) -> None:
        """Let the engines go."""
        for each in self._engines:
            each.close()
