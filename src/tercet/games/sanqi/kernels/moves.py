"""What the mover may do, and a random choice of it."""

from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.kernels.layout import around, type_at
from tercet.kernel import branch_seed, inlined, kernel, list_threes, pick, u


@kernel
def replaceable(rules, row, cell, old, new):
    """Whether the neighbours of ``cell`` allow its piece of type ``old`` to be replaced by ``new``."""
    return old != new and around(rules, row, cell, new) >= around(rules, row, cell, old) + layout.LEAD


@kernel
def choices_of_side(rules, row):
    """How many of the actions SWAP and ADD the mover has."""
    if row[layout.STAGE] == layout.CHOOSING and rules[layout.OPENING] == layout.SWAPS_OR_ADDS:
        return layout.ADD + 1
    return layout.SWAP + 1 if row[layout.STAGE] == layout.CHOOSING or row[layout.STAGE] == layout.ANSWERING else 0


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[layout.STATUS] != layout.PLAYING:
        return False
    if action >= 3 * rules[layout.SIZE]:
        return action < 3 * rules[layout.SIZE] + choices_of_side(rules, row)
    cell = action // 3
    old = type_at(rules, row, cell)
    if row[layout.STAGE] >= layout.SETTING_UP:
        return old == 0
    return old == 0 or (cell + 1 != row[layout.KO] and replaceable(rules, row, cell, old, action % 3 + 1))


@inlined
def outnumbers(new0, new1, new2, old0, old1, old2):
    """For 63 cells at once, whether new >= old + 2; the numbers, 0 to 6, are given as their three binary digits."""
    add1 = ~old1
    add2 = old2 ^ old1
    less = ~new0 & old0
    less = (~new1 & (add1 | less)) | (add1 & less)
    less = (~new2 & (add2 | less)) | (add2 & less)
    return ~(less | (old2 & old1))


@inlined
def add_digits(a, b, c, d, e, f, digit):
    """Binary ``digit`` (0, 1 or 2) of how many of the six words have each bit set."""
    s1 = a ^ b ^ c
    c1 = (a & b) | (c & (a ^ b))
    s2 = d ^ e ^ f
    c2 = (d & e) | (f & (d ^ e))
    if digit == 0:
        return s1 ^ s2
    c3 = s1 & s2
    if digit == 1:
        return c1 ^ c2 ^ c3
    return (c1 & c2) | (c3 & (c1 ^ c2))


@inlined
def count_digit(here, above, below, digit):
    """Binary ``digit`` of `around` for all cells of a row: the words are where a type stands on it, above and below."""
    return add_digits(here >> 1, here << 1, above, above << 1, below, below >> 1, digit)


@inlined
def choices(red, red_above, red_below, yellow, yellow_above, yellow_below, blue, blue_above, blue_below):
    """For up to 62 cells at once, which hold a piece that its neighbours allow to be replaced by red, by yellow, by
    blue. Each word has a bit for each cell: where a type stands, and where on the rows above and below, each as in
    direction 0; several rows in a word have a vacant bit between any two. Bits that are no cells mean nothing."""
    r0 = count_digit(red, red_above, red_below, 0)
    r1 = count_digit(red, red_above, red_below, 1)
    r2 = count_digit(red, red_above, red_below, 2)
    y0 = count_digit(yellow, yellow_above, yellow_below, 0)
    y1 = count_digit(yellow, yellow_above, yellow_below, 1)
    y2 = count_digit(yellow, yellow_above, yellow_below, 2)
    b0 = count_digit(blue, blue_above, blue_below, 0)
    b1 = count_digit(blue, blue_above, blue_below, 1)
    b2 = count_digit(blue, blue_above, blue_below, 2)
    # digits of how many neighbours are like the piece itself; it never outnumbers itself
    old0 = (red & r0) | (yellow & y0) | (blue & b0)
    old1 = (red & r1) | (yellow & y1) | (blue & b1)
    old2 = (red & r2) | (yellow & y2) | (blue & b2)
    held = red | yellow | blue
    by_red = held & outnumbers(r0, r1, r2, old0, old1, old2)
    by_yellow = held & outnumbers(y0, y1, y2, old0, old1, old2)
    by_blue = held & outnumbers(b0, b1, b2, old0, old1, old2)
    return by_red, by_yellow, by_blue


@inlined
def packed_rows(rules, row, kind, first, count):
    """Where type ``kind`` stands on ``count`` rows from number ``first`` on, side by side in one word: each takes twice
    the side in bits, one vacant bit and then its cells."""
    wide = 2 * rules[layout.SIDE]
    place = layout.WORDS + 3 * (kind - 1) * rules[layout.SPAN] + wide - first
    found = 0
    for each in range(count):
        found |= (row[u(place - each)] >> 1) << (wide * each)
    return found


@inlined
def packed_above(rules, row, kind, first, count, here):
    """Where type ``kind`` stands on the row above each of those that `packed_rows` gave as ``here``."""
    wide = 2 * rules[layout.SIDE]
    next_row = row[u(layout.WORDS + 3 * (kind - 1) * rules[layout.SPAN] + wide - first + 1)] >> 1
    return ((here & ((1 << (wide * (count - 1))) - 1)) << wide) | next_row


@inlined
def packed_below(rules, row, kind, first, count, here):
    """Where type ``kind`` stands on the row below each of those that `packed_rows` gave as ``here``."""
    wide = 2 * rules[layout.SIDE]
    next_row = row[u(layout.WORDS + 3 * (kind - 1) * rules[layout.SPAN] + wide - first - count)] >> 1
    return (here >> wide) | (next_row << (wide * (count - 1)))


@inlined
def packed_choices(rules, row, line, count):
    """What stands on ``count`` rows from number ``line`` on, as `packed_rows` gives it: red, yellow, blue; and which
    pieces there their neighbours allow to be replaced by red, by yellow, by blue."""
    red = packed_rows(rules, row, 1, line, count)
    yellow = packed_rows(rules, row, 2, line, count)
    blue = packed_rows(rules, row, 3, line, count)
    by_red, by_yellow, by_blue = choices(
        red, packed_above(rules, row, 1, line, count, red), packed_below(rules, row, 1, line, count, red),
        yellow, packed_above(rules, row, 2, line, count, yellow), packed_below(rules, row, 2, line, count, yellow),
        blue, packed_above(rules, row, 3, line, count, blue), packed_below(rules, row, 3, line, count, blue),
    )  # fmt: skip
    return red, yellow, blue, by_red, by_yellow, by_blue


@kernel
def legal_in_opening(rules, row, out):
    """What `legal` lists while the opening asks for something."""
    count = 0
    for action in range(3 * rules[layout.SIZE] + choices_of_side(rules, row)):
        if allows(rules, row, action):
            out[u(count)] = action
            count += 1
    return count


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many. `allows` says the same, rows at a time."""
    count = 0
    if row[layout.STATUS] != layout.PLAYING:
        return count
    if row[layout.STAGE] != layout.PLAYED:
        return legal_in_opening(rules, row, out)
    rows = 2 * rules[layout.SIDE] - 1
    wide = 2 * rules[layout.SIDE]
    together = 62 // wide
    ko_line = -1
    ko_bit = 0
    if row[layout.KO] > 0:
        index = layout.PLACES + 3 * (row[layout.KO] - 1)
        ko_line = wide - rules[u(index + 1)]
        ko_bit = rules[u(index)] - 1
    for line in range(0, rows, together):
        lines = min(together, rows - line)
        red, yellow, blue, by_red, by_yellow, by_blue = packed_choices(rules, row, line, lines)
        vacant = ~(red | yellow | blue)
        free = -1
        if line <= ko_line < line + lines:
            free = ~(1 << (wide * (ko_line - line) + ko_bit))
        to_red = vacant | (by_red & free)
        to_yellow = vacant | (by_yellow & free)
        to_blue = vacant | (by_blue & free)
        for each in range(lines):
            index = rules[layout.ROWS] + 3 * (line + each)
            cell = rules[u(index)] + 0
            at = wide * each + rules[u(index + 1)] - 1
            left = rules[u(index + 2)] + 0
            while left > 0:
                cells = min(21, left)
                words = to_red >> at, to_yellow >> at, to_blue >> at
                count = list_threes(words, cells, 3 * cell, out, count)
                cell += cells
                at += cells
                left -= cells
    return count


@kernel
def can_act(rules, row):
    """Whether the mover has a placement or a replacement."""
    if row[layout.VACANT] > 0:
        return True
    for cell in range(rules[layout.SIZE]):
        if cell + 1 != row[layout.KO]:
            old = type_at(rules, row, cell)
            for new in range(1, 4):
                if replaceable(rules, row, cell, old, new):
                    return True
    return False


@kernel
def open_sampler(rules, row, scratch):
    """Prepare ``scratch`` for `sample`: its first entry counts the vacant cells, which follow."""
    count = 0
    for cell in range(rules[layout.SIZE]):
        if type_at(rules, row, cell) == 0:
            count += 1
            scratch[u(count)] = cell
    scratch[0] = count


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on, which the caller then plays; ``state`` is a random state.

    Draws from all placements, two replacements for each cell and what the opening offers until one is legal.
    """
    size = rules[layout.SIZE]
    others = 2 * size
    if row[layout.STAGE] != layout.PLAYED:
        others = 0 if row[layout.STAGE] >= layout.SETTING_UP else others + choices_of_side(rules, row)
    while True:
        vacant = scratch[0]
        choice = pick(state, 3 * vacant + others)
        if choice < 3 * vacant:
            place = choice // 3
            cell = scratch[u(place + 1)]
            scratch[u(place + 1)] = scratch[u(vacant)]
            scratch[0] = vacant - 1
            return 3 * cell + choice - 3 * place
        choice -= 3 * vacant
        if choice >= 2 * size:
            return size + choice
        cell = choice >> 1
        old = type_at(rules, row, cell)
        if old != 0 and cell + 1 != row[layout.KO]:
            new = old + 1 + (choice & 1)
            if new > 3:
                new -= 3
            if replaceable(rules, row, cell, old, new):
                return 3 * cell + new - 1
        state = branch_seed(state)
