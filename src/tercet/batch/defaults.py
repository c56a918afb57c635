"""What a batch asks of a game beside its rules, answered for any game from `legal` and `observe_anew`.

A game whose kernels include functions of these names and arguments answers with its own, which must write the same:

``observe_words(rules, row, player, planes)``
    for games all of whose planes are of zeros and ones: writes what `observe` writes as bits, 32 to an entry of
    ``planes``, lowest first; each plane begins with a new entry, and bits after its last cell mean nothing.
``legal_words(rules, row, planes, legal) -> n``
    writes the legal actions as bits, 32 to an entry of ``legal``; returns how many they are. ``planes`` is what
    `observe_words` has written of the same position from the mover's side.
``change_words(rules, row, action, planes, legal) -> n``
    where both are there: ``planes`` and ``legal`` are what they wrote of the position before ``action`` from its
    mover's side; makes of them what they would write of ``row``, where it was played and the game goes on.
"""

from __future__ import annotations

from tercet.kernel import abstract, kernel, spread_word, u
from tercet.playout import legal


@abstract
def observe_anew(rules, row, player, out): ...
@abstract
def observe_words(rules, row, player, planes): ...
@abstract
def legal_words(rules, row, planes, legal): ...
@abstract
def change_words(rules, row, action, planes, legal): ...


@kernel
def spread_bits(words, size, out):
    """Write the first ``size`` bits of ``words``, which hold 32 each, to ``out`` as zeros and ones."""
    whole = size >> 5
    for index in range(whole):
        spread_word(words[u(index)], out, 32 * index)
    for place in range(32 * whole, size):
        out[u(place)] = (words[u(whole)] >> (place - 32 * whole)) & 1


@kernel
def spread_planes(words, planes, cells, out):
    """Write ``planes`` planes of bits, each of which begins with a new word, to ``out`` as zeros and ones. What is
    written of a plane's last word after its end is overwritten by the next plane."""
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
def show_entries(rules, row, player, scales, cells, scaled, room, out):
    """Write the observation to ``out``; where ``scaled``, as whole numbers: each plane times its entry of ``scales``,
    rounded and cut at 255. ``room`` has lines to work in."""
    if scaled == 0:
        observe_anew(rules, row, player, out)
        return
    planes = room.planes
    observe_anew(rules, row, player, planes)
    for plane in range(len(scales)):
        scale = scales[u(plane)]
        for place in range(plane * cells, plane * cells + cells):
            out[u(place)] = int(min(planes[u(place)] * scale + 0.5, 255.0))


@kernel
def show_bits(rules, row, player, scales, cells, scaled, room, out):
    """The same for a game that writes its observation as bits."""
    observe_words(rules, row, player, room.words)
    spread_planes(room.words, len(scales), cells, out)


@kernel
def list_entries(rules, row, room, words):
    """Write the legal actions as bits, 32 to an entry of ``words``; returns how many they are. The observation from the
    mover's side has just been written."""
    out = room.list
    count = legal(rules, row, out)
    for place in range(len(words)):
        words[u(place)] = 0
    for place in range(count):
        action = out[u(place)]
        words[u(action >> 5)] |= 1 << (action & 31)
    return count


@kernel
def list_bits(rules, row, room, words):
    """The same for a game that writes them as bits."""
    return legal_words(rules, row, room.words, words)


@kernel
def follow_entries(rules, row, action, player, scales, cells, scaled, room, out, words):
    """Write the observation from ``player``'s side, the mover's, to ``out`` and the legal actions to ``words`` once
    ``action`` was played and the game goes on; returns how many they are. ``room`` has lines to work in, and what was
    written there of the position before."""
    show_entries(rules, row, player, scales, cells, scaled, room, out)
    return list_entries(rules, row, room, words)


@kernel
def follow_bits(rules, row, action, player, scales, cells, scaled, room, out, words):
    """The same for a game that writes them as bits."""
    show_bits(rules, row, player, scales, cells, scaled, room, out)
    return list_bits(rules, row, room, words)


@kernel
def follow_change(rules, row, action, player, scales, cells, scaled, room, out, words):
    """The same for a game that changes these bits."""
    count = change_words(rules, row, action, room.words, words)
    spread_planes(room.words, len(scales), cells, out)
    return count
