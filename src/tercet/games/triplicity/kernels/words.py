"""Triplicity's legal actions as bits, for batches: all paths of a piece at once, without a branch for each ray.

The paths that begin on a cell have successive numbers, at most 58 of them: a word says something of each. The tables
(``layout.STARTS`` and so on) say what pieces are able to do; ``moves`` says everything else.
"""

from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.kernels.moves import list_promotions, list_purchases, list_sacrifices, may_take_king
from tercet.kernel import choose_bits, inlined, kernel, lowest_bit, popcount, u


@inlined
def path_word(rules, table, cell):
    """The word of ``table`` for the paths from ``cell``."""
    return rules[u(table + 2 * cell)] | (rules[u(table + 2 * cell + 1)] << layout.PATH_PART)


@inlined
def put_word(words, first, bits):
    """Add ``bits``, at most 64 - 6, to ``words`` from bit number ``first`` on."""
    index = first >> 5
    shift = first & 31
    words[u(index)] |= (bits << shift) & 0xFFFFFFFF
    words[u(index + 1)] |= (bits >> (32 - shift)) & 0xFFFFFFFF
    words[u(index + 2)] |= bits >> 32 >> (32 - shift)


@kernel
def put_moves(rules, row, words):
    """Add the mover's moves that do not promote to ``words``; returns how many."""
    me = row[layout.TURN]
    own_low = row[u(layout.MEN + 2 * me)]
    own_high = row[u(layout.MEN + 2 * me + 1)]
    low = row[layout.MEN] | row[layout.MEN + 2] | row[layout.MEN + 4]
    high = row[layout.MEN + 1] | row[layout.MEN + 3] | row[layout.MEN + 5]
    kings_low = 0
    kings_high = 0
    for cell in range(layout.SPLIT):
        kings_low |= (1 if row[u(layout.CELLS + cell)] & 7 == layout.KING else 0) << cell
    for cell in range(layout.SIZE - layout.SPLIT):
        kings_high |= (1 if row[u(layout.CELLS + layout.SPLIT + cell)] & 7 == layout.KING else 0) << cell
    count = 0
    for word in range(2):
        men = own_high if word == 1 else own_low
        while men != 0:
            cell = lowest_bit(men) + layout.SPLIT * word
            men &= men - 1
            first = rules[u(layout.RAYS + 13 * cell)]
            occupied = choose_bits(low, high, layout.SPLIT, rules, layout.TO + first, layout.PATH_BITS)
            own = choose_bits(own_low, own_high, layout.SPLIT, rules, layout.TO + first, layout.PATH_BITS)
            kings = choose_bits(kings_low, kings_high, layout.SPLIT, rules, layout.TO + first, layout.PATH_BITS)
            kind = row[u(layout.CELLS + cell)] & 7
            table = layout.SIZE * 2 * (me if kind == layout.PAWN else kind + 1)
            starts = path_word(rules, layout.STARTS, cell)
            stops = occupied | path_word(rules, layout.ENDS, cell)
            reached = stops ^ (stops - starts)  # from the start of each ray to the first piece on it
            reached &= (path_word(rules, layout.MOVES + table, cell) & ~occupied) | (
                path_word(rules, layout.CAPTURES + table, cell) & occupied & ~own
            )
            kings &= reached
            while kings != 0:
                path = lowest_bit(kings)
                kings &= kings - 1
                if not may_take_king(rules, row, cell, rules[u(layout.TO + first + path)], 0):
                    reached ^= 1 << path
            put_word(words, first, reached)
            count += popcount(reached)
    return count


@kernel
def put_list(out, count, words):
    """Add the ``count`` actions listed in ``out`` to ``words``; returns how many."""
    for index in range(count):
        action = out[u(index)]
        words[u(action >> 5)] |= 1 << (action & 31)
    return count


@kernel
def legal_bits(rules, row, out, words):
    """Write the legal actions as bits, 32 to an entry of ``words``; returns how many. ``out`` has room for a list."""
    for index in range(len(words)):
        words[u(index)] = 0
    if row[layout.STATUS] != layout.PLAYING:
        return 0
    if row[layout.PENDING] != 0:
        return put_list(out, list_sacrifices(rules, row, out), words)
    moves = put_moves(rules, row, words)
    others = list_purchases(rules, row, out, list_promotions(rules, row, out, 0))
    if moves + others == 0:
        out[0] = layout.PASS
        others = 1
    return moves + put_list(out, others, words)
