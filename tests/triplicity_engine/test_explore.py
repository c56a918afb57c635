"""What a player asks of a position."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tercet
from tercet import Position
from tercet.games.triplicity import kernels
from tercet.games.triplicity.explore import jeopardies, prices, reach, threats

Place = Callable[..., Position]


def test_nothing_is_threatened_in_the_array() -> None:
    """The rules file's figures: nothing is en prise."""
    position = tercet.game("triplicity").start()
    assert threats(position) == ()
    assert jeopardies(position) == ()


def test_threats_name_captors_and_guards(place: Place) -> None:
    position = place("wKa1 wRg5 bKk10 bNg9 bPf10 bPh9 rKb12 rRg12")
    (threat,) = threats(position)
    assert {man.cell for man in threat.by} == {"g5", "g12"}
    assert [man.cell for man in threat.guards] == ["h9"]
    assert not threat.last_king
    assert threat.says == (
        "Black's knight on g9 could be taken by White's rook on g5 and Red's rook on g12, "
        "but the pawn on h9 could retake."
    )


@pytest.mark.parametrize("seed", range(6))
def test_threats_are_the_captures_that_are_legal(seed: int) -> None:
    """In positions of random games: for the mover, and kings apart, a threat is a legal capture and the reverse."""
    import random

    chance = random.Random(seed)
    position = tercet.game("triplicity").start()
    for _ in range(120):
        position = position.play(chance.choice(position.legal_actions))
        if position.is_over or position.row[kernels.PENDING]:
            return
    game, row = position.game, position.row
    legal = {
        (int(game.kernels.source(game.data, int(a))), int(game.kernels.target(game.data, int(a))))
        for a in position.legal_actions
        if int(a) < kernels.PURCHASES and row[kernels.CELLS + int(game.kernels.target(game.data, int(a)))]
    }
    index = game.board.index
    said = {
        (index[man.cell], index[threat.man.cell])
        for threat in threats(position)
        for man in threat.by
        if man.player == position.mover
    }
    forbidden = {(index[known.captor.cell], index[known.king.cell]) for known in jeopardies(position)}
    assert said == legal | forbidden


def test_a_threatened_last_king(place: Place) -> None:
    position = place("wKa1 wRg5 bKg9 rKb12", turn="B")
    (threat,) = threats(position)
    assert threat.last_king
    assert threat.says == "Black's king on g9 could be taken by White's rook on g5, and Black would be vanquished."


def test_reach(place: Place) -> None:
    position = place("wKa1 wNd4 bKm12 bPb5 rKb12 rRg12", states="a,a,r")
    found = reach(position, "d4")
    assert found is not None
    assert len(found.moves) + len(found.captures) <= 12
    assert reach(position, "f6") is None
    frozen = reach(position, "g12")
    assert frozen is not None
    assert frozen.says == "Red's rook on g12 does not move any more."
    with pytest.raises(ValueError, match="no cell"):
        reach(position, "z9")


def test_prices_in_the_present_situation(place: Place) -> None:
    """Three times the value with three players, twice with two; nothing for who is out."""
    three = prices(tercet.game("triplicity").start())
    assert [(price.kind, price.cost) for price in three] == [
        ("pawn", 3), ("knight", 6), ("bishop", 6), ("rook", 9), ("queen", 12), ("king", 15),
    ]  # fmt: skip
    assert [price.affordable for price in three] == [True] * 4 + [False] * 2
    assert three[3].says == "A rook costs White 9 tokens: 3 each to the gods, Black and Red."
    assert three[4].says.endswith("; he has 10.")
    two = prices(place("wKa1 bKm12 rKb12", states="a,a,r", tokens="5,5,0"))
    assert [price.cost for price in two] == [2, 4, 4, 6, 8, 10]
    assert two[0].others == (1,)
    assert prices(place("wKa1 bKm12 rKb12", states="a,a,r", tokens="5,5,0"), player=2) == ()


def test_prices_agree_with_the_legal_purchases() -> None:
    position = tercet.game("triplicity").start()
    legal = sorted(str(action) for action in position.legal_actions if "@" in str(action))
    letters = {"pawn": "P", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "king": "K"}
    said = [f"{letters[p.kind]}@{cell}" for p in prices(position) if p.affordable for cell in p.cells]
    assert sorted(said) == legal


def test_why_jeopardy_forbids(place: Place) -> None:
    """Who could retake, and from where."""
    position = place("wKg5 wRg7 bKg9 bPm12 rKb12 rRb5")
    (known,) = jeopardies(position)
    assert (known.king.cell, known.captor.cell, known.own_king) == ("g9", "g7", "g5")
    assert [(man.cell, man.kind) for man in known.avengers] == [("b5", "rook")]
    assert known.says == (
        "Taking Black's king on g9 with the rook on g7 would let Red take White's last king on g5 with the rook on b5."
    )
    found = reach(position, "g7")
    assert found is not None
    assert found.not_now == ("g9",)
    assert "jeopardy" in found.says
    assert jeopardies(place("wKg5 wRg7 bKg9 bPm12 rKb12 rRb5", jeopardy="off")) == ()
