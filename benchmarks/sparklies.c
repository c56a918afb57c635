/* Sparklies' random playouts in plain C: the algorithm of src/tercet/games/sparklies/kernels, function by function and
 * with the same random numbers, so that both play the same games. Words and layout are explained there. Without the
 * duel, which only tests play. */

#include <stdint.h>
#include <string.h>

typedef int64_t word;
typedef int32_t rule;

enum { MOVER, STEP, PINGS, STATUS, WINNER, ORDER, AGREED, ACTIVES, HELD, REPEATS = 12, PLACES };
enum { ACTIVE_BIT = 16, FLAG_BIT = 32, PING_SHIFT = 6, COUNT_SHIFT = 10, COUNT_SIZE = 12 };
enum { CELL_MASK = (1 << COUNT_SHIFT) - 1, COUNT_MASK = (1 << COUNT_SIZE) - 1 };
enum { PING_MASK = CELL_MASK >> PING_SHIFT << PING_SHIFT };
enum { PLAYING, FULL, AGREEMENT, FLAG };
enum { HANDICAP, CONTROL, FIRST, OPEN, PROPAGATE, ACTIVATE, RESOLVE };
enum { ANY, TAKER, PREY };
enum { CONTROLLED = 1, PINGED, CAPTURED, ACTIVATED, SPENT, SAID, PASSED, ENDED };
enum { CELLS, DEGREE, WORDS, PLAYERS, BLANK, EQUAL, FORCED, WHOLE, OPTIONAL, TO_AGREE, PER_CELL, MAX_PINGS, FLAGS,
       FEWEST, DUEL, ROUND_END, FAVOURED, GIFT, CONTROLS, ACTIVATIONS, AGREE, ACTIONS, HOLD, ACTIVE, HISTORY, ROW, BIAS };
enum { NEIGHBOURS = BIAS + 12, ENOUGH = 0x888888 };

#define SEED_MASK ((1LL << 62) - 1)

static inline word start_seed(word seed) {
    word state = (word)((uint64_t)seed * 2862933555777941757ULL + 3037000493ULL) & SEED_MASK;
    state ^= state >> 29;
    state = (word)((uint64_t)state * 3202034522624059733ULL + 1) & SEED_MASK;
    return state ^ (state >> 32);
}

static inline word advance_seed(word state) {
    return (word)((uint64_t)state * 6364136223846793005ULL + 1442695040888963407ULL) & SEED_MASK;
}

static inline word pick(word state, word n) {
    word mixed = (word)((uint64_t)(state ^ (state >> 31)) * 0x3F58476D1CE4E5B9ULL) & SEED_MASK;
    return ((mixed >> 30) * n) >> 32;
}

static inline word share(word colour, word holder) {
    word one = (word)(colour < 3) << (COUNT_SHIFT + 4 * colour);
    return one | (one << (COUNT_SIZE * holder));
}

static inline void put(const rule *rules, word *row, word cell, word colour, word holder) {
    word w = row[PLACES + cell], was = (w >> 2) & 3, change = share(colour, holder) - share(w & 3, was);
    row[PLACES + cell] = (w & ~15LL) | (holder << 2) | colour;
    if (change) {
        word place = NEIGHBOURS + (rules[DEGREE] + 1) * cell;
        for (word near = place + 1; near < place + 1 + rules[place]; near++) row[PLACES + rules[near]] += change;
    }
    if (was != holder) {
        word place = rules[HOLD] + (cell >> 5), bit = 1LL << (cell & 31);
        row[place + was * rules[WORDS]] ^= bit;
        row[place + holder * rules[WORDS]] ^= bit;
        row[HELD + was] -= 1;
        row[HELD + holder] += 1;
    }
}

static inline void turn_active(const rule *rules, word *row, word cell, word change) {
    row[PLACES + cell] ^= ACTIVE_BIT;
    row[rules[ACTIVE] + (cell >> 5)] ^= 1LL << (cell & 31);
    row[ACTIVES] += change;
}

static inline word most_held(const rule *rules, const word *row) {
    word most = 0;
    for (word player = 0; player < rules[PLAYERS]; player++)
        if (row[HELD + 1 + player] > most) most = row[HELD + 1 + player];
    return most;
}

static inline word note(rule *events, word count, rule kind, word a, word b, word c) {
    events[4 * count] = kind;
    events[4 * count + 1] = (rule)a;
    events[4 * count + 2] = (rule)b;
    events[4 * count + 3] = (rule)c;
    return count + 1;
}

static inline int succeeds(const rule *rules, word w, word player, word colour) {
    word counts = (w >> COUNT_SHIFT) & COUNT_MASK;
    counts |= ((w >> (COUNT_SHIFT + COUNT_SIZE + COUNT_SIZE * player)) & COUNT_MASK) << COUNT_SIZE;
    return ((counts + rules[BIAS + 4 * colour + (w & 3)]) & ENOUGH) == ENOUGH;
}

static inline word targets(const rule *rules, const word *row, word player, word cell, word colour) {
    word own = row[PLACES + cell], change = share(colour, player + 1) - share(own & 3, (own >> 2) & 3), found = 0;
    word place = NEIGHBOURS + (rules[DEGREE] + 1) * cell;
    for (word which = 0; which < rules[place]; which++)
        found |= (word)succeeds(rules, row[PLACES + rules[place + 1 + which]] + change, player, colour) << which;
    return found;
}

static inline word capture(const rule *rules, word *row, word cell, rule *events, word count) {
    word player = row[MOVER], w = row[PLACES + cell], was = (w >> 2) & 3;
    int wakes = (w & ACTIVE_BIT) == 0;
    if (rules[PER_CELL]) wakes = wakes && (w & PING_MASK) >> PING_SHIFT < rules[PER_CELL];
    if (was == player + 1) {
        if (!wakes) return count;
    } else {
        put(rules, row, cell, w & 3, player + 1);
        if (w & FLAG_BIT) row[WINNER] = player + 1;
    }
    count = note(events, count, CAPTURED, cell, was, player);
    if (wakes) {
        turn_active(rules, row, cell, 1);
        count = note(events, count, ACTIVATED, cell, player, 0);
    }
    return count;
}

static inline word ping(const rule *rules, word *row, word cell, word colour, rule *events, word count) {
    word player = row[MOVER], w = row[PLACES + cell];
    if (w & ACTIVE_BIT) turn_active(rules, row, cell, -1);
    if (rules[PER_CELL]) row[PLACES + cell] += 1 << PING_SHIFT;
    if (colour != (w & 3)) put(rules, row, cell, colour, player + 1);
    row[PINGS] += 1;
    count = note(events, count, PINGED, cell, colour, w & 3);
    word found = targets(rules, row, player, cell, colour);
    while (found) {
        word near = rules[NEIGHBOURS + (rules[DEGREE] + 1) * cell + 1 + __builtin_ctzll((uint64_t)found)];
        count = capture(rules, row, near, events, count);
        found &= found - 1;
    }
    return count;
}

static inline word cascade(const rule *rules, word *row, word colour, rule *events, word count) {
    for (word at = 0; at < count && row[WINNER] == 0; at++)
        if (events[4 * at] == ACTIVATED) count = ping(rules, row, events[4 * at + 1], colour, events, count);
    return count;
}

static word calm(const rule *rules, word *row, rule *events, word count) {
    for (word index = 0; index < rules[WORDS]; index++)
        for (word w = row[rules[ACTIVE] + index]; w; w &= w - 1) {
            word cell = 32 * index + __builtin_ctzll((uint64_t)w);
            turn_active(rules, row, cell, -1);
            count = note(events, count, SPENT, cell, row[MOVER], 0);
        }
    return count;
}

static void order_round(const rule *rules, word *row) {
    word order = 0;
    for (word player = 0; player < rules[PLAYERS]; player++) {
        word place = 0;
        for (word other = 0; other < rules[PLAYERS]; other++)
            place += row[HELD + 1 + other] < row[HELD + 1 + player] ||
                     (other < player && row[HELD + 1 + other] == row[HELD + 1 + player]);
        order |= player << (2 * place);
    }
    row[ORDER] = order;
}

static inline void next_player(const rule *rules, word *row) {
    word place = 0;
    while (((row[ORDER] >> (2 * place)) & 3) != row[MOVER]) place++;
    place++;
    if (place == rules[PLAYERS]) {
        place = 0;
        if (rules[FEWEST]) order_round(rules, row);
    }
    row[MOVER] = (row[ORDER] >> (2 * place)) & 3;
}

static word agree(const rule *rules, word *row, rule kind, rule *events, word count) {
    row[AGREED] |= 1LL << row[MOVER];
    count = note(events, count, kind, row[MOVER], 0, 0);
    if (row[AGREED] == (1LL << rules[PLAYERS]) - 1) row[STATUS] = AGREEMENT;
    return count;
}

static inline word begin_turn(const rule *rules, word *row, rule *events, word count) {
    next_player(rules, row);
    row[STEP] = CONTROL;
    if (row[HELD] > 0) return count;
    if (rules[TO_AGREE] == 0) {
        row[STATUS] = FULL;
        return count;
    }
    row[STEP] = OPEN;
    if (most_held(rules, row) == rules[CELLS]) {
        row[STATUS] = AGREEMENT;
        return count;
    }
    while (row[HELD + 1 + row[MOVER]] == 0) {
        count = agree(rules, row, PASSED, events, count);
        if (row[STATUS] != PLAYING) return count;
        next_player(rules, row);
    }
    return count;
}

static inline word end_turn(const rule *rules, word *row, rule *events, word count) {
    row[PINGS] = 0;
    if (rules[PER_CELL])
        for (word place = PLACES; place < PLACES + rules[CELLS]; place++) row[place] &= ~(word)PING_MASK;
    return begin_turn(rules, row, events, count);
}

static inline word take(const rule *rules, word *row, word cell, word colour, rule *events) {
    word player = row[MOVER];
    if (rules[FLAGS] && row[HELD + 1 + player] == 0) row[PLACES + cell] |= FLAG_BIT;
    put(rules, row, cell, colour, player + 1);
    word count = note(events, 0, CONTROLLED, cell, player, colour);
    if (row[STEP] == HANDICAP) {
        if (row[HELD + 1 + player] == rules[GIFT]) {
            row[MOVER] = 0;
            row[STEP] = CONTROL;
        }
        return count;
    }
    row[STEP] = FIRST;
    return count;
}

static inline word apply_ping(const rule *rules, word *row, word cell, word colour, rule *events) {
    word count = ping(rules, row, cell, colour, events, 0);
    if (rules[WHOLE]) count = cascade(rules, row, colour, events, count);
    row[AGREED] = 0;
    row[STEP] = PROPAGATE;
    if (row[WINNER]) {
        row[STATUS] = FLAG;
        return count;
    }
    if (row[ACTIVES] > 0) {
        if (rules[MAX_PINGS] == 0 || row[PINGS] < rules[MAX_PINGS]) return count;
        count = calm(rules, row, events, count);
    }
    return end_turn(rules, row, events, count);
}

static word apply(const rule *rules, word *row, word action, rule *events) {
    word count;
    if (action < rules[CONTROLS]) {
        word cell = action / 3;
        count = apply_ping(rules, row, cell, action - 3 * cell, events);
    } else if (action < rules[ACTIVATIONS]) {
        word choice = action - rules[CONTROLS];
        count = rules[BLANK] ? take(rules, row, choice / 3, choice % 3, events)
                             : take(rules, row, choice, row[PLACES + choice] & 3, events);
    } else {
        count = agree(rules, row, SAID, events, 0);
        if (row[STATUS] == PLAYING) count = begin_turn(rules, row, events, count);
    }
    if (row[STATUS] != PLAYING) count = note(events, count, ENDED, row[STATUS], row[WINNER], 0);
    return count;
}

static inline int may_ping(const rule *rules, const word *row) {
    word step = row[STEP];
    return step == FIRST || step == OPEN || step == PROPAGATE || step == RESOLVE || (step == CONTROL && rules[OPTIONAL]);
}

static inline word forced_colour(const rule *rules, const word *row, word cell) {
    if (row[STEP] != PROPAGATE || rules[FORCED] == ANY) return -1;
    word colour = row[PLACES + cell] & 3;
    return rules[FORCED] == TAKER ? (colour + 2) % 3 : (colour + 1) % 3;
}

static inline word nth_bit(word w, word n) {
    while (n > 0) {
        w &= w - 1;
        n--;
    }
    return __builtin_ctzll((uint64_t)w);
}

static inline word nth_ping(const rule *rules, const word *row, word n) {
    for (word index = 0; index < rules[WORDS]; index++) {
        word w = row[rules[HOLD] + (row[MOVER] + 1) * rules[WORDS] + index];
        if (row[STEP] >= PROPAGATE) w &= row[rules[ACTIVE] + index];
        word here = __builtin_popcountll((uint64_t)w);
        if (n < here) return 32 * index + nth_bit(w, n);
        n -= here;
    }
    return 0;
}

static inline word nth_free(const rule *rules, const word *row, word n) {
    for (word index = 0; index < rules[WORDS]; index++) {
        word w = row[rules[HOLD] + index], here = __builtin_popcountll((uint64_t)w);
        if (n < here) return 32 * index + nth_bit(w, n);
        n -= here;
    }
    return 0;
}

static inline word sample(const rule *rules, const word *row, word state) {
    word cells = 0, colours = 3;
    if (row[STEP] == PROPAGATE) {
        cells = row[ACTIVES];
        if (rules[FORCED] != ANY) colours = 1;
    } else if (may_ping(rules, row))
        cells = row[HELD + 1 + row[MOVER]];
    word ways = rules[BLANK] ? 3 : 1, unheld = row[STEP] <= CONTROL ? row[HELD] : 0;
    word choice = pick(state, colours * cells + ways * unheld + (row[STEP] == OPEN));
    if (choice < colours * cells) {
        if (colours == 1) {
            word cell = nth_ping(rules, row, choice);
            return 3 * cell + forced_colour(rules, row, cell);
        }
        return 3 * nth_ping(rules, row, choice / 3) + choice % 3;
    }
    choice -= colours * cells;
    if (choice < ways * unheld)
        return rules[CONTROLS] + ways * nth_free(rules, row, choice / ways) + choice % ways;
    return rules[AGREE];
}

static void scores(const rule *rules, const word *row, double *out) {
    word most = most_held(rules, row), sharing = 0;
    for (word player = 0; player < rules[PLAYERS]; player++) sharing += row[HELD + 1 + player] == most;
    for (word player = 0; player < rules[PLAYERS]; player++)
        if (row[STATUS] == PLAYING)
            out[player] = 0.0;
        else if (row[STATUS] == FLAG)
            out[player] = row[WINNER] == player + 1;
        else
            out[player] = row[HELD + 1 + player] == most ? 1.0 / (double)sharing : 0.0;
}

word playouts(const rule *rules, const word *start, word *row, word size, word players, word games, word seed,
              rule *events, double *points, double *total, word limit) {
    word plies = 0;
    for (word game = 0; game < games; game++) {
        memcpy(row, start, (size_t)size * sizeof(word));
        word state = start_seed(seed + game);
        for (word ply = 0; ply < limit && row[STATUS] == PLAYING; ply++, plies++) {
            state = advance_seed(state);
            apply(rules, row, sample(rules, row, state), events);
        }
        scores(rules, row, points);
        for (word player = 0; player < players; player++) total[player] += points[player];
    }
    return plies;
}
