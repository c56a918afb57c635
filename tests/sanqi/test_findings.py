"""What can be asked about a position of SanQi, against the rules."""

from typing import Any

import pytest

import tercet
from tercet import Position
from tercet.games.sanqi.findings import EXPLORATIONS, explore, pivots, trapped, unfinished
from tests.sanqi.engine.careful import careful_game, wins


def positions(games: int = 12, **options: Any) -> list[Position]:
    game = tercet.game("sanqi", side=4, **options)
    return [position for seed in range(games) for position in careful_game(game, 900 + seed, 4)]


@pytest.mark.parametrize("options", [{}, {"line": 7}, {"triangle": "first"}])
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


def test_what_is_not_offered_is_refused() -> None:
    position = tercet.game("sanqi", side=4).start()
    with pytest.raises(KeyError):
        explore(position, "nothing")
    with pytest.raises(KeyError):
        explore(position, "one-away", "a4")


def test_threats_point_at_the_missing_piece_the_opponents_first() -> None:
    position = tercet.parse("sanqi/4 RR2/R1R2/1R4/7/6/5/4 S -")
    found = explore(position, "one-away")
    assert [(threat.player, threat.cells[-1], threat.says) for threat in found.threats] == [
        (0, "c5", "First's Red circle needs c5.")
    ]
    assert found.threats[0].cells[0] == "a7"
    assert not explore(position, "two-away").threats
