"""How a batch describes positions of a game with :class:`~tercet.core.abilities.kernels.BitKernels`: observations and
legal actions as bits."""

from __future__ import annotations

from tercet.kernel import abstract, kernel, spread_word, u


@abstract
def observe_words(rules, row, player, planes): ...
@abstract
def legal_words(rules, row, planes, legal): ...
@abstract
def change_words(rules, row, action, planes, legal): ...


@kernel
def spread_planes(words, planes, cells, out):
    """Write ``planes`` planes of bits, each of which begins with a new word, to ``out`` as zeros and ones, if that has
    room. What is written of a plane's last word after its end is overwritten by the next plane."""
    if len(out) == 0:
        return
    each = (cells + 31) >> 5
    for plane in range(planes):
        for index in range(each):
            place = plane * cells + 32 * index
            word = words[u(plane * each + index)]
            if place + 32 <= len(out):
                spread_word(word, out, place)
            else:
                for bit in range(len(out) - place):
                    out[u(place + bit)] = (word >> bit) & 1


@kernel
def show(rules, row, player, scales, cells, scaled, room, out):
    """Write the observation to ``out``."""
    observe_words(rules, row, player, room.words)
    spread_planes(room.words, len(scales), cells, out)


@kernel
def list_legal(rules, row, room, words):
    """Write the legal actions as bits, 32 to an entry of ``words``; returns how many they are."""
    return legal_words(rules, row, room.words, words)


@kernel
def follow(rules, row, action, player, scales, cells, scaled, room, out, words):
    """Write both once ``action`` was played and the game goes on; returns how many actions are legal."""
    count = change_words(rules, row, action, room.words, words)
    spread_planes(room.words, len(scales), cells, out)
    return count
