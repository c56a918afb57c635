"""SanQi's proofs against the rules: every reply is looked at, and what trying everything finds is found."""

import gzip
import random
import time
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Action, Position
from tercet.engines import Limits, level
from tercet.games.sanqi.engine import prover
from tercet.games.sanqi.engine.kernels.attacks import ALL, ANY, QUIET, THREATS
from tercet.games.sanqi.engine.prover import Prover, Win, new_memory
from tercet.games.sanqi.rules import patterns
from tests.sanqi.engine.careful import careful_game, wins_in_two
from tests.support.play import wins
from tests.support.present import present

pytestmark = pytest.mark.thorough


def listed(turns: range, sides: range) -> list[tuple[int, Position]]:
    found, packed = [], Path(__file__).with_name("wins.txt.gz").read_bytes()
    for line in gzip.decompress(packed).decode().splitlines():
        if line.startswith("sanqi/"):
            text, _, number = line.rpartition(" ")
            position = tercet.parse(text)
            if int(number) in turns and position.game.options["side"] in sides:
                found.append((int(number), position))
    return found


def test_answers_lose_as_others_did() -> None:
    """Answers are tried first with what beat others; without that, one win of the list took 600,000 actions."""
    for _, position in listed(range(5, 6), range(4, 9)):
        assert Prover(position.game).prove(position, tries=200_000), str(position)


def certificate(prover: Prover, position: Position, win: Win) -> dict[str, Any]:
    """The proof of ``win`` as nested data: ``play`` the action, in notation; ``then`` what follows each answer that
    holds out for a turn or more, ``last`` for each other answer the action that wins at once."""
    after = position.play(win.action)
    proved: dict[str, Any] = {"play": str(Action(win.action, position)), "turns": win.turns}
    if after.is_over:
        return proved
    answers = [(Action(reply, after), left) for reply, left in prover.answers(after, win)]
    proved["last"] = {str(one): str(Action(left.action, after.play(one))) for one, left in answers if left.turns == 1}
    proved["then"] = {str(one): certificate(prover, after.play(one), left) for one, left in answers if left.turns > 1}
    return proved


def first_actions(prover: Prover, position: Position, turns: int, mode: int) -> list[int]:
    """Every action with which the mover begins a win in ``turns`` or fewer, as far as what ``mode`` tries shows."""

    def still_wins(rest: Position) -> bool:
        if rest.outcome:
            return rest.outcome.scores[position.mover or 0] == 1.0
        return turns > 1 and bool(prover.ask(rest, turns - 1, mode))

    found = []
    for action in position.legal_actions:
        after = position.play(action)
        replies = [after.play(reply) for reply in after.legal_actions]
        if still_wins(after) if after.outcome else all(still_wins(rest) for rest in replies):
            found.append(action.id)
    return found


def check(position: Position, proved: dict[str, Any]) -> int:
    """Check a certificate with the rules alone; returns how many positions it holds."""
    winner = position.mover or 0
    after = position.play(proved["play"])
    if after.outcome:
        assert after.outcome.scores[winner] == 1.0
        return 1
    replies = [str(action) for action in after.legal_actions]
    assert sorted(replies) == sorted([*proved["then"], *proved["last"]]), f"{position}: not every reply"
    count = 1
    for reply, action in proved["last"].items():
        left = after.play(reply)
        assert present((left if left.is_over else left.play(action)).outcome).scores[winner] == 1.0
        count += 1
    for reply, rest in proved["then"].items():
        assert rest["turns"] < proved["turns"]
        count += check(after.play(reply), rest)
    return count


def proved_positions(
    side: int, seeds: range, modes: tuple[int, ...], most: int, **options: Any
) -> list[tuple[Position, Win]]:
    """Positions of careful games where some mode proves a win of two turns or more, and that win."""
    game = tercet.game("sanqi", side=side, **options)
    prover = Prover(game)
    found = []
    for seed in seeds:
        for position in careful_game(game, seed, 15):
            for mode in modes:
                if prover.ask(position, most, mode, tries=20_000):
                    win = present(prover.shortest(position, most, mode))
                    if win.turns > 1:
                        found.append((position, win))
                    break
    return found


@pytest.mark.parametrize(
    ("mode", "most", "options"),
    [
        *((mode, most, {}) for mode, most in ((THREATS, 5), (QUIET, 3), (ANY, 3), (ALL, 2))),
        (THREATS, 5, {"triangle": "first"}),
        (QUIET, 3, {"line": 7, "triangle": "first"}),
        (QUIET, 2, {"line": 4}),
    ],
)
def test_proofs_hold_against_every_reply(mode: int, most: int, options: dict[str, Any]) -> None:
    found = proved_positions(4, range(400, 406), (mode,), most, **options)
    prover = Prover(tercet.game("sanqi", side=4, **options))
    assert len(found) > 10
    for position, win in found:
        known = present(prover.shortest(position, win.turns, win.mode))
        assert known.turns == win.turns
        check(position, certificate(prover, position, known))


@pytest.mark.long
def test_a_quiet_win_is_proved_and_threats_alone_do_not_see_it() -> None:
    quiet = 0
    for number, position in listed(range(3, 4), range(4, 7)):
        prover = Prover(position.game)
        if not prover.ask(position, number, THREATS) and prover.ask(position, number, QUIET):
            quiet += 1
            win = present(prover.shortest(position, number, QUIET))
            assert check(position, certificate(prover, position, win)) > 100
            if quiet == 3:
                return
    pytest.fail("no quiet win of three turns is in the list")


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"line": 7, "triangle": "first"}, {"line": 5}])
def test_wins_that_trying_everything_finds_are_found(options: dict[str, Any]) -> None:
    game = tercet.game("sanqi", side=4, **options)
    prover = Prover(game)
    checked = 0
    for seed in range(3):
        for position in careful_game(game, 500 + seed, 15)[-14:]:
            won = wins_in_two(position)
            win = prover.prove(position, tries=100_000)
            assert (win is not None and win.turns <= 2) == won, str(position)
            assert prover.ask(position, 2, ALL) == won, str(position)
            checked += won and not wins(position)
    assert checked > 3


def test_the_listed_wins_of_two_to_four_turns_are_found() -> None:
    positions = listed(range(2, 5), range(4, 7))
    missed = []
    for _, position in positions:
        prover = Prover(position.game, 1 << 14)
        if prover.prove(position, tries=100_000) is None:
            missed.append(str(position))
    assert len(positions) >= 100
    assert len(missed) <= len(positions) / 50, missed


def test_first_actions_are_all_that_win() -> None:
    prover = Prover(tercet.game("sanqi", side=4))
    for position, win in proved_positions(4, range(600, 602), (THREATS,), 2)[:5]:
        first = first_actions(prover, position, 2, ALL)
        assert win.action in first
        after = {action.id: position.play(action) for action in position.legal_actions}
        quiet = {action: one for action, one in after.items() if not one.is_over and not wins(one)}
        assert first == [action for action, one in quiet.items() if all(map(wins, map(one.play, one.legal_actions)))]


def test_a_search_that_pauses_finds_the_same() -> None:
    for position, win in proved_positions(4, range(700, 702), (THREATS, QUIET), 3)[:12]:
        whole, slow = Prover(position.game), Prover(position.game)
        kernels, row = slow._kernels, position.row.copy()
        kernels.ask(slow.game.data, row, slow._windows, slow._proof, win.turns, win.mode)
        answer = 2
        while answer == 2:
            answer = kernels.resume(slow.game.data, row, slow._windows, slow._proof, 1)
        assert answer == 1
        assert row.tolist() == position.row.tolist()
        assert whole.ask(position, win.turns, win.mode)
        assert whole.tried == slow._proof.header[2]


def test_interpreted_and_compiled_agree() -> None:
    slow_game = tercet.game("sanqi", side=4, execution="interpreted")
    for position, win in proved_positions(4, range(800, 801), (THREATS, QUIET), 3)[-6:]:
        slow, fast = Prover(slow_game, 1 << 10), Prover(position.game, 1 << 10)
        other = slow_game.parse(str(position))
        assert slow.ask(other, win.turns, win.mode, tries=3000) == fast.ask(position, win.turns, win.mode, tries=3000)
        assert slow.tried == fast.tried


@pytest.mark.parametrize("options", [{}, {"line": 7, "triangle": "first"}, {"line": 4}])
def test_windows_followed_action_by_action_are_those_counted_anew(options: dict[str, Any]) -> None:
    game = tercet.game("sanqi", side=5, **options)
    followed, counted = Prover(game), Prover(game)
    chance = random.Random(1)
    row, fresh = game.start().row.copy(), game.start().row.copy()
    kernels = followed._kernels
    kernels.count_windows(game.data, row, followed._windows)
    for _ in range(80):
        position = Position(game, row.copy())
        if position.is_over:
            break
        kernels.play(game.data, row, followed._windows, chance.choice(position.legal_actions).id)
        fresh[:] = row
        kernels.count_windows(game.data, fresh, counted._windows)
        for name in ("counts", "tally", "sets", "key"):
            assert getattr(followed._windows, name).tolist() == getattr(counted._windows, name).tolist()


def test_the_engine_says_in_how_many_turns_it_wins_and_how() -> None:
    for number, position in listed(range(3, 5), range(5, 6))[:4]:
        thought = level(position.game, 10, seed=1).think(position, Limits(nodes=20_000))
        line = thought.info.lines[0]
        assert line.note.startswith("win in ")
        assert int(line.note.removeprefix("win in ")) >= number
        assert str(thought.action) == line.pv[0]
        for text in line.pv:
            position = position.play(text)
        assert position.is_over or len(line.pv) == 12


def test_time_is_kept() -> None:
    game = tercet.game("sanqi", side=8)
    prover = Prover(game)
    prover.prove(game.start(), tries=1)
    position = careful_game(game, 1, 6)[60]
    begun = time.perf_counter()
    prover.prove(position, seconds=0.1)
    assert time.perf_counter() - begun < 1.0


def test_memory_is_made_by_going_once_through_the_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each window was compared with each cell: six seconds on the largest board, in which nothing stops an engine."""
    compared = 0

    class Place(tuple[int, ...]):
        __slots__ = ()

        def __contains__(self, cell: object) -> bool:
            nonlocal compared
            compared += 1
            return super().__contains__(cell)

    def placed(*asked: Any) -> dict[str, list[Place]]:
        return {name: [Place(cells) for cells in found] for name, found in patterns(*asked).items()}

    monkeypatch.setattr(prover, "patterns", placed)
    game = tercet.game("sanqi", side=6)
    windows = new_memory(game).windows
    places = [place for found in patterns(game.board, 6).values() for place in found]
    for cell in range(len(game.board)):
        listed = windows.members[windows.starts[cell] : windows.starts[cell + 1]]
        assert list(listed) == [index for index, place in enumerate(places) if cell in place]
    assert compared == 0
