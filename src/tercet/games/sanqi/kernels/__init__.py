"""SanQi's rules over a row of integers: what an action does, and when the game is over.

``layout`` says how a row is laid out, ``moves`` what the mover may do, ``observation`` what a network sees. The rules
are in docs/games/sanqi.md; words here are the designer's. ``__all__`` has the names of the contract
(``tercet.core.definition.Kernels``) and what the game's Python modules ask of its kernels.
"""

from __future__ import annotations

from tercet.games.sanqi.kernels.layout import (
    ADD,
    ADDED,
    ADDING,
    ADDS,
    ANSWERING,
    BEGUN,
    BOOK,
    CHOOSING,
    CIRCLE,
    CIRCLES,
    DRAWN,
    ENDED,
    FIRST,
    FREE,
    GOALS,
    KO,
    LINE,
    LINE_REST,
    LINES,
    MOVER,
    NOBODY,
    OPENING,
    PLACED,
    PLACES,
    PLAYED,
    PLAYING,
    REPLACED,
    SECOND,
    SETTING_UP,
    SETUP,
    SIDE,
    SIZE,
    SOLID,
    SPAN,
    STAGE,
    STALEMATE,
    STALEMATE_LOSES,
    STALEMATE_LOSS,
    STATUS,
    SWAP,
    SWAPPED,
    TOOK_FIRST,
    TRIANGLE,
    TRIANGLES,
    VACANT,
    WINNER,
    WORDS,
    around,
    cell_at,
    count_patterns,
    flip,
    mover,
    put,
    scores,
    status,
    type_at,
    types,
)
from tercet.games.sanqi.kernels.moves import allows, can_act, legal, open_sampler, sample
from tercet.games.sanqi.kernels.observation import change_words, legal_words, observe, observe_words
from tercet.kernel import advance_seed, kernel, pick, start_seed, u

__all__ = [
    "allows",
    "apply",
    "around",
    "change_words",
    "clear",
    "flip",
    "legal",
    "legal_words",
    "mover",
    "observe",
    "observe_words",
    "open_sampler",
    "refresh",
    "sample",
    "scores",
    "setup",
    "status",
    "type_at",
    "types",
]


@kernel
def clear(rules, row):
    """Write the empty board, First to move, whatever the opening is."""
    for i in range(WORDS + 9 * rules[SPAN]):
        row[i] = 0
    row[WINNER] = NOBODY
    row[VACANT] = rules[SIZE]


@kernel
def image(rules, cell, turn):
    """Where symmetry number ``turn`` of the board (0 to 11) puts ``cell``: so many sixths of a turn, from 6 on after a
    reflection."""
    middle = rules[SIDE] + 1
    q = rules[u(PLACES + 3 * cell)] - middle
    r = rules[u(PLACES + 3 * cell + 1)] - middle
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
    entry = rules[BOOK] + 2 + rules[u(rules[BOOK] + 1)] * pick(state, rules[u(rules[BOOK])])
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
        row[KO] = cell + 1
    row[MOVER] = SECOND


@kernel
def setup(rules, row, seed):
    """Write the start position. ``seed`` draws a position of the book; without a book there is no chance in SanQi."""
    clear(rules, row)
    if rules[OPENING] == DRAWN:
        draw_position(rules, row, seed)
    elif rules[OPENING] != FREE:
        row[STAGE] = SETTING_UP


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
    elif row[TRIANGLES] > 0 and rules[u(GOALS + player)] & SOLID:
        row[STATUS] = TRIANGLE
        row[WINNER] = player
    elif row[VACANT] == 0 and not can_act(rules, row):
        if rules[STALEMATE_LOSES]:
            row[STATUS] = STALEMATE_LOSS
            row[WINNER] = player
        else:
            row[STATUS] = STALEMATE


@kernel
def open_game(rules, row, action, events):
    """Play ``action`` if it belongs to the opening, not to a turn: nothing is judged. Returns how many events; 0 for a
    turn."""
    chooser = row[MOVER] ^ row[SWAPPED]
    if row[STAGE] < SETTING_UP and action < 3 * rules[SIZE]:
        row[STAGE] = PLAYED
        return 0
    events[1] = chooser
    events[2] = 0
    events[3] = 0
    if action == 3 * rules[SIZE] + SWAP:
        row[STAGE] = BEGUN
        row[SWAPPED] ^= 1
        events[0] = TOOK_FIRST
        return 1
    if action == 3 * rules[SIZE] + ADD:
        row[STAGE] = ADDING
        events[0] = ADDS
        return 1
    cell = action // 3
    put(rules, row, cell, 0, action - 3 * cell + 1)
    row[KO] = cell + 1
    events[0] = PLACED
    events[1] = cell
    events[2] = action - 3 * cell + 1
    pieces = rules[SIZE] - row[VACANT]
    if row[STAGE] == SETTING_UP and pieces == rules[SETUP]:
        row[STAGE] = CHOOSING
        row[MOVER] = SECOND
    elif row[STAGE] == ADDING and pieces == rules[SETUP] + ADDED:
        row[STAGE] = ANSWERING
        row[SWAPPED] = 1
    return 1


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    if row[STAGE] != PLAYED:
        opened = open_game(rules, row, action, events)
        if opened > 0:
            return opened
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
    events[6] = row[WINNER] if row[WINNER] == NOBODY else row[WINNER] ^ row[SWAPPED]
    events[7] = 0
    return 2


@kernel
def refresh(rules, row):
    """Recompute every count, STATUS and WINNER from the types of the cells (as in direction 0), MOVER, KO and STAGE."""
    for i in range(STATUS, STAGE):
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
    row[CIRCLES] //= 6  # each was counted from each of its cells
    row[LINES] //= rules[LINE_REST] + 1
    row[TRIANGLES] //= 6
    if row[STAGE] == PLAYED:
        judge(rules, row)
