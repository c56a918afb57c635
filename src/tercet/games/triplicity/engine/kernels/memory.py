"""What a search of Triplicity works on: how its memory lies in arrays, and a search's beginning.

A search is a machine over levels, one for each action of the line looked at: ``rows[level]`` is the position,
``codes`` and ``ranks`` its actions (see ``ordering``), ``frames`` the rest. Values are worths to the player who asks
(``evaluation.worth``), or to each player where all play for themselves (``maxn``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.triplicity.engine.kernels.evaluation import WON
from tercet.games.triplicity.engine.kernels.hashing import men_key
from tercet.games.triplicity.kernels.layout import (
    ROW_SIZE,
)
from tercet.kernel import kernel, u

PARANOID, BEST_REPLY, MAXN = 0, 1, 2  # MODE: the first two are searched by ``alphabeta``, the third by ``maxn``

# header, what is asked (see ``levels.Strength``): the player who asks, MODE, SALT and NOISE of evaluations, AGE of the
# table's entries, CALM captures at most after the last action, WIDE quiet actions for each one left, shorter looks at
# those from number LATE on, MARGIN points that one quiet action may bring, whether to be WARY of attacks on their last
# king; and how far it is: LEVEL and PHASE, NODES and the DEEPEST level so far.
ME, MODE, LEVEL, PHASE, NODES, SALT, NOISE, AGE, DEEPEST, CALM, WIDE, LATE, MARGIN, BARRED, WARY = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
)  # fmt: skip
BARS = 15  # from here on, BARRED actions not to be looked at in the root
HEADER = BARS  # and as many more as there are bars
ENTER, TRY, LEAVE, DONE = 0, 1, 2, 3  # PHASE: see ``search``

# frame: the window, BEST value and CHOICE so far; how many codes, the NEXT, the one being tried and how (STAGE,
# SHORTER by so much); DEPTH left; keys of the men and of the position; the window at first; the code that was good
# enough in a sister position, plus one (KILLER); worth at a look (STATIC); the SECOND enemy, plus one, who moves before
# ME does though the search of best replies leaves it out; EACH player's worth, for ``maxn``
ALPHA, BETA, BEST, CHOICE, COUNT, NEXT, DEPTH, MEN_KEY, KEY, LOW, HIGH, TRYING, STAGE, KILLER, STATIC, SHORTER = (
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
SECOND, EACH = 16, 17
FRAME = 20  # EACH are three
PLAIN, NARROW = 0, 1  # STAGE: with the full window, or to see whether it is worth that

LEVELS = 96  # longest line looked at
LIMIT = 2 * WON - 1  # beyond any value


class SearchMemory(NamedTuple):
    """``rows``, ``codes``, ``ranks`` and ``frames`` have LEVELS + 1 rows; ``spare`` is as long as one of ``codes``;
    ``weights`` and ``work`` are ``evaluation``'s, ``history`` is ``ordering``'s, ``table`` is ``transposition``'s."""

    rows: Any
    codes: Any
    ranks: Any
    frames: Any
    header: Any
    spare: Any
    weights: Any
    work: Any
    history: Any
    table: Any
    events: Any


@kernel
def count_node(header, level):
    """Note that one more position is looked at."""
    header[NODES] += 1
    if level > header[DEEPEST]:
        header[DEEPEST] = level


@kernel
def begin(rules, start, memory, depth, alpha, beta):
    """Prepare to search position ``start`` to ``depth`` within a window."""
    row = memory.rows[0]
    for i in range(ROW_SIZE):
        row[u(i)] = start[u(i)]
    frame = memory.frames[0]
    frame[ALPHA] = alpha
    frame[BETA] = beta
    frame[HIGH] = LIMIT
    frame[DEPTH] = depth
    frame[CHOICE] = -1
    frame[NEXT] = 0
    frame[SECOND] = 0
    frame[MEN_KEY] = men_key(rules, row)
    memory.header[LEVEL] = 0
    memory.header[PHASE] = ENTER
