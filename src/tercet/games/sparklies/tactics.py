"""Searching a turn of Sparklies: whole chains, step by step, by a beam; what a position promises.

Nothing here restates a rule: choices come from ``kernels.legal``, consequences from ``kernels.apply``, and what an
attack is from ``kernels.succeeds``. A *turn* lasts while `in_turn` holds; a *final* is a row in which it has ended.

``knobs`` (int64) says how to search and receives what came of it. ``rows`` (int64) holds two generations of WIDTH rows
and then KEEP finals; ``marks`` (int64) holds MARK entries for each of them: VALUE, KEY (a hash), LINE, the last step of
the way there, and LAST, an action after that or -1. ``trace`` (int32) holds two entries for each step, the step before
(-1 for none) and the action. ``table`` (int64, TABLE entries) remembers the rows already met, so that a quadrille is
not danced for ever.
"""

from __future__ import annotations

from tercet.games.sparklies.kernels import (
    ACTIVATIONS,
    ACTIVE,
    ACTIVES,
    BLANK,
    CELL_MASK,
    CELLS,
    CONTROLS,
    COUNT_MASK,
    COUNT_SHIFT,
    COUNT_SIZE,
    DEGREE,
    FIRST,
    FLAG,
    HELD,
    HOLD,
    MOVER,
    NEIGHBOURS,
    NO_COLOUR,
    PLACES,
    PLAYERS,
    PLAYING,
    PROPAGATE,
    STATUS,
    STEP,
    WINNER,
    WORDS,
    apply,
    forced_colour,
    legal,
    neighbour,
    succeeds,
    targets,
)
from tercet.kernel import kernel, lowest_bit, u

# What to do: WIDTH rows of a generation, KEEP finals, at most BUDGET actions tried, PATIENCE levels without a gain,
# SALT of hashes, ROOM steps in trace; MERGE: finals with the same holders count as one; NEED of `spread`; NARROW and
# AGAIN of `sweep`; a final worth CUTOFF ends the search; with more than QUIET cells, first pings that capture nothing
# are tried only beside the cell taken; LOOSE: 1 where an attack does not ask who holds what (2: see `is_dull`);
# VICTIM: the player (plus one) of whose cells is noted in ``lost`` by which step, plus one, each is first taken;
# ENDING: see `hope`.
WIDTH, KEEP, BUDGET, PATIENCE, SALT, ROOM = 0, 1, 2, 3, 4, 5
MERGE, NEED, NARROW, AGAIN, CUTOFF, QUIET, LOOSE, VICTIM, ENDING = 6, 7, 8, 9, 10, 11, 12, 13, 14
# What came of it: finals FOUND, steps in trace, actions TRIED, whether the search was COMPLETE,
# whether the last final offered was KEPT.
FOUND, TRACED, TRIED, COMPLETE, KEPT = 15, 16, 17, 18, 19
KNOBS = 20

VALUE, KEY, LINE, LAST, MARK = 0, 1, 2, 3, 4
TABLE = 1 << 14
WON = 1_000_000
HASH = (1 << 62) - 1
# of `estate`: a cell; his own that he can dance with; others' that he attacks, at once or a turn later; others' beside
# one of his, or beside several
CELL, DANCE, PRIZE, PRIZE_LATER, BESIDE, WITHIN = 100, 6, 20, 12, 1, 4
INFECTED = 64  # of `spread`: more than any cell has neighbours


@kernel
def load(rows, slot, row, size):
    """Copy row number ``slot`` of ``rows`` to ``row``."""
    at = slot * size
    for i in range(size):
        row[u(i)] = rows[u(at + i)]


@kernel
def store(rows, slot, row, size):
    """Copy ``row`` to row number ``slot`` of ``rows``."""
    at = slot * size
    for i in range(size):
        rows[u(at + i)] = row[u(i)]


@kernel
def in_turn(row):
    """Whether a turn has begun and is not over."""
    return row[STATUS] == PLAYING and (row[STEP] == FIRST or row[STEP] == PROPAGATE)


@kernel
def fingerprint(rules, row, salt):
    """Hash of cells, step and mover."""
    value = salt + row[STEP] * 4 + row[MOVER]
    for cell in range(rules[CELLS]):
        word = (row[u(PLACES + cell)] & CELL_MASK) + (cell << 10) + 1
        word = (word * 3202034522624059733) & HASH
        word = ((word ^ (word >> 31)) * 2862933555777941757) & HASH
        value += word ^ (word >> 29)
    return value & HASH


@kernel
def holding(rules, row, salt):
    """Hash of who holds what, whatever the colours."""
    value = salt + row[MOVER]
    for place in range(rules[HOLD], rules[ACTIVE]):
        value = ((value ^ row[u(place)]) * 3202034522624059733 + 1) & HASH
        value = value ^ (value >> 29)
    return value


@kernel
def met(table, key):
    """Whether ``key`` is remembered; it is from now on."""
    place = u((key ^ (key >> 20)) & (TABLE - 1))
    if table[place] == key:
        return True
    table[place] = key
    return False


@kernel
def margin(rules, row, player):
    """Cells of ``player`` less those of whoever else holds most."""
    most = 0
    for other in range(rules[PLAYERS]):
        if other != player:
            most = max(most, row[u(HELD + 1 + other)])
    return row[u(HELD + 1 + player)] - most


@kernel
def under_attack(rules, word, player):
    """Whether ``player`` attacks a cell with this ``word`` as things stand: a ping of one of the attackers takes it."""
    colour = word & 3
    if colour == NO_COLOUR:
        return False
    taker = colour + 2 if colour == 0 else colour - 1
    return succeeds(rules, word, player, taker)


@kernel
def estate(rules, row, player):
    """What ``player`` has in a row at the end of a turn. A cell is 100; besides, his own cells under his own attack,
    which he can dance with (harlequins and all larger bases), other cells under his attack, and room around his."""
    total = CELL * row[u(HELD + 1 + player)]
    prize = PRIZE if row[MOVER] == player else PRIZE_LATER
    shift = COUNT_SHIFT + COUNT_SIZE * (player + 1)
    for cell in range(rules[CELLS]):
        word = row[u(PLACES + cell)]
        beside = (word >> shift) & COUNT_MASK
        if beside:
            if (word >> 2) & 3 == player + 1:
                total += DANCE if under_attack(rules, word, player) else 0
            else:
                total += BESIDE if beside & (beside - 1) == 0 else WITHIN
                total += prize if under_attack(rules, word, player) else 0
    return total


@kernel
def value(rules, row, player):
    """What a row at the end of a turn is worth to ``player``: his `estate` less the largest of the others'; for a game
    won WON and more, the more the larger the margin."""
    if row[STATUS] == FLAG:
        return WON + 1000 if row[WINNER] == player + 1 else -WON
    if row[STATUS] != PLAYING:
        ahead = margin(rules, row, player)
        if rules[PLAYERS] == 1 or ahead > 0:
            return WON + 1000 * ahead
        return 0 if ahead == 0 else 1000 * ahead - WON
    most = 0
    for other in range(rules[PLAYERS]):
        if other != player:
            most = max(most, estate(rules, row, other))
    return estate(rules, row, player) - most


@kernel
def hope(row, player, key, ending):
    """What a row in the middle of a turn promises: cells, then active ones to go on with, then a little chance. Where
    the turn is to end the game, a cell that nobody holds counts for ``ending`` more."""
    return 64 * row[u(HELD + 1 + player)] + 16 * row[ACTIVES] + (key & 15) - ending * row[HELD]


@kernel
def spread(rules, row, player, extra, need, scratch):
    """How many cells ``player`` could hold at most by chains alone, also holding cell ``extra`` (-1 for none), if a
    cell falls to any ``need`` of his neighbours and every colour can be had: percolation. ``scratch``: two ints a cell.
    """
    size = rules[CELLS]
    width = rules[DEGREE] + 1
    count = 0
    for cell in range(size):
        word = row[u(PLACES + cell)]
        scratch[u(cell)] = 0
        if (word >> 2) & 3 == player + 1 or cell == extra:
            scratch[u(cell)] = INFECTED
            scratch[u(size + count)] = cell
            count += 1
    at = 0
    while at < count:
        place = NEIGHBOURS + width * scratch[u(size + at)]
        at += 1
        for near in range(place + 1, place + 1 + rules[u(place)]):
            other = rules[u(near)]
            scratch[u(other)] += 1
            if scratch[u(other)] == need:
                scratch[u(other)] = INFECTED
                scratch[u(size + count)] = other
                count += 1
    return count


@kernel
def may_end(rules, row, need, scratch):
    """Whether the mover could take or capture all cells that nobody holds in this turn, as far as `spread` tells."""
    player = row[MOVER]
    for extra in range(rules[CELLS]):
        if row[HELD] == 0 or (row[u(PLACES + extra)] >> 2) & 3 == 0:
            spread(rules, row, player, extra, need, scratch)
            missed = 0
            for cell in range(rules[CELLS]):
                missed += (row[u(PLACES + cell)] >> 2) & 3 == 0 and scratch[u(cell)] < INFECTED
            if missed == 0:
                return True
    return False


@kernel
def taken_cell(rules, action):
    """The cell that ``action``, a control, takes."""
    choice = action - rules[CONTROLS]
    return choice // 3 if rules[BLANK] else choice


@kernel
def promises(rules, row, actions, count, need, scratch, out):
    """For each of ``count`` first ``actions`` of a turn, how far it could lead: `spread` where ``need`` is positive,
    else how many cells a ping of the cell in question would capture at once."""
    player = row[MOVER]
    for which in range(count):
        action = actions[u(which)]
        out[u(which)] = 0
        if action < rules[CONTROLS]:
            out[u(which)] = captures(
                rules, row, player, action // 3, targets(rules, row, player, action // 3, action % 3)
            )  # fmt: skip
        elif action < rules[ACTIVATIONS]:
            cell = taken_cell(rules, action)
            if need > 0:
                out[u(which)] = spread(rules, row, player, cell, need, scratch)
            else:
                most = 0
                for colour in range(3):
                    most = max(most, captures(rules, row, player, cell, targets(rules, row, player, cell, colour)))
                out[u(which)] = most


@kernel
def sort_down(items, scores, count):
    """Put ``items`` in the order of their falling ``scores``, both in place; equal ones keep their order."""
    for which in range(1, count):
        item = items[u(which)]
        score = scores[u(which)]
        place = which
        while place > 0 and scores[u(place - 1)] < score:
            items[u(place)] = items[u(place - 1)]
            scores[u(place)] = scores[u(place - 1)]
            place -= 1
        items[u(place)] = item
        scores[u(place)] = score


@kernel
def captures(rules, row, player, cell, found):
    """How many of the neighbours ``found`` of ``cell`` (see `targets`) are not ``player``'s yet."""
    count = 0
    while found:
        other = neighbour(rules, cell, lowest_bit(found))
        if (row[u(PLACES + other)] >> 2) & 3 != player + 1:
            count += 1
        found &= found - 1
    return count


@kernel
def wakes(rules, row, cell, found):
    """How many of the neighbours ``found`` of ``cell`` would become active."""
    count = 0
    while found:
        if row[u(PLACES + neighbour(rules, cell, lowest_bit(found)))] & 16 == 0:
            count += 1
        found &= found - 1
    return count


@kernel
def supports(row, player, cell, colour):
    """How many neighbours of ``cell`` are ``player``'s and of the colour that takes ``colour``."""
    taker = colour + 2 if colour == 0 else colour - 1
    return (row[u(PLACES + cell)] >> (COUNT_SHIFT + COUNT_SIZE * (player + 1) + 4 * taker)) & 15


@kernel
def calmest(rules, row):
    """The ping that leads a chain to its end best: what captures most, else what wakes least and leaves the cell where
    it can be woken again another time. The row is in the middle of a chain."""
    player = row[MOVER]
    best = -1
    most = -1_000_000
    for index in range(rules[WORDS]):
        word = row[u(rules[ACTIVE] + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            word &= word - 1
            forced = forced_colour(rules, row, cell)
            for colour in range(3):
                if forced < 0 or forced == colour:
                    found = targets(rules, row, player, cell, colour)
                    score = supports(row, player, cell, colour)
                    if found:
                        score += 1000 * captures(rules, row, player, cell, found) - 50 * wakes(rules, row, cell, found)
                    if score > most:
                        most = score
                        best = 3 * cell + colour
    return best


@kernel
def record(knobs, trace, before, action):
    """Write a step; returns its number, or ``before`` where there is no room."""
    step = knobs[TRACED]
    if step >= knobs[ROOM]:
        return before
    trace[u(2 * step)] = before
    trace[u(2 * step + 1)] = action
    knobs[TRACED] = step + 1
    return step


@kernel
def keep(rows, marks, row, size, slot, score, key, line, last):
    """Put ``row`` in this slot."""
    store(rows, slot, row, size)
    marks[u(MARK * slot + VALUE)] = score
    marks[u(MARK * slot + KEY)] = key
    marks[u(MARK * slot + LINE)] = line
    marks[u(MARK * slot + LAST)] = last


@kernel
def place_for(marks, base, count, room, score, key):
    """The slot for a row with this score and key among ``count`` of ``room`` slots from ``base``: a new one, that of
    the same key if this is better, or the worst one's if this is better; -1 where there is none."""
    worst = -1
    least = score
    for slot in range(base, base + count):
        known = marks[u(MARK * slot + VALUE)]
        if marks[u(MARK * slot + KEY)] == key:
            return slot if known < score else -1
        if known < least:
            least = known
            worst = slot
    return base + count if count < room else worst


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


@kernel
def way(trace, line, out):
    """Write the actions that lead to step ``line``, in order; returns how many."""
    count = 0
    step = line
    while step >= 0:
        count += 1
        step = trace[u(2 * step)]
    place = count
    step = line
    while step >= 0:
        place -= 1
        out[u(place)] = trace[u(2 * step + 1)]
        step = trace[u(2 * step)]
    return count


@kernel
def may_fill(rules, row, turns):
    """Whether a solitaire of Speed might be over in so many ``turns``, at a look: each takes one cell, and captures
    free cells of one colour only, and these keep their colours as long as they are free."""
    red = 0
    green = 0
    blue = 0
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + index)]
        while word:
            colour = row[u(PLACES + 32 * index + lowest_bit(word))] & 3
            word &= word - 1
            red += colour == 0
            green += colour == 1
            blue += colour == 2
    least = min(red, min(green, blue))
    most = max(red, max(green, blue))
    falls = 0
    if turns == 1:
        falls = most
    elif turns == 2:
        falls = red + green + blue - least
    elif turns > 2:
        falls = red + green + blue
    return row[HELD] - falls <= turns


@kernel
def list_level(rules, row, level, outs, width, out):
    """List the legal actions of ``row`` in list number ``level`` of ``outs``, their number in its last entry."""
    count = legal(rules, row, out)
    for which in range(count):
        outs[u(level * width + which)] = out[u(which)]
    outs[u(level * width + width - 1)] = count


@kernel
def fills(rules, start, size, turns, knobs, rows, outs, width, line, table, row, out, events):
    """Whether a solitaire of Speed, going on, can be over in so many ``turns`` from ``start``, the beginning of a turn:
    how many actions it takes, which are in ``line`` then; 0 if it cannot; -1 if TRIED reached BUDGET before that was
    known. ``rows`` has room for 2 * ``turns`` rows, ``outs`` for as many lists of ``width``; ``table`` remembers the
    rows entered with as many turns to go.
    """
    if not may_fill(rules, start, turns):
        return 0
    level = 0
    store(rows, 0, start, size)
    list_level(rules, start, 0, outs, width, out)
    while level >= 0:
        at = level * width
        left = outs[u(at + width - 1)]
        if left == 0:
            level -= 1
            continue
        if knobs[TRIED] >= knobs[BUDGET]:
            return -1
        knobs[TRIED] += 1
        outs[u(at + width - 1)] = left - 1
        action = outs[u(at + left - 1)]
        line[u(level)] = action
        load(rows, level, row, size)
        apply(rules, row, action, events)
        if row[STATUS] != PLAYING:
            return level + 1
        if not in_turn(row):
            to_go = turns - ((level + 1) >> 1)
            if to_go == 0 or not may_fill(rules, row, to_go):
                continue
            if met(table, fingerprint(rules, row, knobs[SALT] + to_go * 2654435761)):
                continue
        level += 1
        store(rows, level, row, size)
        list_level(rules, row, level, outs, width, out)
    return 0
