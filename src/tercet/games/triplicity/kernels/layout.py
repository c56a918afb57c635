"""How a position, an action, an event and the rules are laid out as integers, and the smallest functions over them.

Row (int64):
    TURN      whose decision it is: 0 White, 1 Black, 2 Red. At the end it is the captor who ended the game by the
              option ends, or who fell second under the option points
    PENDING   0, or one more than the captor to whom the player at TURN owes a sacrifice
    STATUS    PLAYING or why the game is over
    WINNER    the last player left, or, under the option ends, the captor of the first last king; NOBODY before the
              end, and after a draw
    QUIET     successive turns without capture, purchase or pawn move
    FELLED    1 if a last king fell on the turn before; always 0 unless the option jeopardy is no-successive
    TOKENS    three: each player's hoard
    STATE     three: ACTIVE, VANQUISHED or RESIGNED
    KINGS     three: each player's kings on the board
    MEN       two words for each player: the cells of their men, bit c of the first for cell c below SPLIT, bit
              c - SPLIT of the second for the others
    CELLS     one for each of the 111 cells: 0 vacant, or 8 * player + kind, kinds 1 pawn to 6 king

A *ray* of a cell is the cells in one direction from it, nearest first: rays 0 to 5 orthogonal, anticlockwise from east
(White at the bottom), rays 6 to 11 diagonal, ray 6 + d lying between ray d and the next. "Ray" 12 is the knight's
leaps. All (cell, target) along rays and leaps are numbered in this order: such a number is a *path*.

Actions, in rising order:
    path                                 a move that does not promote
    PROMOTIONS + 5 * promotion + i       a pawn's move on to its promotion rank, to become kind KNIGHT + i
    PURCHASES + 111 * (kind - 1) + cell  a purchase
    SACRIFICES + cell                    taking off one's own man to pay a tribute
    PASS
"""

from __future__ import annotations

from tercet.kernel import kernel, lowest_bit, popcount, u

WHITE, BLACK, RED, NOBODY = 0, 1, 2, 3
GODS = 3  # to whom the first part of a price goes

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 1, 2, 3, 4, 5, 6

ACTIVE, VANQUISHED, RESIGNED = 0, 1, 2

# status
PLAYING, LAST_PLAYER, QUIET_DRAW, AGREED_DRAW, FIRST_KING = 0, 1, 2, 3, 4

# jeopardy
JEOPARDY_TEXT, JEOPARDY_NO_SUCCESSIVE, JEOPARDY_OFF = 0, 1, 2

SIZE = 111
SPLIT = 56

TURN, PENDING, STATUS, WINNER, QUIET, FELLED, TOKENS, STATE, KINGS, MEN, CELLS = 0, 1, 2, 3, 4, 5, 6, 9, 12, 15, 21
ROW_SIZE = CELLS + SIZE

# events (kind, a, b, c)
MOVED = 1  # from, to, man
CAPTURED = 2  # cell, kind, owner
PROMOTED = 3  # cell, new kind, owner
KING_VANQUISHED = 4  # player, captor
INHERITED = 5  # from, to, amount
PAID = 6  # for a purchase: from, to (or GODS), amount
OWES = 7  # debtor, captor
EXCUSED = 8  # debtor who has nothing but their last king, captor
SACRIFICED = 9  # cell, kind, owner
BOUGHT = 10  # cell, kind, player
PASSED = 11  # player
GAVE_UP = 12  # player
LAPSED = 13  # debtor, captor
ENDED = 14  # status, winner
TRIBUTE = 15  # from, to, amount
MAX_EVENTS = 8

# rules (int32)
PATHS = 5178
PROMOTION_PATHS = 159
RULE_JEOPARDY, RULE_QUIET_LIMIT, RULE_COINS, RULE_TRIBUTE, RULE_SECOND, RULE_FIRST_KING = 0, 1, 2, 3, 4, 5
DROP_MASKS = 6  # for pawns of White, Black, Red, then their other men: cells open to purchase, in four parts of 28 bits
PAWN_RAYS = DROP_MASKS + 24  # five for each player, rising: two captures, three moves
RAYS = PAWN_RAYS + 15  # 13 for each cell: the first path of each ray, then of the leaps; the last one's end follows
TO = RAYS + 13 * SIZE + 1
FROM = TO + PATHS
RAY_OF = FROM + PATHS
PROMOTION_OF = RAY_OF + PATHS  # for each path: its number among those that end on some player's promotion rank
PROMOTION_PATH = PROMOTION_OF + PATHS  # its inverse
HEIGHT = PROMOTION_PATH + PROMOTION_PATHS  # of each player and cell: their coordinate there, 0 on their promotion rank
ARRAY = HEIGHT + 3 * SIZE
# For each cell words of PATH_BITS bits, in two parts: bit i is the cell's path number i. Each leap counts as a ray.
PATH_BITS, PATH_PART = 58, 29
STARTS = ARRAY + SIZE  # the first path of each ray
ENDS = STARTS + 2 * SIZE  # the last path of each ray
MOVES = ENDS + 2 * SIZE  # for pawns of White, Black, Red, then each other kind: where it moves, without promoting
CAPTURES = MOVES + 8 * 2 * SIZE  # likewise: where it captures
RULES_SIZE = CAPTURES + 8 * 2 * SIZE

PROMOTIONS = PATHS
PURCHASES = PROMOTIONS + 5 * PROMOTION_PATHS
SACRIFICES = PURCHASES + 6 * SIZE
PASS = SACRIFICES + SIZE
ACTIONS = PASS + 1


@kernel
def value(kind: int) -> int:
    """What a man of this kind is worth: pawn 1, knight and bishop 2, rook 3, queen 4, king 5."""
    if kind > KNIGHT:
        return kind - 1
    return kind


@kernel
def man_at(rules, row, cell):
    """What stands on ``cell``: 0 nothing, else 8 * player + kind."""
    return row[u(CELLS + cell)]


@kernel
def men_word(cell):
    """Which of a player's two words of men holds ``cell``."""
    return 1 if cell >= SPLIT else 0


@kernel
def cell_bit(cell):
    """The bit of ``cell`` in its word of men."""
    return 1 << (cell - SPLIT if cell >= SPLIT else cell)


@kernel
def put(rules, row, cell, man):
    """Stand ``man`` on the vacant ``cell``."""
    player = man >> 3
    row[u(CELLS + cell)] = man
    row[u(MEN + 2 * player + men_word(cell))] |= cell_bit(cell)
    if man & 7 == KING:
        row[u(KINGS + player)] += 1


@kernel
def lift(rules, row, cell):
    """Take the man on ``cell`` off the board; returns it."""
    man = row[u(CELLS + cell)]
    player = man >> 3
    row[u(CELLS + cell)] = 0
    row[u(MEN + 2 * player + men_word(cell))] ^= cell_bit(cell)
    if man & 7 == KING:
        row[u(KINGS + player)] -= 1
    return man


@kernel
def men_count(rules, row, player):
    """How many men ``player`` has on the board."""
    return popcount(row[u(MEN + 2 * player)]) + popcount(row[u(MEN + 2 * player + 1)])


@kernel
def king_cell(rules, row, player):
    """The cell of ``player``'s first king; -1 if they have none."""
    for word in range(2):
        men = row[u(MEN + 2 * player + word)]
        while men != 0:
            cell = lowest_bit(men) + SPLIT * word
            if row[u(CELLS + cell)] & 7 == KING:
                return cell
            men &= men - 1
    return -1


@kernel
def actives(rules, row):
    """How many players are still in the game: neither vanquished nor resigned."""
    count = 0
    for player in range(3):
        if row[STATE + player] == ACTIVE:
            count += 1
    return count


@kernel
def price(rules, row, player, kind):
    """What a man of ``kind`` costs ``player`` now: its value to the gods and to each other player still in the game."""
    return value(kind) * actives(rules, row)
