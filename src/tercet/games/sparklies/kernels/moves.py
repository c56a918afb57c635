"""What the mover may do, a random choice of it, and what a network sees.

Actions, in this order: 3 * cell + colour pings; then a control for each cell (in blank setup one for each cell and
colour); in a duel an activation for each cell; last, where the rules know it, `agree`.
"""

from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.kernels.layout import holder_at, is_active
from tercet.kernel import fill, inlined, kernel, lowest_bit, pick, popcount, spread_within, u


@inlined
def may_ping(rules, row):
    """Whether the mover's step allows a ping."""
    step = row[layout.STEP]
    return step in (layout.FIRST, layout.OPEN, layout.PROPAGATE, layout.RESOLVE) or (
        step == layout.CONTROL and rules[layout.OPTIONAL] != 0
    )


@kernel
def may_agree(rules, row):
    """Whether the mover may say `agree`."""
    return row[layout.STEP] == layout.OPEN or (
        row[layout.STEP] == layout.RESOLVE and rules[layout.ROUND_END] == layout.BY_AGREEMENT
    )


@inlined
def forced_colour(rules, row, cell):
    """The colour that a ping of ``cell`` must have now, or -1 where it is a free choice."""
    if row[layout.STEP] != layout.PROPAGATE or rules[layout.FORCED] == layout.ANY:
        return -1
    colour = row[u(layout.PLACES + cell)] & 3
    return (colour + 2) % 3 if rules[layout.FORCED] == layout.TAKER else (colour + 1) % 3


@inlined
def ping_word(rules, row, index):
    """Word ``index`` of the bits of the cells that the mover may ping, if they may ping at all."""
    word = row[u(rules[layout.HOLD] + (row[layout.MOVER] + 1) * rules[layout.WORDS] + index)]
    if row[layout.STEP] >= layout.PROPAGATE:
        word &= row[u(rules[layout.ACTIVE] + index)]
    return word


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[layout.STATUS] != layout.PLAYING:
        return False
    if action < rules[layout.CONTROLS]:
        if not may_ping(rules, row):
            return False
        cell = action // 3
        if (ping_word(rules, row, cell >> 5) >> (cell & 31)) & 1 == 0:
            return False
        forced = forced_colour(rules, row, cell)
        return forced < 0 or forced == action - 3 * cell
    if action < rules[layout.ACTIVATIONS]:
        cell = action - rules[layout.CONTROLS]
        if rules[layout.BLANK]:
            cell = cell // 3
        return row[layout.STEP] <= layout.CONTROL and holder_at(row, cell) == 0
    if action < rules[layout.AGREE]:
        cell = action - rules[layout.ACTIVATIONS]
        return (
            row[layout.STEP] == layout.ACTIVATE
            and holder_at(row, cell) == row[layout.MOVER] + 1
            and not is_active(row, cell)
        )
    return may_agree(rules, row)


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many."""
    count = 0
    if row[layout.STATUS] != layout.PLAYING:
        return count
    words = rules[layout.WORDS]
    if may_ping(rules, row):
        for index in range(words):
            word = ping_word(rules, row, index)
            while word:
                cell = 32 * index + lowest_bit(word)
                forced = forced_colour(rules, row, cell)
                if forced < 0:
                    out[u(count)] = 3 * cell
                    out[u(count + 1)] = 3 * cell + 1
                    out[u(count + 2)] = 3 * cell + 2
                    count += 3
                else:
                    out[u(count)] = 3 * cell + forced
                    count += 1
                word &= word - 1
    if row[layout.STEP] <= layout.CONTROL:
        for index in range(words):
            word = row[u(rules[layout.HOLD] + index)]
            while word:
                cell = 32 * index + lowest_bit(word)
                if rules[layout.BLANK]:
                    for colour in range(3):
                        out[u(count)] = rules[layout.CONTROLS] + 3 * cell + colour
                        count += 1
                else:
                    out[u(count)] = rules[layout.CONTROLS] + cell
                    count += 1
                word &= word - 1
    if row[layout.STEP] == layout.ACTIVATE:
        for index in range(words):
            word = (
                row[u(rules[layout.HOLD] + (row[layout.MOVER] + 1) * words + index)]
                & ~row[u(rules[layout.ACTIVE] + index)]
            )
            while word:
                out[u(count)] = rules[layout.ACTIVATIONS] + 32 * index + lowest_bit(word)
                count += 1
                word &= word - 1
    if may_agree(rules, row):
        out[u(count)] = rules[layout.AGREE]
        count += 1
    return count


@inlined
def nth_bit(word, n):
    """Index of set bit number ``n`` of ``word``, from 0."""
    while n > 0:
        word &= word - 1
        n -= 1
    return lowest_bit(word)


@inlined
def nth_ping(rules, row, n):
    """Cell number ``n``, from 0, of those that the mover may ping."""
    for index in range(rules[layout.WORDS]):
        word = ping_word(rules, row, index)
        here = popcount(word)
        if n < here:
            return 32 * index + nth_bit(word, n)
        n -= here
    return 0


@inlined
def nth_free(rules, row, n):
    """Cell number ``n``, from 0, of those without a holder."""
    for index in range(rules[layout.WORDS]):
        word = row[u(rules[layout.HOLD] + index)]
        here = popcount(word)
        if n < here:
            return 32 * index + nth_bit(word, n)
        n -= here
    return 0


@kernel
def open_sampler(rules, row, scratch):
    """`sample` needs nothing prepared but in a duel, where it lists."""
    scratch[0] = 0


@inlined
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on: the one that `legal` lists at a random place."""
    if rules[layout.DUEL]:
        return scratch[u(pick(state, legal(rules, row, scratch)))] + 0
    cells = 0
    colours = 3
    if row[layout.STEP] == layout.PROPAGATE:
        cells = row[layout.ACTIVES]
        if rules[layout.FORCED] != layout.ANY:
            colours = 1
    elif may_ping(rules, row):
        cells = row[layout.HELD + 1 + row[layout.MOVER]]
    ways = 3 if rules[layout.BLANK] else 1
    free = row[layout.HELD] if row[layout.STEP] <= layout.CONTROL else 0
    choice = pick(state, colours * cells + ways * free + (1 if row[layout.STEP] == layout.OPEN else 0))
    if choice < colours * cells:
        if colours == 1:
            cell = nth_ping(rules, row, choice)
            return 3 * cell + forced_colour(rules, row, cell)
        cell = nth_ping(rules, row, choice // 3)
        return 3 * cell + choice % 3
    choice -= colours * cells
    if choice < ways * free:
        cell = nth_free(rules, row, choice // ways)
        return rules[layout.CONTROLS] + ways * cell + choice % ways
    return rules[layout.AGREE] + 0


@inlined
def spread_cells(rules, row, first, shown, plane, out):
    """Write the cells in the words of ``row`` from entry ``first`` on to ``plane``; none unless ``shown``."""
    for index in range(rules[layout.WORDS]):
        word = row[first + index] if shown else 0
        spread_within(word, out, plane * rules[layout.CELLS] + 32 * index)


@inlined
def mark_cells(rules, row, mask, value, plane, out):
    """Write to ``plane`` which cells have ``value`` in the bits of ``mask`` of their word."""
    first = plane * rules[layout.CELLS]
    for cell in range(rules[layout.CELLS]):
        out[u(first + cell)] = 1 if row[u(layout.PLACES + cell)] & mask == value else 0


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each CELLS long, from ``player``'s side: red, green, blue; own, the next player's, the
    third's, no one's; active, has pinged, flag; legal to ping, to control; and constant ones (they decide, a turn's
    start, first ping, propagation or resolution, activation, one).

    A plane of words runs over into the next ones, so that planes are written in their order."""
    size = rules[layout.CELLS]
    players = rules[layout.PLAYERS]
    step = row[layout.STEP]
    going = row[layout.STATUS] == layout.PLAYING
    for colour in range(3):
        mark_cells(rules, row, 3, colour, colour, out)
    for rank in range(3):
        who = (player + rank) % players + 1
        spread_cells(rules, row, rules[layout.HOLD] + who * rules[layout.WORDS], rank < players, 3 + rank, out)
    spread_cells(rules, row, rules[layout.HOLD], True, 6, out)
    spread_cells(rules, row, rules[layout.ACTIVE], True, 7, out)
    fill(out, 8 * size, 9 * size, 0)
    if rules[layout.PER_CELL]:
        for cell in range(size):
            out[u(8 * size + cell)] = 1 if row[u(layout.PLACES + cell)] & layout.PING_MASK else 0
    mark_cells(rules, row, layout.FLAG_BIT, layout.FLAG_BIT, 9, out)
    pinging = going and may_ping(rules, row)
    for index in range(rules[layout.WORDS]):
        spread_within(ping_word(rules, row, index) if pinging else 0, out, 10 * size + 32 * index)
    spread_cells(rules, row, rules[layout.HOLD], going and step <= layout.CONTROL, 11, out)
    fill(out, 12 * size, 13 * size, 1 if going and row[layout.MOVER] == player else 0)
    fill(out, 13 * size, 14 * size, 1 if step <= layout.CONTROL or step == layout.OPEN else 0)
    fill(out, 14 * size, 15 * size, 1 if step == layout.FIRST else 0)
    fill(out, 15 * size, 16 * size, 1 if step in (layout.PROPAGATE, layout.RESOLVE) else 0)
    fill(out, 16 * size, 17 * size, 1 if step == layout.ACTIVATE else 0)
    fill(out, 17 * size, 18 * size, 1)
