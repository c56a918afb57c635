"""What a network sees of a position, as bits or with an entry for each cell, and the legal actions as bits.

The planes are computed as words of 32 cells. They are written with an entry for each cell if ``spread``, else as bits:
each plane begins with a new entry of 32 bits.
"""

from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.kernels.layout import near, type_at
from tercet.games.sanqi.kernels.moves import choices, choices_of_side, packed_choices, replaceable
from tercet.kernel import every_third, inlined, kernel, lowest_bit, popcount, spread_word, u


@inlined
def three_to_a_cell(first, second, third):
    """Bits of 21 cells, three to each in turn."""
    return every_third(first) | (every_third(second) << 1) | (every_third(third) << 2)


@kernel
def legal_words(rules, row, planes, legal):
    """Write the legal actions as bits, 32 to an entry of ``legal``, from the ``planes`` of bits; returns how many."""
    count = 0
    for index in range(len(legal)):
        legal[u(index)] = 0
    if row[layout.STATUS] != layout.PLAYING:
        return count
    words = (rules[layout.SIZE] + 31) >> 5
    for index in range(words):
        vacant = planes[u(3 * words + index)]
        to_red = vacant | planes[u(5 * words + index)]
        to_yellow = vacant | planes[u(6 * words + index)]
        to_blue = vacant | planes[u(7 * words + index)]
        count += popcount(to_red) + popcount(to_yellow) + popcount(to_blue)
        low = three_to_a_cell(to_red & 0xFFFF, to_yellow & 0xFFFF, to_blue & 0xFFFF)
        high = three_to_a_cell(to_red >> 16, to_yellow >> 16, to_blue >> 16)
        legal[u(3 * index)] = low & 0xFFFFFFFF
        if 3 * index + 1 < len(legal):
            legal[u(3 * index + 1)] = (low >> 32) | ((high & 0xFFFF) << 16)
        if 3 * index + 2 < len(legal):
            legal[u(3 * index + 2)] = high >> 16
    for action in range(3 * rules[layout.SIZE], 3 * rules[layout.SIZE] + choices_of_side(rules, row)):
        legal[u(action >> 5)] |= 1 << (action & 31)
        count += 1
    return count


@inlined
def plane_length(rules, spread):
    """The entries of a plane."""
    return rules[layout.SIZE] + 0 if spread else (rules[layout.SIZE] + 31) >> 5


@kernel
def fill_plane(rules, out, plane, value, spread):
    """Write ``value`` for all cells of ``plane``."""
    length = plane_length(rules, spread)
    entry = 0
    if value:
        entry = 1 if spread else 0xFFFFFFFF
    for index in range(plane * length, (plane + 1) * length):
        out[u(index)] = entry


@inlined
def put_word(rules, out, plane, index, word, spread):
    """Write ``word`` for the 32 cells of ``plane`` from number 32 * ``index`` on."""
    first = plane * plane_length(rules, spread) + index
    if spread:
        first += 31 * index
        left = rules[layout.SIZE] - 32 * index
        if left >= 32:
            spread_word(word, out, first)
        else:
            for each in range(left):
                out[u(first + each)] = (word >> each) & 1
    else:
        out[u(first)] = word


@inlined
def put_pieces(rules, out, index, low, high, following, other, whole, ko, spread):
    """Write word ``index`` of the planes of types, vacant cells, ``ko`` and replacements; see `put_board`."""
    free = whole & ~ko
    red = low & ~high
    yellow = high & ~low
    blue = low & high
    put_word(rules, out, 0, index, red & whole, spread)
    put_word(rules, out, 1, index, yellow & whole, spread)
    put_word(rules, out, 2, index, blue & whole, spread)
    put_word(rules, out, 3, index, ~(low | high) & whole, spread)
    put_word(rules, out, 4, index, ko, spread)
    put_word(rules, out, 5, index, ((blue & following) | (yellow & other)) & free, spread)
    put_word(rules, out, 6, index, ((red & following) | (blue & other)) & free, spread)
    put_word(rules, out, 7, index, ((yellow & following) | (red & other)) & free, spread)


@inlined
def put_board(rules, row, out, spread):
    """Write the planes of types, vacant cells, ko and what each type may replace.

    As many rows as fit in a word are looked at together; their cells are then moved up against each other, four bits
    for each: the two digits of its type, and whether the next type (red after blue) and the other one may replace it.
    """
    rows = 2 * rules[layout.SIDE] - 1
    wide = 2 * rules[layout.SIDE]
    together = 62 // wide
    low = high = following = other = 0  # bits not written yet, `filled` of each
    filled = 0
    index = 0
    ko_word = (row[layout.KO] - 1) >> 5  # -1: none
    ko_bit = 1 << ((row[layout.KO] - 1) & 31)
    for line in range(0, rows, together):
        count = min(together, rows - line)
        red, yellow, blue, by_red, by_yellow, by_blue = packed_choices(rules, row, line, count)
        lows = red | blue
        highs = yellow | blue
        followings = (red & by_yellow) | (yellow & by_blue) | (blue & by_red)
        others = (red & by_blue) | (yellow & by_red) | (blue & by_yellow)
        for each in range(count):
            place = rules[layout.ROWS] + 3 * (line + each)
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
                    ko = ko_bit if index == ko_word else 0
                    put_pieces(rules, out, index, low, high, following, other, 0xFFFFFFFF, ko, spread)
                    low >>= 32
                    high >>= 32
                    following >>= 32
                    other >>= 32
                    filled -= 32
                    index += 1
    if filled > 0:
        ko = ko_bit if index == ko_word else 0
        put_pieces(rules, out, index, low, high, following, other, (1 << filled) - 1, ko, spread)


@inlined
def put_planes(rules, row, player, out, spread):
    """Write the planes from ``player``'s side: the three types, vacant, ko, and what each type may replace. Then come
    constant planes: whether the player moves, whether the player is First, and one. Where one player sets up and the
    other chooses, there are three more: whether pieces are set up, whether the mover may swap, and may add."""
    put_board(rules, row, out, spread)
    side = player ^ row[layout.SWAPPED]
    fill_plane(rules, out, 8, row[layout.MOVER] == side, spread)
    fill_plane(rules, out, 9, side == layout.FIRST, spread)
    fill_plane(rules, out, 10, True, spread)
    if rules[layout.OPENING] >= layout.SWAPS:
        offers = choices_of_side(rules, row)
        sets_up = row[layout.STAGE] >= layout.SETTING_UP
        if sets_up:
            for plane in range(5, 8):
                fill_plane(rules, out, plane, False, spread)
        fill_plane(rules, out, 11, sets_up, spread)
        fill_plane(rules, out, 12, offers > layout.SWAP, spread)
        fill_plane(rules, out, 13, offers > layout.ADD, spread)


@kernel
def observe(rules, row, player, out):
    """Write the planes of `put_planes`, each SIZE long."""
    put_planes(rules, row, player, out, True)


@kernel
def observe_words(rules, row, player, planes):
    """Write the planes of `put_planes` as bits. Bits after a plane's last cell mean nothing but in the planes of types
    and choices, where they are 0."""
    put_planes(rules, row, player, planes, False)


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
    words = (rules[layout.SIZE] + 31) >> 5
    red = near(rules, row, cell, 1)
    yellow = near(rules, row, cell, 2)
    blue = near(rules, row, cell, 3)
    by_red, by_yellow, by_blue = choices(
        red, red >> 5, red << 5, yellow, yellow >> 5, yellow << 5, blue, blue >> 5, blue << 5
    )
    vacant = ~(red | yellow | blue)
    ko = ~layout.NEAR_ITSELF
    left = rules[u(layout.PLACES + 3 * cell)] - 1
    here = 2 * rules[layout.SIDE] - rules[u(layout.PLACES + 3 * cell + 1)]
    for line in range(max(0, here - 1), min(2 * rules[layout.SIDE] - 1, here + 2)):
        place = rules[layout.ROWS] + 3 * line
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
    put_choices(planes, legal, (rules[layout.SIZE] + 31) >> 5, cell, 1, 0, by_red, by_yellow, by_blue)


@kernel
def change_words(rules, row, action, planes, legal):
    """Bring ``planes`` and ``legal``, which tell of the position before ``action`` from its mover's side, up to date
    with ``row``, where it was played and the game goes on; returns how many actions are legal."""
    if rules[layout.OPENING] >= layout.SWAPS:
        observe_words(rules, row, row[layout.MOVER] ^ row[layout.SWAPPED], planes)
        return legal_words(rules, row, planes, legal)
    words = (rules[layout.SIZE] + 31) >> 5
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
    fill_plane(rules, planes, 9, row[layout.MOVER] == layout.FIRST, False)
    count = 0
    for place in range(words):
        count += 3 * popcount(planes[u(3 * words + place)]) + popcount(planes[u(5 * words + place)])
        count += popcount(planes[u(6 * words + place)]) + popcount(planes[u(7 * words + place)])
    return count
