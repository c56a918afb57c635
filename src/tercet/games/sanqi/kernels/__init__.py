"""SanQi's rules over a row of integers: what an action does, and when the game is over.

``layout`` says how a row is laid out, ``moves`` what the mover may do, ``observation`` what a network sees. The rules
are in docs/games/sanqi.md; words here are the designer's. Imported ``as`` themselves are kernels of the
contract (``tercet.core.definition.Kernels``) and those that the game's Python modules ask for.
"""

from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.kernels.layout import around as around
from tercet.games.sanqi.kernels.layout import cell_at, count_patterns, put
from tercet.games.sanqi.kernels.layout import flip as flip
from tercet.games.sanqi.kernels.layout import mover as mover
from tercet.games.sanqi.kernels.layout import scores as scores
from tercet.games.sanqi.kernels.layout import status as status
from tercet.games.sanqi.kernels.layout import type_at as type_at
from tercet.games.sanqi.kernels.layout import types as types
from tercet.games.sanqi.kernels.moves import allows as allows
from tercet.games.sanqi.kernels.moves import can_act
from tercet.games.sanqi.kernels.moves import legal as legal
from tercet.games.sanqi.kernels.moves import open_sampler as open_sampler
from tercet.games.sanqi.kernels.moves import sample as sample
from tercet.games.sanqi.kernels.observation import change_words as change_words
from tercet.games.sanqi.kernels.observation import legal_words as legal_words
from tercet.games.sanqi.kernels.observation import observe as observe
from tercet.games.sanqi.kernels.observation import observe_words as observe_words
from tercet.kernel import advance_seed, kernel, pick, start_seed, u


@kernel
def clear(rules, row):
    """Write the empty board, First to move, whatever the opening is."""
    for i in range(layout.WORDS + 9 * rules[layout.SPAN]):
        row[i] = 0
    row[layout.WINNER] = layout.NOBODY
    row[layout.VACANT] = rules[layout.SIZE]


@kernel
def image(rules, cell, turn):
    """Where symmetry ``turn`` of the board (0 to 11) puts ``cell``: so many sixths of a turn, from 6 on reflected."""
    middle = rules[layout.SIDE] + 1
    q = rules[u(layout.PLACES + 3 * cell)] - middle
    r = rules[u(layout.PLACES + 3 * cell + 1)] - middle
    if turn >= 6:
        q, r = r, q
        turn -= 6
    for _ in range(turn):
        q, r = -r, q + r
    return cell_at(rules, q + middle, r + middle)


@kernel
def draw_position(rules, row, seed):
    """Place a position of the book, drawn by ``seed``, turned and with its types renamed at random. Second moves."""
    state = start_seed(seed)
    entry = rules[layout.BOOK] + 2 + rules[u(rules[layout.BOOK] + 1)] * pick(state, rules[u(rules[layout.BOOK])])
    state = advance_seed(state)
    turn = pick(state, 12)
    state = advance_seed(state)
    naming = pick(state, 6)
    factor = 1 + naming // 3
    for index in range(1, rules[u(entry)] + 1):
        action = rules[u(entry + index)]
        cell = action // 3
        kind = (factor * (action - 3 * cell) + naming) % 3 + 1
        cell = image(rules, cell, turn)
        put(rules, row, cell, 0, kind)
        row[layout.KO] = cell + 1
    row[layout.MOVER] = layout.SECOND


@kernel
def setup(rules, row, seed):
    """Write the start position. ``seed`` draws a position of the book; without a book there is no chance in SanQi."""
    clear(rules, row)
    if rules[layout.OPENING] == layout.DRAWN:
        draw_position(rules, row, seed)
    elif rules[layout.OPENING] != layout.FREE:
        row[layout.STAGE] = layout.SETTING_UP


@kernel
def judge(rules, row):
    """Set STATUS and WINNER for a turn just ended, MOVER being the player whose turn would come."""
    player = 1 - row[layout.MOVER]
    if player == layout.FIRST and row[layout.CIRCLES] > 0:
        row[layout.STATUS] = layout.CIRCLE
        row[layout.WINNER] = player
    elif player == layout.SECOND and row[layout.LINES] > 0:
        row[layout.STATUS] = layout.LINE
        row[layout.WINNER] = player
    elif row[layout.TRIANGLES] > 0 and rules[u(layout.GOALS + player)] & layout.SOLID:
        row[layout.STATUS] = layout.TRIANGLE
        row[layout.WINNER] = player
    elif not can_act(rules, row):
        if rules[layout.STALEMATE_LOSES]:
            row[layout.STATUS] = layout.STALEMATE_LOSS
            row[layout.WINNER] = player
        else:
            row[layout.STATUS] = layout.STALEMATE


@kernel
def open_game(rules, row, action, events):
    """Play ``action`` if it belongs to the opening: nothing is judged. Returns how many events; 0 for a turn."""
    chooser = row[layout.MOVER] ^ row[layout.SWAPPED]
    if row[layout.STAGE] < layout.SETTING_UP and action < 3 * rules[layout.SIZE]:
        row[layout.STAGE] = layout.PLAYED
        return 0
    events[1] = chooser
    events[2] = 0
    events[3] = 0
    if action == 3 * rules[layout.SIZE] + layout.SWAP:
        row[layout.STAGE] = layout.BEGUN
        row[layout.SWAPPED] ^= 1
        events[0] = layout.TOOK_FIRST
        return 1
    if action == 3 * rules[layout.SIZE] + layout.ADD:
        row[layout.STAGE] = layout.ADDING
        events[0] = layout.ADDS
        return 1
    cell = action // 3
    put(rules, row, cell, 0, action - 3 * cell + 1)
    row[layout.KO] = cell + 1
    events[0] = layout.PLACED
    events[1] = cell
    events[2] = action - 3 * cell + 1
    pieces = rules[layout.SIZE] - row[layout.VACANT]
    if row[layout.STAGE] == layout.SETTING_UP and pieces == rules[layout.SETUP]:
        row[layout.STAGE] = layout.CHOOSING
        row[layout.MOVER] = layout.SECOND
    elif row[layout.STAGE] == layout.ADDING and pieces == rules[layout.SETUP] + layout.ADDED:
        row[layout.STAGE] = layout.ANSWERING
        row[layout.SWAPPED] = 1
    return 1


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    if row[layout.STAGE] != layout.PLAYED:
        opened = open_game(rules, row, action, events)
        if opened > 0:
            return opened
    cell = action // 3
    new = action - 3 * cell + 1
    old = type_at(rules, row, cell)
    put(rules, row, cell, old, new)
    row[layout.KO] = cell + 1
    row[layout.MOVER] = 1 - row[layout.MOVER]
    judge(rules, row)
    events[0] = layout.PLACED if old == 0 else layout.REPLACED
    events[1] = cell
    events[2] = new
    events[3] = old
    if row[layout.STATUS] == layout.PLAYING:
        return 1
    events[4] = layout.ENDED
    events[5] = row[layout.STATUS]
    events[6] = row[layout.WINNER] if row[layout.WINNER] == layout.NOBODY else row[layout.WINNER] ^ row[layout.SWAPPED]
    events[7] = 0
    return 2


@kernel
def refresh(rules, row):
    """Recompute every count, STATUS and WINNER from the types of the cells (as in direction 0), MOVER, KO and STAGE."""
    for i in range(layout.STATUS, layout.STAGE):
        row[i] = 0
    row[layout.WINNER] = layout.NOBODY
    row[layout.VACANT] = rules[layout.SIZE]
    span = rules[layout.SPAN]
    for kind in range(1, 4):
        for i in range(span, 3 * span):
            row[layout.WORDS + 3 * (kind - 1) * span + i] = 0
    for cell in range(rules[layout.SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            row[layout.VACANT] -= 1
            q = rules[layout.PLACES + 3 * cell]
            words = layout.WORDS + 3 * (kind - 1) * span
            row[words + span + q] |= 1 << rules[layout.PLACES + 3 * cell + 1]
            row[words + 2 * span + rules[layout.PLACES + 3 * cell + 2]] |= 1 << q
    for cell in range(rules[layout.SIZE]):
        kind = type_at(rules, row, cell)
        if kind != 0:
            count_patterns(rules, row, cell, kind, 1)
    row[layout.CIRCLES] //= 6  # each was counted from each of its cells
    row[layout.LINES] //= rules[layout.LINE_REST] + 1
    row[layout.TRIANGLES] //= 6
    if row[layout.STAGE] == layout.PLAYED:
        judge(rules, row)
