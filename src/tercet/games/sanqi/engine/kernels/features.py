"""What a network sees of a position of SanQi.

A site is a cell with a type: action 3 * cell + type - 1, as for the rules. Its features are the *windows* through the
cell (see ``attacks``) that hold the type already, and one or two of the cell itself. Nothing in a feature names a type
or a direction. So positions that are the same but for a symmetry have the same features at their images, on boards of
every size.

The feature of a window says which of its cells this is (six sorts, see SORTS), whether the cell is vacant, holds the
type or another, and how many cells hold the type and another. One feature of the cell says how far it is from the
border. The other is the number of neighbours of the type where the cell is vacant or holds the type. Where it holds
another type, it is the margin by which the neighbours of the type outnumber those like the piece, and whether it is the
ko cell.
"""

from tercet.games.sanqi.kernels.layout import KO, MOVER, SIDE, SIZE, VACANT, around, type_at
from tercet.kernel import kernel, u

# The sorts of a window's cells: of a circle; the ends of a line, those beside them, the two in the middle; the corners
# of a triangle, those between them.
CIRCLE_CELL, LINE_END, LINE_INNER, LINE_MIDDLE, CORNER, EDGE = 0, 1, 2, 3, 4, 5
SORTS = 6
STATES = 28  # ways to hold up to six of the type and of others
OF_WINDOWS = SORTS * 3 * STATES
OF_CELLS = 27  # 7 for a vacant cell, 7 for the type, 13 for another
BORDERS = 6  # distances from the border, all further ones together
FEATURES = OF_WINDOWS + 2 * OF_CELLS + BORDERS
INPUTS = 2
# Two of the cell, and windows through it: six circles, six lines in each of three directions, six triangles of either
# orientation.
AT_SITE = 2 + 6 + 3 * 6 + 2 * 6

# places: the number of windows, BORDER of each cell, then six cells and their sorts for each window
WINDOW = 12


@kernel
def list_cell(rules, row, places, scratch, out, count):
    """The features of the cells themselves, from pair ``count`` on; returns how many pairs there are."""
    for cell in range(rules[SIZE]):
        held = scratch[u(cell)]
        like = around(rules, row, cell, held) if held != 0 else 0
        ko = OF_CELLS if row[KO] == cell + 1 else 0
        border = OF_WINDOWS + 2 * OF_CELLS + places[u(1 + cell)]
        for kind in range(1, 4):
            near = around(rules, row, cell, kind)
            feature = near
            if held == kind:
                feature = 7 + near
            elif held != 0:
                feature = 20 + near - like
            site = 3 * cell + kind - 1
            out[u(2 * count)] = site
            out[u(2 * count + 1)] = OF_WINDOWS + ko + feature
            out[u(2 * count + 2)] = site
            out[u(2 * count + 3)] = border
            count += 2
    return count


@kernel
def list_features(rules, row, places, scratch, out):
    """Write the features of all sites as pairs to ``out``; returns how many pairs. ``scratch`` has SIZE entries."""
    size = rules[SIZE]
    for cell in range(size):
        scratch[u(cell)] = type_at(rules, row, cell)
    count = list_cell(rules, row, places, scratch, out, 0)
    for window in range(places[0]):
        at = 1 + size + WINDOW * window
        held0 = scratch[u(places[u(at)])]
        held1 = scratch[u(places[u(at + 1)])]
        held2 = scratch[u(places[u(at + 2)])]
        held3 = scratch[u(places[u(at + 3)])]
        held4 = scratch[u(places[u(at + 4)])]
        held5 = scratch[u(places[u(at + 5)])]
        # three counts of four bits each, of type 1 at bit 4
        counts = (
            (1 << (4 * held0)) + (1 << (4 * held1)) + (1 << (4 * held2))
            + (1 << (4 * held3)) + (1 << (4 * held4)) + (1 << (4 * held5))
        )  # fmt: skip
        stones = 6 - (counts & 15)
        for kind in range(1, 4):
            same = (counts >> (4 * kind)) & 15
            if same != 0:
                others = stones - same
                state = ((others * (15 - others)) >> 1) + same
                for corner in range(6):
                    cell = places[u(at + corner)]
                    held = scratch[u(cell)]
                    relation = 0
                    if held != 0:
                        relation = STATES if held == kind else 2 * STATES
                    out[u(2 * count)] = 3 * cell + kind - 1
                    out[u(2 * count + 1)] = 3 * STATES * places[u(at + 6 + corner)] + relation + state
                    count += 1
    return count


@kernel
def head_of(rules, row):
    """The weights of the player to move."""
    return row[MOVER]


@kernel
def write_inputs(rules, row, out):
    """The size of the board and how full it is, as numbers from 0 to 127."""
    out[0] = 4 * rules[SIDE]
    out[1] = 127 - 127 * row[VACANT] // rules[SIZE]
