"""Openings of SanQi in which one player sets up and the other chooses a side, and positions from the book."""

import json
import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tercet
from benchmarks import sanqi_openings
from benchmarks.sanqi_openings import placed
from tercet import testing
from tercet.engines import level
from tercet.engines.base import Limits
from tercet.games.sanqi.kernels import layout
from tercet.games.sanqi.rules import even_positions
from tests.support.play import play, random_game, texts
from tests.support.present import present
from tests.support.refusals import refuses

SETTER, CHOOSER = 0, 1


def played(*actions: str, **options: Any) -> tercet.Position:
    chosen: dict[str, Any] = {"side": 5, "opening": "swap", "setup": 3, **options}
    return play(tercet.game("sanqi", **chosen).start(), *actions)


def test_the_setter_places_the_pieces_and_nothing_else() -> None:
    position = played()
    assert position.game.players == ("Setter", "Chooser")
    for number, action in enumerate(("Re5", "Be6", "Rd6")):
        assert (position.mover, len(position.legal_actions)) == (SETTER, 3 * (61 - number))
        assert "x" not in "".join(map(str, position.legal_actions))
        position = position.play(action)
    assert position.mover == CHOOSER
    position = played("Re5", "Bf5", "Re6", setup=5)
    refuses(tercet.IllegalAction, "pieces can't be replaced during the set-up", position.play, "Rxf5")


def test_the_chooser_moves_as_second_or_swaps() -> None:
    for actions, mover, end in (
        (("Ya5",), SETTER, " F a5 -"),
        (("swap",), SETTER, " S d6 begun-swapped"),
        (("swap", "Ya5"), CHOOSER, " F a5 swapped"),
    ):
        position = played("Re5", "Be6", "Rd6", *actions)
        assert (position.mover, "swap" in position.legal_actions) == (mover, False)
        assert str(position).endswith(end)


def test_the_winner_is_the_player_not_the_side() -> None:
    ring = ("Re6", "Rd6", "Rd5", "Re4", "Rf4")  # five of the ring around e5
    position = played(*ring, "swap", "Ya5", setup=5)
    won = position.play("Rf5")  # the Chooser, as First, completes the circle
    assert present(won.outcome).winners == (CHOOSER,)
    assert won.scores == (0.0, 1.0)
    assert won.game.definition.view.scene(won).result == "Chooser wins with a circle."
    assert position.transition("Rf5").events[-1].says == "Chooser wins with a circle."
    straight = played(*ring, "Ya5", "Rf5", setup=5)  # the Setter is First
    assert present(straight.outcome).winners == (SETTER,)


def test_a_pattern_of_the_set_up_counts_at_the_end_of_its_owners_next_turn() -> None:
    position = played("Re6", "Rd6", "Rd5", "Re4", "Rf4", "Rf5", setup=6)
    assert not position.is_over
    begun = position.play("swap")  # nothing is judged by a swap
    assert not begun.is_over
    assert begun.game.parse(str(begun)) == begun
    lost = play(begun, "Ya5", "Ya6")  # Second leaves it standing
    assert present(lost.outcome).winners == (CHOOSER,)


def test_swap2_lets_the_chooser_add_two_pieces_and_the_setter_choose() -> None:
    position = played("Re5", "Be6", "Rd6", opening="swap2")
    adding = position.play("add")
    answer = play(adding, "Ya5", "Bi5")
    choices = [(one.mover, texts(one) & {"swap", "add"}) for one in (position, adding, answer)]
    assert choices == [(CHOOSER, {"swap", "add"}), (CHOOSER, set()), (SETTER, {"swap"})]
    first, second = answer.play("swap"), answer.play("Yb5")  # the Setter is First, or has moved as Second
    assert first.mover == second.mover == CHOOSER
    assert str(first).endswith(" S i5 begun")
    assert str(second).endswith(" F b5 swapped")


def test_swap_and_add_are_refused_with_the_rule() -> None:
    for position, action, why in (
        (played("Re5"), "swap", "only when it is your turn to choose a side"),
        (played("Re5", "Be6", "Rd6"), "add", "Only the Chooser can add two pieces"),
        (tercet.game("sanqi", side=5).start(), "swap", "Write a move as a kind and a cell"),
    ):
        refuses(tercet.IllegalAction, why, position.play, action)


@pytest.mark.parametrize(
    "text",
    [
        "sanqi/4,opening=swap,setup=3 4/5/1R4/7/2R1R1/5/4 S d3",  # no stage
        "sanqi/4,opening=swap,setup=3 4/5/1R4/7/2R1R1/5/4 F d3 choice",  # not First's to choose
        "sanqi/4,opening=swap,setup=3 4/5/1R4/7/2R4/5/4 S d3 choice",  # two pieces of three
        "sanqi/4,opening=swap,setup=3 4/5/1R4/7/2R1R1/5/4 F d3 setup",  # all are set up
        "sanqi/4,opening=swap,setup=3 4/5/1R4/7/2R1R1/5/4 S d3 add",  # there is no adding
        "sanqi/4,opening=swap,setup=2 4/5/6/7/6/5/4 F - setup",
        "sanqi/4 4/5/6/7/6/5/4 F - setup",
        "sanqi/4,opening=book 4/5/6/7/6/5/4 S -",  # no book for side 4
    ],
)
def test_stages_that_do_not_fit_are_refused(text: str) -> None:
    with pytest.raises((tercet.ParseError, tercet.OptionError)):
        tercet.parse(text)


def choosing(position: tercet.Position) -> int | None:
    """Return the player beside whom the page says that they choose a side."""
    chooses, waits, _ = position.game.definition.view.scene(position).panels
    assert chooses.lines == ("chooses First (a circle) or Second (a line of six)",)
    assert waits.lines == ("plays the side that is left",)
    assert {chooses.player, waits.player} == {SETTER, CHOOSER}
    return chooses.player


def test_prompts_say_whose_choice_it_is() -> None:
    view = tercet.game("sanqi", side=5, opening="swap2").definition.view
    position = played(opening="swap2")
    assert view.scene(position).prompt == "Setter: place piece 1 of 3. Then the Chooser chooses a side."
    position = play(position, "Re5", "Be6", "Rd6")
    assert view.scene(position).prompt.startswith("Chooser: place a piece to play Second, take First, or add")
    assert choosing(position) == CHOOSER
    adding = position.play("add")
    assert view.scene(adding).prompt == "Chooser: add piece 1 of 2. Then the Setter chooses a side."
    assert choosing(adding) == SETTER
    answer = adding.play("Ya5").play("Bi5")
    assert view.scene(answer).prompt == "Setter: choose a side. Place a piece to play Second, or take First."
    assert choosing(answer) == SETTER
    begun = position.play("swap")
    assert view.scene(begun).prompt == "Setter as Second: place a piece, or replace one."
    assert [panel.player for panel in view.scene(begun).panels] == [1, 0, None]


def test_the_planes_tell_sides_and_stages() -> None:
    position = played("Re5", "Be6", "Rd6")
    planes = {name: place for place, name in enumerate(position.game.rules.planes)}

    def told(position: tercet.Position, player: int) -> list[float]:
        seen = position.observe(player)
        return [float(seen[planes[name]].max()) for name in ("player is First", "setting up", "may swap", "may add")]

    assert told(position, CHOOSER) == [0.0, 0.0, 1.0, 0.0]
    assert told(position.play("swap"), CHOOSER) == [1.0, 0.0, 0.0, 0.0]
    assert told(played("Re5"), SETTER) == [1.0, 1.0, 0.0, 0.0]


def test_the_book_is_drawn_by_the_seed_and_only_some_sides_have_one() -> None:
    game = tercet.game("sanqi", side=6, opening="book")
    starts = [game.start(seed) for seed in range(200)]
    assert len(set(starts)) > 100
    assert game.start(7) == game.start(7)
    book = (placed(game, even.actions) for even in even_positions(6))
    known = {game.parse(str(position)).canonical_key() for position in book}
    assert {start.canonical_key() for start in starts} <= known
    assert all(start.mover == 1 and not start.is_over for start in starts)
    drawn = {str(game.start(seed)).split(" ")[1] for seed in range(20_000)}
    assert {rows.translate(str.maketrans("YB", "BY")) for rows in drawn} == drawn, "all names of the types are drawn"
    compiled, interpreted = testing.both("sanqi", {"side": 6, "opening": "book"})
    assert [str(compiled.start(seed)) for seed in range(20)] == [str(interpreted.start(seed)) for seed in range(20)]
    refuses(tercet.OptionError, "no book of openings for side 30", tercet.game, "sanqi", side=30, opening="book")


@pytest.mark.parametrize("side", [6, 8, 10])
def test_each_position_of_the_books_is_split_by_level_9(side: int) -> None:
    found = even_positions(side)
    assert found
    assert all(0.4 <= even.won / even.games <= 0.6 for even in found)


@pytest.mark.parametrize("opening", ["swap", "swap2"])
def test_engines_set_up_and_choose(opening: str) -> None:
    game = tercet.game("sanqi", side=6, opening=opening, setup=4)
    engines = [level(game, 9, seed=1), level(game, 9, seed=2)]
    position = game.start()
    while position.row[layout.STAGE] != layout.PLAYED:
        thought = engines[position.mover or 0].think(position, Limits())
        assert thought.action in position.legal_actions
        position = position.play(thought.action)
    assert len(game.board) - position.row[layout.VACANT] in (4, 5)


def test_an_engine_takes_the_side_that_wins() -> None:
    engine = level(tercet.game("sanqi", side=5, opening="swap", setup=5), 9, seed=1)
    line = played("Rb5", "Rc5", "Rd5", "Re5", "Rf5", setup=5)  # Second completes it now
    thought = engine.think(line, Limits(multipv=2))
    assert str(thought.action) in ("Ra5", "Rg5")
    assert thought.info.lines[0].scores[CHOOSER] > 0.9
    assert {known.pv[0] for known in thought.info.lines} >= {"swap"}
    rings = played("Re6", "Rd6", "Rd5", "Re4", "Rf4", "Bi1", "Bi2", "Bh1", "Bg2", "Bg3", setup=10)
    assert str(engine.think(rings, Limits()).action) == "swap"  # First completes one of two circles at the next turn


def test_tree_search_knows_the_choice() -> None:
    """Without the engine that plans openings: the search sees that a side which wins is there for the taking."""
    game = tercet.game("sanqi", side=4, opening="swap", setup=5)
    rng = random.Random(1)
    for _ in range(3):
        *_, position = random_game(game.start(), rng, 5)
        testing.check_position(position, rng)
    line = play(game.start(), "Rb4", "Rc4", "Rd4", "Re4", "Rf4")
    assert present(present(game.definition.engine.make_prover)(game).prove(line)).turns == 1


def test_an_engine_sets_up_what_its_own_search_finds_even() -> None:
    game = tercet.game("sanqi", side=6, opening="swap", setup=4)
    engine = level(game, 9, seed=3)
    shares = []
    for seed in range(3):
        engine.new_game(seed)
        position = game.start()
        while position.mover == SETTER:
            position = position.play(engine.think(position, Limits()).action)
        engine.new_game(100 + seed)
        shares.append(engine.think(position.play("swap"), Limits()).info.lines[0].scores[SETTER])
    assert all(0.3 <= share <= 0.7 for share in shares), shares


def test_a_book_has_positions_that_are_even_in_all_their_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found.jsonl"
    even, image, lopsided = ["Rg6", "Rf8", "Bd7"], ["Yg6", "Yf8", "Rd7"], ["Rg6", "Ye6", "Bf6"]

    def note(order: list[str], won: float, games: int, side: int = 6) -> None:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"side": side, "order": order, "won": won, "n": games}) + "\n")

    note(even, 13, 24)
    note(lopsided, 12, 24)
    note(even, 1, 4, side=8)
    sanqi_openings.book(6, 24, out)
    assert capsys.readouterr().out == "Rg6 Rf8 Bd7 = 13/24\nRg6 Ye6 Bf6 = 12/24\n"
    sanqi_openings.book(6, 25, out)
    assert capsys.readouterr().out == ""
    note(image, 9, 24)  # the same position, its types renamed
    note(lopsided, 2, 24)
    sanqi_openings.book(6, 25, out)
    assert capsys.readouterr().out == "Rg6 Rf8 Bd7 = 22/48\n"
    sanqi_openings.refine(6, 49, 1, out)
    (one, other) = sanqi_openings.found_in(out, 6)
    assert (one.games, other.games) == (72, 48), "more games of what is split only"


def test_a_scene_never_goes_through_the_legal_actions_one_by_one() -> None:
    """The prompt did, to learn whether a piece can be replaced: the server paid for that with each move."""
    position = tercet.game("sanqi").start()
    view, calls = position.game.definition.view, 0
    for _ in range(3):
        view.scene(position)  # with what is made once for the board
        position = position.play(position.legal_actions[0])

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        view.scene(position)
    finally:
        sys.setprofile(None)
    assert calls < 100 < len(position.legal_actions)


def test_the_statistics_have_the_points_of_first_whoever_that_is() -> None:
    """And neither a set-up piece nor a choice is a turn."""
    found = set()
    for number in range(8):
        game = tercet.game("sanqi", side=4, opening="swap2")
        position, chance, turns = game.start(), random.Random(number), 0
        assert game.definition.statistics is not None
        count = game.definition.statistics.count(position)
        while not position.is_over:
            swaps = number % 2 == 1 and "swap" in position.legal_actions
            done = position.transition("swap" if swaps else chance.choice(position.legal_actions))
            count.follow(position, done)
            turns += position.row[layout.STAGE] < layout.CHOOSING
            position = done.after
        counts = count.end(position)
        swapped = int(position.row[layout.SWAPPED])
        assert (counts["first"], sum(counts["pieces"])) == (present(position.scores)[swapped], turns)
        found.add((swapped, counts["first"]))
    assert len(found) > 2
    start = tercet.game("sanqi", side=4).start()
    assert "first" not in present(start.game.definition.statistics).count(start).end(start)
