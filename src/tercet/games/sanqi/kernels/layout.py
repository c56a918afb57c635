"""SanQi's position as a row of integers: how to read and change a cell of it, and which replacements the neighbours
of a cell allow.

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

from tercet.kernel import inlined, kernel, popcount, u

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


@kernel
def replaceable(rules, row, cell, old, new):
    """Whether the neighbours of ``cell`` allow its piece of type ``old`` to be replaced by ``new``."""
    return old != new and around(rules, row, cell, new) >= around(rules, row, cell, old) + LEAD


@kernel
def choices_of_side(rules, row):
    """How many of the actions SWAP and ADD the mover has."""
    if row[STAGE] == CHOOSING and rules[OPENING] == SWAPS_OR_ADDS:
        return ADD + 1
    return SWAP + 1 if row[STAGE] == CHOOSING or row[STAGE] == ANSWERING else 0


@inlined
def outnumbers(new0, new1, new2, old0, old1, old2):
    """For 63 cells at once, whether new >= old + 2; the numbers, 0 to 6, are given as their three binary digits."""
    add1 = ~old1
    add2 = old2 ^ old1
    less = ~new0 & old0
    less = (~new1 & (add1 | less)) | (add1 & less)
    less = (~new2 & (add2 | less)) | (add2 & less)
    return ~(less | (old2 & old1))


@inlined
def add_digits(a, b, c, d, e, f, digit):
    """Binary ``digit`` (0, 1 or 2) of how many of the six words have each bit set."""
    s1 = a ^ b ^ c
    c1 = (a & b) | (c & (a ^ b))
    s2 = d ^ e ^ f
    c2 = (d & e) | (f & (d ^ e))
    if digit == 0:
        return s1 ^ s2
    c3 = s1 & s2
    if digit == 1:
        return c1 ^ c2 ^ c3
    return (c1 & c2) | (c3 & (c1 ^ c2))


@inlined
def count_digit(here, above, below, digit):
    """Binary ``digit`` of `around` for all cells of a row: the words are where a type stands on it, above and below."""
    return add_digits(here >> 1, here << 1, above, above << 1, below, below >> 1, digit)


@inlined
def choices(red, red_above, red_below, yellow, yellow_above, yellow_below, blue, blue_above, blue_below):
    """For up to 62 cells at once, which hold a piece that its neighbours allow to be replaced by red, by yellow, by
    blue. Each word has a bit for each cell: where a type stands, and where on the rows above and below, each as in
    direction 0; several rows in a word have a vacant bit between any two. Bits that are no cells mean nothing."""
    r0 = count_digit(red, red_above, red_below, 0)
    r1 = count_digit(red, red_above, red_below, 1)
    r2 = count_digit(red, red_above, red_below, 2)
    y0 = count_digit(yellow, yellow_above, yellow_below, 0)
    y1 = count_digit(yellow, yellow_above, yellow_below, 1)
    y2 = count_digit(yellow, yellow_above, yellow_below, 2)
    b0 = count_digit(blue, blue_above, blue_below, 0)
    b1 = count_digit(blue, blue_above, blue_below, 1)
    b2 = count_digit(blue, blue_above, blue_below, 2)
    # digits of how many neighbours are like the piece itself; it never outnumbers itself
    old0 = (red & r0) | (yellow & y0) | (blue & b0)
    old1 = (red & r1) | (yellow & y1) | (blue & b1)
    old2 = (red & r2) | (yellow & y2) | (blue & b2)
    held = red | yellow | blue
    by_red = held & outnumbers(r0, r1, r2, old0, old1, old2)
    by_yellow = held & outnumbers(y0, y1, y2, old0, old1, old2)
    by_blue = held & outnumbers(b0, b1, b2, old0, old1, old2)
    return by_red, by_yellow, by_blue


@inlined
def row_choices(rules, row, line):
    """For all cells of row number ``line`` at once, as in direction 0: which are vacant, and which hold a piece that
    the mover may replace by red, by yellow, by blue. Bits outside the row mean nothing."""
    span = rules[SPAN]
    reds = WORDS + 2 * rules[SIDE] - line
    yellows = reds + 3 * span
    blues = yellows + 3 * span
    red = row[u(reds)]
    yellow = row[u(yellows)]
    blue = row[u(blues)]
    vacant = ~(red | yellow | blue)
    by_red = 0
    by_yellow = 0
    by_blue = 0
    if red | yellow | blue:
        by_red, by_yellow, by_blue = choices(
            red, row[u(reds + 1)], row[u(reds - 1)], yellow, row[u(yellows + 1)], row[u(yellows - 1)],
            blue, row[u(blues + 1)], row[u(blues - 1)],
        )  # fmt: skip
        first = rules[u(rules[ROWS] + 3 * line)]
        ko = row[KO] - 1
        if first <= ko < first + rules[u(rules[ROWS] + 3 * line + 2)]:
            free = ~(1 << (rules[u(rules[ROWS] + 3 * line + 1)] + ko - first))
            by_red &= free
            by_yellow &= free
            by_blue &= free
    return vacant, by_red, by_yellow, by_blue
