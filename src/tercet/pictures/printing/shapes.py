"""Drawings of the printed parts as SVG, in millimetres."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.core.game import Game
from tercet.core.presentation import board_view
from tercet.core.view import Art, Cutout, Face
from tercet.pictures.drawing import DAY, PAINT, centred, ground, outline, piece, short

__all__ = ["DIE", "board", "drawing", "extent", "face"]

INK = {**DAY, "paper": "#FFFFFF", "cell": "#FFFFFF", "edge": "#8C8471", "label": "#5F5848"}
CUT = "#8C8471"
DIE = (11.0, 13.0)  # a face of a ten-sided die of the usual 16 mm, in millimetres
KITE = ((0.0, -0.5), (0.5, 0.18), (0.0, 0.5), (-0.5, 0.18))  # the sharp corner is at the top


def drawing(box: Sequence[float], parts: Sequence[str]) -> str:
    """An SVG picture of ``box`` (left, top, width, height)."""
    left, top, width, height = map(short, box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{left} {top} {width} {height}" font-family="helvetica" text-anchor="middle">{"".join(parts)}</svg>'
    )


def board(game: Game) -> tuple[str, float, float]:
    """The empty board with its labels; its width and height in cells."""
    view = board_view(game.board)
    places = {cell["name"]: (cell["x"], cell["y"]) for cell in view["cells"]}
    _, _, width, height = view["bounds"]
    return drawing(view["bounds"], ground(view, places, INK, True)), width, height


def extent(cutout: Cutout, game: Game, cell: float) -> tuple[float, float]:
    """Width and height of one face of ``cutout`` in millimetres, on a board with cells of ``cell`` millimetres."""
    if cutout.shape == "die":
        return DIE
    if cutout.shape == "disc":
        return (0.9 * cell * cutout.size,) * 2
    xs, ys = [x for x, _ in game.board.tile], [y for _, y in game.board.tile]
    scale = 0.96 * cell * cutout.size
    return (max(xs) - min(xs)) * scale, (max(ys) - min(ys)) * scale


def face(side: Face, cutout: Cutout, game: Game, art: Art, middle: tuple[float, float], cell: float) -> str:
    """One side of ``cutout`` around ``middle``."""
    x, y = middle
    symbols = {symbol.id: symbol for symbol in art.symbols}
    symbol = None if side.symbol is None else symbols[side.symbol]
    owner = None if side.owner is None else art.players[side.owner]["tone"]
    if cutout.shape == "die":
        return _die(symbol, owner, side.text, x, y)
    scale = cell * cutout.size
    tile = game.board.tile
    parts = []
    if cutout.shape == "disc":
        paint = "#FFFFFF" if symbol is not None or not side.text else PAINT["two"][0]
        parts.append(
            f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(0.45 * scale)}" fill="{paint}" stroke="{CUT}" '
            'stroke-width="0.15"/>'
        )
    else:
        paint = "#FFFFFF" if owner is None else PAINT[owner][0]
        parts.append(
            f'<path d="{outline(tile, x / scale, y / scale, 0.96)}" transform="scale({short(scale)})" '
            f'fill="{paint}" stroke="{CUT}" stroke-width="{short(0.15 / scale)}"/>'
        )
    if symbol is not None:
        parts.append(
            f'<g transform="translate({short(x)} {short(y)}) scale({short(scale)})">'
            f"{piece(symbol, 0, 0, tile, art.styles[0], owner, (), INK)}</g>"
        )
    elif side.text:
        writing = PAINT["two"][1] if owner is None else PAINT[owner][1]
        parts.append(centred(side.text, x, y, 0.5 * scale, writing))
    return "".join(parts)


def _die(symbol: Any, owner: str | None, text: str, x: float, y: float) -> str:
    def kite(scale: float) -> str:
        return "M" + "L".join(f"{short(x + a * DIE[0] * scale)} {short(y + b * DIE[1] * scale)}" for a, b in KITE) + "Z"

    paint, writing = ("#FFFFFF", INK["ink"]) if symbol is None else PAINT[symbol.tone]
    parts = [f'<path d="{kite(1)}" fill="{paint}" stroke="{CUT}" stroke-width="0.15"/>']
    if owner is not None:
        parts += [
            f'<path d="{kite(0.8)}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>'
            for colour, width in ((PAINT[owner][1], 1.3), (PAINT[owner][0], 0.9))
        ]
    low = y + 0.06 * DIE[1]  # the middle of the broad part
    if symbol is not None:
        form: Mapping[str, str] = symbol.forms.get("symbol") or next(iter(symbol.forms.values()))
        parts.append(
            f'<path transform="translate({short(x)} {short(low)}) scale(1.9)" d="{form.get("path", "")}" '
            f'fill="{writing}"/>'
        )
    elif text:
        parts.append(centred(text, x, low, 5, writing))
    return "".join(parts)
