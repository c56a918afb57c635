"""A seat against engines as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from tercet.core.game import Game, Position
from tercet.core.rules import whole
from tercet.engines import Engine, engine
from tercet.environments.play import RENDER_MODES, EnvError, Play, check_limit, check_render_mode, check_seed, render
from tercet.errors import IllegalAction


def check_seat(game: Game, seat: Any) -> int:
    """``seat`` as a number; EnvError where the game has none such."""
    number = whole(seat, 0, len(game.players) - 1)
    if number is None:
        raise EnvError(f"seat must be from 0 to {len(game.players) - 1}, not {seat!r}.")
    return number


class Opponents:
    """An engine for every seat but one. ``named`` is one name for all of them, or one for each in order."""

    def __init__(self, game: Game, seat: int, named: str | Sequence[str]) -> None:
        others = [player for player in range(len(game.players)) if player != seat]
        names = [named] * len(others) if isinstance(named, str) else list(named)
        if len(names) != len(others):
            raise EnvError(f"opponents must have one name or {len(others)}, not {len(names)}.")
        self.game = game
        self.names = dict(zip(others, names, strict=True))
        self._engines: dict[int, Engine] = {}
        self._seed = 0
        for name in names:
            engine(name, game, seed=0).close()

    def begin(self, seed: int) -> None:
        """Engines for a new game, whose random numbers follow from ``seed``."""
        self.close()
        self._seed = seed
        self._engines = {
            player: engine(name, self.game, seed=(seed + 7919 * player) % (1 << 60))
            for player, name in self.names.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        """Pickled without the engines, which restart, as at the start of the game, when they are asked next."""
        return {**self.__dict__, "_engines": {}}

    def choose(self, position: Position) -> int:
        """Return the action of whose turn it is."""
        assert position.mover is not None
        if not self._engines:
            self.begin(self._seed)
        return self._engines[position.mover].choose(position).id

    def close(self) -> None:
        """Let the engines go."""
        for each in self._engines.values():
            each.close()
        self._engines = {}


class SeatEnv(gymnasium.Env[Any, Any]):
    """Player ``seat`` against engines. Each step is one action of the seat, followed by all that the others do until it
    is to act again: a turn of several actions is several steps.

    Observations are float32 (planes, cells) from the seat's side; ``info["action_mask"]`` is int8 (actions,). The
    reward comes at the end, from 1 for a win of all to 0 for an even share to below. An action that is not legal raises
    IllegalAction and changes nothing; with ``illegal="loss"`` it ends the game with the reward of a loss instead, and
    ``info["illegal"]`` says so.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  (Gymnasium's name and form)

    def __init__(
        self,
        game: Game,
        seat: int,
        opponents: str | Sequence[str],
        max_plies: int | None = None,
        render_mode: str | None = None,
        illegal: str = "error",
    ) -> None:
        self.play = Play(game)
        self.game = game
        self.seat = check_seat(game, seat)
        self.render_mode = check_render_mode(render_mode)
        self._opponents = Opponents(game, self.seat, opponents)
        self._limit = check_limit(max_plies)
        if illegal not in ("error", "loss"):
            raise EnvError(f"illegal must be 'error' or 'loss', not {illegal!r}.")
        self._forgives = illegal == "loss"
        self.observation_space = spaces.Box(0.0, 1.0, self.play.shape, np.float32)
        self.action_space = spaces.Discrete(game.rules.actions)
        self._running = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game, from the start that ``seed`` settles, and play on to the seat's first decision."""
        super().reset(seed=None if seed is None else check_seed(seed), options=options)
        number = check_seed(self.np_random.integers(1 << 62) if seed is None else seed)
        self.play.begin(number)
        self._opponents.begin(number)
        self._running = True
        self._others()
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play ``action`` and the others' answers."""
        if not self._running:
            raise EnvError("The game is over or has not begun. Call reset first.")
        try:
            self.play.act(action)
        except IllegalAction:
            if not self._forgives:
                raise
            self._running = False
            planes, info = self._seen()
            return planes, -1.0 / (self.play.players - 1), True, False, {**info, "illegal": True}
        self._others()
        play = self.play
        over = play.status != 0
        cut = not over and play.plies >= self._limit
        self._running = not (over or cut)
        planes, info = self._seen()
        return planes, play.rewards()[self.seat], over, cut, info

    def action_masks(self) -> Any:
        """Return whether each action is legal for the seat now, bool (actions,), for sb3-contrib's MaskablePPO."""
        return self.play.describe(self.seat)[1].astype(np.bool_)

    def _others(self) -> None:
        play = self.play
        while not play.status and play.mover != self.seat and play.plies < self._limit:
            play.act(self._opponents.choose(play.position))

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        planes, mask = self.play.describe(self.seat)
        return planes, {"action_mask": mask}

    def render(self) -> Any:
        """Return the position as ``render_mode`` says."""
        return render(self.play.position, self.render_mode)

    def close(self) -> None:
        """Let the engines go."""
        self._opponents.close()
