"""How a batch describes positions of any game: observations entry by entry."""

from tercet.core.playout import observe
from tercet.kernel import abstract, gather_word, inlined, kernel, u


@abstract
def show_scaled(rules, row, player, scales, cells, planes, out): ...
@abstract
def list_legal(rules, row, room, words, mask): ...


@inlined
def put_bytes(out, at, word):
    """Write the four bytes of ``word``, lowest first, to ``out`` from entry ``at`` on."""
    for byte in range(4):
        out[at + byte] = (word >> (8 * byte)) & 255


@kernel
def write_planes(rules, facts, scales, row, player, room, out):
    """Write the observation to ``out``; where ``facts.scaled``, as whole numbers: each plane times its entry of
    ``scales``, rounded and cut at 255."""
    if facts.scaled:
        show_scaled(rules, row, player, scales, facts.cells, room.planes, out)
    else:
        observe(rules, row, player, out)


@kernel
def pack_planes(facts, scales, numbers, out):
    """Write planes of whole ``numbers`` to ``out``, plane by plane: as bits, 32 to each four bytes, where its scale is
    1, else a byte for each cell; each takes whole words of four bytes."""
    at = 0
    for plane in range(len(scales)):
        first = plane * facts.cells
        if scales[plane] == 1:
            for index in range(0, facts.cells, 32):
                word = gather_word(numbers, first + index) & ((1 << min(32, facts.cells - index)) - 1)
                put_bytes(out, at, word)
                at += 4
        else:
            for index in range(facts.cells):
                out[u(at + index)] = numbers[u(first + index)]
            at += facts.cells
            while at & 3:
                out[at] = 0
                at += 1


@kernel
def show(rules, facts, scales, row, player, room, out):
    """Write the observation to ``out``, if that has room. ``room`` has lines to work in."""
    if len(out) == 0:
        return
    if facts.packed:
        write_planes(rules, facts, scales, row, player, room, room.numbers)
        pack_planes(facts, scales, room.numbers, out)
    else:
        write_planes(rules, facts, scales, row, player, room, out)


@kernel
def follow(rules, facts, scales, row, action, player, room, out, words, mask):
    """Write the observation from ``player``'s side, the mover's, to ``out`` and the legal actions to ``words`` and
    ``mask`` once ``action`` was played and the game goes on; returns how many they are. ``room`` has lines to work in,
    and what was written there of the position before."""
    show(rules, facts, scales, row, player, room, out)
    return list_legal(rules, row, room, words, mask)
