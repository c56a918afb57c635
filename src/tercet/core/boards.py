"""Boards as data: cells, names, neighbours, lines, symmetries and how to draw them. No rule of any game.

A cell is an index 0..n-1. Tables use n itself as the sentinel "off the board", so that a kernel can follow a
neighbour of a neighbour without a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product, starmap
from math import cos, pi, sin, sqrt
from operator import add, mod

from tercet.errors import ParseError

# Neighbour directions of hexagonal boards in axial coordinates (q, r), anticlockwise from east:
#        2   1
#      3   .   0
#        4   5
HEX_DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
# Neighbour directions of square boards (column, row), anticlockwise from east.
SQUARE_DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))

Point = tuple[float, float]


def column_letters(number: int) -> str:
    """Return the letters of column ``number`` (from 0): a, b ... z, aa, ab ..."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def column_number(letters: str) -> int:
    """Return the number of the column (from 0) with these letters; the inverse of :func:`column_letters`."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("a") + 1
    return number - 1


@dataclass(frozen=True, eq=False)
class Board:
    """A board's geometry. Cells are numbers from 0.

    - ``names`` are the cells' names, and ``coordinates`` any coordinates that suit the shape.
    - ``neighbours[c][d]`` is the neighbour of cell ``c`` in direction ``d``, or ``len(names)`` off the board.
    - ``centres`` are drawing positions: x to the right, y downwards, in distances between neighbouring cells.
    - ``tile`` is the outline of a cell around its centre.
    - ``rows`` lists the cells as position strings write them.
    - ``labels`` are the coordinates at the rim with their places.
    - ``wrapped`` says whether opposite edges are joined.
    - ``removed`` are the centres of places left out of the board. They are drawn, but are no cells.
    - ``symmetries`` are permutations of the cells: entry ``c`` is the image of cell ``c``.
    - ``shades`` has one of three shades for each cell, which no two neighbours share; empty where all cells look alike.
    """

    shape: str
    names: tuple[str, ...]
    coordinates: tuple[tuple[int, ...], ...]
    neighbours: tuple[tuple[int, ...], ...]
    centres: tuple[Point, ...]
    tile: tuple[Point, ...]
    rows: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str, Point], ...] = ()
    wrapped: bool = False
    removed: tuple[Point, ...] = ()
    symmetries: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    shades: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, int]:
        """Cells by name."""
        return {name: cell for cell, name in enumerate(self.names)}

    @cached_property
    def at(self) -> dict[tuple[int, ...], int]:
        """Cells by coordinates."""
        return {place: cell for cell, place in enumerate(self.coordinates)}

    @cached_property
    def row_slices(self) -> tuple[slice, ...]:
        """Return the slice of all cells for each of ``rows``; ValueError if the cells of a row have gaps."""
        for cells in self.rows:
            if cells != tuple(range(cells[0], cells[0] + len(cells))):
                raise ValueError(f"The cells {cells} must follow one another.")
        return tuple(slice(cells[0], cells[-1] + 1) for cells in self.rows)

    @property
    def degree(self) -> int:
        """Return the number of neighbour directions: 4 or 6."""
        return len(self.neighbours[0])


def _board(
    shape: str,
    places: Sequence[tuple[int, ...]],
    *,
    axis: int,
    directions: Sequence[tuple[int, ...]],
    name: Callable[..., str],
    centre: Callable[..., Point],
    labels: Sequence[tuple[str, Point]],
    maps: Sequence[Callable[..., tuple[int, ...]]],
    dead: frozenset[str] = frozenset(),
    wrapped: tuple[int, ...] = (),
    shade: Callable[..., int] | None = None,
) -> Board:
    """Return the board with a cell at each of ``places`` but for the ``dead`` ones.

    ``name``, ``centre`` and ``shade`` take coordinates; places of a row have the same one on ``axis``. A board with
    joined edges is ``wrapped``: so long in each direction. ``maps`` that take the cells onto themselves are symmetries.
    """
    present = [place for place in places if name(*place) not in dead]
    at = {place: cell for cell, place in enumerate(present)}

    def neighbour(place: tuple[int, ...], direction: tuple[int, ...]) -> int:
        beside = tuple(map(add, place, direction))
        return at.get(tuple(map(mod, beside, wrapped)) if wrapped else beside, len(present))

    images = (tuple(at.get(move(*place), -1) for place in present) for move in maps)
    return Board(
        shape=shape,
        names=tuple(name(*place) for place in present),
        coordinates=tuple(present),
        neighbours=tuple(tuple(neighbour(place, direction) for direction in directions) for place in present),
        centres=tuple(centre(*place) for place in present),
        tile=_SQUARE_TILE if len(directions) == 4 else _HEX_TILE,
        rows=tuple(
            tuple(cell for cell, place in enumerate(present) if place[axis] == row)
            for row in dict.fromkeys(place[axis] for place in places)
        ),
        labels=tuple(labels),
        wrapped=bool(wrapped),
        removed=tuple(centre(*place) for place in places if place not in at),
        symmetries=tuple(dict.fromkeys(image for image in images if -1 not in image)),
        shades=() if shade is None else tuple(starmap(shade, present)),
    )


def _hex_map(times: int, mirrored: bool) -> Callable[..., tuple[int, ...]]:
    """Return a symmetry of a hexagon about the origin in axial coordinates: mirrored or not, then turned."""

    def move(q: int, r: int) -> tuple[int, ...]:
        if mirrored:
            q, r = r, q
        for _ in range(times):
            q, r = -r, q + r
        return (q, r)

    return move


_HEX_TILE = tuple((cos(pi / 6 + k * pi / 3) / sqrt(3), sin(pi / 6 + k * pi / 3) / sqrt(3)) for k in range(6))
_SQUARE_TILE = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))


@lru_cache(maxsize=64)
def hexagon(side: int, dead: frozenset[str] = frozenset()) -> Board:
    """Return a hexagon of hexagons with ``side`` cells to each side.

    Axial coordinates (q, r) run from -(side-1) to side-1 with |q+r| < side. Column letters follow q, row numbers r;
    rows are drawn from the bottom up. ``dead`` names cells to leave out.
    """
    n = side
    places = [(q, r) for r in range(n - 1, -n, -1) for q in range(max(-n + 1, -n + 1 - r), min(n - 1, n - 1 - r) + 1)]

    def centre(q: int, r: int) -> Point:
        return (q + r / 2, -r * sqrt(3) / 2)

    labels = []
    for r in range(-n + 1, n):
        x, y = centre(min(n - 1, n - 1 - r) + 1, r)  # at the right: letters have the lower left edge
        labels.append((str(r + n), (x - 0.1, y)))
    for q in range(-n + 1, n):
        x, y = centre(q, max(-n + 1, -n + 1 - q) - 1)
        labels.append((column_letters(q + n - 1), (x + 0.05, y - 0.1)))
    return _board(
        "hexagon",
        places,
        axis=1,
        directions=HEX_DIRECTIONS,
        name=lambda q, r: f"{column_letters(q + n - 1)}{r + n}",
        centre=centre,
        labels=labels,
        maps=[_hex_map(times, mirrored) for mirrored in (False, True) for times in range(6)],
        dead=dead,
    )


@lru_cache(maxsize=64)
def rectangle(width: int, height: int, wrapped: bool = False, dead: frozenset[str] = frozenset()) -> Board:
    """Return a board of squares with four neighbours; letters a, b ... from the left, numbers from 1 at the bottom.

    ``wrapped`` joins opposite edges, ``dead`` names cells to leave out. Cells are numbered from the top row.
    """

    def turned(flip_x: bool, flip_y: bool, swap: bool) -> Callable[..., tuple[int, ...]]:
        def move(x: int, y: int) -> tuple[int, ...]:
            if swap:
                x, y = y, x
            return (width - 1 - x if flip_x else x, height - 1 - y if flip_y else y)

        return move

    both = (False, True)
    labels = [(str(y + 1), (-0.8, float(height - 1 - y))) for y in range(height)]
    labels += [(column_letters(x), (float(x), height - 0.2)) for x in range(width)]
    return _board(
        "rectangle",
        [(x, y) for y in range(height - 1, -1, -1) for x in range(width)],
        axis=1,
        directions=SQUARE_DIRECTIONS,
        name=lambda x, y: f"{column_letters(x)}{y + 1}",
        centre=lambda x, y: (float(x), float(height - 1 - y)),
        labels=labels,
        maps=[turned(*flips) for flips in product(both, both, both if width == height else (False,))],
        dead=dead,
        wrapped=(width, height) if wrapped else (),
    )


# Neighbour directions of the snub triangle in coordinates (x, y, z), anticlockwise from east as it is drawn.
SNUB_DIRECTIONS = ((0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1), (1, -1, 0), (1, 0, -1))


@lru_cache(maxsize=1)
def snub_triangle() -> Board:
    """Return the snub triangle of 111 hexagons: a triangle of side 15 without its three corners of 3 cells each.

    Coordinates (x, y, z) run from 0 to 12 with x + y + z = 14. The short side x = 12 lies at the bottom, y = 12 at
    the upper right, z = 12 at the upper left. Letters a to m follow y, and numbers 1 to 13 are 13 - x. Cells are
    numbered from the top row, the lowest letter first. ``symmetries`` are the three rotations: (x, y, z), (z, x, y)
    and (y, z, x). Mirror images are left out, because they reverse the order of three players. The cells have three
    shades, as on other boards of hexagonal chess.
    """
    places = [(x, y, 14 - x - y) for x in range(13) for y in range(13) if 0 <= 14 - x - y <= 12]

    def centre(x: int, y: int, z: int) -> Point:
        return ((y - z) / 2, x * sqrt(3) / 2)

    labels = []
    for x in range(13):
        left, height = centre(x, max(0, 2 - x), 14 - x - max(0, 2 - x))
        labels.append((str(13 - x), (left - 0.9, height)))
    for y in range(13):
        left, height = centre(min(12, 14 - y), y, 14 - y - min(12, 14 - y))
        labels.append((column_letters(y), (left + 0.45, height + 0.78)))
    return _board(
        "snub-triangle",
        places,
        axis=0,
        directions=SNUB_DIRECTIONS,
        name=lambda x, y, _: f"{column_letters(y)}{13 - x}",
        centre=centre,
        labels=labels,
        maps=[lambda x, y, z: (x, y, z), lambda x, y, z: (z, x, y), lambda x, y, z: (y, z, x)],
        shade=lambda x, y, _: (y - x + 2) % 3,
    )


_CELL = re.compile(r"([a-z]+)([1-9][0-9]*)")
_COUNT = re.compile(r"[1-9][0-9]{0,2}")


def split_name(text: str) -> tuple[int, int] | None:
    """Column and row number (from 0) of a cell name such as ``j10``, or ``None``."""
    match = _CELL.fullmatch(text)
    return (column_number(match[1]), int(match[2]) - 1) if match else None


def read_rows(board: Board, text: str, form: re.Pattern[str], what: str) -> Iterator[tuple[int, str]]:
    """Yield the cells that are not empty in the rows of a position string, each with what is written there: it has this
    ``form``, and is called ``what`` in a ParseError. Numbers count empty cells."""
    rows = text.split("/")
    if len(rows) != len(board.rows):
        raise ParseError("rows", f"The board has {len(board.rows)} rows, not {len(rows)}.")
    for number, (written, cells) in enumerate(zip(rows, board.rows, strict=True)):
        where = f"row {len(rows) - number}"
        row, at, column, counted = where.capitalize(), 0, 0, False
        while column < len(written):
            count = _COUNT.match(written, column)
            match = count or form.match(written, column)
            if not match:
                why = f"{row} must have {what} and counts of empty cells, not {written[column : column + 2]!r}."
                raise ParseError(where, why)
            if count and counted:
                raise ParseError(where, f"{row} has two counts of empty cells side by side. Add them up.")
            if not count and at < len(cells):
                yield cells[at], match[0]
            at += int(match[0]) if count else 1
            column, counted = match.end(), bool(count)
        if at != len(cells):
            raise ParseError(where, f"{row} must have {len(cells)} cells, not {at}.")
