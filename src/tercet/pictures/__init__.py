"""Pictures of positions and games: SVG, PNG and GIF, and PDF to print and play (:mod:`tercet.pictures.printing`)."""

from tercet.pictures.drawing import gif, png, svg

__all__ = ["gif", "png", "svg"]
