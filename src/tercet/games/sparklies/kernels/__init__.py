"""Sparklies' rules over a row of integers. The rules are in docs/games/sparklies.md; words here are the designers'.

``state`` lays the row out, ``chain`` pings and captures, ``turns`` plays actions, ``choice`` lists them.
"""

# ruff: noqa: F403  (a game's kernels are one namespace, told apart by file for the reader only)
from tercet.games.sparklies.kernels.chain import *
from tercet.games.sparklies.kernels.choice import *
from tercet.games.sparklies.kernels.state import *
from tercet.games.sparklies.kernels.turns import *
