"""Pictures of positions and games, as previews of links show them."""

from __future__ import annotations

import re

import tercet
from tercet.pictures.drawing import DAY, gif, raster, svg

__all__ = ["CARD_HEIGHT", "CARD_WIDTH", "animated", "card"]

CARD_WIDTH, CARD_HEIGHT = 1200, 630  # pixels of a picture beside a shared link
BOARD_HEIGHT = 590  # pixels of the board on it
GIF_SIZE = 360  # pixels
MAX_FRAMES = 100


def card(position: str) -> bytes:
    """Return a picture of the ``position``, as wide as previews of links show it, as PNG."""
    drawing = svg(tercet.parse(position), size=BOARD_HEIGHT, coordinates=False)
    width, height = (float(side) for side in re.findall(r'(?:width|height)="([0-9.]+)"', drawing)[:2])
    left, top = (CARD_WIDTH - width) / 2, (CARD_HEIGHT - height) / 2
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CARD_WIDTH}" height="{CARD_HEIGHT}">'
        f'<rect width="{CARD_WIDTH}" height="{CARD_HEIGHT}" fill="{DAY["paper"]}"/>'
        f'<g transform="translate({left:g} {top:g})">{drawing}</g></svg>'
    )
    return raster(whole)


def animated(record: str) -> bytes:
    """Return the game of a ``record`` as an animated GIF. Of a long game only so many positions are
    shown, at equal distances."""
    (game,) = tercet.read(record)
    positions = [game.start, *(node.position for node in game.main())]
    step = -(-len(positions) // MAX_FRAMES)
    shown = positions[:: step or 1]
    if shown[-1] is not positions[-1]:
        shown.append(positions[-1])
    return gif(shown, size=GIF_SIZE, coordinates=False)
