"""How a batch describes positions of a game with :class:`~tercet.core.abilities.kernels.BitKernels`: as bits."""

from tercet.batch.entries import put_bytes
from tercet.batch.listed import spread_bits
from tercet.kernel import abstract, kernel, spread_within, u


@abstract
def observe_words(rules, row, player, planes): ...
@abstract
def legal_words(rules, row, planes, legal): ...
@abstract
def change_words(rules, row, action, planes, legal): ...


@kernel
def put_planes(facts, words, planes, out):
    """Write ``planes`` planes of bits, each of which begins with a new word, to ``out``, if that has room: as they are
    where ``facts.packed``, else as zeros and ones. What is written of a plane's last word after its end is overwritten
    by the next plane."""
    each = (facts.cells + 31) >> 5
    if facts.packed:
        for index in range(len(out) >> 2):
            put_bytes(out, 4 * index, words[index])
    elif len(out) > 0:
        for plane in range(planes):
            for index in range(each):
                spread_within(words[u(plane * each + index)], out, plane * facts.cells + 32 * index)


@kernel
def show(rules, facts, scales, row, player, room, out):
    """Write the observation to ``out``."""
    observe_words(rules, row, player, room.words)
    put_planes(facts, room.words, len(scales), out)


@kernel
def list_legal(rules, row, room, words, mask):
    """Write the legal actions as bits, 32 to an entry of ``words``, and as ``mask``; returns how many they are. The
    observation from the mover's side has just been written."""
    count = legal_words(rules, row, room.words, words)
    spread_bits(words, mask)
    return count


@kernel
def follow(rules, facts, scales, row, action, player, room, out, words, mask):
    """Write all that once ``action`` was played and the game goes on; returns how many actions are legal."""
    count = change_words(rules, row, action, room.words, words)
    put_planes(facts, room.words, len(scales), out)
    spread_bits(words, mask)
    return count
