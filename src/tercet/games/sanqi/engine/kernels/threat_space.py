"""SanQi's solver: wins forced by a string of threats, each of which leaves the opponent only answers to it.

Scratch memory: as in ``threats``; behind its two lists of actions come the stacks of `force`, FIELDS numbers for each
of DEPTH levels, then for each of them a list of WIDTH attacks and one of WIDTH answers.
"""

from __future__ import annotations

from tercet.games.sanqi.engine.kernels.rollouts import unplay
from tercet.games.sanqi.engine.kernels.threats import EVENTS, answers, gather, heat, own_goals, threat_to, win_in_one
from tercet.games.sanqi.kernels.layout import (
    KO,
    MOVER,
    PLAYING,
    SIZE,
    STATUS,
    type_at,
)
from tercet.games.sanqi.kernels.turns import (
    apply,
)
from tercet.kernel import kernel, noinline, u

# force: attacks and answers kept at each level; more answers than that count as an escape
DEPTH, WIDTH = 16, 48
FIELDS = 8
ATTACKS, ATTACK, ANSWERS, ANSWER, OLD_A, KO_A, OLD_D, KO_D = 0, 1, 2, 3, 4, 5, 6, 7
STACK = DEPTH * (2 * WIDTH + FIELDS)


@kernel
def back(rules, row, scratch, at, list_at, what):
    """Take back the attack (``what`` = ATTACK) or the answer (ANSWER) of the level whose fields and lists these are."""
    if what == ATTACK:
        action = scratch[u(list_at + scratch[u(at + ATTACK)])]
        unplay(rules, row, action, scratch[u(at + OLD_A)], scratch[u(at + KO_A)])
    else:
        action = scratch[u(list_at + WIDTH + scratch[u(at + ANSWER)])]
        unplay(rules, row, action, scratch[u(at + OLD_D)], scratch[u(at + KO_D)])


# Long, because it is a recursive search written as one loop: kernels do not recurse. `level` says how deep it is, and
# what a level knows lies in its own fields of `scratch`.
@kernel
def force(rules, row, scratch, hot, deepest, budget):
    """The first action of a win by threats alone in at most ``deepest`` (up to DEPTH) threats, or -1.

    Every action of the mover's threatens a win in one and leaves the opponent none; all answers are looked at. At
    most ``budget`` threats are tried. ``scratch[0]`` then holds how many threats the win takes, ``scratch[1]`` how
    many were tried. The row is left as it was. One loop, since kernels do not recurse: a level is a threat and its
    answers, kept in ``scratch``, and every way out of it takes back what it has played.
    """
    mine = own_goals(rules, row[MOVER])
    size = rules[SIZE]
    fields = EVENTS + 3 * size
    lists = fields + DEPTH * FIELDS
    tried = 0
    for bound in range(1, deepest + 1):
        level = 0
        cut = False
        deeper = False
        enter = True
        while level >= 0:
            at = fields + FIELDS * level
            list_at = lists + 2 * WIDTH * level
            if enter:
                heat(rules, row, mine, 4, hot)
                scratch[u(at + ATTACKS)] = gather(rules, row, hot, scratch, list_at, WIDTH)
                scratch[u(at + ATTACK)] = -1
                enter = False
            scratch[u(at + ATTACK)] += 1
            if scratch[u(at + ATTACK)] >= scratch[u(at + ATTACKS)]:  # no attack here: the answer above was good
                level -= 1
                if level >= 0:
                    at = fields + FIELDS * level
                    list_at = lists + 2 * WIDTH * level
                    back(rules, row, scratch, at, list_at, ANSWER)
                    back(rules, row, scratch, at, list_at, ATTACK)
                continue
            tried += 1
            if tried > budget:
                cut = True
                break
            action = scratch[u(list_at + scratch[u(at + ATTACK)])]
            scratch[u(at + OLD_A)] = type_at(rules, row, action // 3)
            scratch[u(at + KO_A)] = row[KO]
            apply(rules, row, action, scratch)
            count = WIDTH + 1
            if row[STATUS] == PLAYING and win_in_one(rules, row, scratch, hot) < 0:
                threat = threat_to(rules, row, scratch, hot)
                if threat >= 0:
                    count = answers(rules, row, threat, scratch, list_at + WIDTH, WIDTH, scratch, hot)
            scratch[u(at + ANSWERS)] = count
            scratch[u(at + ANSWER)] = 0
            if count > WIDTH or (count > 0 and level + 1 >= bound):
                deeper = deeper or count <= WIDTH
                back(rules, row, scratch, at, list_at, ATTACK)
                continue
            while level >= 0 and scratch[u(at + ANSWER)] >= scratch[u(at + ANSWERS)]:  # the attack here wins
                back(rules, row, scratch, at, list_at, ATTACK)
                if level == 0:
                    action = scratch[u(list_at + scratch[u(at + ATTACK)])]
                    scratch[0] = bound
                    scratch[1] = tried
                    return action
                level -= 1
                at = fields + FIELDS * level
                list_at = lists + 2 * WIDTH * level
                back(rules, row, scratch, at, list_at, ANSWER)
                scratch[u(at + ANSWER)] += 1
            action = scratch[u(list_at + WIDTH + scratch[u(at + ANSWER)])]
            scratch[u(at + OLD_D)] = type_at(rules, row, action // 3)
            scratch[u(at + KO_D)] = row[KO]
            apply(rules, row, action, scratch)
            if row[STATUS] != PLAYING:  # the answer ended the game
                back(rules, row, scratch, at, list_at, ANSWER)
                back(rules, row, scratch, at, list_at, ATTACK)
                continue
            level += 1
            enter = True
        if cut:
            while level > 0:
                level -= 1
                at = fields + FIELDS * level
                list_at = lists + 2 * WIDTH * level
                back(rules, row, scratch, at, list_at, ANSWER)
                back(rules, row, scratch, at, list_at, ATTACK)
        if cut or not deeper:
            break
    scratch[0] = 0
    scratch[1] = tried
    return -1


@noinline
def turn_quick_win(rules, row, scratch, spare, effort):
    """How many turns a win takes that the mover has in one, or by threats if trying ``effort`` of them finds it.

    The action to begin with goes to ``scratch[0]``. 0: none was found.
    """
    action = win_in_one(rules, row, scratch, spare)
    if action >= 0:
        scratch[0] = action
        return 1
    if effort <= 0:
        return 0
    action = force(rules, row, scratch, spare, DEPTH, effort)
    if action < 0:
        return 0
    turns = scratch[0] + 1
    scratch[0] = action
    return turns
