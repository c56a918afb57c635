"""Sparklies' rules over a row of integers. The rules are in docs/games/sparklies.md; words here are the designers'.

Row (int64):
    MOVER     the player whose decision it is, from 0
    STEP      what he is asked for (see below)
    PINGS     pings made so far in this turn (duel: resolutions of this round, passes included)
    STATUS    PLAYING or why the game is over
    WINNER    the player who took a flag, plus one; 0 while nobody has
    ORDER     the players in the order of this round, two bits each, the first lowest
    AGREED    who has agreed since the last turn, one bit each
    ACTIVES   active cells
    HELD ...  cells of nobody, of player 0, 1 and 2
    REPEATS   entries in the history
    PLACES .. one word for each cell:   pings this turn | flag | active | holder | colour
                                             6 and up      5       4      3, 2    1, 0
              colour 0 red, 1 green, 2 blue, 3 none yet; holder 0 nobody, else the player plus one. One more such word,
              with no colour, is what lies off the board.
    HOLD ...  the cells of nobody and of each player as bits, 32 cells a word; ACTIVE ... the active cells likewise
    HISTORY . duel: hashes of the positions before each resolution of this round

Actions, in this order: 3 * cell + colour pings; then a control for each cell (in blank setup one for each cell and
colour); in a duel an activation for each cell; last, where the rules know it, `agree`.
"""

from __future__ import annotations

from tercet.kernel import advance_seed, kernel, lowest_bit, pick, popcount, start_seed, u

MOVER, STEP, PINGS, STATUS, WINNER, ORDER, AGREED, ACTIVES, HELD = 0, 1, 2, 3, 4, 5, 6, 7, 8
REPEATS = 12
PLACES = 13

NO_COLOUR = 3
ACTIVE_BIT, FLAG_BIT, PING_SHIFT = 16, 32, 6
NO_PINGS = 63

# status
PLAYING, FULL, AGREEMENT, FLAG = 0, 1, 2, 3

# steps; OPEN is a turn that begins on a full board, so that the control step is skipped
HANDICAP, CONTROL, FIRST, OPEN, PROPAGATE, ACTIVATE, RESOLVE = 0, 1, 2, 3, 4, 5, 6

# events: CONTROLLED cell, player, colour; PINGED cell, new colour, old; CAPTURED cell, from whom plus one, by whom;
# ACTIVATED, SPENT (turned inactive unresolved) cell, player; SAID, PASSED player; ENDED status, winner plus one
CONTROLLED, PINGED, CAPTURED, ACTIVATED, SPENT, SAID, PASSED, ENDED = 1, 2, 3, 4, 5, 6, 7, 8

# what a propagated ping must be: anything, the colour that takes the cell's, or the cell's prey
ANY, TAKER, PREY = 0, 1, 2

# how the round of a duel ends
BY_AGREEMENT, AFTER_TEN, WHEN_INACTIVE = 0, 1, 2

# rules (int32): header, then the tables of the attack expression and the neighbours of each cell
CELLS, DEGREE, WORDS, PLAYERS, BLANK, EQUAL, FORCED, WHOLE, OPTIONAL, TO_AGREE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
PER_CELL, MAX_PINGS, FLAGS, FEWEST, DUEL, ROUND_END, FAVOURED, GIFT = 10, 11, 12, 13, 14, 15, 16, 17
CONTROLS, ACTIVATIONS, AGREE, ACTIONS, HOLD, ACTIVE, HISTORY, ROW = 18, 19, 20, 21, 22, 23, 24, 25
# An attack expression is a sum of six counters of four bits, one for each of T P O t p o. It starts at BIAS, where
# each is 8 less what the expression asks for; ADDS says what a neighbour adds, by the target's colour, the neighbour's
# and whether the mover holds it; the attack is valid when all six have their highest bit. NAMED says whether a pinged
# cell of one colour is of a class that the expression counts, for a target of another.
BIAS = 26
ADDS = 27
NAMED = ADDS + 24
NEIGHBOURS = NAMED + 12
ENOUGH = 0x888888

HASH_MASK = (1 << 62) - 1


@kernel
def colour_at(row, cell):
    """Colour of ``cell``: 0 red, 1 green, 2 blue, 3 none yet."""
    return row[u(PLACES + cell)] & 3


@kernel
def holder_at(row, cell):
    """Who controls ``cell``: 0 nobody, else the player plus one."""
    return (row[u(PLACES + cell)] >> 2) & 3


@kernel
def is_active(row, cell):
    """Whether ``cell`` is active."""
    return row[u(PLACES + cell)] & ACTIVE_BIT != 0


@kernel
def is_flag(row, cell):
    """Whether ``cell`` is somebody's flag."""
    return row[u(PLACES + cell)] & FLAG_BIT != 0


@kernel
def pings_at(row, cell):
    """How often ``cell`` has pinged in this turn, counted only where the rules limit that."""
    return row[u(PLACES + cell)] >> PING_SHIFT


@kernel
def mover(rules, row):
    """Whose decision it is, from 0."""
    return row[MOVER]


@kernel
def status(rules, row):
    """0 while the game goes on, else the reason why it is over."""
    return row[STATUS]


@kernel
def most_held(rules, row):
    """The most cells that any player holds."""
    most = 0
    for player in range(rules[PLAYERS]):
        most = max(most, row[HELD + 1 + player])
    return most


@kernel
def scores(rules, row, out):
    """Share of the point for each player: the flag's taker has it, else those with the most cells share it."""
    most = most_held(rules, row)
    sharing = 0
    for player in range(rules[PLAYERS]):
        sharing += row[HELD + 1 + player] == most
    for player in range(rules[PLAYERS]):
        if row[STATUS] == PLAYING:
            out[player] = 0.0
        elif row[STATUS] == FLAG:
            out[player] = 1.0 if row[WINNER] == player + 1 else 0.0
        else:
            out[player] = 1.0 / sharing if row[HELD + 1 + player] == most else 0.0


@kernel
def attacked(rules, row, player, cell, pinged, colour):
    """Whether ``cell`` is under a valid attack by ``player`` of which his cell ``pinged``, a neighbour taken to have
    ``colour``, is part."""
    kind = row[u(PLACES + cell)] & 3
    if rules[u(NAMED + 4 * colour + kind)] == 0:
        return False
    have = rules[BIAS] + 0
    degree = rules[DEGREE]
    adds = ADDS + 8 * kind
    places = NEIGHBOURS + degree * cell
    for direction in range(degree):
        near = rules[u(places + direction)]
        if near == pinged:
            have += rules[u(adds + 2 * colour + 1)]
        else:
            word = row[u(PLACES + near)]
            have += rules[u(adds + 2 * (word & 3) + ((word >> 2) & 3 == player + 1))]
    return have & ENOUGH == ENOUGH


@kernel
def targets(rules, row, player, cell, colour):
    """The neighbours that ``player`` would capture by pinging ``cell`` with ``colour``, as bits by direction."""
    found = 0
    degree = rules[DEGREE]
    for direction in range(degree):
        near = rules[u(NEIGHBOURS + degree * cell + direction)]
        if near < rules[CELLS] and attacked(rules, row, player, near, cell, colour):
            found |= 1 << direction
    return found


@kernel
def give(rules, row, cell, player):
    """Put ``cell`` under the control of ``player``, who does not hold it, keeping counts and bits right."""
    word = row[u(PLACES + cell)]
    old = (word >> 2) & 3
    place = rules[HOLD] + (cell >> 5)
    bit = 1 << (cell & 31)
    row[u(place + old * rules[WORDS])] ^= bit
    row[u(place + (player + 1) * rules[WORDS])] ^= bit
    row[u(HELD + old)] -= 1
    row[u(HELD + 1 + player)] += 1
    row[u(PLACES + cell)] = (word & ~12) | ((player + 1) << 2)


@kernel
def turn_active(rules, row, cell, change):
    """Make the inactive ``cell`` active (``change`` 1), or the active one inactive (-1)."""
    row[u(PLACES + cell)] ^= ACTIVE_BIT
    row[u(rules[ACTIVE] + (cell >> 5))] ^= 1 << (cell & 31)
    row[ACTIVES] += change


@kernel
def note(events, count, kind, a, b, c):
    """Write an event; returns how many there are now."""
    events[u(4 * count)] = kind
    events[u(4 * count + 1)] = a
    events[u(4 * count + 2)] = b
    events[u(4 * count + 3)] = c
    return count + 1


@kernel
def capture(rules, row, cell, events, count):
    """Capture ``cell`` for the mover: it becomes his, and active unless it has used its pings."""
    player = row[MOVER]
    word = row[u(PLACES + cell)]
    was = (word >> 2) & 3
    wakes = word & ACTIVE_BIT == 0 and (rules[PER_CELL] == 0 or word >> PING_SHIFT < rules[PER_CELL])
    if was == player + 1:
        if not wakes:
            return count
    else:
        give(rules, row, cell, player)
        if word & FLAG_BIT:
            row[WINNER] = player + 1
    count = note(events, count, CAPTURED, cell, was, player)
    if wakes:
        turn_active(rules, row, cell, 1)
        count = note(events, count, ACTIVATED, cell, player, 0)
    return count


@kernel
def ping(rules, row, cell, colour, events, count):
    """Ping ``cell`` with ``colour`` for the mover. All its captures are judged before anything changes hands."""
    word = row[u(PLACES + cell)]
    if word & ACTIVE_BIT:
        turn_active(rules, row, cell, -1)
    row[u(PLACES + cell)] = (word & ~(3 | ACTIVE_BIT)) | colour
    if rules[PER_CELL]:
        row[u(PLACES + cell)] += 1 << PING_SHIFT
    row[PINGS] += 1
    count = note(events, count, PINGED, cell, colour, word & 3)
    found = targets(rules, row, row[MOVER], cell, colour)
    while found:
        near = rules[u(NEIGHBOURS + rules[DEGREE] * cell + lowest_bit(found))]
        count = capture(rules, row, near, events, count)
        found &= found - 1
    return count


@kernel
def cascade(rules, row, colour, events, count):
    """Speed: ping everything that the first ping woke with its colour, breadth first along the events themselves."""
    at = 0
    while at < count and row[WINNER] == 0:
        if events[u(4 * at)] == ACTIVATED:
            count = ping(rules, row, events[u(4 * at + 1)], colour, events, count)
        at += 1
    return count


@kernel
def calm(rules, row, events, count):
    """Turn inactive whatever is still active."""
    for index in range(rules[WORDS]):
        word = row[u(rules[ACTIVE] + index)]
        while word:
            cell = 32 * index + lowest_bit(word)
            turn_active(rules, row, cell, -1)
            count = note(events, count, SPENT, cell, row[MOVER], 0)
            word &= word - 1
    return count


@kernel
def order_round(rules, row):
    """Order the players by cells held, fewest first, equal ones by seat."""
    order = 0
    for player in range(rules[PLAYERS]):
        place = 0
        for other in range(rules[PLAYERS]):
            less = row[HELD + 1 + other] < row[HELD + 1 + player]
            place += less or (other < player and row[HELD + 1 + other] == row[HELD + 1 + player])
        order |= player << (2 * place)
    row[ORDER] = order


@kernel
def next_player(rules, row):
    """Let the next of the round move; after the last a new round begins."""
    place = 0
    while (row[ORDER] >> (2 * place)) & 3 != row[MOVER]:
        place += 1
    place += 1
    if place == rules[PLAYERS]:
        place = 0
        if rules[FEWEST]:
            order_round(rules, row)
    row[MOVER] = (row[ORDER] >> (2 * place)) & 3


@kernel
def begin_turn(rules, row, events, count):
    """Hand the turn on. A player who can neither take nor ping is passed over, which counts as his agreement; with the
    whole board in one hand, nobody is left to disagree."""
    next_player(rules, row)
    row[STEP] = CONTROL
    if row[HELD] > 0:
        return count
    if rules[TO_AGREE] == 0:
        row[STATUS] = FULL
        return count
    row[STEP] = OPEN
    if most_held(rules, row) == rules[CELLS]:
        row[STATUS] = AGREEMENT
        return count
    while row[HELD + 1 + row[MOVER]] == 0:
        count = agree(rules, row, PASSED, events, count)
        if row[STATUS] != PLAYING:
            return count
        next_player(rules, row)
    return count


@kernel
def agree(rules, row, kind, events, count):
    """Count the mover among those who agree; the game (in a duel the round) ends when all do."""
    row[AGREED] |= 1 << row[MOVER]
    count = note(events, count, kind, row[MOVER], 0, 0)
    if rules[DUEL] == 0 and row[AGREED] == (1 << rules[PLAYERS]) - 1:
        row[STATUS] = AGREEMENT
    return count


@kernel
def end_turn(rules, row, events, count):
    """Forget what belongs to the turn, and hand it on."""
    row[PINGS] = 0
    if rules[PER_CELL]:
        for place in range(PLACES, PLACES + rules[CELLS]):
            row[u(place)] &= NO_PINGS
    return begin_turn(rules, row, events, count)


@kernel
def has_cell(rules, row, player, active):
    """Whether ``player`` holds a cell that is active (1) or inactive (0)."""
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + (player + 1) * rules[WORDS] + index)]
        if active:
            word &= row[u(rules[ACTIVE] + index)]
        else:
            word &= ~row[u(rules[ACTIVE] + index)]
        if word:
            return True
    return False


@kernel
def forget(rules, row):
    """Clear the history of a duel's round, which is part of the state but not of the position string."""
    for index in range(row[REPEATS]):
        row[u(rules[HISTORY] + index)] = 0
    row[REPEATS] = 0


@kernel
def end_round(rules, row):
    """Duel: a round is over; the game is too when the board is full, else the first seat controls again."""
    forget(rules, row)
    row[MOVER] = 0
    row[STEP] = CONTROL
    row[PINGS] = 0
    row[AGREED] = 0
    if row[HELD] == 0:
        row[STATUS] = FULL


@kernel
def occurs_again(rules, row):
    """Duel: enter the position before a resolution, with its mover, in the history; whether it is there a third time."""
    value = row[MOVER] + 1
    for place in range(PLACES, PLACES + rules[CELLS]):
        value = (value * 3202034522624059733 + row[u(place)] + 1) & HASH_MASK
        value = value ^ (value >> 29)
    times = 1
    for index in range(row[REPEATS]):
        times += row[u(rules[HISTORY] + index)] == value
    row[u(rules[HISTORY] + row[REPEATS])] = value
    row[REPEATS] += 1
    return times >= 3


@kernel
def await_resolution(rules, row, events, count):
    """Duel: MOVER is to resolve. Whoever has no active cell passes; end the round where it ends."""
    while True:
        bound = rules[MAX_PINGS] + 0
        if rules[ROUND_END] == AFTER_TEN:
            bound = min(bound, 10 * rules[PLAYERS])
        done = row[ACTIVES] == 0 or row[PINGS] >= bound or row[AGREED] == (1 << rules[PLAYERS]) - 1
        if done or occurs_again(rules, row):
            end_round(rules, row)
            return count
        if has_cell(rules, row, row[MOVER], 1):
            return count
        row[PINGS] += 1
        if rules[ROUND_END] == BY_AGREEMENT:
            count = agree(rules, row, PASSED, events, count)
        next_player(rules, row)


@kernel
def await_step(rules, row, events, count):
    """Duel: go on after a control or an activation, to the next player who can do the same or else the next step."""
    while True:
        next_player(rules, row)
        if row[MOVER] == 0:
            row[STEP] = ACTIVATE if row[STEP] == CONTROL else RESOLVE
        if row[STEP] == RESOLVE:
            return await_resolution(rules, row, events, count)
        if row[STEP] == CONTROL and row[HELD] > 0:
            return count
        if row[STEP] == ACTIVATE and has_cell(rules, row, row[MOVER], 0):
            return count


@kernel
def take(rules, row, cell, colour, events):
    """Control ``cell``, nobody's until now, as ``colour``; a player's first cell is his flag where flags are played."""
    player = row[MOVER]
    if rules[FLAGS] and row[HELD + 1 + player] == 0:
        row[u(PLACES + cell)] |= FLAG_BIT
    give(rules, row, cell, player)
    row[u(PLACES + cell)] = (row[u(PLACES + cell)] & ~3) | colour
    count = note(events, 0, CONTROLLED, cell, player, colour)
    if row[STEP] == HANDICAP:
        if row[HELD + 1 + player] == rules[GIFT]:
            row[MOVER] = 0
            row[STEP] = CONTROL
        return count
    if rules[DUEL]:
        return await_step(rules, row, events, count)
    row[STEP] = FIRST
    return count


@kernel
def apply_ping(rules, row, cell, colour, events):
    """Ping, and all that follows of itself."""
    count = ping(rules, row, cell, colour, events, 0)
    if rules[WHOLE]:
        count = cascade(rules, row, colour, events, count)
    row[AGREED] = 0
    if rules[DUEL] == 0:
        row[STEP] = PROPAGATE
    if row[WINNER]:
        row[STATUS] = FLAG
        return count
    if rules[DUEL]:
        next_player(rules, row)
        return await_resolution(rules, row, events, count)
    if row[ACTIVES] > 0:
        if rules[MAX_PINGS] == 0 or row[PINGS] < rules[MAX_PINGS]:
            return count
        count = calm(rules, row, events, count)
    return end_turn(rules, row, events, count)


@kernel
def apply(rules, row, action, events):
    """Play ``action``, which must be legal, in place. Writes what happened to ``events``; returns how many events."""
    if action < rules[CONTROLS]:
        cell = action // 3
        count = apply_ping(rules, row, cell, action - 3 * cell, events)
    elif action < rules[ACTIVATIONS]:
        choice = action - rules[CONTROLS]
        if rules[BLANK]:
            count = take(rules, row, choice // 3, choice % 3, events)
        else:
            count = take(rules, row, choice, row[u(PLACES + choice)] & 3, events)
    elif action < rules[AGREE]:
        cell = action - rules[ACTIVATIONS]
        turn_active(rules, row, cell, 1)
        count = note(events, 0, ACTIVATED, cell, row[MOVER], 0)
        count = await_step(rules, row, events, count)
    else:
        count = agree(rules, row, SAID, events, 0)
        if rules[DUEL]:
            row[PINGS] += 1
            next_player(rules, row)
            count = await_resolution(rules, row, events, count)
        elif row[STATUS] == PLAYING:
            count = begin_turn(rules, row, events, count)
    if row[STATUS] != PLAYING:
        count = note(events, count, ENDED, row[STATUS], row[WINNER], 0)
    return count


@kernel
def may_ping(rules, row):
    """Whether the mover's step lets him ping."""
    step = row[STEP]
    return (
        step == FIRST
        or step == OPEN
        or step == PROPAGATE
        or step == RESOLVE
        or (step == CONTROL and rules[OPTIONAL] != 0)
    )


@kernel
def may_agree(rules, row):
    """Whether the mover may say `agree`."""
    return row[STEP] == OPEN or (row[STEP] == RESOLVE and rules[ROUND_END] == BY_AGREEMENT)


@kernel
def forced_colour(rules, row, cell):
    """The colour that a ping of ``cell`` must have now, or -1 where it is a free choice."""
    if row[STEP] != PROPAGATE or rules[FORCED] == ANY:
        return -1
    colour = row[u(PLACES + cell)] & 3
    return (colour + 2) % 3 if rules[FORCED] == TAKER else (colour + 1) % 3


@kernel
def ping_word(rules, row, index):
    """Word ``index`` of the bits of the cells that the mover may ping, where he may ping at all."""
    word = row[u(rules[HOLD] + (row[MOVER] + 1) * rules[WORDS] + index)]
    if row[STEP] >= PROPAGATE:
        word &= row[u(rules[ACTIVE] + index)]
    return word


@kernel
def allows(rules, row, action):
    """Whether ``action`` (within the action space) is legal."""
    if row[STATUS] != PLAYING:
        return False
    if action < rules[CONTROLS]:
        if not may_ping(rules, row):
            return False
        cell = action // 3
        if (ping_word(rules, row, cell >> 5) >> (cell & 31)) & 1 == 0:
            return False
        forced = forced_colour(rules, row, cell)
        return forced < 0 or forced == action - 3 * cell
    if action < rules[ACTIVATIONS]:
        cell = action - rules[CONTROLS]
        if rules[BLANK]:
            cell = cell // 3
        return row[STEP] <= CONTROL and holder_at(row, cell) == 0
    if action < rules[AGREE]:
        cell = action - rules[ACTIVATIONS]
        return row[STEP] == ACTIVATE and holder_at(row, cell) == row[MOVER] + 1 and not is_active(row, cell)
    return may_agree(rules, row)


@kernel
def legal(rules, row, out):
    """List the legal actions in rising order in ``out``; returns how many."""
    count = 0
    if row[STATUS] != PLAYING:
        return count
    words = rules[WORDS]
    if may_ping(rules, row):
        for index in range(words):
            word = ping_word(rules, row, index)
            while word:
                cell = 32 * index + lowest_bit(word)
                forced = forced_colour(rules, row, cell)
                if forced < 0:
                    out[u(count)] = 3 * cell
                    out[u(count + 1)] = 3 * cell + 1
                    out[u(count + 2)] = 3 * cell + 2
                    count += 3
                else:
                    out[u(count)] = 3 * cell + forced
                    count += 1
                word &= word - 1
    if row[STEP] <= CONTROL:
        for index in range(words):
            word = row[u(rules[HOLD] + index)]
            while word:
                cell = 32 * index + lowest_bit(word)
                if rules[BLANK]:
                    for colour in range(3):
                        out[u(count)] = rules[CONTROLS] + 3 * cell + colour
                        count += 1
                else:
                    out[u(count)] = rules[CONTROLS] + cell
                    count += 1
                word &= word - 1
    if row[STEP] == ACTIVATE:
        for index in range(words):
            word = row[u(rules[HOLD] + (row[MOVER] + 1) * words + index)] & ~row[u(rules[ACTIVE] + index)]
            while word:
                out[u(count)] = rules[ACTIVATIONS] + 32 * index + lowest_bit(word)
                count += 1
                word &= word - 1
    if may_agree(rules, row):
        out[u(count)] = rules[AGREE]
        count += 1
    return count


@kernel
def nth_bit(word, n):
    """Index of set bit number ``n`` of ``word``, from 0."""
    while n > 0:
        word &= word - 1
        n -= 1
    return lowest_bit(word)


@kernel
def nth_ping(rules, row, n):
    """Cell number ``n``, from 0, of those that the mover may ping."""
    for index in range(rules[WORDS]):
        word = ping_word(rules, row, index)
        here = popcount(word)
        if n < here:
            return 32 * index + nth_bit(word, n)
        n -= here
    return 0


@kernel
def nth_free(rules, row, n):
    """Cell number ``n``, from 0, of those that nobody holds."""
    for index in range(rules[WORDS]):
        word = row[u(rules[HOLD] + index)]
        here = popcount(word)
        if n < here:
            return 32 * index + nth_bit(word, n)
        n -= here
    return 0


@kernel
def open_sampler(rules, row, scratch):
    """`sample` needs nothing prepared but in a duel, where it lists."""
    scratch[0] = 0


@kernel
def sample(rules, row, state, scratch):
    """A uniformly random legal action of a game going on: the one that `legal` lists at a random place."""
    if rules[DUEL]:
        return scratch[u(pick(state, legal(rules, row, scratch)))] + 0
    cells = 0
    colours = 3
    if row[STEP] == PROPAGATE:
        cells = row[ACTIVES]
        if rules[FORCED] != ANY:
            colours = 1
    elif may_ping(rules, row):
        cells = row[HELD + 1 + row[MOVER]]
    ways = 3 if rules[BLANK] else 1
    free = row[HELD] if row[STEP] <= CONTROL else 0
    choice = pick(state, colours * cells + ways * free + (1 if row[STEP] == OPEN else 0))
    if choice < colours * cells:
        if colours == 1:
            cell = nth_ping(rules, row, choice)
            return 3 * cell + forced_colour(rules, row, cell)
        cell = nth_ping(rules, row, choice // 3)
        return 3 * cell + choice % 3
    choice -= colours * cells
    if choice < ways * free:
        cell = nth_free(rules, row, choice // ways)
        return rules[CONTROLS] + ways * cell + choice % ways
    return rules[AGREE] + 0


@kernel
def refresh(rules, row):
    """Recompute counts, bits, WINNER and STATUS from the cells, MOVER, STEP and AGREED."""
    for i in range(ACTIVES, REPEATS):
        row[i] = 0
    for i in range(rules[HOLD], rules[HISTORY]):
        row[i] = 0
    row[STATUS] = PLAYING
    row[WINNER] = 0
    row[PLACES + rules[CELLS]] = NO_COLOUR
    flags = 0  # two bits for each player: how many flags he holds, at most two
    for cell in range(rules[CELLS]):
        word = row[PLACES + cell]
        holder = (word >> 2) & 3
        row[HELD + holder] += 1
        row[rules[HOLD] + holder * rules[WORDS] + (cell >> 5)] |= 1 << (cell & 31)
        if word & ACTIVE_BIT:
            row[ACTIVES] += 1
            row[rules[ACTIVE] + (cell >> 5)] |= 1 << (cell & 31)
        if word & FLAG_BIT:
            if (flags >> holder) & 1:
                row[WINNER] = holder
            flags |= 1 << holder
    if row[WINNER]:
        row[STATUS] = FLAG
    elif row[STEP] == CONTROL and row[HELD] == 0:
        row[STATUS] = FULL
    elif row[STEP] == OPEN:
        if row[AGREED] == (1 << rules[PLAYERS]) - 1 or most_held(rules, row) == rules[CELLS]:
            row[STATUS] = AGREEMENT


@kernel
def setup(rules, row, seed):
    """Write the start position: nobody controls anything; ``seed`` settles the colours (unless the setup is blank)."""
    for i in range(rules[ROW]):
        row[i] = 0
    size = rules[CELLS]
    state = start_seed(seed)
    first = pick(state, 3)
    for cell in range(size):
        state = advance_seed(state)
        if rules[BLANK]:
            row[PLACES + cell] = NO_COLOUR
        elif rules[EQUAL]:
            row[PLACES + cell] = (cell + first) % 3
        else:
            row[PLACES + cell] = pick(state, 3)
    if rules[EQUAL]:
        for cell in range(1, size):
            state = advance_seed(state)
            other = pick(state, cell + 1)
            colour = row[PLACES + cell]
            row[PLACES + cell] = row[PLACES + other]
            row[PLACES + other] = colour
    for player in range(rules[PLAYERS]):
        row[ORDER] |= player << (2 * player)
    row[STEP] = CONTROL
    if rules[GIFT] > 0:
        row[STEP] = HANDICAP
        row[MOVER] = rules[FAVOURED]
    refresh(rules, row)


@kernel
def observe(rules, row, player, out):
    """Planes for a network, each CELLS long, from ``player``'s side: red, green, blue; his, the next player's, the
    third's, nobody's; active, has pinged, flag; legal to ping, to control; and constant ones (he decides, a turn's
    start, first ping, propagation or resolution, activation, one)."""
    size = rules[CELLS]
    players = rules[PLAYERS]
    step = row[STEP]
    going = row[STATUS] == PLAYING
    pinging = going and may_ping(rules, row)
    for cell in range(size):
        word = row[PLACES + cell]
        holder = (word >> 2) & 3
        for colour in range(3):
            out[colour * size + cell] = 1.0 if word & 3 == colour else 0.0
            who = (player + colour) % players + 1
            out[(3 + colour) * size + cell] = 1.0 if colour < players and holder == who else 0.0
        out[6 * size + cell] = 1.0 if holder == 0 else 0.0
        out[7 * size + cell] = 1.0 if word & ACTIVE_BIT else 0.0
        out[8 * size + cell] = 1.0 if word >> PING_SHIFT else 0.0
        out[9 * size + cell] = 1.0 if word & FLAG_BIT else 0.0
        open_to_ping = pinging and (ping_word(rules, row, cell >> 5) >> (cell & 31)) & 1 == 1
        out[10 * size + cell] = 1.0 if open_to_ping else 0.0
        out[11 * size + cell] = 1.0 if going and step <= CONTROL and holder == 0 else 0.0
        out[12 * size + cell] = 1.0 if going and row[MOVER] == player else 0.0
        out[13 * size + cell] = 1.0 if step <= CONTROL or step == OPEN else 0.0
        out[14 * size + cell] = 1.0 if step == FIRST else 0.0
        out[15 * size + cell] = 1.0 if step == PROPAGATE or step == RESOLVE else 0.0
        out[16 * size + cell] = 1.0 if step == ACTIVATE else 0.0
        out[17 * size + cell] = 1.0
