"""What the engine chooses where a person knows what is right, and what weak levels take and overlook."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Action, Position
from tercet.core.abilities.engine import Plan
from tercet.engines import LEVELS, EngineError, Limits, engine, level
from tercet.games.triplicity.engine import planner
from tercet.games.triplicity.engine.kernels import evaluation, memory
from tercet.games.triplicity.engine.planner import KING, OTHERS, QUIET, SAVING, SearchPlanner, attention
from tercet.games.triplicity.engine.planner import LEVELS as STRENGTHS
from tercet.games.triplicity.engine.tablebase import Endings
from tercet.games.triplicity.kernels import layout
from tests.support.play import chosen, play, texts
from tests.support.present import present
from tests.triplicity.engine.thinking import choose, place, planned, wild
from tests.triplicity.men import START

pytestmark = pytest.mark.thorough  # compiles the search of the planner

MODES = [memory.PARANOID, memory.BEST_REPLY]


def text(position: Position, plan: Plan) -> str:
    return str(Action(plan.actions[0], position))


@pytest.mark.parametrize("mode", MODES)
def test_takes_kings_and_refuses_a_finished_game(mode: int) -> None:
    position = place("wKa1 wRg5 bKg9 bQf8", states="a,a,v")
    (plan,) = choose(position, mode=mode)
    assert text(position, plan) == "g5xg9"
    assert (list(plan.scores), plan.note) == ([1, 0, 0], "win in 1")
    thought = engine("mcts", position.game, seed=1).think(position, Limits(nodes=10))
    assert (str(thought.action), thought.info.lines[0].note) == ("g5xg9", "win in 1"), "the general search, too"
    with pytest.raises(EngineError, match="over"):
        level(position.game, 10).think(position.play("g5xg9"), Limits(nodes=10))


CHOICES = {  # of two captures by a rook: men, coins, the better one and the other one
    "a king": ("wKa1 wRg5 wNb3 bKg9 bNm12 bNl12 rNd5 rKb12 rPe9", "3,3,3", "g5xg9", "g5xd5"),
    "no king where two queens and a rook would then win for the third player, but one of the queens": (
        "wKa1 wRg5 wPb3 wPa2 bKg9 bNm12 bNl12 rQd5 rKb12 rQe13 rRd13 rPe12 rPd12", "0,0,0", "g5xd5", "g5xg9",
    ),
    "a knight of the enemy who is far ahead, where neither can be retaken": (
        "wKb1 wRg7 wPa2 wPb2 wPc2 wPd2 bKm12 bNg11 bPl12 rKc13 rBd13 rBe13 rRf13 rNb12 rPc12 rPd12 rPe12 rNc7",
        "2,2,2", "g7xc7", "g7xg11",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("men", "tokens", "better", "other"), CHOICES.values(), ids=CHOICES)
def test_takes_what_is_worth_more(men: str, tokens: str, better: str, other: str, mode: int) -> None:
    position = place(men, tokens=tokens)
    assert {better, other} <= texts(position)
    assert text(position, choose(position, mode=mode)[0]) == better


@pytest.mark.parametrize("mode", MODES)
def test_saves_its_last_king_from_both_others(mode: int) -> None:
    """Black's rook attacks White's king, and Black is next; or Red's, who is after next, and Black cannot interfere."""
    for men, tokens, enemy in (
        ("wKg7 wQa3 wPd3 bRg11 bKm13 bNl12 rKa11 rNb12", "5,5,5", layout.BLACK),
        ("wKg7 wNa3 wPd3 rRg11 bKm13 bPl12 rKa11 rNb12", "0,0,0", layout.RED),
    ):
        position = place(men, tokens=tokens)
        after = position.play(choose(position, mode=mode)[0].actions[0])
        king = after.game.kernels.king_cell(after.game.data, after.row, layout.WHITE)
        assert not after.game.kernels.attacked(after.game.data, after.row, king, enemy, -1)


def falls_at_once(position: Position, player: int) -> bool:
    """Whether whoever is next can take ``player``'s last king."""
    return any(
        position.play(number).row[layout.STATE + player] == layout.VANQUISHED
        for number in position.legal_actions.ids
        if number < layout.PURCHASES
    )


def stands_safe(position: Position, player: int) -> bool:
    """Whether no enemy attacks a last king of ``player``'s, or he has won."""
    if position.is_over:
        return bool(position.row[layout.STATE + player] == layout.ACTIVE)
    if position.row[layout.KINGS + player] > 1:
        return True
    row, data = position.row, position.game.data
    king = position.game.kernels.king_cell(data, row, player)
    enemies = [enemy for enemy in range(3) if enemy != player]
    return not any(position.game.kernels.attacked(data, row, king, enemy, -1) for enemy in enemies)


@pytest.mark.parametrize(
    "position",
    [
        "1rK5rQ2rP/12/8bRbK3/1wK1wP2bP5/7bPbP2/10/9/8/7/6/5/4/3 W 1,2,2 a,a,a 1 -",
        "2bP8/12/2rKrR9/1rB10/4rPrP3bP1/2wQ5bPbP/9/8/1wR3wP1/4bK1/2wN2/2wK1/3 B 1,2,1 a,a,a 2 -",
        "11/12/7rP2bK2/7rK4/11/7rN2/9/8/2wP1wQ2/1wPwP3/3wKwP/4/1rP1 B 2,4,0 a,a,a 3 -",
    ],
)
def test_who_is_wary_fears_what_both_enemies_do_together(position: str) -> None:
    """From games that ended so: the search of best replies lets one enemy move, and the king falls to the other."""
    found = tercet.parse(f"triplicity {position}")
    player = present(found.mover)
    for wary in (False, True):
        (plan,) = choose(found, nodes=3000, mode=memory.BEST_REPLY, wary=wary)
        chosen = found.play(plan.actions[0])
        after = [one for one in map(chosen.play, chosen.legal_actions.ids) if one.mover not in (None, player)]
        assert any(falls_at_once(one, player) for one in after if not one.row[layout.PENDING]) is not wary


def test_never_leaves_its_last_king_to_the_next_player() -> None:
    """In tangled positions with kings about to fall: what the rules alone say can be helped is helped."""
    pressed = 0
    for seed in range(90):
        position = wild(seed, 40 + 2 * seed)
        player = position.mover
        if player is None or position.row[layout.PENDING] or stands_safe(position, player):
            continue
        if not any(stands_safe(position.play(number), player) for number in position.legal_actions.ids):
            continue
        pressed += 1
        for mode in MODES:
            thinker = SearchPlanner(position.game, replace(STRENGTHS[8], mode=mode, table=10, endings=False), seed)
            following = position.play(planned(thinker, position, 2_000)[0].actions[0])
            assert following.is_over or not falls_at_once(following, player), f"{mode}: {position}"
    assert pressed >= 8


@pytest.mark.parametrize("mode", MODES)
def test_buys_the_man_that_saves_its_king_and_else_plays_on(mode: int) -> None:
    """White's king, shut in by his own men, is attacked by a rook: only a pawn bought between them helps."""
    position = place("wKa1 wRb1 wPb2 wPb3 wPc2 bRa3 bKm13 bNl12 rKc13 rNd12", tokens="3,0,0")
    saving = [str(a) for a in position.legal_actions if not falls_at_once(position.play(a), layout.WHITE)]
    assert saving == ["P@a2"] == [text(position, choose(position, mode=mode)[0])]
    # The same without a token: the king falls whatever White does, and he still does something.
    position = place("wKa1 wRb1 wPb2 wPb3 wPc2 bRa3 bKm13 bNl12 rKc13 rNd12")
    assert all(falls_at_once(position.play(a), layout.WHITE) for a in position.legal_actions)
    plan = choose(position, mode=mode)[0]
    assert position.allows(plan.actions[0])
    assert plan.scores[0] == 0


def test_shares_tell_from_which_enemy_an_action_takes() -> None:
    """Without that, no action of a player without hope could decide between the other two: see `engines.politics`."""
    position = place("wKb1 wRg7 wPa2 bKm12 bNg11 bPl12 bRl11 rKc13 rPd12 rRf13 rNc7", tokens="2,2,2")
    plans = {text(position, plan): plan for plan in choose(position, lines=12)}
    black, red = plans["g7xg11"].scores, plans["g7xc7"].scores
    assert black[1] / black[2] < red[1] / red[2]
    assert sum(black) == sum(red) == pytest.approx(1)


def test_pays_and_promotes_well_and_respects_jeopardy() -> None:
    position = place("wKa1 wQc3 wRd2 wPd4 bKm12 bRl12 rKb12 rRa11", turn="W", pending="b", tokens="0,0,0")
    assert text(position, choose(position)[0]) in ("~d2", "~d4")
    position = place("wKa1 wPg12 bKm12 bPl11 rKa11 rPb11", tokens="0,0,0")
    assert text(position, choose(position)[0])[-2:] in ("=Q", "=K")
    # The king may not be taken; the engine finds something else without being told of the rule.
    position = place("wKg5 wRg7 bKg9 bPm12 rKb12 rRb5", tokens="0,0,0")
    assert "g7xg9" not in texts(position)
    assert position.allows(choose(position)[0].actions[0])


def test_lines_are_different_and_best_first() -> None:
    position = tercet.game("triplicity").start()
    plans = choose(position, nodes=20_000, lines=4)
    assert len(plans) == len({plan.actions for plan in plans}) == 4
    assert [plan.scores[0] for plan in plans] == sorted((plan.scores[0] for plan in plans), reverse=True)
    for plan in plans:
        assert sum(plan.scores) == pytest.approx(1)
        play(position, *plan.line)


@pytest.mark.parametrize(("options", "states"), [
    ({"jeopardy": "no-successive"}, "a,a,a"), ({"jeopardy": "off", "drops": "anywhere"}, "a,a,a"), ({}, "a,r,a"),
    ({"quiet_limit": 3}, "a,a,a"), ({"points": "3-1-0", "tribute": "double"}, "a,a,a"),
    ({"points": "3-1-0", "ends": "first", "drops": "near"}, "a,a,a"), ({"points": "3-1-0"}, "a,r,a"),
])  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_plays_every_option_and_resigned_games(options: dict[str, Any], states: str, mode: int) -> None:
    position = place("wKa1 wRg5 wNd4 bKm12 bRg9 bPf8 rKb12 rNe7 rPd9", tokens="12,12,12", states=states, **options)
    thinker = SearchPlanner(position.game, replace(STRENGTHS[8], mode=mode, table=10), 1)
    for _ in range(6):
        if position.is_over:
            break
        plan = planned(thinker, position, 300)[0]
        assert position.allows(plan.actions[0])
        position = position.play(plan.actions[0])


@pytest.mark.parametrize("number", [level.number for level in LEVELS])
def test_every_level_plays_and_the_same_seed_the_same(number: int) -> None:
    one, other = (level(START.game, number, seed=9) for _ in range(2))
    position = START
    for _ in range(6):
        thought, again = (player.think(position, Limits(nodes=2000)) for player in (one, other))
        assert thought.action == again.action
        assert thought.info.lines[0].pv[0] == str(thought.action)
        assert sum(thought.info.lines[0].scores) == pytest.approx(1)
        position = position.play(thought.action)  # which it allows


def test_a_higher_level_sees_more() -> None:
    nodes = [level(START.game, number, seed=1).think(START, Limits()).info.nodes for number in range(1, 10)]
    assert nodes == sorted(nodes)
    assert nodes[0] * 500 < nodes[-1]


def test_the_line_takes_no_longer_than_the_choice() -> None:
    for seed in range(6):
        position = wild(seed, 60)
        thinker = SearchPlanner(position.game, STRENGTHS[8], seed)
        (plan,) = planned(thinker, position)
        assert len(plan.line) > 1
        least = planner.PV_LENGTH * planner.LEAST_PV_NODES
        assert thinker.search.nodes <= thinker.nodes + max(thinker.nodes, least)
        thinker.reset()
        thinker.lines = 0
        (bare,) = planned(thinker, position)
        assert (bare.actions, bare.line) == (plan.actions, plan.actions), "only the action was asked for"
        assert thinker.search.nodes == thinker.nodes


def test_stops_when_told_and_reports_on_the_way() -> None:
    stop, depths = threading.Event(), list[int]()

    def report(info: Any) -> None:
        depths.append(info.depth)
        if info.depth >= 3:
            stop.set()

    thought = level(START.game, 10, seed=1).think(START, Limits(infinite=True), stop=stop, on_info=report)
    assert thought.action in START.legal_actions
    assert depths == sorted(depths)
    assert depths[-1] >= 3


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Endings(tmp_path)
    monkeypatch.setattr(planner, "endings", lambda: own)


@pytest.mark.thorough  # solves them first
@pytest.mark.usefixtures("tables")
def test_knows_the_solved_endings() -> None:
    """King and rook against king, from the far corner: the engine says in how many turns, and keeps its word."""
    position = place("rKa1 rRa3 wKk10", turn="R", states="a,v,a", tokens="1,0,0")
    player = level(position.game, 9, seed=1)
    win, _, turns = player.think(position, Limits()).info.lines[0].note.rpartition(" ")
    assert win == "win in"
    assert int(turns) > 6
    for _ in range(2 * int(turns) - 1):
        position = position.play(player.think(position, Limits()).action)
    assert present(position.outcome).winners == (2,)
    # It promises no win that the quiet turns prevent.
    position = place("rKa1 rRa3 wKk10", turn="R", states="a,v,a", tokens="1,0,0", quiet=140)
    assert player.think(position, Limits()).info.lines[0].note == ""


@pytest.mark.parametrize("number", [1, 3, 6, 7])
def test_the_last_king_is_seldom_left_standing(number: int) -> None:
    position = place("wKa1 wRg5 wNb3 wPa2 bKg9 bQf8", states="a,a,v")
    wins = sum(position.play(action).is_over for action in chosen(position, number))
    assert wins >= (48 if number == 1 else 54 if number < 7 else 60)


def test_a_man_is_overlooked_more_often_the_weaker_the_level() -> None:
    position = place("wKa1 wRg5 wNb3 bKm13 bNl12 bQg9 rNd12 rKb12 rPe9")
    counts = [sum(str(action) == "g5xg9" for action in chosen(position, number)) for number in (1, 3, 8)]
    assert 15 <= counts[0] < counts[1] <= counts[2] == 60
    # Black's rook attacks a knight, and nothing else is to be won or lost.
    position = place("wKa1 wNg5 wPa2 wPb3 bRg9 bKm13 bNl12 rKb12 rNc12")

    def left(number: int) -> int:
        return sum("g9xg5" in texts(position.play(action)) for action in chosen(position, number))

    assert left(1) >= 10 > 4 >= left(7) >= left(8) == 0


def test_what_is_loud_is_seen_and_what_one_man_does_quietly_is_one_topic() -> None:
    position = place("wKa1 wRg5 wNb3 bKg9 bQd5 bRb8 rKb12 rNd12")
    found = {str(action): glance for action, glance in zip(position.legal_actions, attention(position), strict=True)}
    assert (found["g5xg9"].seen, found["g5xd5"].seen) == (KING, OTHERS)
    quiet = [glance for text, glance in found.items() if text.startswith("g5") and "x" not in text]
    assert len({glance.topic for glance in quiet}) == 1
    assert {glance.seen for glance in quiet} == {SAVING}, "the rook could be taken"
    assert {glance.seen for text, glance in found.items() if text.startswith("a1") and "x" not in text} == {QUIET}


def worths(position: Position) -> list[int]:
    search = SearchPlanner(position.game, STRENGTHS[10], 1).search
    return [search.standing(position, player) for player in range(3)]


def test_the_end_is_worth_what_the_options_say() -> None:
    """Under 3-1-0 the second has more than the first to fall, and less than anyone whose king stands."""
    two = "wKb1 rKf6 wRf8 rPd9"
    second = worths(place(two, states="a,v,a", points="3-1-0").play("f8xf6"))
    assert second[0] > evaluation.NEARLY > -evaluation.NEARLY > second[1]
    assert -evaluation.NEARLY < second[2] < min(worths(place(two, "R", states="a,v,a", points="3-1-0"))[::2])
    assert worths(place(two, states="a,v,a").play("f8xf6"))[2] < -evaluation.NEARLY
    three = "wKb1 bKf6 rKb12 wRf8 rPg9"
    captor = worths(place(three, ends="first").play("f8xf6"))
    assert captor[0] > evaluation.NEARLY > -evaluation.NEARLY > max(captor[1:])
    bystander = worths(place(three, ends="first", points="3-1-0").play("f8xf6"))
    assert bystander[0] > evaluation.NEARLY > bystander[2] > -evaluation.NEARLY > bystander[1]


def test_a_leader_has_less_to_gain_and_the_others_more_to_lose() -> None:
    men = "wKb1 wQc3 wQd4 wRe4 bKm12 bRl11 rKb12"
    usual, shared = worths(place(men)), worths(place(men, points="3-1-0"))
    assert 0 < shared[0] < usual[0]
    assert usual[1] < shared[1] < 0
    assert usual[2] < shared[2] < shared[1]


def test_plans_share_the_point_as_the_options_say() -> None:
    position = place("wKb1 rKf6 wRf8 rPd9", states="a,v,a", points="3-1-0")
    (plan,) = planned(SearchPlanner(position.game, STRENGTHS[8], 1), position, 500)
    assert (text(position, plan), plan.scores, plan.note) == ("f8xf6", (0.75, 0.0, 0.25), "win in 1")


@pytest.mark.parametrize("points", ["all", "3-1-0"])
def test_what_players_can_force_is_proved(points: str) -> None:
    """White takes the other king; a king that can be taken now is at the others' mercy."""
    two = place("wKb1 rKf6 wRf8 rPd9", states="a,v,a", points=points)
    assert planner.forced(two, 1_000) == (1, -1, -1 if points == "all" else 0), "the second keeps a quarter"
    assert planner.forced(place("wKb1 bKf6 wRf8 rKb12 rPd9 bPj9", points=points), 1_000)[1] == -1
    assert planner.forced(tercet.game("triplicity").start(), 300) == (0, 0, 0)
