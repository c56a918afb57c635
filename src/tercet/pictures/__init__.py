"""Pictures of positions and games: SVG, PNG and GIF (:mod:`tercet.pictures.drawing`), PDF to print and play."""
