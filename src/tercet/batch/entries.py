"""How a batch describes positions of any game: observations entry by entry, legal actions from their list."""

from __future__ import annotations

from tercet.core.playout import legal, observe
from tercet.kernel import kernel, u


@kernel
def show(rules, row, player, scales, cells, scaled, room, out):
    """Write the observation to ``out``, if that has room; where ``scaled``, as whole numbers: each plane times its
    entry of ``scales``, rounded and cut at 255. ``room`` has lines to work in."""
    if len(out) == 0:
        return
    if scaled == 0:
        observe(rules, row, player, out)
        return
    planes = room.planes
    observe(rules, row, player, planes)
    for plane in range(len(scales)):
        scale = scales[u(plane)]
        for index in range(plane * cells, plane * cells + cells):
            out[u(index)] = int(min(planes[u(index)] * scale + 0.5, 255.0))


@kernel
def list_legal(rules, row, room, words):
    """Write the legal actions as bits, 32 to an entry of ``words``; returns how many they are. The observation from the
    mover's side has just been written."""
    out = room.list
    count = legal(rules, row, out)
    for index in range(len(words)):
        words[u(index)] = 0
    for index in range(count):
        action = out[u(index)]
        words[u(action >> 5)] |= 1 << (action & 31)
    return count


@kernel
def follow(rules, row, action, player, scales, cells, scaled, room, out, words):
    """Write the observation from ``player``'s side, the mover's, to ``out`` and the legal actions to ``words`` once
    ``action`` was played and the game goes on; returns how many they are. ``room`` has lines to work in, and what was
    written there of the position before."""
    show(rules, row, player, scales, cells, scaled, room, out)
    return list_legal(rules, row, room, words)
