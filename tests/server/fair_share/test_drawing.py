"""Pictures are drawn in pieces, between which others are drawn, and charged in full."""

import asyncio
from collections.abc import Callable, Generator

import pytest

import tercet
from tercet.answers.games import animated
from tercet.pictures.drawing import gif, gif_in_steps
from tercet.server.limits.budgets import Budgets, Exchange, ServerLimits
from tercet.server.limits.queue import FairThreads
from tercet.server.limits.spenders import Spender, spender
from tercet.server.services import FileCache, PageFile, Steps
from tests.server.fair_share.conftest import busy

HEAVY, INNOCENT = Spender("203.0.113.0/24", "heavy"), Spender("198.51.100.0/24", "ann")
PIECES = 40
PIECE_SECONDS = 0.15


def test_an_animated_picture_is_made_of_a_step_for_each_position() -> None:
    position = tercet.game("sanqi", side=4).start()
    positions = [position, position.play("Rd4"), position.play("Yd5")]
    made: list[bytes] = []

    def whole() -> Generator[None, None, None]:
        made.append((yield from gif_in_steps(positions, size=60)))

    assert sum(1 for _ in whole()) == len(positions)
    assert made == [gif(positions, size=60)]
    record = '[Game "sanqi"]\n[Options "side=4"]\n\n1. Rd4 Yd5 *'
    assert sum(1 for _ in animated(record)) == 3


@pytest.mark.online
async def test_others_are_drawn_between_the_pieces_which_are_charged_in_full() -> None:
    """A GIF of 100 moves took 16 seconds, of which 4 were charged, and others waited for it."""
    budgets = Budgets(ServerLimits(), Exchange(), lambda: 0.0)
    threads, files, drawn = FairThreads("test", 1, budgets), FileCache(), list[str]()

    def pieces(name: str, number: int, seconds: float = 0.0) -> Callable[[], Steps]:
        def steps() -> Steps:
            for _ in range(number):
                busy(seconds)
                drawn.append(name)
                yield
            return PageFile.of("image/gif", name.encode())

        return steps

    async def ask(who: Spender, name: str, number: int, seconds: float = 0.0) -> bytes:
        spender(who)
        return (await files.made((name,), pieces(name, number, seconds), threads.run)).body

    heavy = [asyncio.ensure_future(ask(HEAVY, name, PIECES, PIECE_SECONDS)) for name in ("one", "two")]
    await asyncio.sleep(0.2)
    assert await ask(INNOCENT, "small", 1) == b"small"
    assert len(drawn) < PIECES
    # A second client that asks for the same picture helps to draw it, in turns of its own.
    assert await ask(INNOCENT, "two", PIECES, PIECE_SECONDS) == b"two"
    assert drawn.count("two") == PIECES
    assert drawn.count("one") < PIECES
    assert await asyncio.gather(*heavy) == [b"one", b"two"]
    assert (drawn.count("one"), drawn.count("two")) == (PIECES, PIECES)
    charged = sum(one["used"]["cpu"] for one in budgets.pressure() if one["of"] == "person")
    assert charged == pytest.approx(2 * PIECES * PIECE_SECONDS, rel=0.2)
    threads.close()


async def test_a_picture_that_fails_is_tried_anew_and_one_that_nobody_waits_for_is_let_go() -> None:
    threads, files, tried = FairThreads("test", 1), FileCache(), list[int]()

    def failing() -> Steps:
        tried.append(1)
        yield
        raise ValueError("no")

    def endless() -> Steps:
        while True:
            yield

    for _ in range(2):
        both = (files.made(("bad",), failing, threads.run) for _ in range(2))
        errors = await asyncio.gather(*both, return_exceptions=True)
        assert [type(error) for error in errors] == [ValueError, ValueError]
    assert len(tried) == 2
    waiting = asyncio.ensure_future(files.made(("endless",), endless, threads.run))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not files._making
    threads.close()
