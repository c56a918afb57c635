"""Learnt weights of patterns: kept up as they are recomputed, the same for symmetrical rows, never from a bad file."""

import json
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.core.game import Game, Position
from tercet.games.sparklies.engine import search
from tercet.games.sparklies.engine.kernels.evaluation import WON
from tercet.games.sparklies.engine.planner import Look, make_planner
from tercet.games.sparklies.engine.search import Effort, TurnSearch
from tercet.games.sparklies.kernels import layout
from tests.sparklies.engine.brute_force import going_on, wander
from tests.support.refusals import refuses

SUBTLE = tercet.game("sparklies", board="6x5")


def turn_starts(game: Game, count: int) -> list[Position]:
    found = going_on(game, (4 + 3 * seed for seed in range(3 * count)))
    return [each for each in found if each.row[layout.STEP] == layout.CONTROL][:count]


def changed(position: Position, places: Any, turned: int) -> Any:
    """The row with cell ``c`` put where ``places[c]`` is, its colour turned so many times."""
    game, row = position.game, position.row.copy()
    for cell, place in enumerate(places):
        word = int(position.row[layout.PLACES + cell]) & layout.CELL_MASK
        row[layout.PLACES + place] = (word & ~3) | ((word & 3) + turned) % 3
    game.kernels.refresh(game.data, row)
    return row


@pytest.mark.parametrize("options", [{}, {"wrap": True}, {"dead": "c3.d4"}], ids=str)
def test_what_is_kept_up_is_what_is_recomputed(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", board="6x5", **options)
    kept = TurnSearch(game, learnt=True)
    worth = []
    for position in turn_starts(game, 8):
        kept.sweep(position.row, Effort())
        afresh = TurnSearch(game, learnt=True).value(position.row, 0)
        assert kept.value(position.row, 0) == afresh == -kept.value(position.row, 1)
        worth.append(afresh)
    assert len(set(worth)) > 4


def test_symmetrical_rows_are_worth_the_same() -> None:
    search = TurnSearch(SUBTLE, learnt=True)
    for position in turn_starts(SUBTLE, 4):
        worth = search.value(position.row, 0)
        for places in SUBTLE.board.symmetries:
            for turned in range(3):
                assert search.value(changed(position, places, turned), 0) == worth


def test_interpreted_and_compiled_weights_alike() -> None:
    slow = Game(SUBTLE.definition, {"board": "6x5"}, "interpreted")
    fast_search, slow_search = TurnSearch(SUBTLE, learnt=True), TurnSearch(slow, learnt=True)
    effort = Effort(1, 2, 1, 3, 300, 8)
    for position in turn_starts(SUBTLE, 2):
        ours, theirs = fast_search.sweep(position.row, effort), slow_search.sweep(position.row.tolist(), effort)
        assert [final.value for final in ours] == [final.value for final in theirs]


@pytest.mark.parametrize(
    "options",
    [{"board": "hex3"}, {"players": 3}, {"ruleset": "playtest2"}, {"attack": "2o"}, {"setup": "blank"}, {"flag": True}],
    ids=str,
)
def test_other_games_are_judged_without(options: dict[str, Any]) -> None:
    game = tercet.game("sparklies", **{"board": "4x4", **options})
    assert search.learnt_for(game) is None
    row = wander(game, 1, 6).row
    assert TurnSearch(game, learnt=True).value(row, 0) == TurnSearch(game).value(row, 0)


def test_weak_levels_are_judged_without() -> None:
    row = turn_starts(SUBTLE, 1)[0].row
    without, learnt = TurnSearch(SUBTLE).value(row, 0), TurnSearch(SUBTLE, learnt=True).value(row, 0)
    assert without != learnt
    assert {make_planner(SUBTLE, number).value(row, 0) for number in range(1, 7)} == {without}
    assert {make_planner(SUBTLE, number).value(row, 0) for number in range(7, 11)} == {learnt}
    for options in ({"board": "hex3", "players": 3}, {"board": "4x4", "ruleset": "playtest2"}):
        game = tercet.game("sparklies", **options)
        nodes = [make_planner(game, number).strength.nodes or 0 for number in range(5, 10)]
        assert nodes == sorted(set(nodes))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-20], "has no weights of patterns"),
        (lambda text: f"[{text}]", "has no weights of patterns"),
        (lambda text: text.replace('"lead":[', '"lead":[1'), "is damaged"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "patterns.json"
    path.write_text(change(search.FILE.read_text(encoding="utf-8")), encoding="utf-8")
    refuses(search.PatternsError, message, search.read_patterns, path)


@pytest.mark.parametrize(("name", "values"), [("squares", [1, 2]), ("lead", [10**6] * 8), ("lines", [5] * 135)])
def test_a_file_of_other_weights_is_refused(tmp_path: Path, name: str, values: list[int]) -> None:
    content = json.loads(search.FILE.read_text(encoding="utf-8"))
    del content["hash"]
    content["weights"]["subtle"][name] = values
    path = tmp_path / "patterns.json"
    path.write_text(json.dumps({**content, "hash": search.hash_of(content)}), encoding="utf-8")
    refuses(search.PatternsError, name, search.read_patterns, path)


def test_alpha_beta_finds_what_every_reply_would() -> None:
    game = tercet.game("sparklies", board="4x4", ruleset="speed")
    planner, search = make_planner(game, 10), TurnSearch(game, learnt=True)
    look = Look(2, 0, 40, Effort(1, 1, 4, 8, 20_000, 40))
    for position in turn_starts(game, 6):
        mover = position.mover or 0
        worths = [
            -search.best(reply.row, look.effort, WON, 10**6)
            if reply.row[layout.STATUS] == layout.PLAYING
            else reply.value
            for reply in search.replies(position.row, look.effort, 10**6)
        ]
        known = max(worths)
        assert planner.worth(position.row, mover, 2, look, -2 * WON, 2 * WON) == known
        assert planner.worth(position.row, 1 - mover, 2, look, -2 * WON, 2 * WON) == -known
        assert planner.worth(position.row, mover, 2, look, known - 1, known + 1) == known
        assert planner.worth(position.row, mover, 2, look, known, known + 9) <= known
        assert planner.worth(position.row, mover, 2, look, known - 9, known) >= known
