"""SanQi's position as a row of integers, and how to read and change a cell of it.

Row (int64):
    MOVER     0 First, 1 Second: the side to move, whose goals they are
    KO        the cell of the turn just before, plus one; 0 at the start
    STATUS    PLAYING or why the game is over
    WINNER    0 First, 1 Second, 2 neither (while going on, and for a draw)
    VACANT    vacant cells
    CIRCLES LINES TRIANGLES   patterns standing, of any type (where a line is six, seven in a row count as two)
    STAGE     PLAYED, or what the opening asks for (see below)
    SWAPPED   1 where the first seat has Second's side: player = side ^ SWAPPED
    WORDS ... bit boards. Each type has one word for every line of cells in each of the three directions, so that
              patterns are found by shifting. A cell with axial coordinates (q, r), both moved up by side + 1, so that
              two lines of margin surround the board, is

                  in direction 0    bit q of word r            (a row of the board; row number i is word 2 * side - i)
                  in direction 1    bit r of word q            (a column)
                  in direction 2    bit q of word q + r        (a diagonal; moved up by side + 1 only once)

An action is 3 * cell + type - 1: a placement where the cell is vacant, a replacement where it is not. Two more,
3 * SIZE + SWAP and 3 * SIZE + ADD, belong to openings in which one player sets up and the other chooses.
Types are 1 Shang (Red), 2 Zhong (Yellow), 3 Xia (Blue); 0 is vacant.
"""

from __future__ import annotations

from tercet.kernel import kernel, popcount, u

FIRST, SECOND, NOBODY = 0, 1, 2

MOVER, KO, STATUS, WINNER, VACANT, CIRCLES, LINES, TRIANGLES, STAGE, SWAPPED = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
WORDS = 10

# stage: the opening is over; it is, but no turn has been judged yet; the chooser, or the first seat after two more
# pieces, moves as Second or swaps; the first seat sets up; the chooser adds two pieces
PLAYED, BEGUN, CHOOSING, ANSWERING, SETTING_UP, ADDING = 0, 1, 2, 3, 4, 5
SWAP, ADD = 0, 1  # actions, counted from 3 * SIZE on
ADDED = 2  # pieces that ADD adds
LEAD = 2  # neighbours by which a new type must exceed the type that it replaces

# status
PLAYING, CIRCLE, LINE, TRIANGLE, STALEMATE, STALEMATE_LOSS = 0, 1, 2, 3, 4, 5

# events: (kind, cell, new type, old type), (ENDED, status, winner, 0), (TOOK_FIRST or ADDS, player, 0, 0)
PLACED, REPLACED, ENDED, TOOK_FIRST, ADDS = 1, 2, 3, 4, 5

# rules (int32): header; q, r and the diagonal of each cell; first cell, its q and length of each row (from number ROWS)
SIDE, SIZE, SPAN, STALEMATE_LOSES, ROWS = 0, 1, 2, 3, 4
# the opening, the pieces of a set-up, and where the book is: the number of its positions, the length of each, then each
# one's number of pieces and the actions that place them
OPENING, SETUP, BOOK = 5, 6, 7
# what First and what Second wins with, as the sum of some of the four below; a line's cells after its first
GOALS, LINE_REST = 8, 10
PLACES = 11
FREE, DRAWN, SWAPS, SWAPS_OR_ADDS = 0, 1, 2, 3
RINGS, SIXES, SOLID, OTHER_LINES = 1, 2, 4, 8  # circles, lines of six, triangles, lines of four, five or seven


def _near_mask(*steps: tuple[int, int]) -> int:
    """Bits of :func:`near` for the cells at these axial steps from the one in the middle."""
    return sum(1 << (5 * (r + 2) + q + 2) for q, r in steps)


def _through_middle(pattern: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """The ways to lay ``pattern`` so that one of its cells is the middle one, as masks of the other cells."""
    return tuple(_near_mask(*((q - a, r - b) for q, r in pattern if (q, r) != (a, b))) for a, b in pattern)


#   up:   .        down:  . . .      circle:  . .
#        . .               . .               .   .
#       . . .               .                 . .
_UP = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2))
_DOWN = tuple((-q, -r) for q, r in _UP)
_RING = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))

TRIANGLE_MASKS = _through_middle(_UP) + _through_middle(_DOWN)
CIRCLE_MASKS = _through_middle(_RING)
RING_MASK = _near_mask(*_RING)
NEAR_ITSELF = _near_mask((0, 0))


@kernel
def mover(rules, row):
    """The player whose decision it is: who has the side to move."""
    return row[MOVER] ^ row[SWAPPED]


@kernel
def status(rules, row):
    """0 while the game goes on, else the reason why it is over."""
    return row[STATUS]


@kernel
def scores(rules, row, out):
    """Share of the point for each player: 1, 0 or, in a draw, 1/2 each."""
    for player in range(2):
        if row[STATUS] == PLAYING:
            out[player] = 0.0
        elif row[WINNER] == NOBODY:
            out[player] = 0.5
        else:
            out[player] = 1.0 if row[WINNER] == player ^ row[SWAPPED] else 0.0


@kernel
def type_at(rules, row, cell):
    """What stands on ``cell``: 0 nothing, 1 to 3 a type."""
    span = rules[SPAN]
    q = rules[u(PLACES + 3 * cell)]
    place = WORDS + rules[u(PLACES + 3 * cell + 1)]
    return (
        ((row[u(place)] >> q) & 1)
        + 2 * ((row[u(place + 3 * span)] >> q) & 1)
        + 3 * ((row[u(place + 6 * span)] >> q) & 1)
    )


@kernel
def types(rules, row, out):
    """What stands on each cell, as :func:`type_at` says it."""
    for cell in range(rules[SIZE]):
        out[u(cell)] = type_at(rules, row, cell)


@kernel
def cell_at(rules, q, r):
    """The cell at these coordinates, moved up by side + 1 each, or -1 off the board."""
    line = 2 * rules[SIDE] - r
    if line < 0 or line >= 2 * rules[SIDE] - 1:
        return -1
    entry = rules[ROWS] + 3 * line
    place = q - rules[u(entry + 1)]
    if place < 0 or place >= rules[u(entry + 2)]:
        return -1
    return rules[u(entry)] + place


@kernel
def near(rules, row, cell, kind):
    """Where type ``kind`` stands in the rhombus of 5 x 5 around ``cell``: bit 5 * (dr + 2) + dq + 2."""
    low = rules[u(PLACES + 3 * cell)] - 2
    place = WORDS + 3 * (kind - 1) * rules[SPAN] + rules[u(PLACES + 3 * cell + 1)]
    return (
        ((row[u(place - 2)] >> low) & 31)
        | (((row[u(place - 1)] >> low) & 31) << 5)
        | (((row[u(place)] >> low) & 31) << 10)
        | (((row[u(place + 1)] >> low) & 31) << 15)
        | (((row[u(place + 2)] >> low) & 31) << 20)
    )


@kernel
def around(rules, row, cell, kind):
    """How many neighbours of ``cell`` are of type ``kind``."""
    low = rules[u(PLACES + 3 * cell)] - 1
    place = WORDS + 3 * (kind - 1) * rules[SPAN] + rules[u(PLACES + 3 * cell + 1)]
    return popcount(
        ((row[u(place - 1)] >> low) & 6) | (((row[u(place)] >> low) & 5) << 3) | (((row[u(place + 1)] >> low) & 3) << 6)
    )


@kernel
def begins(word, rest):
    """Where ``rest`` + 1 (four to seven) set bits of ``word`` begin."""
    pairs = word & (word >> 1)
    fours = pairs & (pairs >> 2)
    return fours & (fours >> (rest - 3))


@kernel
def runs(word, bit, rest):
    """Windows of ``rest`` + 1 set bits of ``word`` that contain ``bit``."""
    return popcount(begins(word, rest) & ((((2 << rest) - 1) << bit) >> rest))


@kernel
def lines(rules, cell, along_row, along_column, along_diagonal):
    """Lines through ``cell``, whose type stands on its row, column and diagonal as these words have it."""
    rest = rules[LINE_REST]
    if begins(along_row, rest) | begins(along_column, rest) | begins(along_diagonal, rest) == 0:
        return 0
    q = rules[u(PLACES + 3 * cell)]
    return (
        runs(along_row, q, rest)
        + runs(along_column, rules[u(PLACES + 3 * cell + 1)], rest)
        + runs(along_diagonal, q, rest)
    )


@kernel
def stands(rules, row, player):
    """Whether a pattern stands that wins for ``player`` if it still stands at the end of a turn of theirs."""
    if (row[CIRCLES] if player == FIRST else row[LINES]) > 0:
        return True
    return row[TRIANGLES] > 0 and rules[u(GOALS + player)] & SOLID != 0


@kernel
def count_patterns(rules, row, cell, kind, sign):
    """Add ``sign`` times the patterns of type ``kind`` through ``cell``, which holds it, to the row's counts."""
    span = rules[SPAN]
    q = rules[u(PLACES + 3 * cell)]
    r = rules[u(PLACES + 3 * cell + 1)]
    words = WORDS + 3 * (kind - 1) * span
    diagonal = words + 2 * span + rules[u(PLACES + 3 * cell + 2)]
    row[LINES] += sign * lines(rules, cell, row[u(words + r)], row[u(words + span + q)], row[u(diagonal)])
    close = near(rules, row, cell, kind)
    if close & RING_MASK:
        circles = 0
        for mask in CIRCLE_MASKS:
            circles += close & mask == mask
        triangles = 0
        for mask in TRIANGLE_MASKS:
            triangles += close & mask == mask
        row[CIRCLES] += sign * circles
        row[TRIANGLES] += sign * triangles


@kernel
def flip(rules, row, cell, kind):
    """Put type ``kind`` on ``cell`` if it is not there, take it off if it is. Counts are left alone."""
    span = rules[SPAN]
    q = rules[u(PLACES + 3 * cell)]
    r = rules[u(PLACES + 3 * cell + 1)]
    words = WORDS + 3 * (kind - 1) * span
    row[u(words + r)] ^= 1 << q
    row[u(words + span + q)] ^= 1 << r
    row[u(words + 2 * span + rules[u(PLACES + 3 * cell + 2)])] ^= 1 << q


@kernel
def put(rules, row, cell, old, new):
    """Make ``cell``, which holds ``old`` (0 for nothing), hold type ``new``, keeping every count in the row right."""
    if old == 0:
        row[VACANT] -= 1
    else:
        count_patterns(rules, row, cell, old, -1)
        flip(rules, row, cell, old)
    flip(rules, row, cell, new)
    count_patterns(rules, row, cell, new, 1)
