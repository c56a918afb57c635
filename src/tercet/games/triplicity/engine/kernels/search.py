"""The search as a machine over levels, for any way to think of the enemies.

Its steps are those of ``alphabeta`` or of ``maxn``, which ``tercet.kernel.build`` puts in the place of the abstract
ones here. It stops after so many nodes and goes on when called again, so that the caller can look at the clock.
"""

from __future__ import annotations

from tercet.games.triplicity.engine.kernels.memory import DONE, ENTER, LEAVE, LEVEL, PHASE, TRY
from tercet.kernel import abstract, kernel


@abstract
def enter(rules, memory, level): ...
@abstract
def descend(rules, memory, level): ...
@abstract
def close(memory, level): ...
@abstract
def absorb(memory, level): ...


@kernel
def search(rules, memory, budget):
    """Go on for up to ``budget`` nodes; returns whether the search that ``memory.begin`` prepared is finished. The
    first frame's BEST and CHOICE say what it has found (so far)."""
    header = memory.header
    level = header[LEVEL]
    phase = header[PHASE]
    while phase != DONE:
        if phase == ENTER:
            if budget <= 0:
                break
            budget -= 1
            phase = LEAVE if enter(rules, memory, level) else TRY
        elif phase == TRY:
            if descend(rules, memory, level):
                level += 1
                phase = ENTER
            else:
                close(memory, level)
                phase = LEAVE
        elif level == 0:
            phase = DONE
        else:
            level -= 1
            if absorb(memory, level):
                level += 1
                phase = ENTER
            else:
                phase = TRY
    header[LEVEL] = level
    header[PHASE] = phase
    return phase == DONE
