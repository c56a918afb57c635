"""What a row is worth, what it promises, and how far one could reach from it."""

from __future__ import annotations

from tercet.games.sparklies.engine.kernels.beam import WON
from tercet.games.sparklies.kernels.chain import (
    neighbour,
    succeeds,
    targets,
)
from tercet.games.sparklies.kernels.layout import (
    ACTIVATIONS,
    ACTIVE,
    ACTIVES,
    BLANK,
    CELLS,
    CONTROLS,
    COUNT_MASK,
    COUNT_SHIFT,
    COUNT_SIZE,
    DEGREE,
    FLAG,
    HELD,
    MOVER,
    NEIGHBOURS,
    NO_COLOUR,
    PLACES,
    PLAYERS,
    PLAYING,
    STATUS,
    WINNER,
    WORDS,
)
from tercet.games.sparklies.kernels.moves import (
    forced_colour,
)
from tercet.kernel import kernel, lowest_bit, u

# of `estate`: a cell; an own one to dance with; others' under attack, at once or a turn later; others' beside one own
# cell, or beside several
CELL, DANCE, PRIZE, PRIZE_LATER, BESIDE, WITHIN = 100, 6, 20, 12, 1, 4
INFECTED = 64  # of `spread`: more than any cell has neighbours


@kernel
def margin(rules, row, player):
    """Return the cells of ``player`` less those of the opponent who holds most."""
    most = 0
    for other in range(rules[PLAYERS]):
        if other != player:
            most = max(most, row[u(HELD + 1 + other)])
    return row[u(HELD + 1 + player)] - most


@kernel
def under_attack(rules, word, player):
    """Whether ``player`` attacks a cell with this ``word`` as things stand: a ping of one of the attackers takes it."""
    colour = word & 3
    if colour == NO_COLOUR:
        return False
    taker = colour + 2 if colour == 0 else colour - 1
    return succeeds(rules, word, player, taker)


@kernel
def estate(rules, row, player):
    """What ``player`` has in a row at the end of a turn. A cell is 100; added are own cells under their own attack,
    which can dance (harlequins and all larger bases), other cells under their attack, and room around their cells."""
    total = CELL * row[u(HELD + 1 + player)]
    prize = PRIZE if row[MOVER] == player else PRIZE_LATER
    shift = COUNT_SHIFT + COUNT_SIZE * (player + 1)
    for cell in range(rules[CELLS]):
        word = row[u(PLACES + cell)]
        beside = (word >> shift) & COUNT_MASK
        if beside:
            if (word >> 2) & 3 == player + 1:
                total += DANCE if under_attack(rules, word, player) else 0
            else:
                total += BESIDE if beside & (beside - 1) == 0 else WITHIN
                total += prize if under_attack(rules, word, player) else 0
    return total


@kernel
def value(rules, row, player):
    """Return the worth to ``player`` of a row at the end of a turn: their `estate` less the largest of the others'; for
    a game won WON and more, the more the larger the margin."""
    if row[STATUS] == FLAG:
        return WON + 1000 if row[WINNER] == player + 1 else -WON
    if row[STATUS] != PLAYING:
        ahead = margin(rules, row, player)
        if rules[PLAYERS] == 1 or ahead > 0:
            return WON + 1000 * ahead
        return 0 if ahead == 0 else 1000 * ahead - WON
    most = 0
    for other in range(rules[PLAYERS]):
        if other != player:
            most = max(most, estate(rules, row, other))
    return estate(rules, row, player) - most


@kernel
def hope(row, player, key, ending):
    """What a row in the middle of a turn promises: cells, then active ones to go on with, then a little chance. Where
    the turn is to end the game, a free cell counts for ``ending`` more."""
    return 64 * row[u(HELD + 1 + player)] + 16 * row[ACTIVES] + (key & 15) - ending * row[HELD]


@kernel
def spread(rules, row, player, extra, need, scratch):
    """How many cells ``player`` could hold at most by chains alone, also holding cell ``extra`` (-1 for none), if a
    cell falls to any ``need`` of their neighbours and every colour can be had: percolation. ``scratch`` holds two ints
    for each cell."""
    size = rules[CELLS]
    width = rules[DEGREE] + 1
    count = 0
    for cell in range(size):
        word = row[u(PLACES + cell)]
        scratch[u(cell)] = 0
        if (word >> 2) & 3 == player + 1 or cell == extra:
            scratch[u(cell)] = INFECTED
            scratch[u(size + count)] = cell
            count += 1
    at = 0
    while at < count:
        place = NEIGHBOURS + width * scratch[u(size + at)]
        at += 1
        for near in range(place + 1, place + 1 + rules[u(place)]):
            other = rules[u(near)]
            scratch[u(other)] += 1
            if scratch[u(other)] == need:
                scratch[u(other)] = INFECTED
                scratch[u(size + count)] = other
                count += 1
    return count


@kernel
def may_end(rules, row, need, scratch):
    """Whether the mover could take or capture all free cells in this turn, as far as `spread` tells."""
    player = row[MOVER]
    for extra in range(rules[CELLS]):
        if row[HELD] == 0 or (row[u(PLACES + extra)] >> 2) & 3 == 0:
            spread(rules, row, player, extra, need, scratch)
            missed = 0
            for cell in range(rules[CELLS]):
                missed += (row[u(PLACES + cell)] >> 2) & 3 == 0 and scratch[u(cell)] < INFECTED
            if missed == 0:
                return True
    return False


@kernel
def taken_cell(rules, action):
    """The cell that ``action``, a control, takes."""
    choice = action - rules[CONTROLS]
    return choice // 3 if rules[BLANK] else choice


@kernel
def captures(rules, row, player, cell, found):
    """How many of the neighbours ``found`` of ``cell`` (see `targets`) are not ``player``'s yet."""
    count = 0
    while found:
        other = neighbour(rules, cell, lowest_bit(found))
        if (row[u(PLACES + other)] >> 2) & 3 != player + 1:
            count += 1
        found &= found - 1
    return count


@kernel
def promises(rules, row, actions, count, need, scratch, out):
    """For each of ``count`` first ``actions`` of a turn, how far it could lead: `spread` where ``need`` is positive,
    else how many cells a ping of the cell in question would capture at once."""
    player = row[MOVER]
    for which in range(count):
        action = actions[u(which)]
        out[u(which)] = 0
        if action < rules[CONTROLS]:
            out[u(which)] = captures(
                rules, row, player, action // 3, targets(rules, row, player, action // 3, action % 3)
            )  # fmt: skip
        elif action < rules[ACTIVATIONS]:
            cell = taken_cell(rules, action)
            if need > 0:
                out[u(which)] = spread(rules, row, player, cell, need, scratch)
            else:
                most = 0
                for colour in range(3):
                    most = max(most, captures(rules, row, player, cell, targets(rules, row, player, cell, colour)))
                out[u(which)] = most


@kernel
def wakes(rules, row, cell, found):
    """How many of the neighbours ``found`` of ``cell`` would become active."""
    count = 0
    while found:
        if row[u(PLACES + neighbour(rules, cell, lowest_bit(found)))] & 16 == 0:
            count += 1
        found &= found - 1
    return count


@kernel
def supports(row, player, cell, colour):
    """How many neighbours of ``cell`` are ``player``'s and of the colour that takes ``colour``."""
    taker = colour + 2 if colour == 0 else colour - 1
    return (row[u(PLACES + cell)] >> (COUNT_SHIFT + COUNT_SIZE * (player + 1) + 4 * taker)) & 15


@kernel
def calmest(rules, row):
    """The ping that leads a chain to its end best: what captures most, else what wakes least and leaves the cell where
    it can be woken again another time. The row is in the middle of a chain."""
    player = row[MOVER]
    best = -1
    most = -1_000_000
    for index in range(rules[WORDS]):
        word = row[u(rules[ACTIVE] + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            word &= word - 1
            forced = forced_colour(rules, row, cell)
            for colour in range(3):
                if forced < 0 or forced == colour:
                    found = targets(rules, row, player, cell, colour)
                    score = supports(row, player, cell, colour)
                    if found:
                        score += 1000 * captures(rules, row, player, cell, found) - 50 * wakes(rules, row, cell, found)
                    if score > most:
                        most = score
                        best = 3 * cell + colour
    return best
