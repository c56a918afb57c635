"""Crossway's rules over a row of integers.

Row (int64), for a board of n cells:
    MOVER      0 Black, 1 White
    STATUS     PLAYING or CONNECTED
    WINNER     0 Black, 1 White, 2 nobody yet
    STONES     stones on the board
    SWAPPED    1 once White has swapped
    GROUPS ... n + 1 entries: 0 on a vacant cell; on a stone its group, 1 + 2 * (least cell of the group) + player.
               The last entry stands for everything off the board and stays 0.
    SIDES ...  n entries: which sides of the board the group reaches whose least cell this is (1 the first of the
               player's two sides, 2 the second), 0 elsewhere

An action below n places a stone on that cell; action n swaps.
"""

from tercet.kernel import kernel, pick, u

BLACK, WHITE, NOBODY = 0, 1, 2
MOVER, STATUS, WINNER, STONES, SWAPPED, GROUPS = 0, 1, 2, 3, 4, 5
PLAYING, CONNECTED = 0, 1

# events: (kind, cell, player, 0)
PLACED, SWAP, ENDED = 1, 2, 3

# rules (int32): header; then for each cell its eight neighbours anticlockwise from east (n: off the board), then its
# mirror image, then the sides it lies on for Black and for White
CELLS, PIE, TABLE = 0, 1, 2
MIRROR, SIDE, WIDTH = 8, 9, 11


@kernel
def setup(rules, row, seed):
    """Write the empty board, Black to move. There is no chance in it: ``seed`` is not used."""
    for i in range(GROUPS + 2 * rules[CELLS] + 1):
        row[i] = 0
    row[WINNER] = NOBODY


@kernel
def mover(rules, row):
    """Whose turn it is."""
    return row[MOVER]


@kernel
def status(rules, row):
    """0 while the game goes on, else CONNECTED."""
    return row[STATUS]


@kernel
def scores(rules, row, out):
    """One for the winner."""
    for player in range(2):
        out[player] = 1.0 if row[WINNER] == player else 0.0


@kernel
def neighbour(rules, cell, direction):
    """The neighbour of ``cell`` in ``direction`` (0 to 7), or the number of cells where there is none."""
    return rules[u(TABLE + WIDTH * cell + (direction & 7))]


@kernel
def owner(rules, row, cell):
    """Whose stone is on ``cell``: 0 Black's, 1 White's, 2 nobody's (also off the board)."""
    group = row[u(GROUPS + cell)]
    return NOBODY if group == 0 else (group - 1) & 1


@kernel
def makes_checkerboard(rules, row, cell, player):
    """Whether a stone of ``player`` on ``cell`` would complete a square of two stones of each, crosswise."""
    for direction in range(1, 8, 2):
        if (
            owner(rules, row, neighbour(rules, cell, direction)) == player
            and owner(rules, row, neighbour(rules, cell, direction - 1)) == 1 - player
            and owner(rules, row, neighbour(rules, cell, direction + 1)) == 1 - player
        ):
            return True
    return False


@kernel
def may_swap(rules, row):
    """Whether White may swap: instead of his first stone."""
    return rules[PIE] != 0 and row[STONES] == 1 and row[MOVER] == WHITE and row[SWAPPED] == 0


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[STATUS] != PLAYING:
        return False
    if action == rules[CELLS]:
        return may_swap(rules, row)
    return row[u(GROUPS + action)] == 0 and not makes_checkerboard(rules, row, action, row[MOVER])


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many."""
    count = 0
    for action in range(rules[CELLS] + 1):
        if allows(rules, row, action):
            out[u(count)] = action
            count += 1
    return count


@kernel
def join(rules, row, one, other):
    """Make the groups ``one`` and ``other`` the one of the lesser cell."""
    if one > other:
        one, other = other, one
    cells = rules[CELLS]
    for cell in range(cells):
        if row[u(GROUPS + cell)] == other:
            row[u(GROUPS + cell)] = one
    sides = GROUPS + cells + 1
    row[u(sides + (one - 1) // 2)] |= row[u(sides + (other - 1) // 2)]
    row[u(sides + (other - 1) // 2)] = 0


@kernel
def put(rules, row, cell, player):
    """Put a stone of ``player`` on the vacant ``cell``, and end the game if that connects his sides."""
    sides = GROUPS + rules[CELLS] + 1
    row[u(GROUPS + cell)] = 1 + 2 * cell + player
    row[u(sides + cell)] = rules[u(TABLE + WIDTH * cell + SIDE + player)]
    row[STONES] += 1
    for direction in range(8):
        near = neighbour(rules, cell, direction)
        if owner(rules, row, near) == player and row[u(GROUPS + near)] != row[u(GROUPS + cell)]:
            join(rules, row, row[u(GROUPS + near)], row[u(GROUPS + cell)])
    if row[u(sides + (row[u(GROUPS + cell)] - 1) // 2)] == 3:
        row[STATUS] = CONNECTED
        row[WINNER] = player


@kernel
def swap(rules, row):
    """White takes the first stone over, which becomes his on its mirror image; Black moves again."""
    cells = rules[CELLS]
    cell = 0
    while row[u(GROUPS + cell)] == 0:
        cell += 1
    row[u(GROUPS + cell)] = 0
    row[u(GROUPS + cells + 1 + cell)] = 0
    row[STONES] = 0
    row[SWAPPED] = 1
    mirrored = rules[u(TABLE + WIDTH * cell + MIRROR)]
    put(rules, row, mirrored, WHITE)
    return mirrored


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    player = row[MOVER]
    if action == rules[CELLS]:
        events[0] = SWAP
        events[1] = swap(rules, row)
    else:
        put(rules, row, action, player)
        events[0] = PLACED
        events[1] = action
    events[2] = player
    events[3] = 0
    row[MOVER] = 1 - player
    if row[STATUS] == PLAYING:
        return 1
    events[4] = ENDED
    events[5] = 0
    events[6] = row[WINNER]
    events[7] = 0
    return 2


@kernel
def open_sampler(rules, row, scratch):
    """Nothing is prepared for `sample`."""
    scratch[0] = 0


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on; ``state`` is a random state."""
    count = legal(rules, row, scratch)
    return scratch[u(pick(state, count))]


@kernel
def refresh(rules, row):
    """Recompute groups, sides, stones, status and winner from whose stones stand where."""
    cells = rules[CELLS]
    row[STATUS] = PLAYING
    row[WINNER] = NOBODY
    row[STONES] = 0
    for cell in range(cells):  # whose it is, as a mark that no group has
        row[u(GROUPS + cells + 1 + cell)] = owner(rules, row, cell)
        row[u(GROUPS + cell)] = 0
    for cell in range(cells):
        player = row[u(GROUPS + cells + 1 + cell)]
        row[u(GROUPS + cells + 1 + cell)] = 0
        if player != NOBODY:
            put(rules, row, cell, player)


@kernel
def observe(rules, row, player, out):
    """Planes for a network: ``player``'s stones, the other's, cells barred for the mover, whether ``player`` moves."""
    cells = rules[CELLS]
    for cell in range(cells):
        stone = owner(rules, row, cell)
        out[cell] = 1.0 if stone == player else 0.0
        out[cells + cell] = 1.0 if stone == 1 - player else 0.0
        barred = stone == NOBODY and makes_checkerboard(rules, row, cell, row[MOVER])
        out[2 * cells + cell] = 1.0 if barred else 0.0
        out[3 * cells + cell] = 1.0 if row[MOVER] == player else 0.0
