"""The rules of the game in `tests.support.heap`, and kernels that break one promise each."""

from tercet.kernel import kernel, pick, u

MOST = 3
MOVER, LEFT = 0, 1
RULES = (
    "setup", "legal", "allows", "apply", "status", "scores", "mover", "open_sampler", "sample", "observe", "refresh",
)  # fmt: skip


@kernel
def setup(rules, row, seed):
    row[MOVER] = 0
    row[LEFT] = rules[0]


@kernel
def legal(rules, row, out):
    count = min(MOST, row[LEFT])
    for action in range(count):
        out[u(action)] = action
    return count


@kernel
def allows(rules, row, action):
    return 0 <= action < min(MOST, row[LEFT])


@kernel
def apply(rules, row, action, events):
    row[LEFT] -= action + 1
    row[MOVER] = 1 - row[MOVER]
    events[0] = action
    events[1] = events[2] = events[3] = 0
    return 1


@kernel
def status(rules, row):
    return 1 if row[LEFT] == 0 else 0


@kernel
def scores(rules, row, out):
    out[0] = 0.0
    out[1] = 0.0
    if row[LEFT] == 0:
        out[1 - row[MOVER]] = 1.0


@kernel
def mover(rules, row):
    return row[MOVER]


@kernel
def open_sampler(rules, row, scratch):
    scratch[0] = 0


@kernel
def sample(rules, row, state, scratch):
    return pick(state, min(MOST, row[LEFT]))


@kernel
def observe(rules, row, player, out):
    """The stones left, then whether ``player`` moves."""
    for cell in range(rules[0]):
        out[u(cell)] = 1.0 if cell < row[LEFT] else 0.0
        out[u(rules[0] + cell)] = 1.0 if row[MOVER] == player else 0.0


@kernel
def refresh(rules, row):
    row[MOVER] += 0


# what breaks a promise


@kernel
def writes_ones(rules, row, player, out):
    """Observes without writing zeros."""
    for cell in range(row[LEFT]):
        out[u(cell)] = 1.0
    if row[MOVER] == player:
        for cell in range(rules[0]):
            out[u(rules[0] + cell)] = 1.0


@kernel
def half_each(rules, row, out):
    out[0] = 0.5
    out[1] = 0.5


@kernel
def scores_left_alone(rules, row, out):
    """Writes nothing while the game goes on."""
    if row[LEFT] == 0:
        out[1 - row[MOVER]] = 1.0
        out[row[MOVER]] = 0.0


@kernel
def first_legal(rules, row, state, scratch):
    return 0


@kernel
def never_last(rules, row, state, scratch):
    return state % max(1, min(MOST, row[LEFT]) - 1)


@kernel
def favours_first(rules, row, state, scratch):
    """The first legal action half of the time."""
    count = min(MOST, row[LEFT])
    return 0 if state & 1 == 1 else (state >> 1) % count
