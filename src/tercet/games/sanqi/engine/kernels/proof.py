"""A search for wins by force: every claim holds against every legal reply.

The attacker's actions are threats to win in one, or quiet ones after which, could the opponent pass, threats alone
would win. Each is tried for a win in 2, 3 ... turns; the opponent's replies to a threat are those that stop it, to a
quiet action all that are legal. What is proved and refuted is kept in a table by position. After most answers the
attacker wins as after another one, or after a pass: what proved that is tried first (Kawano, "Using similar
positions to search game trees", 1996), and proves it again action by action. The search is a loop over frames of a
stack in memory, so that it stops after any number of actions and goes on later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.games.sanqi.engine.kernels.attacks import (
    ALL,
    QUIET,
    THREATS,
    count_windows,
    list_answers,
    list_attacks,
    list_replies,
    play,
    position_key,
    standing_threat,
    take_back,
    winning_action,
)
from tercet.games.sanqi.kernels.layout import KO, MOVER, PLAYING, SIZE, STATUS, WINNER
from tercet.games.sanqi.kernels.moves import allows
from tercet.kernel import kernel, noinline, u

# a frame: what it is doing, turns and mode of its question, its list, the action tried with what it takes to undo it;
# the random numbers by which its pieces, and its key, differ from those of a like position (0: there is none), whether
# the action that proved that one is tried now. Of the defender's: whether an answer, or a pass, lost; what it did to
# the random numbers of the pieces, and its ko (0: the pass)
STAGE, TURNS, MODE, LIST, COUNT, INDEX, ACTION, OLD, KO_BEFORE = 0, 1, 2, 3, 4, 5, 6, 7, 8
LIKE_PIECES, LIKE_KEY, IMITATES, HAS_LOST, LOST_PIECES, LOST_KO, FRAME = 9, 10, 11, 12, 13, 14, 15
# stages of the attacker's frames: begun; fewer turns, or threats alone, being tried; going through the attacks; the
# opponent passes; they answer. Stages of the defender's frames: going through the answers; the attacker goes on
ENTER, SHORTER, SIMPLER, ATTACKS, PASSED, ANSWERS, ATTACKED, ANSWERED = 0, 1, 2, 3, 4, 5, 6, 7
MOST_TURNS = 20
FRAMES = 2 * MOST_TURNS + 8

# header: the top frame, what the last frame done found (-1: nothing yet), actions tried, then for each number of turns
# left the reply that last refuted an attack, plus one
LEVEL, FOUND, TRIED, REFUTERS, HEADER = 0, 1, 2, 4, 4 + MOST_TURNS + 2

PAUSED = 2

# an entry of the table: key; proved in so many turns (8 bits), the action to begin with plus one (16), and refuted for
# so many turns in each mode (8 each)
ENTRY = 2


# a look from inside another search: its turns and what it tries, and the same when it may try as much as this
LOOK_TURNS, LONG_LOOK = 6, 200


class Proof(NamedTuple):
    """The memory of a search: frames, their lists, the table (a power of two of entries), the header."""

    stack: Any
    lists: Any
    table: Any
    header: Any


class Memory(NamedTuple):
    """All that `turn_forced_win` needs: windows, proof, and a row."""

    windows: Any
    proof: Any
    row: Any


@kernel
def find_entry(proof, key):
    """Place of the table's entry for ``key``; -1 if there is none."""
    mask = len(proof.table) // ENTRY - 1
    slot = ENTRY * (key & mask)
    if proof.table[u(slot)] == key:
        return slot
    slot ^= ENTRY
    if proof.table[u(slot)] == key:
        return slot
    return -1


@kernel
def entry_for(proof, key):
    """Return the index of the entry for ``key``. A new one takes the place of a refutation rather than of a proof."""
    slot = find_entry(proof, key)
    if slot < 0:
        slot = ENTRY * (key & (len(proof.table) // ENTRY - 1))
        if proof.table[u(slot + 1)] & 0xFF:
            slot ^= ENTRY
        proof.table[u(slot)] = key
        proof.table[u(slot + 1)] = 0
    return slot


@kernel
def note_proof(proof, key, turns, action):
    """Keep that the mover wins in ``turns``, beginning with ``action``."""
    slot = entry_for(proof, key) + 1
    known = proof.table[u(slot)]
    if known & 0xFF == 0 or known & 0xFF > turns:
        proof.table[u(slot)] = (known & ~0xFFFFFF) | turns | ((action + 1) << 8)


@kernel
def note_refuted(proof, key, turns, mode):
    """Keep that no win in ``turns`` was found in ``mode``."""
    slot = entry_for(proof, key) + 1
    known = proof.table[u(slot)]
    shift = 16 + 8 * mode
    if (known >> shift) & 0xFF < turns:
        proof.table[u(slot)] = (known & ~(0xFF << shift)) | (turns << shift)


@kernel
def known_result(proof, key, turns, mode):
    """1: known to win in ``turns``; 0: refuted in ``mode``; -1: not known."""
    slot = find_entry(proof, key)
    if slot < 0:
        return -1
    known = proof.table[u(slot + 1)]
    if 0 < known & 0xFF <= turns:
        return 1
    for other in range(mode, ALL + 1):
        if (known >> (16 + 8 * other)) & 0xFF >= turns:
            return 0
    return -1


@kernel
def first_action(proof, key):
    """Return the action that begins the mover's win at the position with this key, if it is known; else -1."""
    slot = find_entry(proof, key)
    if slot < 0:
        return -1
    return ((proof.table[u(slot + 1)] >> 8) & 0xFFFF) - 1


@kernel
def push(proof, stage, turns, mode):
    """A new frame on top, its list behind that of the frame below."""
    level = proof.header[LEVEL]
    at = FRAME * (level + 1)
    proof.header[LEVEL] = level + 1
    proof.header[FOUND] = -1
    proof.stack[u(at + STAGE)] = stage
    proof.stack[u(at + TURNS)] = turns
    proof.stack[u(at + MODE)] = mode if turns > 2 or mode == ALL else THREATS
    proof.stack[u(at + LIST)] = 0
    if level >= 0:
        proof.stack[u(at + LIST)] = proof.stack[u(at - FRAME + LIST)] + proof.stack[u(at - FRAME + COUNT)]
    proof.stack[u(at + COUNT)] = 0
    proof.stack[u(at + INDEX)] = 0
    proof.stack[u(at + LIKE_PIECES)] = 0
    proof.stack[u(at + LIKE_KEY)] = 0
    proof.stack[u(at + IMITATES)] = 0
    proof.stack[u(at + HAS_LOST)] = 0


@kernel
def pop(proof, found):
    """The top frame is done and found this."""
    proof.header[LEVEL] -= 1
    proof.header[FOUND] = found


@kernel
def try_action(rules, row, windows, proof, at):
    """Play the frame's next action."""
    action = proof.lists[u(proof.stack[u(at + LIST)] + proof.stack[u(at + INDEX)])]
    proof.stack[u(at + INDEX)] += 1
    proof.stack[u(at + ACTION)] = action
    proof.stack[u(at + KO_BEFORE)] = row[KO]
    proof.stack[u(at + OLD)] = play(rules, row, windows, action)
    proof.header[TRIED] += 1


@kernel
def undo_action(rules, row, windows, proof, at):
    """Take back the action that the frame has tried."""
    stack = proof.stack
    take_back(
        rules, row, windows, stack[u(at + ACTION)], stack[u(at + OLD)], stack[u(at + KO_BEFORE)]
    )  # fmt: skip


@kernel
def prove(rules, row, windows, proof, at):
    """The frame's action wins: keep it. The action is taken back."""
    note_proof(proof, position_key(rules, row, windows), proof.stack[u(at + TURNS)], proof.stack[u(at + ACTION)])
    pop(proof, 1)


@kernel
def enter(rules, row, windows, proof, at):
    """Begin an attacker's frame. Return whether its answer is known, or was found with fewer turns."""
    turns = proof.stack[u(at + TURNS)]
    if winning_action(rules, row, windows) >= 0:
        pop(proof, 1)
        return
    if turns < 2:
        pop(proof, 0)
        return
    known = known_result(proof, position_key(rules, row, windows), turns, proof.stack[u(at + MODE)])
    if known >= 0:
        pop(proof, known)
        return
    action = like_action(rules, row, windows, proof, at)
    if action < 0:
        look_shorter(proof, at)
        return
    proof.stack[u(at + IMITATES)] = 1
    proof.stack[u(at + STAGE)] = ATTACKS
    proof.stack[u(at + COUNT)] = 1
    proof.lists[u(proof.stack[u(at + LIST)])] = action


@kernel
def like_action(rules, row, windows, proof, at):
    """Return the action that wins as quickly at a position like the frame's, if it is legal here; else -1."""
    if proof.stack[u(at + LIKE_PIECES)] == 0:
        return -1
    key = position_key(rules, row, windows) ^ proof.stack[u(at + LIKE_KEY)]
    if known_result(proof, key, proof.stack[u(at + TURNS)], ALL) != 1:
        return -1
    action = first_action(proof, key)
    return action if allows(rules, row, action) else -1


@kernel
def look_shorter(proof, at):
    """Look first whether fewer turns suffice."""
    proof.stack[u(at + STAGE)] = SHORTER
    proof.header[FOUND] = 0
    if proof.stack[u(at + TURNS)] > 2:
        push(proof, ENTER, proof.stack[u(at + TURNS)] - 1, proof.stack[u(at + MODE)])


@kernel
def attack(rules, row, windows, proof, at):
    """Try the frame's next attack."""
    stack = proof.stack
    turns = stack[u(at + TURNS)]
    mode = stack[u(at + MODE)]
    if stack[u(at + INDEX)] >= stack[u(at + COUNT)]:
        if stack[u(at + IMITATES)] == 1:
            stack[u(at + IMITATES)] = 0
            stack[u(at + COUNT)] = 0
            stack[u(at + INDEX)] = 0
            look_shorter(proof, at)
            return
        note_refuted(proof, position_key(rules, row, windows), turns, mode)
        pop(proof, 0)
        return
    try_action(rules, row, windows, proof, at)
    if row[STATUS] == PLAYING and winning_action(rules, row, windows) < 0:
        threat = standing_threat(rules, row, windows)
        below = stack[u(at + LIST)] + stack[u(at + COUNT)]
        count = -1
        if threat >= 0:
            count = list_answers(rules, row, windows, threat, proof.lists, below)
        elif mode == ALL:
            reply = proof.header[REFUTERS + turns] - 1
            count = list_replies(rules, row, windows, -1, reply, proof.lists, below)
        elif mode != THREATS and turns > 2:
            stack[u(at + STAGE)] = PASSED
            row[MOVER] = 1 - row[MOVER]
            row[KO] = 0
            push(proof, ENTER, turns - 1, THREATS)
            return
        if count == 0:
            undo_action(rules, row, windows, proof, at)
            prove(rules, row, windows, proof, at)
            return
        if count > 0 and (turns > 2 or threat < 0):
            stack[u(at + STAGE)] = ATTACKED
            push(proof, ANSWERS, turns, mode)
            stack[u(at + FRAME + COUNT)] = count
            stack[u(at + FRAME + LIKE_PIECES)] = stack[u(at + LIKE_PIECES)]
            return
    undo_action(rules, row, windows, proof, at)


@kernel
def passed(rules, row, windows, proof, at):
    """Go on after the opponent has passed in reply to the frame's quiet action. If passing loses, search all other
    replies."""
    stack = proof.stack
    likely = first_action(proof, position_key(rules, row, windows))
    row[MOVER] = 1 - row[MOVER]
    row[KO] = stack[u(at + ACTION)] // 3 + 1
    if proof.header[FOUND] == 0:
        undo_action(rules, row, windows, proof, at)
        stack[u(at + STAGE)] = ATTACKS
        return
    turns = stack[u(at + TURNS)]
    reply = proof.header[REFUTERS + turns] - 1
    stack[u(at + STAGE)] = ATTACKED
    push(proof, ANSWERS, turns, stack[u(at + MODE)])
    below = stack[u(at + FRAME + LIST)]
    stack[u(at + FRAME + COUNT)] = list_replies(rules, row, windows, likely, reply, proof.lists, below)
    stack[u(at + FRAME + HAS_LOST)] = 1
    stack[u(at + FRAME + LOST_PIECES)] = 0
    stack[u(at + FRAME + LOST_KO)] = 0


@kernel
def answer(rules, row, windows, proof, at):
    """Try the defender's next answer."""
    stack = proof.stack
    if stack[u(at + INDEX)] >= stack[u(at + COUNT)]:
        pop(proof, 1)
        return
    attacker = 1 - row[MOVER]
    before = windows.key[0]
    try_action(rules, row, windows, proof, at)
    if row[STATUS] != PLAYING:
        lost = row[WINNER] != attacker
        undo_action(rules, row, windows, proof, at)
        if lost:
            pop(proof, 0)
        return
    stack[u(at + STAGE)] = ANSWERED
    push(proof, ENTER, stack[u(at + TURNS)] - 1, stack[u(at + MODE)])
    above = at + FRAME
    if stack[u(at + HAS_LOST)] == 1:
        ko = 3 * rules[SIZE]
        stack[u(above + LIKE_PIECES)] = windows.key[0] ^ before ^ stack[u(at + LOST_PIECES)]
        stack[u(above + LIKE_KEY)] = (
            stack[u(above + LIKE_PIECES)] ^ windows.keys[u(ko + row[KO])] ^ windows.keys[u(ko + stack[u(at + LOST_KO)])]
        )
    else:
        stack[u(above + LIKE_PIECES)] = stack[u(at + LIKE_PIECES)]
        stack[u(above + LIKE_KEY)] = stack[u(at + LIKE_PIECES)]


@kernel
def finish_frame(rules, row, windows, proof, at):
    """Go on with a frame on whose behalf another one has found something."""
    stack = proof.stack
    stage = stack[u(at + STAGE)]
    found = proof.header[FOUND]
    before = windows.key[0]
    if stage >= ATTACKED:
        undo_action(rules, row, windows, proof, at)
    if stage == ATTACKED:
        stack[u(at + STAGE)] = ATTACKS
        if found == 1:
            prove(rules, row, windows, proof, at)
    elif stage == ANSWERED:
        stack[u(at + STAGE)] = ANSWERS
        if found == 0:
            proof.header[REFUTERS + stack[u(at + TURNS)]] = stack[u(at + ACTION)] + 1
            pop(proof, 0)
        elif stack[u(at + LIKE_PIECES)] == 0 and (stack[u(at + HAS_LOST)] == 0 or stack[u(at + LOST_KO)] != 0):
            stack[u(at + HAS_LOST)] = 1
            stack[u(at + LOST_PIECES)] = before ^ windows.key[0]
            stack[u(at + LOST_KO)] = stack[u(at + ACTION)] // 3 + 1
    elif found == 1:
        pop(proof, 1)
    elif stage == SHORTER and stack[u(at + MODE)] != THREATS:
        stack[u(at + STAGE)] = SIMPLER
        push(proof, ENTER, stack[u(at + TURNS)], THREATS)
    else:
        stack[u(at + STAGE)] = ATTACKS
        stack[u(at + COUNT)] = list_attacks(
            rules, row, windows, stack[u(at + TURNS)], stack[u(at + MODE)], proof.lists, stack[u(at + LIST)]
        )


@kernel
def ask(rules, row, windows, proof, turns, mode):
    """Ask whether the mover of the game going on in ``row`` wins in ``turns`` (1 to MOST_TURNS): `resume` answers."""
    count_windows(rules, row, windows)
    proof.header[LEVEL] = -1
    proof.header[TRIED] = 0
    push(proof, ENTER, turns, mode)


@kernel
def resume(rules, row, windows, proof, budget):
    """Go on for ``budget`` actions or a few more. Return 1 if the win is proved, 0 if none was found, else PAUSED.

    ``row`` is the same array as before. A search that has paused has changed it.
    """
    until = proof.header[TRIED] + budget
    while proof.header[LEVEL] >= 0:
        if proof.header[TRIED] >= until:
            return PAUSED
        at = FRAME * proof.header[LEVEL]
        stage = proof.stack[u(at + STAGE)]
        if stage == ENTER:
            enter(rules, row, windows, proof, at)
        elif stage == ATTACKS:
            attack(rules, row, windows, proof, at)
        elif stage == ANSWERS:
            answer(rules, row, windows, proof, at)
        elif stage == PASSED:
            passed(rules, row, windows, proof, at)
        else:
            finish_frame(rules, row, windows, proof, at)
    return proof.header[FOUND]


@noinline
def turn_forced_win(rules, row, memory, effort):
    """Return in how many turns or fewer the mover of a game going on wins by force, if a search of about ``effort``
    actions shows it; else 0."""
    size = len(memory.row)
    for index in range(size):
        memory.row[u(index)] = row[u(index)]
    proof = memory.proof
    ask(rules, memory.row, memory.windows, proof, LOOK_TURNS, THREATS)
    if resume(rules, memory.row, memory.windows, proof, effort) == 1:
        return LOOK_TURNS
    left = effort - proof.header[TRIED]
    if effort >= LONG_LOOK and left > 0:
        for index in range(size):
            memory.row[u(index)] = row[u(index)]
        ask(rules, memory.row, memory.windows, proof, 4, QUIET)
        if resume(rules, memory.row, memory.windows, proof, left) == 1:
            return 4
    return 0
