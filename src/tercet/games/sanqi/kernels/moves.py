"""What the mover may do, a random choice of it, and what a network sees."""

from __future__ import annotations

from tercet.games.sanqi.kernels.layout import (
    FIRST,
    KO,
    MOVER,
    PLACES,
    PLAYING,
    ROWS,
    SIDE,
    SIZE,
    SPAN,
    STATUS,
    VACANT,
    WORDS,
    around,
    type_at,
)
from tercet.kernel import branch_seed, inlined, kernel, pick, popcount, u


@kernel
def replaceable(rules, row, cell, old, new):
    """Whether the neighbours of ``cell`` allow its piece of type ``old`` to be replaced by ``new``: two more of it."""
    return old != new and around(rules, row, cell, new) >= around(rules, row, cell, old) + 2


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[STATUS] != PLAYING:
        return False
    cell = action // 3
    old = type_at(rules, row, cell)
    return old == 0 or (cell + 1 != row[KO] and replaceable(rules, row, cell, old, action % 3 + 1))


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
def count_digit(rules, row, r, kind, digit):
    """Binary ``digit`` of `around`, for all cells of row r at once."""
    place = WORDS + 3 * (kind - 1) * rules[SPAN] + r
    below = row[u(place - 1)]
    here = row[u(place)]
    above = row[u(place + 1)]
    return add_digits(here >> 1, here << 1, above, above << 1, below, below >> 1, digit)


@inlined
def row_choices(rules, row, line):
    """For all cells of row number ``line`` at once, as in direction 0: which are vacant, and which hold a piece that
    the mover may replace by red, by yellow, by blue. Bits outside the row mean nothing."""
    span = rules[SPAN]
    first = rules[u(rules[ROWS] + 3 * line)]
    r = rules[u(PLACES + 3 * first + 1)]
    red = row[u(WORDS + r)]
    yellow = row[u(WORDS + 3 * span + r)]
    blue = row[u(WORDS + 6 * span + r)]
    vacant = ~(red | yellow | blue)
    by_red = 0
    by_yellow = 0
    by_blue = 0
    if red | yellow | blue:
        held = -1
        ko = row[KO] - 1
        if first <= ko < first + rules[u(rules[ROWS] + 3 * line + 2)]:
            held = ~(1 << (rules[u(rules[ROWS] + 3 * line + 1)] + ko - first))
        r0 = count_digit(rules, row, r, 1, 0)
        r1 = count_digit(rules, row, r, 1, 1)
        r2 = count_digit(rules, row, r, 1, 2)
        y0 = count_digit(rules, row, r, 2, 0)
        y1 = count_digit(rules, row, r, 2, 1)
        y2 = count_digit(rules, row, r, 2, 2)
        b0 = count_digit(rules, row, r, 3, 0)
        b1 = count_digit(rules, row, r, 3, 1)
        b2 = count_digit(rules, row, r, 3, 2)
        # digits of how many neighbours are like the piece itself; it never outnumbers itself
        old0 = (red & r0) | (yellow & y0) | (blue & b0)
        old1 = (red & r1) | (yellow & y1) | (blue & b1)
        old2 = (red & r2) | (yellow & y2) | (blue & b2)
        held &= ~vacant
        by_red = held & outnumbers(r0, r1, r2, old0, old1, old2)
        by_yellow = held & outnumbers(y0, y1, y2, old0, old1, old2)
        by_blue = held & outnumbers(b0, b1, b2, old0, old1, old2)
    return vacant, by_red, by_yellow, by_blue


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many. `allows` says the same, a row at a time."""
    count = 0
    if row[STATUS] != PLAYING:
        return count
    for line in range(2 * rules[SIDE] - 1):
        first = rules[u(rules[ROWS] + 3 * line)]
        low = rules[u(rules[ROWS] + 3 * line + 1)]
        vacant, to_red, to_yellow, to_blue = row_choices(rules, row, line)
        to_red |= vacant
        to_yellow |= vacant
        to_blue |= vacant
        for i in range(rules[u(rules[ROWS] + 3 * line + 2)]):
            q = low + i
            action = 3 * (first + i)
            out[u(count)] = action
            count += (to_red >> q) & 1
            out[u(count)] = action + 1
            count += (to_yellow >> q) & 1
            out[u(count)] = action + 2
            count += (to_blue >> q) & 1
    return count


@kernel
def can_act(rules, row):
    """Whether the mover has a placement or a replacement."""
    if row[VACANT] > 0:
        return True
    for cell in range(rules[SIZE]):
        if cell + 1 != row[KO]:
            old = type_at(rules, row, cell)
            for new in range(1, 4):
                if replaceable(rules, row, cell, old, new):
                    return True
    return False


@kernel
def open_sampler(rules, row, scratch):
    """Prepare ``scratch`` for `sample`: its first entry counts the vacant cells, which follow."""
    count = 0
    for cell in range(rules[SIZE]):
        if type_at(rules, row, cell) == 0:
            count += 1
            scratch[u(count)] = cell
    scratch[0] = count


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on, which the caller then plays; ``state`` is a random state.

    Draws from all placements, which are legal, and two replacements for each cell until a legal action comes up.
    """
    size = rules[SIZE]
    while True:
        vacant = scratch[0]
        choice = pick(state, 3 * vacant + 2 * size)
        if choice < 3 * vacant:
            place = choice // 3
            cell = scratch[u(place + 1)]
            scratch[u(place + 1)] = scratch[u(vacant)]
            scratch[0] = vacant - 1
            return 3 * cell + choice - 3 * place
        choice -= 3 * vacant
        cell = choice >> 1
        old = type_at(rules, row, cell)
        if old != 0 and cell + 1 != row[KO]:
            new = old + 1 + (choice & 1)
            if new > 3:
                new -= 3
            if replaceable(rules, row, cell, old, new):
                return 3 * cell + new - 1
        state = branch_seed(state)


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each SIZE long, from ``player``'s side: the three types, vacant, ko, replaceable by each
    type, and three constant ones (whether the player moves, whether he is First, one)."""
    size = rules[SIZE]
    for cell in range(size):
        old = type_at(rules, row, cell)
        for kind in range(1, 4):
            out[(kind - 1) * size + cell] = 1.0 if old == kind else 0.0
            free = old != 0 and cell + 1 != row[KO] and replaceable(rules, row, cell, old, kind)
            out[(4 + kind) * size + cell] = 1.0 if free else 0.0
        out[3 * size + cell] = 1.0 if old == 0 else 0.0
        out[4 * size + cell] = 1.0 if cell + 1 == row[KO] else 0.0
        out[8 * size + cell] = 1.0 if row[MOVER] == player else 0.0
        out[9 * size + cell] = 1.0 if player == FIRST else 0.0
        out[10 * size + cell] = 1.0


@inlined
def every_third(bits):
    """The lowest sixteen ``bits`` moved apart: bit i to place 3 * i."""
    bits = (bits | (bits << 16)) & 0xFF0000FF
    bits = (bits | (bits << 8)) & 0xF00F00F00F
    bits = (bits | (bits << 4)) & 0xC30C30C30C3
    return (bits | (bits << 2)) & 0x249249249249


@inlined
def three_to_a_cell(first, second, third):
    """Bits of sixteen cells, three to each in turn."""
    return every_third(first & 0xFFFF) | (every_third(second & 0xFFFF) << 1) | (every_third(third & 0xFFFF) << 2)


@kernel
def legal_words(rules, row, planes, legal):
    """Write the legal actions as bits, 32 to an entry of ``legal``, from the observation's ``planes`` of bits; returns
    how many they are."""
    count = 0
    for index in range(len(legal)):
        legal[u(index)] = 0
    if row[STATUS] != PLAYING:
        return count
    words = (rules[SIZE] + 31) >> 5
    for index in range(words):
        vacant = planes[u(3 * words + index)]
        to_red = vacant | planes[u(5 * words + index)]
        to_yellow = vacant | planes[u(6 * words + index)]
        to_blue = vacant | planes[u(7 * words + index)]
        count += popcount(to_red) + popcount(to_yellow) + popcount(to_blue)
        low = three_to_a_cell(to_red, to_yellow, to_blue)
        high = three_to_a_cell(to_red >> 16, to_yellow >> 16, to_blue >> 16)
        legal[u(3 * index)] = low & 0xFFFFFFFF
        if 3 * index + 1 < len(legal):
            legal[u(3 * index + 1)] = (low >> 32) | ((high & 0xFFFF) << 16)
        if 3 * index + 2 < len(legal):
            legal[u(3 * index + 2)] = high >> 16
    return count


@kernel
def fill_words(planes, first, last, value):
    """Make the entries of ``planes`` from ``first`` to ``last`` - 1 be ``value``."""
    for index in range(first, last):
        planes[u(index)] = value


@kernel
def observe_words(rules, row, player, planes):
    """What `observe` writes, as bits: each plane begins with a new word of 32. Bits after a plane's last cell mean
    nothing but in the planes of types and choices, where they are 0."""
    words = (rules[SIZE] + 31) >> 5
    span = rules[SPAN]
    red = yellow = blue = vacant = by_red = by_yellow = by_blue = 0  # bits not written yet, `filled` of each
    filled = 0
    index = 0
    for line in range(2 * rules[SIDE] - 1):
        first = rules[u(rules[ROWS] + 3 * line)]
        low = rules[u(rules[ROWS] + 3 * line + 1)]
        end = low + rules[u(rules[ROWS] + 3 * line + 2)]
        place = WORDS + rules[u(PLACES + 3 * first + 1)]
        here_vacant, here_red, here_yellow, here_blue = row_choices(rules, row, line)
        for q in range(low, end, 30):
            cells = min(30, end - q)
            mask = (1 << cells) - 1
            red |= ((row[u(place)] >> q) & mask) << filled
            yellow |= ((row[u(place + 3 * span)] >> q) & mask) << filled
            blue |= ((row[u(place + 6 * span)] >> q) & mask) << filled
            vacant |= ((here_vacant >> q) & mask) << filled
            by_red |= ((here_red >> q) & mask) << filled
            by_yellow |= ((here_yellow >> q) & mask) << filled
            by_blue |= ((here_blue >> q) & mask) << filled
            filled += cells
            if filled >= 32 or first + q - low + cells == rules[SIZE]:
                planes[u(index)] = red & 0xFFFFFFFF
                planes[u(words + index)] = yellow & 0xFFFFFFFF
                planes[u(2 * words + index)] = blue & 0xFFFFFFFF
                planes[u(3 * words + index)] = vacant & 0xFFFFFFFF
                planes[u(5 * words + index)] = by_red & 0xFFFFFFFF
                planes[u(6 * words + index)] = by_yellow & 0xFFFFFFFF
                planes[u(7 * words + index)] = by_blue & 0xFFFFFFFF
                red >>= 32
                yellow >>= 32
                blue >>= 32
                vacant >>= 32
                by_red >>= 32
                by_yellow >>= 32
                by_blue >>= 32
                filled -= 32
                index += 1
    fill_words(planes, 4 * words, 5 * words, 0)
    if row[KO] > 0:
        planes[u(4 * words + ((row[KO] - 1) >> 5))] = 1 << ((row[KO] - 1) & 31)
    fill_words(planes, 8 * words, 9 * words, 0xFFFFFFFF if row[MOVER] == player else 0)
    fill_words(planes, 9 * words, 10 * words, 0xFFFFFFFF if player == FIRST else 0)
    fill_words(planes, 10 * words, 11 * words, 0xFFFFFFFF)
