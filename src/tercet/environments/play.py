"""One game in play over memory of its own: what all environments of a single game are made of."""

from __future__ import annotations

import functools
import io
from html import escape
from types import SimpleNamespace
from typing import Any

import numpy as np

from tercet import kernel
from tercet.core.definition import GameDefinition
from tercet.core.game import EVENT_SIZE, Game, Position, number_of
from tercet.core.presentation import board_view
from tercet.core.rules import MAX_SEED, plain, whole
from tercet.environments import kernels
from tercet.errors import OptionError, TercetError, needs_extra
from tercet.games import game_definition
from tercet.pictures.drawing import element, png, svg

OVER = kernels.OVER


class EnvError(TercetError, ValueError):
    """An environment asked for with something that makes no sense, or stepped when it is over."""


def compiled_game(game: str | Game, options: dict[str, Any]) -> Game:
    """Return the compiled game of this name with these options, or a Game as it is. OptionError, and EnvError for a
    game of one player: rewards here are shares of what several play for."""
    if isinstance(game, Game):
        if options:
            raise EnvError(f"A Game already has its options. Leave out {', '.join(options)}, or name the game.")
        made = Game(game.definition, game.options, "compiled")
    elif isinstance(game, str):
        made = Game(game_definition(game), options, "compiled")
    else:
        raise EnvError(f"game must be a game's name or a Game, not {game!r}.")
    if len(made.players) < 2:
        raise EnvError(f"{made!r} is for one player. Choose a game with opponents.")
    return made


def check_seed(seed: Any) -> int:
    """``seed`` as a number that a game takes; OptionError."""
    number = whole(seed, 0, MAX_SEED)
    if number is None:
        raise OptionError("seed", f"The seed must be a whole number from 0 to 2**62 - 1, not {seed!r:.40}.")
    return number


def check_limit(max_plies: Any) -> int:
    """``max_plies`` as a number, one that no game reaches where it is None; EnvError."""
    number = 1 << 60 if max_plies is None else whole(max_plies, 1)
    if number is None:
        raise EnvError(f"max_plies must be a whole number, at least 1, not {max_plies!r:.40}.")
    return number


def utilities(shares: Any) -> Any:
    """Shares of the point as rewards that sum to 0: 1 for all of the point, 0 for an even share, and for nothing
    -1 between two, -1/2 among three. ``shares`` is float64 (..., players)."""
    players = shares.shape[-1]
    return (players * shares - 1.0) / (players - 1)


@functools.cache
def _entries(definition: GameDefinition) -> SimpleNamespace:
    """Return the kernels of this package over a game's, ready to be called without a look at their arguments."""
    by_words = definition.words if kernel.chooses_bits_at_once("compiled") else None
    found = definition.bundle("compiled", *filter(None, [by_words]), kernels)
    words, row, planes = np.empty(1, np.int32), np.empty(1, np.int64), np.empty((1, 1), np.float32)
    mask = np.empty(1, np.int8)
    bits = np.empty(1, np.uint32)
    describe = found.describe_by_words if by_words else found.describe_by_bits if definition.bits else found.describe
    return SimpleNamespace(
        advance=kernel.entry(found.advance, words, row, 0, 0, words),
        describe=kernel.entry(describe, words, row, 0, planes, mask, 0, words, bits, bits, 0, new=(3, 4)),
    )


class Play:
    """A game in play. ``mover`` is whose decision it is (-1 when it is over), ``status`` why it is over (0 while it
    goes on), ``plies`` how many actions were played."""

    __slots__ = (
        "_advance", "_bits", "_cells", "_data", "_describe", "_events", "_list", "_mask", "_planes", "_seen",
        "actions", "game", "mover", "players", "plies", "row", "seed", "shape", "status",
    )  # fmt: skip

    def __init__(self, game: Game) -> None:
        rules = game.rules
        entries = _entries(game.definition)
        self._advance, self._describe = entries.advance, entries.describe
        self._data = game.data
        self._events = np.zeros(EVENT_SIZE * rules.max_events, np.int32)
        self._list = np.zeros(rules.max_legal + 1, np.int32)
        self.game = game
        self.actions = rules.actions
        self.players = len(game.players)
        self.shape = (len(rules.planes), len(game.board))
        self._cells = len(game.board)
        self._bits = np.empty(2 * ((rules.actions + 63) // 64), np.uint32)
        self._seen = np.empty(len(rules.planes) * ((self._cells + 31) // 32), np.uint32)
        self._planes, self._mask = np.empty(self.shape, np.float32), np.empty(rules.actions, np.int8)
        self.row = game.new_row()
        self.begin(0)

    def __reduce__(self) -> Any:
        state = {"row": self.row.copy(), "seed": self.seed, "status": self.status, "mover": self.mover}
        return Play, (self.game,), (None, {**state, "plies": self.plies})

    def begin(self, seed: int) -> None:
        """Begin a game from the start that ``seed`` settles."""
        self.seed = seed
        self.put(self.game.start(seed))

    def put(self, position: Position) -> None:
        """Go on from ``position``."""
        self.row[:] = position.row
        self.status = position._status
        self.mover = -1 if self.status else int(self.game.kernels.mover(self._data, self.row))
        self.plies = 0

    def act(self, action: Any) -> int:
        """Play ``action``, a number or an Action; the player to move then, -1 when the game is over. IllegalAction says
        why not, and nothing has changed."""
        if type(action) is not int:
            action = number_of(action, self.game, "An action must be a whole number.")
        code: int = self._advance(self._data, self.row, action, self.actions, self._events)
        if code < 0 or self.status:
            self.position._refuse(action, str(action))
        self.plies += 1
        if code >= OVER:
            self.status = code // OVER
            code = -1
        self.mover = code
        return code

    @property
    def position(self) -> Position:
        """Return the position, to keep."""
        return Position(self.game, self.row.copy(), self.status)

    def describe(self, player: int) -> tuple[Any, Any]:
        """Return what ``player`` sees, float32 (planes, cells), and the legal actions, int8 (actions,), all 0 if it
        is another player's decision: new arrays."""
        return self._describe(  # type: ignore[no-any-return]
            self._data, self.row, player, self._planes, self._mask, player == self.mover,
            self._list, self._bits, self._seen, self._cells,
        )  # fmt: skip

    def scores(self) -> Any:
        """Each player's share of the point, float64 (players,); all 0 while the game goes on."""
        points = np.zeros(self.players)
        if self.status:
            self.game.kernels.scores(self._data, self.row, points)
        return points

    def rewards(self) -> list[float]:
        """Each player's utility in the end, 0 while the game goes on."""
        if not self.status:
            return [0.0] * self.players
        found: list[float] = utilities(self.scores()).tolist()
        return found


RENDER_MODES = ("rgb_array", "svg", "ansi", "human")
SIZE = 480  # pixels along a picture's longer side
COLUMNS = 6  # of planes in a drawing


def check_render_mode(mode: str | None) -> str | None:
    """``mode``; EnvError where there is none such."""
    if mode is not None and mode not in RENDER_MODES:
        raise EnvError(f"render_mode must be one of {', '.join(RENDER_MODES)}, not {mode!r}.")
    return mode


def render(position: Position, mode: str | None) -> Any:
    """``position`` as ``mode`` says: ``rgb_array`` uint8 (height, width, 3), ``svg`` and ``ansi`` text; ``human``
    prints the text and returns nothing."""
    if mode == "rgb_array":
        try:
            from PIL import Image
        except ImportError:
            raise TercetError(needs_extra("A picture as an array", "rl")) from None
        with Image.open(io.BytesIO(png(position, size=SIZE))) as image:
            return np.asarray(image.convert("RGB"))
    if mode == "svg":
        return svg(position, size=SIZE)
    if mode == "ansi":
        return str(position)
    if mode == "human":
        print(position)
    return None


class Picture(str):
    """An SVG picture as text, which notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def planes_svg(position: Position, player: int | None = None, size: int = 130) -> Picture:
    """Return all observation planes of ``position`` from ``player``'s side (default: the mover's), each drawn on the
    board with its number and name, as one SVG picture. ``size`` is a board's width in pixels."""
    planes = position.observe(player)
    names = position.game.rules.planes
    cells = board_view(position.game.board)["cells"]
    left = min(cell["x"] for cell in cells) - 0.6
    top = min(cell["y"] for cell in cells) - 0.6
    wide = max(cell["x"] for cell in cells) + 0.6 - left
    size = plain(size)
    scale = size / wide
    high = (max(cell["y"] for cell in cells) + 0.6 - top) * scale + 22
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    area = f'width="{columns * (size + 10)}" height="{rows * high:.0f}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {area} font-family="sans-serif" font-size="9">']
    for number, name in enumerate(names):
        x, y = number % columns * (size + 10), number // columns * high
        parts.append(f'<g transform="translate({x} {y:.1f})"><text x="2" y="10">{number} {escape(name)}</text>')
        for cell, value in zip(cells, planes[number].tolist(), strict=True):
            shade = round(235 - 200 * max(0.0, min(1.0, value)))
            middle = {"cx": f"{(cell['x'] - left) * scale:.1f}", "cy": f"{(cell['y'] - top) * scale + 16:.1f}"}
            parts.append(element("circle", **middle, r=f"{0.42 * scale:.1f}", fill=f"rgb({shade},{shade},{shade})"))
        parts.append("</g>")
    return Picture("".join([*parts, "</svg>"]))
