"""What a network sees of a position, entry by entry or as bits, and the legal actions as bits."""

from __future__ import annotations

from tercet.games.sanqi.kernels.layout import (
    ADD,
    FIRST,
    KO,
    MOVER,
    NEAR_ITSELF,
    OPENING,
    PLACES,
    PLAYING,
    ROWS,
    SETTING_UP,
    SIDE,
    SIZE,
    SPAN,
    STAGE,
    STATUS,
    SWAP,
    SWAPPED,
    SWAPS,
    WORDS,
    near,
    type_at,
)
from tercet.games.sanqi.kernels.moves import choices, choices_of_side, replaceable
from tercet.kernel import inlined, kernel, lowest_bit, popcount, u


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each SIZE long, from ``player``'s side: the three types, vacant, ko, replaceable by each
    type, and constant ones: whether the player moves, whether the player is First, one; where one player sets up and
    the other chooses also whether pieces are set up, whether the mover may swap, whether the mover may add."""
    size = rules[SIZE]
    side = player ^ row[SWAPPED]
    moves = row[STAGE] < SETTING_UP
    for cell in range(size):
        old = type_at(rules, row, cell)
        for kind in range(1, 4):
            out[(kind - 1) * size + cell] = 1.0 if old == kind else 0.0
            free = moves and old != 0 and cell + 1 != row[KO] and replaceable(rules, row, cell, old, kind)
            out[(4 + kind) * size + cell] = 1.0 if free else 0.0
        out[3 * size + cell] = 1.0 if old == 0 else 0.0
        out[4 * size + cell] = 1.0 if cell + 1 == row[KO] else 0.0
        out[8 * size + cell] = 1.0 if row[MOVER] == side else 0.0
        out[9 * size + cell] = 1.0 if side == FIRST else 0.0
        out[10 * size + cell] = 1.0
    if rules[OPENING] >= SWAPS:
        offers = choices_of_side(rules, row)
        for cell in range(size):
            out[11 * size + cell] = 0.0 if moves else 1.0
            out[12 * size + cell] = 1.0 if offers > SWAP else 0.0
            out[13 * size + cell] = 1.0 if offers > ADD else 0.0


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
    for action in range(3 * rules[SIZE], 3 * rules[SIZE] + choices_of_side(rules, row)):
        legal[u(action >> 5)] |= 1 << (action & 31)
        count += 1
    return count


@kernel
def fill_words(planes, first, last, value):
    """Make the entries of ``planes`` from ``first`` to ``last`` - 1 be ``value``."""
    for index in range(first, last):
        planes[u(index)] = value


@inlined
def packed_rows(rules, row, kind, first, count):
    """Where type ``kind`` stands on ``count`` rows from number ``first`` on, side by side in one word: each takes twice
    the side in bits, one vacant bit and then its cells."""
    wide = 2 * rules[SIDE]
    place = WORDS + 3 * (kind - 1) * rules[SPAN] + wide - first
    found = 0
    for each in range(count):
        found |= (row[u(place - each)] >> 1) << (wide * each)
    return found


@inlined
def packed_above(rules, row, kind, first, count, here):
    """Where type ``kind`` stands on the row above each of those that `packed_rows` gave as ``here``."""
    wide = 2 * rules[SIDE]
    next_row = row[u(WORDS + 3 * (kind - 1) * rules[SPAN] + wide - first + 1)] >> 1
    return ((here & ((1 << (wide * (count - 1))) - 1)) << wide) | next_row


@inlined
def packed_below(rules, row, kind, first, count, here):
    """Where type ``kind`` stands on the row below each of those that `packed_rows` gave as ``here``."""
    wide = 2 * rules[SIDE]
    next_row = row[u(WORDS + 3 * (kind - 1) * rules[SPAN] + wide - first - count)] >> 1
    return (here >> wide) | (next_row << (wide * (count - 1)))


@inlined
def write_planes(planes, words, index, low, high, following, other, whole):
    """Write word ``index`` of the planes of types, vacant cells and replacements; see `pack_planes`."""
    red = low & ~high
    yellow = high & ~low
    blue = low & high
    planes[u(index)] = red & whole
    planes[u(words + index)] = yellow & whole
    planes[u(2 * words + index)] = blue & whole
    planes[u(3 * words + index)] = ~(low | high) & whole
    planes[u(5 * words + index)] = ((blue & following) | (yellow & other)) & whole
    planes[u(6 * words + index)] = ((red & following) | (blue & other)) & whole
    planes[u(7 * words + index)] = ((yellow & following) | (red & other)) & whole


@kernel
def pack_planes(rules, row, planes):
    """Write the planes of types, vacant cells and what the neighbours allow to be replaced, whatever KO says, as bits.

    As many rows as fit in a word are looked at together; their cells are then moved up against each other, four bits
    for each: the two digits of its type, and whether the next type (red after blue) and the other one may replace it.
    """
    words = (rules[SIZE] + 31) >> 5
    rows = 2 * rules[SIDE] - 1
    wide = 2 * rules[SIDE]
    together = 62 // wide
    low = high = following = other = 0  # bits not written yet, `filled` of each
    filled = 0
    index = 0
    for line in range(0, rows, together):
        count = min(together, rows - line)
        red = packed_rows(rules, row, 1, line, count)
        yellow = packed_rows(rules, row, 2, line, count)
        blue = packed_rows(rules, row, 3, line, count)
        by_red, by_yellow, by_blue = choices(
            red, packed_above(rules, row, 1, line, count, red), packed_below(rules, row, 1, line, count, red),
            yellow, packed_above(rules, row, 2, line, count, yellow), packed_below(rules, row, 2, line, count, yellow),
            blue, packed_above(rules, row, 3, line, count, blue), packed_below(rules, row, 3, line, count, blue),
        )  # fmt: skip
        lows = red | blue
        highs = yellow | blue
        followings = (red & by_yellow) | (yellow & by_blue) | (blue & by_red)
        others = (red & by_blue) | (yellow & by_red) | (blue & by_yellow)
        for each in range(count):
            place = rules[ROWS] + 3 * (line + each)
            at = wide * each + rules[u(place + 1)] - 1
            left = rules[u(place + 2)] + 0
            while left > 0:
                cells = min(30, left)
                mask = (1 << cells) - 1
                low |= ((lows >> at) & mask) << filled
                high |= ((highs >> at) & mask) << filled
                following |= ((followings >> at) & mask) << filled
                other |= ((others >> at) & mask) << filled
                at += cells
                left -= cells
                filled += cells
                if filled >= 32:
                    write_planes(planes, words, index, low, high, following, other, 0xFFFFFFFF)
                    low >>= 32
                    high >>= 32
                    following >>= 32
                    other >>= 32
                    filled -= 32
                    index += 1
    if filled > 0:
        write_planes(planes, words, index, low, high, following, other, (1 << filled) - 1)


@kernel
def observe_words(rules, row, player, planes):
    """What `observe` writes, as bits: each plane begins with a new word of 32. Bits after a plane's last cell mean
    nothing but in the planes of types and choices, where they are 0."""
    words = (rules[SIZE] + 31) >> 5
    pack_planes(rules, row, planes)
    fill_words(planes, 4 * words, 5 * words, 0)
    if row[KO] > 0:
        place = (row[KO] - 1) >> 5
        bit = 1 << ((row[KO] - 1) & 31)
        planes[u(4 * words + place)] = bit
        for plane in range(5, 8):
            planes[u(plane * words + place)] &= ~bit
    side = player ^ row[SWAPPED]
    fill_words(planes, 8 * words, 9 * words, 0xFFFFFFFF if row[MOVER] == side else 0)
    fill_words(planes, 9 * words, 10 * words, 0xFFFFFFFF if side == FIRST else 0)
    fill_words(planes, 10 * words, 11 * words, 0xFFFFFFFF)
    if rules[OPENING] >= SWAPS:
        offers = choices_of_side(rules, row)
        if row[STAGE] >= SETTING_UP:
            fill_words(planes, 5 * words, 8 * words, 0)
        fill_words(planes, 11 * words, 12 * words, 0xFFFFFFFF if row[STAGE] >= SETTING_UP else 0)
        fill_words(planes, 12 * words, 13 * words, 0xFFFFFFFF if offers > SWAP else 0)
        fill_words(planes, 13 * words, 14 * words, 0xFFFFFFFF if offers > ADD else 0)


@inlined
def put_bits(out, first, place, mask, bits):
    """Make the bits of ``mask`` (at most nine) from number ``place`` on be ``bits``, in the words of ``out`` that begin
    with number ``first``."""
    index = first + (place >> 5)
    shift = place & 31
    out[u(index)] = ((out[u(index)] & ~(mask << shift)) | (bits << shift)) & 0xFFFFFFFF
    if (mask << shift) >> 32:
        out[u(index + 1)] = (out[u(index + 1)] & ~(mask >> (32 - shift))) | (bits >> (32 - shift))


@inlined
def put_choices(planes, legal, words, cell, mask, vacant, by_red, by_yellow, by_blue):
    """Write what may be done on the cells of ``mask`` (at most three), counted from number ``cell`` on."""
    put_bits(planes, 5 * words, cell, mask, by_red & mask)
    put_bits(planes, 6 * words, cell, mask, by_yellow & mask)
    put_bits(planes, 7 * words, cell, mask, by_blue & mask)
    bits = three_to_a_cell((by_red | vacant) & mask, (by_yellow | vacant) & mask, (by_blue | vacant) & mask)
    put_bits(legal, 0, 3 * cell, three_to_a_cell(mask, mask, mask), bits)


@inlined
def renew_around(rules, row, cell, planes, legal):
    """Rewrite what may be done on ``cell``, which has just been played on, and on its neighbours."""
    words = (rules[SIZE] + 31) >> 5
    red = near(rules, row, cell, 1)
    yellow = near(rules, row, cell, 2)
    blue = near(rules, row, cell, 3)
    by_red, by_yellow, by_blue = choices(
        red, red >> 5, red << 5, yellow, yellow >> 5, yellow << 5, blue, blue >> 5, blue << 5
    )
    vacant = ~(red | yellow | blue)
    ko = ~NEAR_ITSELF
    left = rules[u(PLACES + 3 * cell)] - 1
    here = 2 * rules[SIDE] - rules[u(PLACES + 3 * cell + 1)]
    for line in range(max(0, here - 1), min(2 * rules[SIDE] - 1, here + 2)):
        place = rules[ROWS] + 3 * line
        shift = 5 * (here - line + 2) + 1
        mask = 7
        if line != here:
            mask = 3 if line < here else 6
        low = rules[u(place + 1)]
        mask &= (1 << min(3, low + rules[u(place + 2)] - left)) - 1
        skip = max(0, low - left)
        mask >>= skip
        shift += skip
        put_choices(
            planes, legal, words, rules[u(place)] + left + skip - low, mask, vacant >> shift, (by_red & ko) >> shift,
            (by_yellow & ko) >> shift, (by_blue & ko) >> shift,
        )  # fmt: skip


@inlined
def renew_cell(rules, row, cell, planes, legal):
    """Rewrite what may be done on ``cell``, which holds a piece and is not protected by KO."""
    old = type_at(rules, row, cell)
    by_red = 1 if replaceable(rules, row, cell, old, 1) else 0
    by_yellow = 1 if replaceable(rules, row, cell, old, 2) else 0
    by_blue = 1 if replaceable(rules, row, cell, old, 3) else 0
    put_choices(planes, legal, (rules[SIZE] + 31) >> 5, cell, 1, 0, by_red, by_yellow, by_blue)


@kernel
def change_words(rules, row, action, planes, legal):
    """Bring ``planes`` and ``legal``, which tell of the position before ``action`` from its mover's side, up to date
    with ``row``, where it was played and the game goes on; returns how many actions are legal."""
    if rules[OPENING] >= SWAPS:
        observe_words(rules, row, row[MOVER] ^ row[SWAPPED], planes)
        return legal_words(rules, row, planes, legal)
    words = (rules[SIZE] + 31) >> 5
    cell = action // 3
    index = cell >> 5
    bit = 1 << (cell & 31)
    before = -1
    for place in range(words):
        word = planes[u(4 * words + place)]
        if word != 0:
            before = 32 * place + lowest_bit(word)
            planes[u(4 * words + place)] = 0
    planes[u(4 * words + index)] = bit
    for plane in range(4):
        planes[u(plane * words + index)] &= ~bit
    planes[u((action - 3 * cell) * words + index)] |= bit
    renew_around(rules, row, cell, planes, legal)
    if before >= 0:
        renew_cell(rules, row, before, planes, legal)
    fill_words(planes, 9 * words, 10 * words, 0xFFFFFFFF if row[MOVER] == FIRST else 0)
    count = 0
    for place in range(words):
        count += 3 * popcount(planes[u(3 * words + place)]) + popcount(planes[u(5 * words + place)])
        count += popcount(planes[u(6 * words + place)]) + popcount(planes[u(7 * words + place)])
    return count
