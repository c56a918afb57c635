/* SanQi's random playouts in plain C: the algorithm of src/tercet/games/sanqi/kernels.py, function by function and
 * with the same random numbers, so that both play the same games. Words and layout are explained there. */

#include <stdint.h>
#include <string.h>

typedef int64_t word;
typedef int32_t rule;

enum { MOVER, KO, STATUS, WINNER, VACANT, CIRCLES, LINES, TRIANGLES, STAGE, SWAPPED, WORDS };
enum { SIDE, SIZE, SPAN, STALEMATE_LOSES, ROWS, PLACES = 11 };
enum { FIRST, SECOND, NOBODY };
enum { PLAYING, CIRCLE, LINE, TRIANGLE, STALEMATE, STALEMATE_LOSS };

#define SEED_MASK ((1LL << 62) - 1)
#define NEAR(q, r) (1 << (5 * ((r) + 2) + (q) + 2))

static const int RING[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
static const int UP[6][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}};
static int circle_masks[6], triangle_masks[12], ring_mask;

static void make_masks(void) {
    ring_mask = 0;
    for (int i = 0; i < 6; i++) {
        circle_masks[i] = triangle_masks[i] = triangle_masks[i + 6] = 0;
        ring_mask |= NEAR(RING[i][0], RING[i][1]);
        for (int j = 0; j < 6; j++)
            if (j != i) {
                circle_masks[i] |= NEAR(RING[j][0] - RING[i][0], RING[j][1] - RING[i][1]);
                triangle_masks[i] |= NEAR(UP[j][0] - UP[i][0], UP[j][1] - UP[i][1]);
                triangle_masks[i + 6] |= NEAR(UP[i][0] - UP[j][0], UP[i][1] - UP[j][1]);
            }
    }
}

static inline word start_seed(word seed) {
    word state = (word)((uint64_t)seed * 2862933555777941757ULL + 3037000493ULL) & SEED_MASK;
    state ^= state >> 29;
    state = (word)((uint64_t)state * 3202034522624059733ULL + 1) & SEED_MASK;
    return state ^ (state >> 32);
}

static inline word advance_seed(word state) {
    return (word)((uint64_t)state * 6364136223846793005ULL + 1442695040888963407ULL) & SEED_MASK;
}

static inline word branch_seed(word state) { return advance_seed(state ^ 0x1545F4914F6CDD1DLL); }

static inline word pick(word state, word n) {
    word mixed = (word)((uint64_t)(state ^ (state >> 31)) * 0x3F58476D1CE4E5B9ULL) & SEED_MASK;
    return ((mixed >> 30) * n) >> 32;
}

static inline word type_at(const rule *rules, const word *row, word cell) {
    word span = rules[SPAN], q = rules[PLACES + 3 * cell], place = WORDS + rules[PLACES + 3 * cell + 1];
    return ((row[place] >> q) & 1) + 2 * ((row[place + 3 * span] >> q) & 1) + 3 * ((row[place + 6 * span] >> q) & 1);
}

static inline word near_cell(const rule *rules, const word *row, word cell, word kind) {
    word low = rules[PLACES + 3 * cell] - 2;
    word place = WORDS + 3 * (kind - 1) * rules[SPAN] + rules[PLACES + 3 * cell + 1];
    return ((row[place - 2] >> low) & 31) | (((row[place - 1] >> low) & 31) << 5) | (((row[place] >> low) & 31) << 10) |
           (((row[place + 1] >> low) & 31) << 15) | (((row[place + 2] >> low) & 31) << 20);
}

static inline int around(const rule *rules, const word *row, word cell, word kind) {
    word low = rules[PLACES + 3 * cell] - 1;
    word place = WORDS + 3 * (kind - 1) * rules[SPAN] + rules[PLACES + 3 * cell + 1];
    return __builtin_popcountll((uint64_t)(((row[place - 1] >> low) & 6) | (((row[place] >> low) & 5) << 3) |
                                           (((row[place + 1] >> low) & 3) << 6)));
}

static inline int replaceable(const rule *rules, const word *row, word cell, word old, word new) {
    return old != new && around(rules, row, cell, new) >= around(rules, row, cell, old) + 2;
}

static int can_act(const rule *rules, const word *row) {
    if (row[VACANT] > 0) return 1;
    for (word cell = 0; cell < rules[SIZE]; cell++)
        if (cell + 1 != row[KO]) {
            word old = type_at(rules, row, cell);
            for (word new = 1; new < 4; new++)
                if (replaceable(rules, row, cell, old, new)) return 1;
        }
    return 0;
}

static inline word sixes(word cells, word bit) {
    word pairs = cells & (cells >> 1);
    return __builtin_popcountll((uint64_t)(pairs & (pairs >> 2) & (pairs >> 4) & ((63LL << bit) >> 5)));
}

static inline void count_patterns(const rule *rules, word *row, word cell, word kind, word sign) {
    word span = rules[SPAN], q = rules[PLACES + 3 * cell], r = rules[PLACES + 3 * cell + 1];
    word words = WORDS + 3 * (kind - 1) * span;
    row[LINES] += sign * (sixes(row[words + r], q) + sixes(row[words + span + q], r) +
                          sixes(row[words + 2 * span + rules[PLACES + 3 * cell + 2]], q));
    word close = near_cell(rules, row, cell, kind);
    if (close & ring_mask) {
        word circles = 0, triangles = 0;
        for (int i = 0; i < 6; i++) circles += (close & circle_masks[i]) == circle_masks[i];
        for (int i = 0; i < 12; i++) triangles += (close & triangle_masks[i]) == triangle_masks[i];
        row[CIRCLES] += sign * circles;
        row[TRIANGLES] += sign * triangles;
    }
}

static inline void flip(const rule *rules, word *row, word cell, word kind) {
    word span = rules[SPAN], q = rules[PLACES + 3 * cell], r = rules[PLACES + 3 * cell + 1];
    word words = WORDS + 3 * (kind - 1) * span;
    row[words + r] ^= 1LL << q;
    row[words + span + q] ^= 1LL << r;
    row[words + 2 * span + rules[PLACES + 3 * cell + 2]] ^= 1LL << q;
}

static inline void put(const rule *rules, word *row, word cell, word old, word new) {
    if (old == 0) {
        row[VACANT]--;
    } else {
        count_patterns(rules, row, cell, old, -1);
        flip(rules, row, cell, old);
    }
    flip(rules, row, cell, new);
    count_patterns(rules, row, cell, new, 1);
}

static inline void judge(const rule *rules, word *row) {
    word player = 1 - row[MOVER];
    if (player == FIRST && row[CIRCLES] > 0) {
        row[STATUS] = CIRCLE;
        row[WINNER] = player;
    } else if (player == SECOND && row[LINES] > 0) {
        row[STATUS] = LINE;
        row[WINNER] = player;
    } else if (row[TRIANGLES] > 0) {
        row[STATUS] = TRIANGLE;
        row[WINNER] = player;
    } else if (row[VACANT] == 0 && !can_act(rules, row)) {
        row[STATUS] = STALEMATE;
        if (rules[STALEMATE_LOSES]) {
            row[STATUS] = STALEMATE_LOSS;
            row[WINNER] = player;
        }
    }
}

static inline void apply(const rule *rules, word *row, word action, rule *events) {
    word cell = action / 3, new = action - 3 * cell + 1, old = type_at(rules, row, cell);
    put(rules, row, cell, old, new);
    row[KO] = cell + 1;
    row[MOVER] = 1 - row[MOVER];
    judge(rules, row);
    events[0] = old == 0 ? 1 : 2;
    events[1] = (rule)cell;
    events[2] = (rule)new;
    events[3] = (rule)old;
    if (row[STATUS] != PLAYING) {
        events[4] = 3;
        events[5] = (rule)row[STATUS];
        events[6] = (rule)row[WINNER];
        events[7] = 0;
    }
}

static inline void open_sampler(const rule *rules, const word *row, rule *scratch) {
    rule count = 0;
    for (rule cell = 0; cell < rules[SIZE]; cell++)
        if (type_at(rules, row, cell) == 0) scratch[++count] = cell;
    scratch[0] = count;
}

static inline word sample(const rule *rules, const word *row, word state, rule *scratch) {
    word size = rules[SIZE];
    for (;; state = branch_seed(state)) {
        word vacant = scratch[0], choice = pick(state, 3 * vacant + 2 * size);
        if (choice < 3 * vacant) {
            word place = choice / 3, cell = scratch[place + 1];
            scratch[place + 1] = scratch[vacant];
            scratch[0] = (rule)(vacant - 1);
            return 3 * cell + choice - 3 * place;
        }
        choice -= 3 * vacant;
        word cell = choice >> 1, old = type_at(rules, row, cell);
        if (old != 0 && cell + 1 != row[KO]) {
            word new = old + 1 + (choice & 1);
            if (new > 3) new -= 3;
            if (replaceable(rules, row, cell, old, new)) return 3 * cell + new - 1;
        }
    }
}

/* Plays `games` random games from `start`; adds the players' points to `total`; returns the plies played. */
word playouts(const rule *rules, const word *start, word *row, word size, word games, word seed, rule *out,
              rule *events, double *total, word limit) {
    word all = 0;
    make_masks();
    for (word game = 0; game < games; game++) {
        memcpy(row, start, (size_t)size * sizeof(word));
        word state = start_seed(seed + game), plies = 0;
        open_sampler(rules, row, out);
        while (plies < limit && row[STATUS] == PLAYING) {
            state = advance_seed(state);
            apply(rules, row, sample(rules, row, state, out), events);
            plies++;
        }
        all += plies;
        for (int player = 0; player < 2; player++)
            if (row[STATUS] != PLAYING)
                total[player] += row[WINNER] == NOBODY ? 0.5 : row[WINNER] == player ? 1.0 : 0.0;
    }
    return all;
}
