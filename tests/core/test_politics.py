"""The political meter is exact on games of three that can be searched; hints tell no more than they should."""

import random
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import TypeVar

import pytest

import tercet
from tercet.core.game import Position
from tercet.core.presentation import hint
from tercet.engines.politics import Shares, meter, politics_of
from tests.triplicity.men import place

Arena = tuple[tuple[int, ...], int]  # each gladiator's strength (0: fallen), and whose turn it is
Heaps = tuple[tuple[int, ...], int]
State = TypeVar("State")


def exact_values(
    state: State,
    mover: Callable[[State], int],
    options: Callable[[State], Iterable[State]],
    result: Callable[[State], Shares | None],
) -> list[Shares]:
    """Return the shares after each of the ``options`` of the mover at ``state``, in their order, by searching the game
    to its ends. Each player chooses the best share for themselves, and any of several equally good ones with equal
    chance. ``result`` gives the shares where the game is over, else None. For games without repetition."""
    known: dict[State, Shares] = {}

    def value(at: State) -> Shares:
        if at not in known:
            over = result(at)
            if over is None:
                following, seat = [value(one) for one in options(at)], mover(at)
                best = max(shares[seat] for shares in following)
                tops = [shares for shares in following if best - shares[seat] <= 1e-9]
                over = tuple(fmean(shares[index] for shares in tops) for index in range(len(tops[0])))
            known[at] = over
        return known[at]

    return [value(one) for one in options(state)]


def fights(arena: Arena) -> list[Arena]:
    """Each fight that the mover can begin: the stronger stands, weaker by the other's strength."""
    strengths, mover = arena
    found = []
    for other, strength in enumerate(strengths):
        if other != mover and strength:
            after = list(strengths)
            after[mover], after[other] = max(0, strengths[mover] - strength), max(0, strength - strengths[mover])
            following = next((seat % 3 for seat in range(mover + 1, mover + 4) if after[seat % 3]), (mover + 1) % 3)
            found.append((tuple(after), following))
    return found


def survivor(arena: Arena) -> Shares | None:
    alive = [seat for seat, strength in enumerate(arena[0]) if strength]
    return tuple(float(seat == alive[0]) for seat in range(3)) if len(alive) == 1 else None


@pytest.mark.parametrize("mover", range(3))
def test_the_gladiator_who_fights_first_cannot_win_and_chooses_the_winner(mover: int) -> None:
    start: Arena = ((3, 4, 5), mover)
    values = exact_values(start, lambda arena: arena[1], fights, survivor)
    assert all(shares[mover] == 0 for shares in values)
    assert {shares.index(1.0) for shares in values} == set(range(3)) - {mover}
    for played in range(2):
        decision = meter(mover, dict(enumerate(values)), played)
        assert (decision.hopeless, decision.spoil) == (True, 1.0), "the whole point is in the mover's gift"
        assert (decision.cost, abs(decision.hit)) == (0, 0.5)


def takings(heaps: Heaps) -> list[Heaps]:
    counts, mover = heaps
    return [
        ((*counts[:heap], count - taken, *counts[heap + 1 :]), (mover + 1) % 3)
        for heap, count in enumerate(counts)
        for taken in range(1, count + 1)
    ]


def last_taker(heaps: Heaps) -> Shares | None:
    counts, mover = heaps
    return None if any(counts) else tuple(float(seat == (mover - 1) % 3) for seat in range(3))


def nim(*counts: int) -> list[Shares]:
    return exact_values((counts, 0), lambda heaps: heaps[1], takings, last_taker)


def test_nim() -> None:
    values = nim(1, 2)  # take the one: the next takes two; take one of two: the third takes the last; take two
    assert values == [(0, 1, 0), (0, 0, 1), (0, 1, 0)]
    decision = meter(0, dict(enumerate(values)), 1)
    assert (decision.hopeless, decision.spoil, decision.cost) == (True, 1.0, 0.0)
    assert (decision.leader, decision.harms) == (1, 1), "the mover took it from the player who stood better"
    assert decision.chance == pytest.approx((1 - 1 - 1) / 3, abs=1e-4)
    decision = meter(0, dict(enumerate(nim(1, 1))), 0)
    assert (decision.hopeless, decision.spoil, decision.hit) == (True, 0.0, 0.0)
    values = nim(3)  # all three win; one or two leave the rest to the next
    decision = meter(0, dict(enumerate(values)), 0)
    assert (decision.cost, decision.hopeless, decision.spoil) == (1.0, False, 0.0)


def test_what_spite_costs() -> None:
    decision = meter(0, {"quiet": (0.5, 0.4, 0.1), "attack": (0.4, 0.1, 0.5)}, "attack")
    assert (decision.leader, decision.cost, decision.hit) == pytest.approx((1, 0.1, 0.35))
    assert decision.spite == pytest.approx(0.1 / 0.3, abs=1e-4)
    politics = politics_of([decision])
    assert (politics["leader tax"], politics["spoiler power"]) == ([0.5], [])


def following(position: Position) -> list[Position]:
    return [position.play(action) for action in position.legal_actions]


def test_an_ending_of_triplicity_in_which_the_mover_chooses_who_falls() -> None:
    """White can take either king; the other player then owes tribute, must give up a rook, and draws with White."""
    start = place("wKb1 bKf6 rKb12 wRf8 wRb10 rRb8 bRj9", tokens="0,0,0", jeopardy="off", quiet_limit=1)
    ends = exact_values(start, lambda at: at.mover or 0, following, lambda at: at.scores)
    values = dict(zip(map(str, start.legal_actions), ends, strict=True))
    third = (1 / 3, 1 / 3, 1 / 3)
    assert (values["f8xf6"], values["b10xb12"], values["b1-a1"]) == ((0.5, 0, 0.5), (0.5, 0.5, 0), third)
    assert list(values.values()).count(third) == len(values) - 2
    taken = meter(0, values, "f8xf6")
    assert (taken.cost, taken.spoil, taken.hopeless) == (0, 0.5, False)
    assert (taken.leader, taken.harms, taken.hit) == (1, 1, 0.25)
    other = meter(0, values, "b10xb12")
    assert (other.cost, other.harms, other.hit) == (0, -1, -0.25)
    quiet = meter(0, values, "b1-a1")
    assert (quiet.cost, quiet.harms) == pytest.approx((1 / 6, 0), abs=1e-4)


@pytest.mark.parametrize("name", tercet.games())
def test_every_move_can_be_hinted_at(name: str) -> None:
    rng = random.Random(5)
    position = tercet.game(name).start(seed=1)
    for _ in range(12):
        action = rng.choice(list(position.legal_actions))
        path = next(path for path in position.game.definition.view.paths(position) if path.action == str(action))
        cells = {step for step in path.steps if not step.startswith("#")}
        told = {strength: hint(position, action, strength) for strength in ("place", "piece", "move")}
        shown = {strength: {cell for mark in marks for cell in mark.cells} for strength, (_, marks) in told.items()}
        assert shown["move"] == cells
        assert path.says.lower() in told["move"][0].lower()
        assert all(path.says.lower() not in told[strength][0].lower() for strength in ("place", "piece"))
        if cells:
            assert len(shown["place"]) > 1
            assert cells & shown["place"]
        position = position.play(action)


def test_a_hint_says_what_the_move_is_made_with() -> None:
    triplicity = tercet.game("triplicity").start()
    assert hint(triplicity, "e4-f6", "piece")[0] == "Think about e4: White pawn."
    assert [mark.cells for mark in hint(triplicity, "e4-f6", "piece")[1]] == [("e4",)]
    assert hint(tercet.game("sanqi", side=4).start(), "Rd4", "piece")[0] == "Think about this: Red 上."
    with pytest.raises(ValueError, match="Rz9"):
        hint(tercet.game("sanqi", side=4).start(), "Rz9", "move")
