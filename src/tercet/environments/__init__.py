"""Games as environments of the libraries that people train agents with: PettingZoo, Gymnasium, OpenSpiel, PufferLib.

Needs the extra ``rl`` (``pip install 'tercet[rl]'``). A turn of several actions is several steps of the same agent.

>>> from tercet import environments
>>> env = environments.aec("sanqi", side=4)
>>> env.reset(seed=1)
>>> env.agent_selection, env.last()[0]["observation"].shape
('player_0', (11, 37))
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tercet.environments.play import EnvError, compiled_game
from tercet.errors import TercetError, needs_extra
from tercet.game import Game

__all__ = ["EnvError", "aec", "gymnasium", "openspiel", "parallel", "pufferlib", "register", "vector"]


def _module(name: str) -> Any:
    """A module of this package; TercetError where the library that it is for is not installed."""
    try:
        return import_module(f"tercet.environments.{name}")
    except ImportError as error:
        if error.name == "pufferlib":
            raise TercetError("PufferLib is not installed. Install it with: pip install pufferlib-core") from None
        raise TercetError(needs_extra(f"An environment of {error.name}", "rl")) from None


def aec(game: str | Game, *, max_plies: int | None = None, render_mode: str | None = None, **options: Any) -> Any:
    """A PettingZoo AEC environment of a game with ``options`` (:class:`~.pettingzoo_aec.TurnEnv`): one agent acts at a
    time. A game longer than ``max_plies`` actions is truncated."""
    return _module("pettingzoo_aec").TurnEnv(compiled_game(game, options), max_plies, render_mode)


def parallel(game: str | Game, *, max_plies: int | None = None, render_mode: str | None = None, **options: Any) -> Any:
    """A PettingZoo parallel environment (:class:`~.pettingzoo_parallel.TogetherEnv`): all agents step together, and the
    action of the one whose decision it is gets played."""
    return _module("pettingzoo_parallel").TogetherEnv(compiled_game(game, options), max_plies, render_mode)


def gymnasium(
    game: str | Game,
    seat: int = 0,
    opponents: str | Sequence[str] = "level:2",
    *,
    max_plies: int | None = None,
    render_mode: str | None = None,
    illegal: str = "error",
    **options: Any,
) -> Any:
    """A Gymnasium environment (:class:`~.gymnasium_single.SeatEnv`): player ``seat`` against engines, one for all other
    seats or one for each of them in order. ``illegal`` says what becomes of an action that is not legal: an ``"error"``
    or the ``"loss"`` of the game."""
    made = compiled_game(game, options)
    return _module("gymnasium_single").SeatEnv(made, seat, opponents, max_plies, render_mode, illegal)


def vector(
    game: str | Game,
    num_envs: int = 64,
    *,
    seat: int | None = None,
    opponents: str | Sequence[str] = "random",
    autoreset: str = "next",
    threads: int = 1,
    max_plies: int | None = None,
    **options: Any,
) -> Any:
    """A Gymnasium vector environment over :class:`tercet.batch.Batch` (:class:`~.gymnasium_vector.BatchEnv`): self-play
    of whoever moves, or player ``seat`` against ``opponents``. ``autoreset`` is ``"next"``, ``"same"`` or ``"off"``."""
    made = compiled_game(game, options)
    return _module("gymnasium_vector").BatchEnv(made, num_envs, seat, opponents, autoreset, threads, max_plies)


def openspiel(game: str | Game, *, seed: int = 0, **options: Any) -> Any:
    """The game as a ``pyspiel.Game``, as ``pyspiel.load_game("python_tercet_NAME(option=value)")`` gives it once
    :func:`register` was called. ``seed`` settles any chance in the setup."""
    return _module("openspiel_game").load(compiled_game(game, options), seed)


def pufferlib(
    game: str | Game,
    num_envs: int = 64,
    *,
    threads: int = 1,
    illegal: str = "error",
    max_plies: int | None = None,
    buf: Any = None,
    seed: int = 0,
    **options: Any,
) -> Any:
    """A native PufferLib environment of ``num_envs`` games of self-play (:class:`~.pufferlib_native.GamesEnv`), in
    which every player of every game is an agent. PufferLib's ``vector.make`` hands over ``buf`` and ``seed``."""
    made = compiled_game(game, options)
    return _module("pufferlib_native").GamesEnv(made, num_envs, threads, illegal, max_plies, buf, seed)


def register() -> None:
    """Make all games known to those of PettingZoo (``pettingzoo.make("aec", "tercet/NAME-v0")``), Gymnasium
    (``gymnasium.make("tercet/NAME-v0")``, ``gymnasium.make_vec``) and OpenSpiel (``python_tercet_NAME``) that are
    installed."""
    from tercet.environments.registration import register_all

    register_all()
