"""Many games at once: N games of one kind as matrices, stepped together by compiled kernels, on all cores or a GPU.

>>> from tercet.batch import Batch
>>> batch = Batch("sanqi", games=8, seed=1, side=4)
>>> batch.observations.shape, batch.masks.shape
((8, 11, 37), (8, 111))
>>> batch.step(batch.random_actions())
>>> batch.plies.tolist()
[1, 1, 1, 1, 1, 1, 1, 1]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np

from tercet.batch import kernels
from tercet.batch.host import BatchForm, Host, as_array, choice, core_count, flags, refusal, whole
from tercet.batch.kernels import Facts
from tercet.batch.packing import plane_bytes, unpack
from tercet.core.definition import GameDefinition
from tercet.core.game import Game, Position
from tercet.core.rules import MAX_SEED
from tercet.errors import BatchError
from tercet.games import game_definition

__all__ = ["Batch", "GameSnapshot", "unpack"]

AUTORESET = ("same", "next", "off")
DEVICES = ("cpu", "cuda")
LAYOUTS = ("row", "column")
MASK_FORMATS = ("bool", "bits")
DTYPES = ("uint8", "float32")
PLAYOUT_LIMIT = 4000  # actions of a random game where nothing else bounds it

# What a snapshot keeps of a game; the rest follows from it.
KEPT = ("rows", "seeds", "episodes", "plies", "random", "terminal_rows", "terminal_observations")
OUTCOME = ("done", "statuses", "scores")


@dataclass(frozen=True, eq=False)
class GameSnapshot:
    """One game of a batch as it was; :meth:`Batch.restore` puts it back. ``position`` is what stood on the board."""

    position: Position
    kept: dict[str, Any]


class Batch:
    """``games`` games of one kind, stepped together.

    ``game`` is a game's name, whose ``options`` follow by keyword, or a `Game`. Episode ``e`` of
    game ``i`` begins from ``game.start(seed=s)``, where ``s``, found in :attr:`seeds`, follows from ``seed``, ``i`` and
    ``e`` alone: with its actions it can be played again by itself. ``threads`` share the work (0: as many as there are
    cores); no result depends on how many they are.

    ``autoreset`` says when a game that is over begins its next episode: ``"same"`` (in the step that ended it; what was
    last on the board is kept in :attr:`terminal_observations`), ``"next"`` (in the next step, which ignores its action)
    or ``"off"`` (when :meth:`reset` says so).

    With ``device="cuda"`` the games are in the memory of a GPU, which needs numba-cuda: all arrays are Numba's there,
    with ``__cuda_array_interface__``, and so are actions and what methods return; actions may come from this machine's
    memory too. ``layout`` puts a game's entries beside each other (``"row"``) or the same entry of all games
    (``"column"``; masks as bits are uint32 words then); ``block`` is the number of threads in a block.

    With ``observations=False`` a step writes none, which saves time and memory: ``observations`` and
    ``terminal_observations`` are None, and :meth:`observe` makes them when asked.

    With ``packed=True`` an observation is a row of bytes, a bit for each cell of a plane, or a byte where the plane has
    a scale; :func:`unpack` makes planes of them where they are learnt from.

    All arrays are the batch's own memory, written in place: read them, copy what is to last, write nothing into them.
    Where the batch is on the CPU they are NumPy arrays, which PyTorch and JAX take over by DLPack without a copy.

    ======================== ======================== ==================================================================
    ``observations``         (games, planes, cells)   uint8 or float32 (``dtype``), from the mover's side
    ``masks``                (games, actions)         bool: the legal actions; with ``mask_format="bits"`` they are
                                                      uint8, eight actions to each, lowest bit first, rows padded to
                                                      whole 64-bit words
    ``agents``               (games, players)         bool: whose decision it is, beside the action mask
    ``movers``               (games,)                 int64: the same as a number; -1 where the game is over
    ``done``                 (games,)                 bool: whether the last step ended an episode
    ``scores``               (games, players)         float64: of the episode just over where ``done``, else 0
    ``plies``                (games,)                 int64: actions in the episode, of the one just over where ``done``
    ``statuses``             (games,)                 int64: why it is over, a place in ``game.rules.reasons``; else 0
    ``seeds``, ``episodes``  (games,)                 int64: of the episode on the board
    ``counts``               (games,)                 int64: legal actions
    ``rows``                 (games, row size)        int64: the positions themselves
    ``terminal_rows``        (games, row size)        int64: ``autoreset="same"``: the last position of the episode that
                                                      was over last
    ``terminal_observations`` (games, planes, cells)  what was to be seen there from the first player's side
    ======================== ======================== ==================================================================

    Write to none of these arrays: a step may rewrite only what an action changes.

    BatchError and OptionError say what cannot be.
    """

    def __init__(
        self,
        game: str | Game,
        games: int = 1024,
        seed: int = 1,
        threads: int = 1,
        autoreset: str = "same",
        device: str = "cpu",
        mask_format: str = "bool",
        dtype: Any = "uint8",
        layout: str = "row",
        block: int = 128,
        observations: bool = True,
        packed: bool = False,
        **options: Any,
    ) -> None:
        self.game = _game(game, options)
        self.games = whole("games", games, 1)
        self.seed = whole("seed", seed, 0, MAX_SEED)
        self.threads = whole("threads", threads, 0, 1024) or core_count()
        self.autoreset = choice("autoreset", autoreset, AUTORESET)
        self.device = choice("device", device, DEVICES)
        self.mask_format = choice("mask_format", mask_format, MASK_FORMATS)
        self.dtype = np.dtype(choice("dtype", _type_name(dtype), DTYPES))
        self.layout = choice("layout", layout, LAYOUTS)
        self.block = whole("block", block, 1, 1024)
        self.packed = bool(packed)
        if self.packed and self.dtype != np.uint8:
            raise BatchError("packed", "`packed` observations are bytes. Leave out `dtype`.")
        self._shown = bool(observations)
        self._shape: tuple[int, ...] = (self.games, len(self.game.rules.planes), len(self.game.board))
        if self.packed:
            self._shape = (self.games, sum(size for _, size in plane_bytes(self.game)))
        try:
            self._store = self._new_store()
        except MemoryError as error:
            raise BatchError("games", f"{self.games} games need more memory than there is: {error}.") from None
        self._bind()
        self.reset(seed=self.seed)

    def _new_store(self) -> Any:
        rules, players = self.game.rules, len(self.game.players)
        scales = np.array(rules.plane_scales or (1.0,) * len(rules.planes), np.float32)
        scaled = self.dtype == np.uint8 and bool((scales != 1).any())
        facts = Facts(
            players, rules.actions, rules.row_size, len(self.game.board), AUTORESET.index(self.autoreset),
            int(scaled), int(self.packed),
        )  # fmt: skip
        form = BatchForm(self.mask_format == "bool", self._shown, math.prod(self._shape[1:]), self.dtype)
        if self.device == "cpu":
            if self.layout != "row":
                raise BatchError(
                    "layout", "`layout` is for a GPU. On the CPU a game's entries always lie beside each other."
                )
            return Host(self.game, facts, scales, self.games, form, self.threads)
        if self.threads != 1:
            raise BatchError("threads", "`threads` is for the CPU. On a GPU, set the threads of a block with `block`.")
        from tercet.batch.cuda import Device

        order = "CF"[LAYOUTS.index(self.layout)]
        return Device(self.game, facts, scales, self.games, form, order, self.block)

    def _bind(self) -> None:
        """Give the matrices their public names and shapes."""
        store, arrays = self._store, self._store.arrays
        self.rows, self.seeds, self.episodes, self.plies = arrays.rows, arrays.seeds, arrays.episodes, arrays.plies
        self.done, self.statuses, self.scores = arrays.done, arrays.statuses, arrays.scores
        self.movers, self.agents, self.counts = arrays.movers, arrays.agents, arrays.counts
        self.masks = arrays.masks if self.mask_format == "bool" else store.as_bits(arrays.words)
        self.terminal_rows = arrays.terminal_rows
        self.observations: Any = self._as_shown(arrays.observations) if self._shown else None
        self.terminal_observations: Any = self._as_shown(arrays.terminal_observations) if self._shown else None

    def _as_shown(self, array: Any) -> Any:
        """Return observations in their public shape, the same memory."""
        return array if self.packed else self._store.as_planes(array)

    def __len__(self) -> int:
        return self.games

    def __repr__(self) -> str:
        return f"<Batch of {self.games} {self.game.name} {self.game.option_text()} on {self.device}>"

    def reset(self, seed: int | None = None, where: Any = None, seeds: Any = None) -> None:
        """Begin new episodes: all games, or those ``where`` says (bool (games,), or indices).

        With ``seed`` the batch is as if made with it: all games begin their first episode. ``seeds`` (one for each game
        that is reset) are taken instead of those that follow from the batch's own, for its random sequence too.
        """
        if seed is not None:
            if where is not None:
                raise BatchError("seed", "`seed` restarts all games. Leave out `where`, or give `seeds`.")
            self.seed = whole("seed", seed, 0, MAX_SEED)
        chosen = self._store.flags("where", where)
        given = None
        if seeds is not None:
            given = as_array("seeds", seeds, (int(chosen.sum()),), "integer")
            if ((given < 0) | (given > MAX_SEED)).any():
                raise BatchError("seeds", "`seeds` must be whole numbers from 0 to 2**62 - 1.")
        self._store.reset(chosen, kernels.NEXT_EPISODE if seed is None else kernels.FIRST_EPISODE, self.seed)
        if given is not None:
            first_random: Any = kernels.first_random
            for index, number in zip(np.flatnonzero(chosen).tolist(), given.tolist(), strict=True):
                self._store.write("rows", index, self.game.start(number).row)
                self._store.write("seeds", index, number)
                self._store.write("random", index, first_random(number, 0))
            self._store.reset(chosen, kernels.AS_IT_IS, self.seed)

    def step(self, actions: Any, where: Any = None) -> None:
        """Play one action in each game, in place, or only in those ``where`` says (bool (games,), or indices); the
        others stay as they are, and their actions are not looked at.

        ``actions`` are whole numbers, shape (games,). They are all checked first: IllegalBatchAction names the first
        that is not legal, and nothing has changed then. With ``autoreset="off"`` a game that is over refuses all.
        """
        given, chosen = self._store.actions("actions", actions), self._store.flags("where", where)
        index = self._store.refused(given, chosen)
        if index >= 0:
            raise refusal(self.position(index), index, int(given[index]))
        self._store.step(given, chosen, self.seed)

    def random_actions(self, where: Any = None) -> Any:
        """Return a uniformly random legal action for each game, or for those ``where`` says (bool (games,), or
        indices); -1 for the others and where the game is over: int64 (games,), a new array.

        Each game has a random sequence of its own, which follows from the batch's seed and goes on with each call.
        """
        actions, chosen = self._store.new((self.games,), np.int64), self._store.flags("where", where)
        self._store.random(actions, chosen)
        return actions

    def observe(self, player: int | Sequence[int] | Any, terminal: bool = False, out: Any = None) -> Any:
        """Return the observations from the side of ``player`` (a number, or one for each game), of the positions now or
        (``terminal``) where each game's last episode ended: (games, planes, cells), a new array or ``out``."""
        players = len(self.game.players)
        if np.ndim(player) == 0:
            chosen = np.full(self.games, whole("player", player, 0, players - 1), np.int64)
        else:
            chosen = as_array("player", player, (self.games,), "integer")
            if ((chosen < 0) | (chosen >= players)).any():
                raise BatchError("player", f"`player` must be from 0 to {players - 1}.")
        if out is None:
            flat = self._store.new((self.games, math.prod(self._shape[1:])), self.dtype)
        elif isinstance(out, np.ndarray) and self.device == "cpu" and _fits(out, self._shape, self.dtype):
            flat = out.reshape(self.games, -1)
        else:
            raise BatchError(
                "out", f"`out` must be a contiguous {self.dtype} array of shape {self._shape}, of a batch on the CPU."
            )
        self._store.observe(self.terminal_rows if terminal else self.rows, chosen, flat)
        return self._as_shown(flat) if out is None else out

    def playouts(self, rounds: int = 1, limit: int | None = None) -> tuple[Any, Any]:
        """Play ``rounds`` uniformly random games from each position to the end, or at most ``limit`` actions; the batch
        stays as it is but for its random sequences.

        Returns the sums of their scores, float64 (games, players), and of their actions, int64 (games,). A game cut off
        by ``limit`` counts as its scores stand: 0.
        """
        rounds = whole("rounds", rounds, 1)
        most = whole("limit", limit, 0) if limit is not None else self.game.rules.max_plies or PLAYOUT_LIMIT
        totals = self._store.new((self.games, len(self.game.players)), np.float64)
        plies = self._store.new((self.games,), np.int64)
        self._store.playouts(totals, plies, rounds, most)
        return totals, plies

    def _index(self, index: SupportsIndex) -> int:
        return whole("index", index, 0, self.games - 1)

    def position(self, index: SupportsIndex, terminal: bool = False) -> Position:
        """Return the position of game ``index`` (``terminal``: where its last episode ended), to keep."""
        row = self._store.read("terminal_rows" if terminal else "rows", self._index(index))
        return Position(self.game, row if self.game.execution == "compiled" else row.tolist())

    def legal_actions(self, index: SupportsIndex) -> Any:
        """Return the legal actions of game ``index``, rising: int32 (n,)."""
        words = self._store.read("words", self._index(index))
        return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little")).astype(np.int32)

    def set_position(self, index: SupportsIndex, position: Position) -> None:
        """Put ``position`` on the board of game ``index``, as an episode that began from no seed (-1 in ``seeds``)."""
        if not isinstance(position, Position) or position.game != self.game:
            raise BatchError("position", f"`position` must be a position of {self.game!r}, not {position!r}.")
        number = self._index(index)
        for name, value in (("rows", position.row), ("seeds", -1), ("plies", 0)):
            self._store.write(name, number, value)
        self._store.reset(flags("index", number, self.games), kernels.AS_IT_IS, self.seed)

    def snapshot(self, index: SupportsIndex) -> GameSnapshot:
        """Game ``index`` as it is, its random sequence included, to :meth:`restore` later, here or elsewhere."""
        number = self._index(index)
        return GameSnapshot(self.position(number), {name: self._store.read(name, number) for name in (*KEPT, *OUTCOME)})

    def restore(self, index: SupportsIndex, snapshot: GameSnapshot) -> None:
        """Make game ``index`` what it was when ``snapshot`` was taken, of this batch or of one like it."""
        number = self._index(index)
        if not isinstance(snapshot, GameSnapshot) or snapshot.position.game != self.game:
            raise BatchError("snapshot", f"`snapshot` must come from a batch of {self.game!r}.")
        last = snapshot.kept["terminal_observations"]
        if last.dtype != self.dtype or last.size != math.prod(self._shape[1:]) * self._shown:
            kind = f"observations of the type {self.dtype}" if self._shown else "no observations"
            kind = f"packed {kind}" if self.packed and self._shown else kind
            raise BatchError("snapshot", f"`snapshot` must have {kind}.")
        for name in KEPT:
            self._store.write(name, number, snapshot.kept[name])
        self._store.reset(flags("index", number, self.games), kernels.AS_IT_IS, self.seed)
        for name in OUTCOME:
            self._store.write(name, number, snapshot.kept[name])

    def _made(self) -> tuple[Any, ...]:
        """Return the arguments that make a batch like this one."""
        return (
            self.game, self.games, self.seed, self.threads, self.autoreset, self.device, self.mask_format,
            self.dtype.name, self.layout, self.block, self._shown, self.packed,
        )  # fmt: skip

    def copy(self) -> Batch:
        """Return a batch of its own that is the same in everything and goes on the same."""
        twin = Batch(*self._made())
        twin._store.copy_from(self._store)
        return twin

    def __getstate__(self) -> tuple[tuple[Any, ...], list[Any]]:
        """Pickled, a batch is all that it holds, in this machine's memory; it goes on the same where it is read."""
        return self._made(), self._store.dump()

    def __setstate__(self, state: tuple[tuple[Any, ...], list[Any]]) -> None:
        made, arrays = state
        Batch.__init__(self, *made)
        self._store.load(arrays)


def _fits(out: Any, shape: tuple[int, ...], dtype: Any) -> bool:
    return bool(out.shape == shape and out.dtype == dtype and out.flags.carray)


def _game(game: Any, options: dict[str, Any]) -> Game:
    if isinstance(game, Game):
        if options:
            raise BatchError(
                "options", f"A Game already has its options. Leave out {', '.join(options)}, or name the game."
            )
        return game
    if not isinstance(game, str):
        raise BatchError("game", f"`game` must be a game's name or a Game, not {game!r}.")
    definition: GameDefinition = game_definition(game)
    return Game(definition, options)


def _type_name(dtype: Any) -> str:
    try:
        return str(np.dtype(dtype).name)
    except TypeError:
        return repr(dtype)
