"""Games for OpenSpiel, registered as ``python_tercet_NAME`` when this module is imported."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from tercet import kernel
from tercet.core.definition import GameDefinition
from tercet.core.game import Action, Game, Position
from tercet.environments.play import OVER, Play, check_seed, utilities
from tercet.errors import TercetError
from tercet.games import game_definition, names

LONGEST = (1 << 31) - 1  # what OpenSpiel takes as a bound where the rules set none


def _short_name(name: str) -> str:
    return f"python_tercet_{name}"


@functools.cache
def game_type(definition: GameDefinition) -> Any:
    """Return OpenSpiel's description of a game before its options are chosen, made once."""
    parameters = {option.name: option.default for option in definition.options}
    most = max(2, len(Game(definition, {}).players))
    return pyspiel.GameType(
        short_name=_short_name(definition.name),
        long_name=definition.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(most, 3),
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**parameters, "seed": 0},
    )


class _Shared:
    """The data that all states of a game and their copies share."""

    def __init__(self, game: Game, seed: int) -> None:
        play = Play(game)
        self.game, self.seed = game, seed
        self.start = game.start(seed)
        self.advance, self.data, self.events = play._advance, game.data, play._events
        self.actions, self.list = game.rules.actions, play._list
        self._numbers = list(range(self.actions))  # lists of actions have these objects
        self.numbers = np.array(list(map(id, self._numbers)))
        self.legal = kernel.entry(game.kernels.legal, self.numbers, game.data, play.row, play._list, listed=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Shared:
        return self

    def __reduce__(self) -> Any:
        return _Shared, (self.game, self.seed)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its options and the ``seed`` that settles any chance in its setup."""

    definition: GameDefinition

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        seed = check_seed(given.pop("seed", 0))
        game = Game(self.definition, given, "compiled")
        players = len(game.players)
        self.shared = _Shared(game, seed)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.rules.actions,
            max_chance_outcomes=0,
            num_players=players,
            min_utility=-1.0 / (players - 1),
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=min(game.rules.max_plies or LONGEST, LONGEST),
        )
        super().__init__(game_type(self.definition), info, {**game.options, "seed": seed} if params else {})

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Return the start."""
        if state is not None:
            raise TercetError("A state must be made from its actions.")
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer of what the player sees: planes by cells."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.shared.game, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position with the actions that led to it."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        shared = game.shared
        self.shared = shared
        self.row = shared.start.row.copy()
        self.status = shared.start._status
        self.mover = shared.start.mover or 0

    @property
    def position(self) -> Position:
        """Return the position, to keep."""
        return Position(self.shared.game, self.row.copy(), self.status)

    def current_player(self) -> int:
        """Return the player to act."""
        return int(pyspiel.PlayerId.TERMINAL) if self.status else self.mover

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.status != 0

    def _legal_actions(self, player: int) -> list[int]:
        if player != self.mover or self.status:
            return []
        shared = self.shared
        return shared.legal(shared.numbers, shared.data, self.row, shared.list)  # type: ignore[no-any-return]

    def _apply_action(self, action: int) -> None:
        shared = self.shared
        code = shared.advance(shared.data, self.row, action, shared.actions, shared.events)
        if code < 0:
            self.position._refuse(action, str(action))
        if code >= OVER:
            self.status = code // OVER
        else:
            self.mover = code

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        return str(Action(action, self.position))

    def returns(self) -> list[float]:
        """Return the players' utilities, all 0 while the game goes on."""
        shared = self.shared
        if not self.status:
            return [0.0] * len(shared.game.players)
        points = np.zeros(len(shared.game.players))
        shared.game.kernels.scores(shared.data, self.row, points)
        return utilities(points).tolist()  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return str(self.position)


class _Observer:
    """A player's observation in one piece of memory (``tensor``), also available as planes by cells."""

    def __init__(self, game: Game, params: Any) -> None:
        if params:
            raise TercetError(f"Observers take no parameters. Leave out {params}.")
        shape = (len(game.rules.planes), len(game.board))
        self.tensor = np.zeros(shape[0] * shape[1], np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}
        self._game = game

    def set_from(self, state: SpielState, player: int) -> None:
        """Observe ``state`` from ``player``'s side."""
        self._game.kernels.observe(self._game.data, state.row, player, self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:  # noqa: ARG002
        """Return the position string: everybody sees everything."""
        return str(state)


def load(game: Game, seed: int) -> Any:
    """``game`` as a ``pyspiel.Game``."""
    return pyspiel.load_game(_short_name(game.name), {**game.options, "seed": check_seed(seed)})


for _name in names():  # whom ``pyspiel.load_game`` knows from now on
    _definition = game_definition(_name)
    _kind = type(f"SpielGame_{_name}", (SpielGame,), {"definition": _definition, "__module__": __name__})
    globals()[_kind.__name__] = _kind  # found there by what unpickles a game
    pyspiel.register_game(game_type(_definition), _kind)
