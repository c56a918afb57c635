"""Sparklies' position as a row of integers, and how to read and change a cell of it.

Row (int64):
    MOVER     the player whose decision it is, from 0
    STEP      what they are asked for (see below)
    PINGS     pings made so far in this turn (duel: resolutions of this round, passes included)
    STATUS    PLAYING or why the game is over
    WINNER    the player who took a flag, plus one; 0 while no one has
    ORDER     the players in the order of this round, two bits each, the first lowest; above these, where rounds
              alternate, the player who began this round (a duel may order its resolutions otherwise)
    AGREED    who has agreed since the last turn, one bit each
    ACTIVES   active cells
    HELD ...  cells of no one, of player 0, 1 and 2
    REPEATS   entries in the history
    PLACES .. one word for each cell:

                  third's | second's | first's | all of them | pings | flag | active | holder | colour
                    46       34        22        10            6       5      4        2        0

              colour 0 red, 1 green, 2 blue, 3 none yet; holder 0 no one, else the player plus one; pings this turn,
              where the rules limit them. Above bit 10 its neighbours are counted, four bits for each colour: all of
              them, then those of each player.
    HOLD ...  the cells of no one and of each player as bits, 32 cells a word; ACTIVE ... the active cells likewise
    HISTORY . duel: hashes of the positions before each resolution of this round

Events, four integers each: CONTROLLED cell, player, colour; PINGED cell, new colour, old; CAPTURED cell, from whom plus
one, by whom; ACTIVATED, SPENT (turned inactive unresolved) cell, player; SAID (agree), PASSED player; ENDED status,
winner by a flag plus one.
"""

from tercet.kernel import advance_seed, inlined, kernel, lowest_bit, pick, start_seed, u

MOVER, STEP, PINGS, STATUS, WINNER, ORDER, AGREED, ACTIVES, HELD = 0, 1, 2, 3, 4, 5, 6, 7, 8
REPEATS = 12
PLACES = 13

NO_COLOUR = 3
ACTIVE_BIT, FLAG_BIT = 16, 32
PING_SHIFT, COUNT_SHIFT, COUNT_SIZE = 6, 10, 12
CELL_MASK = (1 << COUNT_SHIFT) - 1
COUNT_MASK = (1 << COUNT_SIZE) - 1
PING_MASK = CELL_MASK >> PING_SHIFT << PING_SHIFT

# status
PLAYING, FULL, AGREEMENT, FLAG = 0, 1, 2, 3

# steps; OPEN is a turn that begins on a full board, so that the control step is skipped
HANDICAP, CONTROL, FIRST, OPEN, PROPAGATE, ACTIVATE, RESOLVE = 0, 1, 2, 3, 4, 5, 6

# what a propagated ping must be: anything, the colour that takes the cell's, or the cell's prey
ANY, TAKER, PREY = 0, 1, 2

# the order of a duel's resolutions: as of its first steps, from the last to the first, or fewest cells first
AS_BEFORE, REVERSED, FEWEST_NOW = 0, 1, 2

# who begins each round
BY_SEAT, FEWEST_FIRST, ALTERNATING = 0, 1, 2
FIRST_SHIFT = 6  # of the player who began the round, in ORDER

# how the round of a duel ends
BY_AGREEMENT, AFTER_TEN, WHEN_INACTIVE = 0, 1, 2

# rules (int32): a header
CELLS, DEGREE, WORDS, PLAYERS, BLANK, EQUAL, FORCED, WHOLE, OPTIONAL, TO_AGREE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
PER_CELL, MAX_PINGS, FLAGS, ROUND_ORDER, DUEL, ROUND_END, FAVOURED, GIFT = 10, 11, 12, 13, 14, 15, 16, 17
CONTROLS, ACTIVATIONS, AGREE, ACTIONS, HOLD, ACTIVE, HISTORY, ROW = 18, 19, 20, 21, 22, 23, 24, 25
RESOLVE_ORDER, UNEVEN, RESOLUTIONS = 26, 27, 28  # RESOLUTIONS: in a round that ends after so many, of each player
FULL_AT_ONCE = 31  # duel: a full board ends the game after any resolution, not only at the end of a round
# ... the attack expression, for a neighbour pinged with a colour and a target of another: what to add to the counts of
# the target's neighbours, all of them and above these the mover's, so that each counter that is high enough gets its
# highest bit (8 less what is asked); nothing where the pinged colour is of no class that the expression names
BIAS = 32
ENOUGH = 0x888888
# ... and for each cell how many neighbours it has, followed by room for DEGREE of them
NEIGHBOURS = BIAS + 12


@kernel
def colour_at(row, cell):
    """Colour of ``cell``: 0 red, 1 green, 2 blue, 3 none yet."""
    return row[u(PLACES + cell)] & 3


@kernel
def holder_at(row, cell):
    """Who controls ``cell``: 0 no one, else the player plus one."""
    return (row[u(PLACES + cell)] >> 2) & 3


@kernel
def is_active(row, cell):
    """Whether ``cell`` is active."""
    return row[u(PLACES + cell)] & ACTIVE_BIT != 0


@kernel
def is_flag(row, cell):
    """Whether ``cell`` is a player's flag."""
    return row[u(PLACES + cell)] & FLAG_BIT != 0


@inlined
def share(colour, holder):
    """What a cell of ``colour`` and ``holder`` adds to the word of each of its neighbours."""
    one = (1 if colour < NO_COLOUR else 0) << (COUNT_SHIFT + 4 * colour)
    return one | (one << (COUNT_SIZE * holder))


@inlined
def put(rules, row, cell, colour, holder):
    """Give ``cell`` this colour and holder, keeping counts and bits right."""
    word = row[u(PLACES + cell)]
    was = (word >> 2) & 3
    change = share(colour, holder) - share(word & 3, was)
    row[u(PLACES + cell)] = (word & ~15) | (holder << 2) | colour
    if change != 0:
        place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
        for near in range(place + 1, place + 1 + rules[u(place)]):
            row[u(PLACES + rules[u(near)])] += change
    if was != holder:
        place = rules[HOLD] + (cell >> 5)
        bit = 1 << (cell & 31)
        row[u(place + was * rules[WORDS])] ^= bit
        row[u(place + holder * rules[WORDS])] ^= bit
        row[u(HELD + was)] -= 1
        row[u(HELD + holder)] += 1


@inlined
def turn_active(rules, row, cell, change):
    """Make the inactive ``cell`` active (``change`` 1), or the active one inactive (-1)."""
    row[u(PLACES + cell)] ^= ACTIVE_BIT
    row[u(rules[ACTIVE] + (cell >> 5))] ^= 1 << (cell & 31)
    row[ACTIVES] += change


@kernel
def most_held(rules, row):
    """The most cells that any player holds."""
    most = 0
    for player in range(rules[PLAYERS]):
        most = max(most, row[HELD + 1 + player])
    return most


@kernel
def refresh(rules, row):
    """Recompute counts, bits, WINNER and STATUS from the cells, MOVER, STEP and AGREED."""
    for i in range(ACTIVES, REPEATS):
        row[i] = 0
    for i in range(rules[HOLD], rules[HISTORY]):
        row[i] = 0
    row[STATUS] = PLAYING
    row[WINNER] = 0
    flagged = 0  # one bit for each player who holds a flag
    for cell in range(rules[CELLS]):
        row[PLACES + cell] &= CELL_MASK
    for cell in range(rules[CELLS]):
        word = row[PLACES + cell] & CELL_MASK
        holder = (word >> 2) & 3
        row[HELD + holder] += 1
        row[rules[HOLD] + holder * rules[WORDS] + (cell >> 5)] |= 1 << (cell & 31)
        if word & ACTIVE_BIT:
            row[ACTIVES] += 1
            row[rules[ACTIVE] + (cell >> 5)] |= 1 << (cell & 31)
        if word & FLAG_BIT:
            if (flagged >> holder) & 1:
                row[WINNER] = holder
            flagged |= 1 << holder
        place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
        for near in range(place + 1, place + 1 + rules[place]):
            row[PLACES + rules[near]] += share(word & 3, holder)
    agreed = row[AGREED] == (1 << rules[PLAYERS]) - 1 or most_held(rules, row) == rules[CELLS]
    if row[WINNER]:
        row[STATUS] = FLAG
    elif row[STEP] == CONTROL and row[HELD] == 0:
        row[STATUS] = FULL
    elif row[STEP] == OPEN and agreed:
        row[STATUS] = AGREEMENT


@kernel
def setup(rules, row, seed):
    """Write the start position: no one controls anything; ``seed`` settles the colours (unless the setup is blank)."""
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
def mover(rules, row):
    """Whose decision it is, from 0."""
    return row[MOVER]


@inlined
def status(rules, row):
    """0 while the game goes on, else the reason why it is over."""
    return row[STATUS]


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


CONTROLLED, PINGED, CAPTURED, ACTIVATED, SPENT, SAID, PASSED, ENDED = 1, 2, 3, 4, 5, 6, 7, 8


@inlined
def note(events, count, kind, a, b, c):
    """Write an event; returns how many there are now."""
    events[u(4 * count)] = kind
    events[u(4 * count + 1)] = a
    events[u(4 * count + 2)] = b
    events[u(4 * count + 3)] = c
    return count + 1


@inlined
def succeeds(rules, word, player, colour):
    """Whether a cell with this ``word`` (see `state`) is under a valid attack by ``player`` of which a neighbour of
    ``colour``, counted in the word as theirs, is part."""
    counts = (word >> COUNT_SHIFT) & COUNT_MASK
    counts |= ((word >> (COUNT_SHIFT + COUNT_SIZE + COUNT_SIZE * player)) & COUNT_MASK) << COUNT_SIZE
    return (counts + rules[u(BIAS + 4 * colour + (word & 3))]) & ENOUGH == ENOUGH


@inlined
def recount(row, player, cell, colour):
    """What the words of the neighbours of ``cell`` would gain if ``player`` held it with ``colour``."""
    word = row[u(PLACES + cell)]
    return share(colour, player + 1) - share(word & 3, (word >> 2) & 3)


@kernel
def attacked(rules, row, player, cell, pinged, colour):
    """Whether ``player`` would capture ``cell`` by pinging ``pinged``, a neighbour of it, with ``colour``."""
    return succeeds(rules, row[u(PLACES + cell)] + recount(row, player, pinged, colour), player, colour)


@inlined
def targets(rules, row, player, cell, colour):
    """The neighbours that ``player`` would capture by pinging ``cell`` with ``colour``, by place in its list."""
    change = recount(row, player, cell, colour)
    found = 0
    place = NEIGHBOURS + (rules[DEGREE] + 1) * cell
    for which in range(rules[u(place)]):
        word = row[u(PLACES + rules[u(place + 1 + which)])] + change
        found |= (1 if succeeds(rules, word, player, colour) else 0) << which
    return found


@inlined
def neighbour(rules, cell, which):
    """Neighbour number ``which`` of ``cell``."""
    return rules[u(NEIGHBOURS + (rules[DEGREE] + 1) * cell + 1 + which)] + 0


@inlined
def capture(rules, row, cell, events, count):
    """Capture ``cell`` for the mover: it becomes theirs, and active unless it has used its pings."""
    player = row[MOVER]
    word = row[u(PLACES + cell)]
    was = (word >> 2) & 3
    wakes = word & ACTIVE_BIT == 0
    if rules[PER_CELL]:
        wakes = wakes and (word & PING_MASK) >> PING_SHIFT < rules[PER_CELL]
    if was == player + 1:
        if not wakes:
            return count
    else:
        put(rules, row, cell, word & 3, player + 1)
        if word & FLAG_BIT:
            row[WINNER] = player + 1
    count = note(events, count, CAPTURED, cell, was, player)
    if wakes:
        turn_active(rules, row, cell, 1)
        count = note(events, count, ACTIVATED, cell, player, 0)
    return count


@inlined
def ping(rules, row, cell, colour, events, count):
    """Ping ``cell`` with ``colour`` for the mover. All its captures are judged before anything changes hands."""
    player = row[MOVER]
    word = row[u(PLACES + cell)]
    if word & ACTIVE_BIT:
        turn_active(rules, row, cell, -1)
    if rules[PER_CELL]:
        row[u(PLACES + cell)] += 1 << PING_SHIFT
    if colour != word & 3:
        put(rules, row, cell, colour, player + 1)
    row[PINGS] += 1
    count = note(events, count, PINGED, cell, colour, word & 3)
    found = targets(rules, row, player, cell, colour)
    while found:
        count = capture(rules, row, neighbour(rules, cell, lowest_bit(found)), events, count)
        found &= found - 1
    return count


@kernel
def cascade(rules, row, colour, events, count):
    """Speed: ping everything that the first ping woke with its colour, breadth first along the events themselves."""
    at = 0
    while at < count and row[WINNER] == 0:
        if events[u(4 * at)] == ACTIVATED:
            count = ping(rules, row, events[u(4 * at + 1)] + 0, colour, events, count)
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
