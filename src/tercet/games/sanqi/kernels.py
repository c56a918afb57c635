"""SanQi's rules over a row of integers. The rules are in docs/games/sanqi.md; words here are the designer's.

Row (int64):
    MOVER     0 First, 1 Second
    KO        the cell of the turn just before, plus one; 0 at the start
    STATUS    PLAYING or why the game is over
    WINNER    0 First, 1 Second, 2 nobody (while going on, and for a draw)
    VACANT    vacant cells
    CIRCLES LINES TRIANGLES   patterns standing, of any type (a line of seven counts as two)
    WORDS ... bit boards. Each type has one word for every line of cells in each of the three directions, so that
              patterns are found by shifting. A cell with axial coordinates (q, r), both moved up by side + 1, so that
              two lines of margin surround the board, is

                  in direction 0    bit q of word r            (a row of the board)
                  in direction 1    bit r of word q            (a column)
                  in direction 2    bit q of word q + r        (a diagonal; moved up by side + 1 only once)

An action is 3 * cell + type - 1: a placement where the cell is vacant, a replacement where it is not.
Types are 1 Shang (Red), 2 Zhong (Yellow), 3 Xia (Blue); 0 is vacant.
"""

from __future__ import annotations

from tercet.kernel import branch_seed, kernel, pick, popcount, u

FIRST, SECOND, NOBODY = 0, 1, 2

MOVER, KO, STATUS, WINNER, VACANT, CIRCLES, LINES, TRIANGLES = 0, 1, 2, 3, 4, 5, 6, 7
WORDS = 8

# status
PLAYING, CIRCLE, LINE, TRIANGLE, STALEMATE, STALEMATE_LOSS = 0, 1, 2, 3, 4, 5

# events: (kind, cell, new type, old type), and (ENDED, status, winner, 0)
PLACED, REPLACED, ENDED = 1, 2, 3

# rules (int32): header; q, r and the diagonal of each cell; first cell, its q and length of each row (from number ROWS)
SIDE, SIZE, SPAN, STALEMATE_LOSES, ROWS = 0, 1, 2, 3, 4
PLACES = 8


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


@kernel
def setup(rules, row, seed):
    """Write the empty board, First to move. SanQi has no chance in it: ``seed`` is not used."""
    for i in range(WORDS + 9 * rules[SPAN]):
        row[i] = 0
    row[WINNER] = NOBODY
    row[VACANT] = rules[SIZE]


@kernel
def mover(rules, row):
    """Whose turn it is: 0 First, 1 Second."""
    return row[MOVER]


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
            out[player] = 1.0 if row[WINNER] == player else 0.0


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
def replaceable(rules, row, cell, old, new):
    """Whether the neighbours of ``cell`` allow its piece of type ``old`` to be replaced by ``new``: two more of it."""
    return old != new and around(rules, row, cell, new) >= around(rules, row, cell, old) + 2


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[STATUS] != PLAYING:
        return False
    cell = action // 3
    old = type_at(rules, row, cell)
    return old == 0 or (cell + 1 != row[KO] and replaceable(rules, row, cell, old, action % 3 + 1))


@kernel
def outnumbers(new0, new1, new2, old0, old1, old2):
    """For 63 cells at once, whether new >= old + 2; the numbers, 0 to 6, are given as their three binary digits."""
    add1 = ~old1
    add2 = old2 ^ old1
    less = ~new0 & old0
    less = (~new1 & (add1 | less)) | (add1 & less)
    less = (~new2 & (add2 | less)) | (add2 & less)
    return ~(less | (old2 & old1))


@kernel
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


@kernel
def count_digit(rules, row, r, kind, digit):
    """Binary ``digit`` of `around`, for all cells of row r at once."""
    place = WORDS + 3 * (kind - 1) * rules[SPAN] + r
    below = row[u(place - 1)]
    here = row[u(place)]
    above = row[u(place + 1)]
    return add_digits(here >> 1, here << 1, above, above << 1, below, below >> 1, digit)


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many. `allows` says the same, a row at a time."""
    count = 0
    if row[STATUS] != PLAYING:
        return count
    span = rules[SPAN]
    ko = row[KO] - 1
    rows = rules[ROWS]
    for line in range(2 * rules[SIDE] - 1):
        first = rules[u(rows + 3 * line)]
        low = rules[u(rows + 3 * line + 1)]
        length = rules[u(rows + 3 * line + 2)]
        r = rules[u(PLACES + 3 * first + 1)]
        red = row[u(WORDS + r)]
        yellow = row[u(WORDS + 3 * span + r)]
        blue = row[u(WORDS + 6 * span + r)]
        to_red = ~(red | yellow | blue)
        to_yellow = to_red
        to_blue = to_red
        if red | yellow | blue:
            held = -1
            if first <= ko < first + length:
                held = ~(1 << (low + ko - first))
            r0 = count_digit(rules, row, r, 1, 0)
            r1 = count_digit(rules, row, r, 1, 1)
            r2 = count_digit(rules, row, r, 1, 2)
            y0 = count_digit(rules, row, r, 2, 0)
            y1 = count_digit(rules, row, r, 2, 1)
            y2 = count_digit(rules, row, r, 2, 2)
            b0 = count_digit(rules, row, r, 3, 0)
            b1 = count_digit(rules, row, r, 3, 1)
            b2 = count_digit(rules, row, r, 3, 2)
            to_red |= held & (
                (yellow & outnumbers(r0, r1, r2, y0, y1, y2)) | (blue & outnumbers(r0, r1, r2, b0, b1, b2))
            )
            to_yellow |= held & (
                (red & outnumbers(y0, y1, y2, r0, r1, r2)) | (blue & outnumbers(y0, y1, y2, b0, b1, b2))
            )
            to_blue |= held & (
                (red & outnumbers(b0, b1, b2, r0, r1, r2)) | (yellow & outnumbers(b0, b1, b2, y0, y1, y2))
            )
        for i in range(length):
            q = low + i
            action = 3 * (first + i)
            out[u(count)] = action
            count += (to_red >> q) & 1
            out[u(count)] = action + 1
            count += (to_yellow >> q) & 1
            out[u(count)] = action + 2
            count += (to_blue >> q) & 1
    return count


@kernel
def can_act(rules, row):
    """Whether the mover has a placement or a replacement."""
    if row[VACANT] > 0:
        return True
    for cell in range(rules[SIZE]):
        if cell + 1 != row[KO]:
            old = type_at(rules, row, cell)
            for new in range(1, 4):
                if replaceable(rules, row, cell, old, new):
                    return True
    return False


@kernel
def sixes(word, bit):
    """Windows of six set bits of ``word`` that contain ``bit``."""
    pairs = word & (word >> 1)
    return popcount(pairs & (pairs >> 2) & (pairs >> 4) & ((63 << bit) >> 5))


@kernel
def count_patterns(rules, row, cell, kind, sign):
    """Add ``sign`` times the patterns of type ``kind`` through ``cell``, which holds it, to the row's counts."""
    span = rules[SPAN]
    q = rules[u(PLACES + 3 * cell)]
    r = rules[u(PLACES + 3 * cell + 1)]
    words = WORDS + 3 * (kind - 1) * span
    lines = (
        sixes(row[u(words + r)], q)
        + sixes(row[u(words + span + q)], r)
        + sixes(row[u(words + 2 * span + rules[u(PLACES + 3 * cell + 2)])], q)
    )
    row[LINES] += sign * lines
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
def judge(rules, row):
    """Set STATUS and WINNER for a turn just ended, MOVER being the player whose turn would come."""
    player = 1 - row[MOVER]
    if player == FIRST and row[CIRCLES] > 0:
        row[STATUS] = CIRCLE
        row[WINNER] = player
    elif player == SECOND and row[LINES] > 0:
        row[STATUS] = LINE
        row[WINNER] = player
    elif row[TRIANGLES] > 0:
        row[STATUS] = TRIANGLE
        row[WINNER] = player
    elif row[VACANT] == 0 and not can_act(rules, row):
        if rules[STALEMATE_LOSES]:
            row[STATUS] = STALEMATE_LOSS
            row[WINNER] = player
        else:
            row[STATUS] = STALEMATE


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    cell = action // 3
    new = action - 3 * cell + 1
    old = type_at(rules, row, cell)
    put(rules, row, cell, old, new)
    row[KO] = cell + 1
    row[MOVER] = 1 - row[MOVER]
    judge(rules, row)
    events[0] = PLACED if old == 0 else REPLACED
    events[1] = cell
    events[2] = new
    events[3] = old
    if row[STATUS] == PLAYING:
        return 1
    events[4] = ENDED
    events[5] = row[STATUS]
    events[6] = row[WINNER]
    events[7] = 0
    return 2


@kernel
def open_sampler(rules, row, scratch):
    """Prepare ``scratch`` for `sample`: its first entry counts the vacant cells, which follow."""
    count = 0
    for cell in range(rules[SIZE]):
        if type_at(rules, row, cell) == 0:
            count += 1
            scratch[u(count)] = cell
    scratch[0] = count


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on, which the caller then plays; ``state`` is a random state.

    Draws from all placements, which are legal, and two replacements for each cell until a legal action comes up.
    """
    size = rules[SIZE]
    while True:
        vacant = scratch[0]
        choice = pick(state, 3 * vacant + 2 * size)
        if choice < 3 * vacant:
            place = choice // 3
            cell = scratch[u(place + 1)]
            scratch[u(place + 1)] = scratch[u(vacant)]
            scratch[0] = vacant - 1
            return 3 * cell + choice - 3 * place
        choice -= 3 * vacant
        cell = choice >> 1
        old = type_at(rules, row, cell)
        if old != 0 and cell + 1 != row[KO]:
            new = old + 1 + (choice & 1)
            if new > 3:
                new -= 3
            if replaceable(rules, row, cell, old, new):
                return 3 * cell + new - 1
        state = branch_seed(state)


@kernel
def refresh(rules, row):
    """Recompute every count, STATUS and WINNER from the types of the cells (as in direction 0), MOVER and KO."""
    for i in range(STATUS, WORDS):
        row[i] = 0
    row[WINNER] = NOBODY
    row[VACANT] = rules[SIZE]
    span = rules[SPAN]
    for kind in range(1, 4):
        for i in range(span, 3 * span):
            row[WORDS + 3 * (kind - 1) * span + i] = 0
    for cell in range(rules[SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            row[VACANT] -= 1
            q = rules[PLACES + 3 * cell]
            words = WORDS + 3 * (kind - 1) * span
            row[words + span + q] |= 1 << rules[PLACES + 3 * cell + 1]
            row[words + 2 * span + rules[PLACES + 3 * cell + 2]] |= 1 << q
    for cell in range(rules[SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            count_patterns(rules, row, cell, kind, 1)
    for i in range(CIRCLES, TRIANGLES + 1):
        row[i] //= 6  # each was counted from each of its six cells
    judge(rules, row)


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each SIZE long, from ``player``'s side: the three types, vacant, ko, replaceable by each
    type, and three constant ones (whether the player moves, whether he is First, one)."""
    size = rules[SIZE]
    for cell in range(size):
        old = type_at(rules, row, cell)
        for kind in range(1, 4):
            out[(kind - 1) * size + cell] = 1.0 if old == kind else 0.0
            free = old != 0 and cell + 1 != row[KO] and replaceable(rules, row, cell, old, kind)
            out[(4 + kind) * size + cell] = 1.0 if free else 0.0
        out[3 * size + cell] = 1.0 if old == 0 else 0.0
        out[4 * size + cell] = 1.0 if cell + 1 == row[KO] else 0.0
        out[8 * size + cell] = 1.0 if row[MOVER] == player else 0.0
        out[9 * size + cell] = 1.0 if player == FIRST else 0.0
        out[10 * size + cell] = 1.0
