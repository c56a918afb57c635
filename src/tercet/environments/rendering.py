"""Pictures of environments and of what a network sees."""

from __future__ import annotations

import io
from html import escape
from typing import Any

from tercet.core.game import Position
from tercet.core.presentation import board_view
from tercet.core.rules import plain
from tercet.environments.play import EnvError
from tercet.errors import TercetError, needs_extra
from tercet.pictures.drawing import png, svg

__all__ = ["RENDER_MODES", "Picture", "check_render_mode", "planes_svg", "render"]

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
        return _pixels(png(position, size=SIZE))
    if mode == "svg":
        return svg(position, size=SIZE)
    if mode == "ansi":
        return str(position)
    if mode == "human":
        print(position)
    return None


def _pixels(picture: bytes) -> Any:
    import numpy as np

    try:
        from PIL import Image
    except ImportError:
        raise TercetError(needs_extra("A picture as an array", "rl")) from None
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("RGB"))


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
            parts.append(
                f'<circle cx="{(cell["x"] - left) * scale:.1f}" cy="{(cell["y"] - top) * scale + 16:.1f}" '
                f'r="{0.42 * scale:.1f}" fill="rgb({shade},{shade},{shade})"/>'
            )
        parts.append("</g>")
    return Picture("".join([*parts, "</svg>"]))
