"""What a batch asks of a game beside its rules, answered for any game from `legal` and `observe`.

A game whose kernels include functions of these names and arguments answers with its own, which must write the same:

``legal_words(rules, row, words, out) -> n``
    writes the legal actions as bits, 32 to an entry of ``words``, lowest first; returns how many they are. ``out`` has
    room for a list of actions.
``show(rules, row, player, out, words, planes, scales, cells, scaled)``
    writes what `observe` writes to ``out``, whatever its type; where ``scaled`` is not 0, as whole numbers, each plane
    times its entry of ``scales``. ``words`` and ``planes`` are room to work in: a bit, and a float, for each entry.
"""

from __future__ import annotations

from tercet.kernel import abstract, kernel, u
from tercet.playout import legal


@abstract
def observe(rules, row, player, out): ...


@kernel
def legal_words(rules, row, words, out):
    """The legal actions as bits, from the list of them."""
    count = legal(rules, row, out)
    for place in range(len(words)):
        words[u(place)] = 0
    for place in range(count):
        action = out[u(place)]
        words[u(action >> 5)] |= 1 << (action & 31)
    return count


@kernel
def show(rules, row, player, out, words, planes, scales, cells, scaled):
    """The observation; scaled, rounded and cut at 255 where it is to be whole numbers."""
    if scaled == 0:
        observe(rules, row, player, out)
        return
    observe(rules, row, player, planes)
    for plane in range(len(scales)):
        scale = scales[u(plane)]
        for place in range(plane * cells, plane * cells + cells):
            out[u(place)] = int(min(planes[u(place)] * scale + 0.5, 255.0))
