"""The search itself: chains by a beam, and whole turns."""

from __future__ import annotations

from tercet.games.sparklies.engine.kernels.beam import (
    AGAIN,
    BUDGET,
    COMPLETE,
    CUTOFF,
    ENDING,
    FOUND,
    HASH,
    KEEP,
    KEPT,
    LAST,
    LINE,
    LOOSE,
    MARK,
    MERGE,
    NARROW,
    NEED,
    PATIENCE,
    QUIET,
    ROOM,
    SALT,
    TRACED,
    TRIED,
    VALUE,
    VICTIM,
    WIDTH,
    WON,
    fingerprint,
    holding,
    in_turn,
    keep,
    load,
    met,
    place_for,
    record,
    sort_down,
)
from tercet.games.sparklies.engine.kernels.evaluation import calmest, hope, promises, taken_cell, value
from tercet.games.sparklies.kernels.chain import (
    targets,
)
from tercet.games.sparklies.kernels.layout import (
    ACTIVES,
    CONTROLS,
    DEGREE,
    FIRST,
    HELD,
    HOLD,
    MOVER,
    NEIGHBOURS,
    STEP,
    WORDS,
)
from tercet.games.sparklies.kernels.moves import (
    legal,
)
from tercet.games.sparklies.kernels.turns import (
    apply,
)
from tercet.kernel import kernel, lowest_bit, u


@kernel
def offer(rules, knobs, rows, marks, row, size, player, before, action):
    """A final reached by ``action`` (-1: by ``before`` itself): keep it if it is among the best; returns its value."""
    score = value(rules, row, player)
    key = holding(rules, row, knobs[SALT]) if knobs[MERGE] else fingerprint(rules, row, knobs[SALT])
    slot = place_for(marks, 2 * knobs[WIDTH], knobs[FOUND], knobs[KEEP], score, key)
    knobs[KEPT] = 0
    if slot < 0:
        return score
    knobs[KEPT] = 1
    if slot == 2 * knobs[WIDTH] + knobs[FOUND]:
        knobs[FOUND] += 1
    keep(rows, marks, row, size, slot, score, key, before, action)
    return score


@kernel
def settle(rules, knobs, rows, marks, trace, row, size, player, line, events):
    """Lead the chain in ``row`` to its end by `calmest` pings, in place, and offer what comes of it; its value."""
    steps = 4 * row[ACTIVES] + 24
    traced = knobs[TRACED] + 0
    while steps > 0 and in_turn(row) and knobs[TRACED] < knobs[ROOM]:
        action = calmest(rules, row)
        line = record(knobs, trace, line, action)
        apply(rules, row, action, events)
        knobs[TRIED] += 1
        steps -= 1
    score = -WON
    knobs[KEPT] = 0
    if not in_turn(row):
        score = offer(rules, knobs, rows, marks, row, size, player, line, -1)
    if knobs[KEPT] == 0:
        knobs[TRACED] = traced
    return score


@kernel
def is_dull(rules, knobs, row, action, taken):
    """Whether a first ping is not worth trying after cell ``taken`` (-1: none) was: see QUIET and LOOSE."""
    player = row[MOVER]
    if row[STEP] != FIRST or taken < 0 or action >= rules[CONTROLS]:
        return False
    cell = action // 3
    if knobs[LOOSE] == 2:
        return cell != taken
    if row[u(HELD + 1 + player)] <= knobs[QUIET]:
        return False
    if cell == taken:
        return False
    place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
    for near in range(place + 1, place + 1 + rules[u(place)]):
        if rules[u(near)] == taken:
            return False
    return targets(rules, row, player, cell, action - 3 * cell) == 0


@kernel
def tell_losses(rules, knobs, start, row, trace, lost, before, action):
    """Note in ``lost`` the cells that VICTIM has in ``start`` and no more in ``row``, after ``action``."""
    base = rules[HOLD] + knobs[VICTIM] * rules[WORDS]
    step = -1
    for index in range(rules[WORDS]):
        word = start[u(base + index)] & ~row[u(base + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            word &= word - 1
            if lost[u(cell)] == 0:
                if step < 0:
                    step = record(knobs, trace, before, action)
                lost[u(cell)] = step + 1


@kernel
def chain(
    rules, start, taken, first, width, patience, size, knobs, rows, marks, trace, table, row, child, out, events, lost
):
    """Search the rest of the turn from ``start``, reached by step ``first`` of ``trace`` (-1: from nowhere) with cell
    ``taken`` (-1: none), by a beam ``width`` wide. Finals go behind the two generations of ``rows``. Ends early when
    BUDGET is spent or a final reaches CUTOFF. Returns the value of the best final."""
    player = start[MOVER]
    if not in_turn(start):
        return offer(rules, knobs, rows, marks, start, size, player, first, -1)
    top = -2 * WON
    keep(rows, marks, start, size, 0, 0, 0, first, -1)
    here = 0
    there = knobs[WIDTH] + 0
    count = 1
    record_held = start[u(HELD + 1 + player)]
    stale = 0
    while count > 0:
        if stale > patience or knobs[TRIED] >= knobs[BUDGET] or knobs[TRACED] >= knobs[ROOM]:
            knobs[COMPLETE] = 0
            break
        fresh = 0
        for slot in range(here, here + count):
            load(rows, slot, row, size)
            line = marks[u(MARK * slot + LINE)]
            actions = legal(rules, row, out)
            knobs[TRIED] += actions
            for which in range(actions):
                action = out[u(which)]
                if is_dull(rules, knobs, row, action, taken):
                    knobs[COMPLETE] = 0
                    continue
                load(rows, slot, child, size)
                apply(rules, child, action, events)
                if knobs[VICTIM]:
                    tell_losses(rules, knobs, start, child, trace, lost, line, action)
                if not in_turn(child):
                    top = max(top, offer(rules, knobs, rows, marks, child, size, player, line, action))
                    continue
                key = fingerprint(rules, child, knobs[SALT])
                if met(table, key):
                    continue
                score = hope(child, player, key, knobs[ENDING])
                target = place_for(marks, there, fresh, width, score, key)
                if target != there + fresh:
                    knobs[COMPLETE] = 0
                if target >= 0:
                    fresh = max(fresh, target - there + 1)
                    keep(rows, marks, child, size, target, score, key, line, action)
        best = -1
        for slot in range(there, there + fresh):
            at = MARK * slot
            marks[u(at + LINE)] = record(knobs, trace, marks[u(at + LINE)] + 0, marks[u(at + LAST)] + 0)
            if best < 0 or marks[u(MARK * slot + VALUE)] > marks[u(MARK * best + VALUE)]:
                best = slot
        stale += 1
        if best >= 0:
            load(rows, best, child, size)
            held = child[u(HELD + 1 + player)]
            if held > record_held:
                record_held = held
                stale = 0
            line = marks[u(MARK * best + LINE)]
            top = max(top, settle(rules, knobs, rows, marks, trace, child, size, player, line, events))
        if top >= knobs[CUTOFF]:
            knobs[COMPLETE] = 0
            break
        swap = here
        here = there
        there = swap
        count = fresh
    return top


@kernel
def sweep(
    rules, start, size, knobs, rows, marks, trace, table, row, child, stem, out, firsts, events, gains, scratch, lost
):
    """Search a whole turn from ``start``, or the rest of one: every first action by a beam NARROW wide, those that
    promise most first, then the AGAIN best of them by one WIDTH wide. Returns the value of the best final."""
    knobs[FOUND] = 0
    knobs[TRACED] = 0
    knobs[TRIED] = 0
    knobs[COMPLETE] = 1
    if in_turn(start):
        return chain(
            rules, start, -1, -1, knobs[WIDTH], knobs[PATIENCE], size, knobs, rows, marks, trace, table, row, child,
            out, events, lost,
        )  # fmt: skip
    count = legal(rules, start, firsts)
    promises(rules, start, firsts, count, knobs[NEED], scratch, gains)
    sort_down(firsts, gains, count)
    top = -2 * WON
    loose = knobs[LOOSE]
    for which in range(count + knobs[AGAIN]):
        place = which
        width = knobs[NARROW]
        patience = 2 + (knobs[PATIENCE] >> 1)
        if which == count:
            sort_down(firsts, gains, count)
            knobs[SALT] = (knobs[SALT] * 5 + 1) & HASH
        if which >= count:
            place = which - count
            width = knobs[WIDTH]
            patience = knobs[PATIENCE]
            if place >= count or knobs[COMPLETE] == 1:
                break
        if top >= knobs[CUTOFF] or knobs[TRIED] >= knobs[BUDGET]:
            knobs[COMPLETE] = 0
            break
        if loose:
            knobs[LOOSE] = 1 if which == 0 or which >= count else 2
        for i in range(size):
            stem[u(i)] = start[u(i)]
        action = firsts[u(place)]
        apply(rules, stem, action, events)
        knobs[TRIED] += 1
        taken = -1
        if action >= rules[CONTROLS]:
            taken = taken_cell(rules, action)
        best = chain(
            rules, stem, taken, record(knobs, trace, -1, action), width, patience, size, knobs, rows, marks, trace,
            table, row, child, out, events, lost,
        )  # fmt: skip
        gains[u(place)] = best
        top = max(top, best)
    knobs[LOOSE] = loose
    return top
