"""How a batch writes the legal actions of any game: from their list."""

from tercet.core.playout import legal
from tercet.kernel import kernel, spread_word, u


@kernel
def spread_bits(words, out):
    """Write the bits of ``words``, which hold 32 each, to ``out`` as zeros and ones, as many as it has room for."""
    whole = len(out) >> 5
    for index in range(whole):
        spread_word(words[u(index)], out, 32 * index)
    for place in range(32 * whole, len(out)):
        out[u(place)] = (words[whole] >> (place - 32 * whole)) & 1


@kernel
def list_legal(rules, row, room, words, mask):
    """Write the legal actions as bits, 32 to an entry of ``words``, and as ``mask``; returns how many they are. The
    observation from the mover's side has just been written."""
    out = room.list
    count = legal(rules, row, out)
    for index in range(len(words)):
        words[index] = 0
    for index in range(count):
        action = out[u(index)]
        words[u(action >> 5)] |= 1 << (action & 31)
    spread_bits(words, mask)
    return count
