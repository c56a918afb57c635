"""SanQi's rules over a row of integers. The rules are in docs/games/sanqi.md; words here are the designer's.

``state`` lays the row out, ``choice`` lists what the mover may do, ``turns`` plays actions and judges.
"""

# ruff: noqa: F403  (a game's kernels are one namespace, told apart by file for the reader only)
from tercet.games.sanqi.kernels.choice import *
from tercet.games.sanqi.kernels.state import *
from tercet.games.sanqi.kernels.turns import *
