"""What can be asked about a position of SanQi, against the rules, and what `tercet stats sanqi` counts."""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import tercet
from tercet import Position
from tercet.games.sanqi.engine.prover import Prover
from tercet.games.sanqi.findings import EXPLORATIONS, explore, pivots, trapped, unfinished
from tercet.games.sanqi.statistics import STATISTICS
from tercet.laboratory import Arm, players
from tests.sanqi.engine.careful import careful_game
from tests.support.division import online_but
from tests.support.play import wins
from tests.support.refusals import refuses


@cache
def positions(games: int = 12, **options: Any) -> list[Position]:
    game = tercet.game("sanqi", side=4, **options)
    return [position for seed in range(games) for position in careful_game(game, 900 + seed, 4)]


def test_a_proof_in_three_turns_looks_first_whether_two_suffice() -> None:
    position = tercet.parse("sanqi/5 2R2/B5/7/2B5/3B2RR1/3YRR1B/3BYRR/3BR1/5 F i4")
    prover = Prover(position.game)
    assert prover.ask(position, 3)
    assert prover.tried < 200, "587 without"


@pytest.mark.parametrize("options", online_but(lambda options: not options, [{}, {"line": 7}, {"triangle": "first"}]))
def test_what_is_one_move_away_wins_now_and_nothing_else_does(options: dict[str, Any]) -> None:
    seen = 0
    for position in positions(24 if options else 12, **options):
        if position.row[4] <= 1 or sum(position.row[5:8]) > 0:
            continue  # one may also win by leaving a pattern alone
        mine = {3 * known.lacks[0] + known.kind for known in unfinished(position, 1) if known.side == position.mover}
        assert mine == set(wins(position)), str(position)
        seen += bool(mine)
    assert seen > 5


def test_a_pivot_makes_several_patterns_one_move_away() -> None:
    seen = 0
    for position in positions():
        game = position.game
        for (player, action), found in pivots(position).items():
            after = position.play(action) if player == position.mover else position
            if player != position.mover or after.is_over:
                continue
            made = {known.cells for known in unfinished(after, 1) if known.side == player}
            for known in found:
                if all(game.kernels.type_at(game.data, position.row, cell) == 0 for cell in known.lacks):
                    assert known.cells in made
                    seen += 1
    assert seen > 5


def test_a_trapped_piece_can_be_replaced_after_every_legal_action() -> None:
    seen = {True: 0, False: 0}
    for position in positions()[::3]:
        found = trapped(position)
        names = position.game.board.names
        after = {str(action): position.play(action) for action in position.legal_actions}
        going = {text: known for text, known in after.items() if not known.is_over}
        for cell, name in enumerate(names):
            if int(position.game.kernels.type_at(position.game.data, position.row, cell)) == 0 or going != after:
                continue
            others = [known for text, known in after.items() if not text.endswith(f"x{name}")]
            always = all(any(str(one).endswith(f"x{name}") for one in known.legal_actions) for known in others)
            seen[always] += 1
            assert always == (cell in found), (str(position), name)
    assert min(seen.values()) > 3


def test_every_exploration_answers() -> None:
    for position in positions()[::5]:
        for asked in EXPLORATIONS:
            answer = explore(position, asked.id, None, 3)
            assert answer.text
            assert len(answer.lines) <= 3
            for line in answer.lines:
                position.play(line.actions[0])
    for wrong, cell in (("nothing", None), ("one-away", "a4")):
        refuses(KeyError, None, explore, position, wrong, cell)


def test_threats_point_at_the_missing_piece_the_opponents_first() -> None:
    position = tercet.parse("sanqi/4 RR2/R1R2/1R4/7/6/5/4 S -")
    found = explore(position, "one-away")
    (threat,) = found.threats
    assert (threat.player, threat.cells[-1], threat.says) == (0, "c5", "First's Red circle needs c5.")
    assert threat.cells[0] == "a7"
    assert not explore(position, "two-away").threats


def counted(text: str) -> dict[str, Any]:
    position = tercet.game("sanqi", side=4).start()
    count = STATISTICS.count(position)
    for action in text.split():
        done = position.transition(action)
        count.follow(position, done)
        position = done.after
    return count.end(position)


def test_a_threat_is_kept_up_by_another_one_or_by_a_win_unless_it_is_stopped() -> None:
    for text, kept in (("Bg1 Re3", 1.0), ("Be3 Ya4", 0.0)):
        found = counted(f"Re4 Bf3 Rd5 Be2 Rc5 Bd4 Rc4 Yb6 Rd3 {text}")  # First has five of six round d4
        assert (found["threats"], found["kept"], found["swings"]) == (1, [kept], 0)


def test_threats_are_what_the_finder_of_patterns_shows() -> None:
    swings = 0
    for row in Arm("sanqi", {"side": 5}, players("random")).run(8):
        position = tercet.game("sanqi", side=5).start()
        makers = []
        for number in row.moves:
            side = position.mover
            position = position.play(number)
            if not position.is_over and any(place.side == side for place in unfinished(position, 1)):
                makers.append(side)
        assert row.counts["threats"] == len(makers)
        assert row.counts["swings"] == sum(one != other for one, other in pairwise(makers))
        swings += row.counts["swings"]
    assert swings


def test_games_that_version_0_2_counted_can_be_read() -> None:
    """They have no threats."""
    game = tercet.game("sanqi")
    found = STATISTICS.summary(game, [{"replacements": 2, "ko": 1, "pieces": [9, 5, 4]}] * 2)
    assert [line[:12] for line in STATISTICS.report(game, found)] == ["replacements", "turns with a", "kinds played"]
