"""The compiled part of Triplicity's engine. The names here are what the general tree search may ask of the game.

``evaluation`` says what a position is worth, ``hashing`` its key, ``candidates`` what to look at and ``ordering`` in
what order; ``search`` is the loop, ``alphabeta`` and ``maxn`` its steps, ``memory`` what they work on,
``transposition`` what they remember; ``tablebase`` solves the smallest endings, ``quick_win`` sees wins at once;
``features`` are what networks see.
"""

from tercet.games.triplicity.engine.kernels.quick_win import quick_win

__all__ = ["quick_win"]
