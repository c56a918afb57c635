"""What SanQi answers the tree search; ``tercet.engines.kernels.defaults`` has the questions.

``candidates`` lists the actions worth trying, ``threats`` finds wins in one turn and wins forced by threats, ``proof``
proves wins with the attacks and windows of ``attacks``, ``rollouts`` plays random games without blunders, and
``features`` are what networks see.

Those answer for a turn, on a row whose STAGE is PLAYED. The functions here set an opening's stage aside meanwhile.
While pieces are still being set up, no win is known.
"""

from __future__ import annotations

from tercet.games.sanqi.engine.kernels.candidates import turn_candidates
from tercet.games.sanqi.engine.kernels.proof import turn_forced_win
from tercet.games.sanqi.engine.kernels.rollouts import turn_rollout
from tercet.games.sanqi.engine.kernels.threats import turn_quick_win
from tercet.games.sanqi.kernels import apply
from tercet.games.sanqi.kernels.layout import PLAYED, SETTING_UP, SIZE, STAGE, SWAPPED
from tercet.games.sanqi.kernels.moves import choices_of_side, legal, open_sampler, sample
from tercet.kernel import advance_seed, kernel, pick, shuffle, u

__all__ = ["candidates", "forced_win", "quick_win", "rollout"]


@kernel
def candidates(rules, row, out, scratch, spare, salt, need):
    """`turn_candidates`, after the choices of the player who chooses a side."""
    stage = row[STAGE]
    if stage == PLAYED:
        return turn_candidates(rules, row, out, scratch, spare, salt, need)
    if stage >= SETTING_UP:
        count = legal(rules, row, out)
        shuffle(out, count, need, salt)
        return count
    choices = choices_of_side(rules, row)
    row[STAGE] = PLAYED
    count = turn_candidates(rules, row, out, scratch, spare, salt, need)
    row[STAGE] = stage
    if count < 0:
        return count
    for index in range(choices):
        out[u(count + index)] = out[u(index)]
    for index in range(choices):
        out[u(index)] = 3 * rules[SIZE] + index
    return count + choices


@kernel
def quick_win(rules, row, scratch, spare, effort):
    """`turn_quick_win`, of the side to move; 0 during a set-up."""
    stage = row[STAGE]
    if stage >= SETTING_UP:
        return 0
    row[STAGE] = PLAYED
    turns = turn_quick_win(rules, row, scratch, spare, effort)
    row[STAGE] = stage
    return turns


@kernel
def forced_win(rules, row, memory, effort):
    """`turn_forced_win`, of the side to move; 0 during a set-up."""
    stage = row[STAGE]
    if stage >= SETTING_UP:
        return 0
    row[STAGE] = PLAYED
    turns = turn_forced_win(rules, row, memory, effort)
    row[STAGE] = stage
    return turns


@kernel
def rollout(rules, row, state, out, scratch, events, limit):
    """`turn_rollout`. A set-up is finished at random before it, with either player as First."""
    if row[STAGE] >= SETTING_UP:
        open_sampler(rules, row, out)
        while row[STAGE] >= SETTING_UP:
            state = advance_seed(state)
            apply(rules, row, sample(rules, row, state, out), events)
        row[SWAPPED] ^= pick(advance_seed(state), 2)
    row[STAGE] = PLAYED
    turn_rollout(rules, row, state, out, scratch, events, limit)
