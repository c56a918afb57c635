"""Random games with a bent for captures, purchases and promotions, compiled and interpreted side by side.

At every action both modes must write the same rows, lists and events, and recomputing a row from its men must give the
same row. The games begin from the array, from few men with few tokens, from a board so full that White must pass, and
with a king that only a promotion to king may take; now and then somebody resigns. What every special rule did is
counted by name.
"""

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from tercet import Game, testing
from tercet.games.triplicity.kernels import layout as k
from tercet.games.triplicity.rules import rules_of
from tests.triplicity.men import immobile, place

OPTIONS: list[dict[str, Any]] = [
    {}, {"jeopardy": "no-successive"}, {"jeopardy": "off", "drops": "anywhere"}, {}, {"drops": "anywhere"},
    {"tribute": "off", "coins": 20}, {"quiet_limit": 12, "jeopardy": "no-successive"}, {},
    {"points": "3-1-0", "drops": "near"}, {"ends": "first", "tribute": "double"},
]  # fmt: skip

# Every special rule, and what it is called in the counts.
RULES_TEXT = (
    "capture; tribute in full; tribute in part; sacrifice owed; sacrifice of a king; nothing but the last king; "
    "vanquished; hoard inherited; hoard of a resigned player inherited; tribute for the last king; no tribute, "
    "two players left; no tribute by option; no tribute for a man of a resigned player; tribute for a king of a "
    "resigned player; man of a vanquished player captured; promotion; promotion by capture; promotion to king; "
    "purchase at three prices; purchase at two prices; purchase of a king; purchase inside; pass; resignation; "
    "resignation out of turn; debt lapsed; forbidden by jeopardy; forbidden as successive; promotion to king "
    "only; won by capture; won by the first king; tribute doubled; won by resignation; drawn by quiet turns"
)
RULES = tuple(RULES_TEXT.split("; "))


def start(game: Game, rng: random.Random, seed: int) -> Any:
    names, options = game.board.names, game.options
    if seed % 25 == 7:
        return immobile(**options).row
    if seed % 25 == 3:
        men = "wKb1 bKg13 rKc12 wPg12 rRb8"
        taken = {man[2:] for man in men.split()}
        for cell in rng.sample([name for name in names if name not in taken], 3):
            men += f" {rng.choice('wbr')}{rng.choice('NB')}{cell}"
        return place(men, tokens="3,3,3", **options).row
    if seed % 5 == 0:
        return game.start().row
    cells = rng.sample(names, rng.randrange(6, 40))
    kinds = ("PPPNBRQK", "PPPPPPPK", "NBRQKKKK")[seed % 3]
    men = " ".join(f"{player}K{cells.pop()}" for player in "wbr")
    for cell in cells:
        player, kind = rng.choice("wbr"), rng.choice(kinds)
        if kind != "P" or game.board.coordinates[game.board.index[cell]]["wbr".index(player)] > 0:
            men += f" {player}{kind}{cell}"
    tokens = ",".join(str(rng.choice((0, 0, 1, 3, 6, 16))) for _ in range(3))
    return place(men, rng.choice("WBR"), tokens, **options).row


def choose(game: Game, rng: random.Random, legal: list[int], row: Any) -> int:
    """An action, more often than not a capture, a promotion or a purchase of a king."""
    if rng.random() < 0.5:
        promoting = [action for action in legal if k.PROMOTIONS <= action < k.PURCHASES]
        kings = [action for action in legal if k.PURCHASES + 5 * k.SIZE <= action < k.SACRIFICES]
        taking = [action for action in legal if action < k.PURCHASES and row[k.CELLS + target(game, action)]]
        for wanted in (promoting, kings, taking):
            if wanted and rng.random() < 0.5:
                return rng.choice(wanted)
    moves = [action for action in legal if action < k.PURCHASES]
    return rng.choice(moves if moves and rng.random() < 0.6 else legal)


def target(game: Game, action: int) -> int:
    return int(game.kernels.target(game.data, action))


def count_action(game: Game, row: Any, action: int, events: list[tuple[int, ...]], fired: Counter[str]) -> None:
    """Name what the rules did at ``action``."""
    told = {event[0]: event for event in events}
    me = int(row[k.TURN])
    active = [player for player in range(3) if row[k.STATE + player] == k.ACTIVE]
    if action == k.PASS:
        fired["pass"] += 1
    if k.PURCHASES <= action < k.SACRIFICES:
        kind = int(game.kernels.becomes(game.data, action))
        place_of = game.board.coordinates[target(game, action)]
        fired["purchase at three prices" if len(active) == 3 else "purchase at two prices"] += 1
        fired["purchase of a king"] += kind == k.KING
        fired["purchase inside"] += 0 not in place_of and 12 not in place_of
    if k.PROMOTED in told:
        fired["promotion"] += 1
        fired["promotion by capture"] += k.CAPTURED in told
        fired["promotion to king"] += told[k.PROMOTED][2] == k.KING
    if k.SACRIFICED in told:
        fired["sacrifice of a king"] += told[k.SACRIFICED][2] == k.KING
    fired["sacrifice owed"] += k.OWES in told
    fired["nothing but the last king"] += k.EXCUSED in told
    fired["vanquished"] += k.KING_VANQUISHED in told
    if k.CAPTURED in told:
        _, _, kind, victim = told[k.CAPTURED]
        state = int(row[k.STATE + victim])
        fired["capture"] += 1
        fired["man of a vanquished player captured"] += state == k.VANQUISHED
        paying = not {k.TRIBUTE, k.OWES, k.EXCUSED}.isdisjoint(told)
        if game.options["tribute"] == "off":
            fired["no tribute by option"] += 1
            assert not paying
        elif state == k.RESIGNED:
            whom = "tribute for a king" if paying else "no tribute for a man"
            fired[f"{whom} of a resigned player"] += 1
            fired["hoard of a resigned player inherited"] += k.INHERITED in told
            assert paying == (kind == k.KING)
        elif not paying and told.get(k.ENDED, (0, 0))[1] != k.FIRST_KING:
            fired["no tribute, two players left"] += 1
            assert len(active) == 2
        if k.KING_VANQUISHED in told:
            fired["hoard inherited"] += k.INHERITED in told
            fired["tribute for the last king"] += k.TRIBUTE in told
        if k.TRIBUTE in told:
            worth = (0, 1, 2, 2, 3, 4, 5)[kind] * (2 if game.options["tribute"] == "double" else 1)
            fired["tribute doubled"] += game.options["tribute"] == "double"
            _, debtor, captor, amount = told[k.TRIBUTE]
            assert (captor, debtor) == (me, 3 - me - victim)
            assert amount == min(worth, row[k.TOKENS + debtor])
            fired["tribute in full" if amount == worth else "tribute in part"] += 1
    if k.ENDED in told:
        how = {k.LAST_PLAYER: "won by capture", k.FIRST_KING: "won by the first king"}
        fired[how.get(told[k.ENDED][1], "drawn by quiet turns")] += 1


@cache
def ways_to(game: Game, goal: int) -> list[tuple[int, int]]:
    """Cells with a path to ``goal``, each with its path."""
    return [(cell, path) for (cell, end), path in rules_of(game).paths.items() if end == goal]


def count_forbidden(game: Game, row: Any, legal: list[int], fired: Counter[str]) -> None:
    """Last kings that the mover reaches and may not take."""
    me, allowed = int(row[k.TURN]), set(legal)
    if row[k.PENDING] or row[k.STATUS]:
        return
    men = row[k.CELLS : k.CELLS + k.SIZE]
    kings = np.nonzero((men & 7 == k.KING) & (men >> 3 != me))[0].tolist()
    for goal, cell, path in ((king, *way) for king in kings for way in ways_to(game, king)):
        man = int(row[k.CELLS + cell])
        if not man or man >> 3 != me or row[k.KINGS + (row[k.CELLS + goal] >> 3)] > 1:
            continue
        if not game.kernels.reaches(game.data, row, path):
            continue
        if man & 7 == k.PAWN and game.kernels.promotes(game.data, me, path):
            first = k.PROMOTIONS + 5 * int(game.rules.data[k.PROMOTION_OF + path])
            able = [action for action in range(first, first + 5) if action in allowed]
            fired["promotion to king only"] += able == [first + 4]
        elif path not in allowed:
            by_text = game.options["jeopardy"] == "text"
            fired["forbidden by jeopardy" if by_text else "forbidden as successive"] += 1


def walk(fast: Game, slow: Game, seed: int, fired: Counter[str], limit: int = 600) -> None:
    rng = random.Random(seed)
    row = start(fast, rng, seed).copy()
    twin = row.tolist()
    out, events = fast.new_list(), fast.new_events()
    twin_out, twin_events = slow.new_list(), slow.new_events()
    for _ in range(limit):
        again = row.copy()
        fast.kernels.refresh(fast.data, again)
        assert np.array_equal(again, row), "recomputed, the row is another"
        count = int(fast.kernels.legal(fast.data, row, out))
        legal = out[:count].tolist()
        assert slow.kernels.legal(slow.data, twin, twin_out) == count
        assert twin_out[:count] == legal
        if row[k.STATUS]:
            assert not legal
            return
        count_forbidden(fast, row, legal, fired)
        before = row.copy()
        player = rng.randrange(3)
        if rng.random() < (0.1 if row[k.PENDING] else 0.01) and fast.kernels.may_resign(fast.data, row, player):
            n = int(fast.kernels.resign(fast.data, row, player, events))
            assert slow.kernels.resign(slow.data, twin, player, twin_events) == n
            told = [events[4 * i] for i in range(n)]
            fired["resignation"] += 1
            fired["resignation out of turn"] += before[k.TURN] != player
            fired["debt lapsed"] += k.LAPSED in told
            fired["won by resignation"] += k.ENDED in told
        else:
            action = choose(fast, rng, legal, row)
            assert fast.kernels.allows(fast.data, row, action)
            n = int(fast.kernels.apply(fast.data, row, action, events))
            assert slow.kernels.apply(slow.data, twin, action, twin_events) == n
            count_action(fast, before, action, [tuple(events[4 * i : 4 * i + 4].tolist()) for i in range(n)], fired)
        assert events[: 4 * n].tolist() == twin_events[: 4 * n]
        assert row.tolist() == twin
        tokens = sum(row[k.TOKENS : k.TOKENS + 3])
        assert tokens <= sum(before[k.TOKENS : k.TOKENS + 3]), "tokens out of nothing"
        assert min(row[k.TOKENS : k.TOKENS + 3]) >= 0


def play(games: range) -> Counter[str]:
    fired: Counter[str] = Counter()
    pairs = [testing.both("triplicity", options) for options in OPTIONS]
    for seed in games:
        walk(*pairs[seed % len(pairs)], seed, fired)
    assert set(fired) <= set(RULES)
    return fired


def test_twenty_random_games() -> None:
    assert len(play(range(20))) > len(RULES) // 2


@pytest.mark.thorough
def test_two_hundred_random_games() -> None:
    fired = play(range(200))
    assert [rule for rule in RULES if not fired[rule]] == []


@pytest.mark.long
@pytest.mark.timeout(0)
def test_ten_thousand_random_games(capsys: pytest.CaptureFixture[str]) -> None:
    fired = play(range(10_000))
    with capsys.disabled():
        print("\n" + "\n".join(f"{fired[rule]:9,} {rule}" for rule in RULES))
    assert {rule: fired[rule] for rule in RULES if fired[rule] < 100} == {}
