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
from importlib.util import find_spec
from typing import Any

from tercet.core.game import Game
from tercet.environments.play import EnvError, compiled_game
from tercet.errors import TercetError, extra_of, needs_extra
from tercet.games import game_definition, names

__all__ = ["EnvError", "aec", "gymnasium", "openspiel", "pufferlib", "register", "vector"]

HERE = "tercet.environments"


def _ids() -> list[tuple[str, str]]:
    """Return each game with a name of its environments: that of its version, and v0, by which they once went."""
    versions = ((name, game_definition(name).environment_version) for name in names())
    return [(name, f"tercet/{name}-v{number}") for name, version in versions for number in (0, version)]


def _module(name: str) -> Any:
    """Return a module of this package; TercetError where the library that it is for is not installed."""
    try:
        return import_module(f"{HERE}.{name}")
    except ImportError as error:
        if error.name == "pufferlib":
            raise TercetError("PufferLib is not installed. Install it with `pip install pufferlib-core`.") from None
        if extra_of(str(error.name)) is None:
            raise
        raise TercetError(needs_extra(f"An environment of {error.name}", "rl")) from None


def aec(game: str | Game, *, max_plies: int | None = None, render_mode: str | None = None, **options: Any) -> Any:
    """Return a PettingZoo AEC environment (:class:`~.pettingzoo_aec.TurnEnv`): one agent acts at a time.

    A game longer than ``max_plies`` actions is truncated.
    """
    return _module("pettingzoo_aec").TurnEnv(compiled_game(game, options), max_plies, render_mode)


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
    """Return a Gymnasium environment (:class:`~.gymnasium_single.SeatEnv`): player ``seat`` against engines.

    ``opponents`` is one engine for all other seats, or one for each of them in order. ``illegal`` says what an
    illegal action is: an ``"error"`` or the ``"loss"`` of the game.
    """
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
    packed: bool = False,
    **options: Any,
) -> Any:
    """Return a Gymnasium vector environment over :class:`tercet.batch.Batch` (:class:`~.gymnasium_vector.BatchEnv`).

    It plays all seats by itself, or player ``seat`` against ``opponents``. ``autoreset`` is ``"next"``, ``"same"`` or
    ``"off"``. ``packed`` observations are bytes for :func:`tercet.batch.unpack`.
    """
    made = compiled_game(game, options)
    return _module("gymnasium_vector").BatchEnv(made, num_envs, seat, opponents, autoreset, threads, max_plies, packed)


def openspiel(game: str | Game, *, seed: int = 0, **options: Any) -> Any:
    """Return the game as a ``pyspiel.Game``. ``seed`` decides anything random in the setup.

    After :func:`register`, ``pyspiel.load_game("python_tercet_NAME(option=value)")`` returns the same.
    """
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
    """Return a native PufferLib environment of ``num_envs`` games of self-play (:class:`~.pufferlib_native.GamesEnv`).

    Every player of every game is an agent. PufferLib's ``vector.make`` passes ``buf`` and ``seed``.
    """
    made = compiled_game(game, options)
    return _module("pufferlib_native").GamesEnv(made, num_envs, threads, illegal, max_plies, buf, seed)


def register() -> None:
    """Register all games with those of PettingZoo, Gymnasium and OpenSpiel that are installed.

    ``pettingzoo.make("aec", "tercet/NAME-v1")``, ``gymnasium.make("tercet/NAME-v1")``, ``gymnasium.make_vec`` and
    ``pyspiel.load_game("python_tercet_NAME")`` then find them. The number is the definition's ``environment_version``;
    ``-v0`` is another name for the newest.
    """
    if find_spec("pettingzoo"):
        import pettingzoo

        for name, called in _ids():
            if called not in pettingzoo.aec_registry:
                pettingzoo.register("aec", id=called, entry_point=f"{HERE}:aec", kwargs={"game": name})
    if find_spec("gymnasium"):
        import gymnasium

        for name, called in _ids():
            if called not in gymnasium.registry:
                gymnasium.register(
                    id=called, entry_point=f"{HERE}:gymnasium", vector_entry_point=f"{HERE}:vector",
                    kwargs={"game": name}, order_enforce=True, disable_env_checker=True,
                )  # fmt: skip
    if find_spec("pyspiel"):
        import tercet.environments.openspiel_game  # noqa: F401  (its import registers them)
