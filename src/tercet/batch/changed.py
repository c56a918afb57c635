"""How a batch writes the legal actions of a game with :class:`~tercet.core.abilities.kernels.LegalBits`."""

from tercet.kernel import abstract, gather_word, kernel, lowest_bit, spread_within


@abstract
def legal_bits(rules, row, out, words): ...


@kernel
def list_legal(rules, row, room, words, mask):
    """Bring the legal actions as bits, 32 to an entry of ``words``, and as ``mask`` up to date; returns how many they
    are. Only what differs from the position before is written."""
    changes = room.legal
    count = legal_bits(rules, row, room.list, changes)
    for index in range(len(words)):
        changes[index] ^= words[index]
    for first in range(0, len(words), 32):
        changed = gather_word(changes, first)
        while changed != 0:
            index = first + lowest_bit(changed)
            changed &= changed - 1
            word = words[index] ^ changes[index]
            words[index] = word
            spread_within(word, mask, 32 * index)
    return count
