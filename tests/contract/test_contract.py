"""Every game keeps the contract of :mod:`tercet.testing` with all sets of options; the suite finds broken promises."""

import contextlib
import itertools
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import testing
from tercet.core.definition import GameDefinition
from tercet.core.editing import draft_of, draft_text
from tercet.core.game import Position
from tercet.core.presentation import position_view, table_view
from tercet.games import game_definition
from tests.support import heap, heap_kernels
from tests.support.division import thorough_but
from tests.support.play import random_game
from tests.support.present import module_at, present
from tests.support.refusals import refuses
from tests.support.texts import any_text


def option_sets(name: str) -> Any:
    return module_at(Path(__file__).with_name(f"options_{name}.py")).OPTION_SETS


def name_of(case: tuple[str, dict[str, Any]]) -> str:
    return "-".join([case[0], *(f"{key}={value}" for key, value in case[1].items())])


CASES = [(name, options) for name in tercet.games() for options in option_sets(name)]
FEW = [(name, options) for name in tercet.games() for options in option_sets(name)[::4]]
PER_CASE = pytest.mark.parametrize(
    ("name", "options"), thorough_but(lambda case: case in FEW, CASES), ids=[name_of(case) for case in CASES]
)
PER_GAME = pytest.mark.parametrize("name", tercet.games())


@PER_CASE
def test_random_games_keep_the_contract(name: str, options: dict[str, Any]) -> None:
    big = len(tercet.game(name, **options).board) > 300
    testing.check_game(name, [options], *((1, 150) if big else (3, 400)))
    *_, position = random_game(tercet.game(name, **options).start(seed=5), 5, 6)
    testing.check_symmetries(position)


@PER_CASE
def test_positions_are_set_up_from_their_parts(name: str, options: dict[str, Any]) -> None:
    """What the editor takes apart it puts together again, and it knows each content and each value."""
    game = tercet.game(name, **options)
    editor = present(game.definition.editor)
    layers = [{content.text for content in layer} for layer in editor.layers(game)]
    for position in random_game(game.start(seed=2), 2, 59):
        draft = draft_of(position)
        assert draft_text(game, *draft) == str(position)
        assert all(set(each) <= texts for each, texts in zip(zip(*draft.cells, strict=True), layers, strict=True))
        for field in editor.fields(game):
            assert field.read(draft.values[field.name]) == draft.values[field.name]


@PER_CASE
def test_whatever_is_set_up_is_legal_or_refused_where_it_is_wrong(name: str, options: dict[str, Any]) -> None:
    """Random contents and values: the reader names a field, a cell or the whole, and what it takes can be shown."""
    game = tercet.game(name, **options)
    editor, rng = present(game.definition.editor), random.Random(3)
    layers, fields = editor.layers(game), editor.fields(game)
    cells, values = draft_of(game.start(seed=3))
    known = {field.name.partition(".")[0] for field in fields} | {"cells"}
    for _ in range(60):
        for _ in range(rng.choice((1, 1, 1, 9))):
            layer = rng.randrange(len(layers))
            cells[rng.randrange(len(cells))][layer] = rng.choice(layers[layer]).text
        field = rng.choice(fields)
        values[field.name] = rng.choice(list(field.choices or {"bool": (False, True), "int": range(4)}[field.kind]))
        wrong = ""
        try:
            position = game.parse(draft_text(game, cells, values))
            assert draft_of(position).cells == cells
            position_view(position)
        except tercet.ParseError as refused:
            wrong = refused.where
        except tercet.OptionError as refused:  # a number beyond what the field may have under these options
            wrong = refused.option
        if wrong:
            assert wrong in known or wrong.removeprefix("cell ") in game.board.index, wrong
            cells, values = draft_of(game.start(seed=3))


@pytest.mark.online
@PER_GAME
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_text_is_read_or_refused(name: str, data: st.DataObject) -> None:
    position = tercet.game(name, **option_sets(name)[0]).start(seed=data.draw(st.integers(0, 3)))
    for _ in range(data.draw(st.integers(0, 5))):
        position = position.play(data.draw(st.sampled_from(list(position.legal_actions))))
    written = str(position)
    legal = [str(action) for action in position.legal_actions]
    if data.draw(st.booleans()):
        text = data.draw(any_text(60))
    else:  # something real with a few characters changed
        text = data.draw(st.sampled_from([written, *legal[:50]]))
        for _ in range(data.draw(st.integers(0, 4))):
            at = data.draw(st.integers(0, len(text)))
            text = text[:at] + data.draw(any_text(3)) + text[at + data.draw(st.integers(0, 3)) :]
    testing.check_foreign_text(position, text)


@PER_GAME
def test_options_are_refused_by_name(name: str) -> None:
    refuses(tercet.OptionError, "no_such_option", tercet.game, name, no_such_option=1)
    for option in tercet.game(name).definition.options:
        if option.kind in ("int", "choice", "bool"):
            refuses(tercet.OptionError, option.name, tercet.game, name, **{option.name: "nonsense?"})
            assert option.read(option.write(option.default)) == option.default


@pytest.mark.long
@pytest.mark.timeout(0)
@PER_CASE
def test_many_random_games_keep_the_contract(name: str, options: dict[str, Any]) -> None:
    compiled, interpreted = testing.both(name, options)
    for seed in range(int(os.environ.get("TERCET_GAMES", "100"))):
        testing.play_in_step(compiled, interpreted, seed, limit=2000)


@PER_GAME
def test_what_is_not_declared_is_not_there(name: str) -> None:
    """Without its optional parts a game is still a game, and says of each that it has none."""
    ours = tercet.game(name, **option_sets(name)[0]).definition
    required = ("name", "title", "designer", "year", "summary", "options", "pack", "kernels", "notation", "view")
    bare = GameDefinition(**{part: getattr(ours, part) for part in required})
    game = tercet.Game(bare, option_sets(name)[0], "interpreted")
    position = game.start(seed=1)
    assert not position.turn_is_open
    assert position.tally is None
    assert position.margins is None
    assert (position.images(), position.note) == ([position], "")
    assert position.short_text(position.legal_actions[0]) == str(position.legal_actions[0])
    assert all(position.may_resign(player) for player in range(len(game.players)))
    refuses(tercet.NotOffered, name, position.resign, 0)
    refuses(tercet.NotOffered, name, position.agree_draw)
    table, shown = table_view(game), position_view(position)
    assert (table["skins"], table["explorations"], table["standing"]) == ([], [], None)
    assert (shown["gestures"], shown["standing"], shown["askable"]) == ([], None, None)
    assert shown["scene"]["partial"] is False


@PER_GAME
def test_what_is_declared_works(name: str) -> None:
    definition = tercet.game(name).definition
    for options in option_sets(name)[:2]:
        for position in random_game(tercet.game(name, **options).start(seed=2), 2, 24):
            testing.check_abilities(position)
    if definition.statistics is not None:
        game = tercet.game(name, **option_sets(name)[0])
        position, moved = game.start(1), random.Random(1)
        count = definition.statistics.count(position)
        while not position.is_over:
            done = position.transition(moved.choice(position.legal_actions))
            count.follow(position, done)
            position = done.after
        counts = count.end(position)
        assert json.loads(json.dumps(counts)) == counts, "a count is of a type that JSON does not have"
        found = definition.statistics.summary(game, [counts, counts])
        assert json.loads(json.dumps(found)).keys() == found.keys()
        assert definition.statistics.report(game, found)
    if definition.skins is not None and definition.skins.art is not None:
        for skin in definition.skins.offered:
            assert definition.skins.art(tercet.game(name), skin.id).symbols


@PER_GAME
def test_every_kind_of_event_is_declared_and_no_other(name: str) -> None:
    game = tercet.game(name, execution="interpreted")
    kinds = set()
    for number in range(1, 32):
        with contextlib.suppress(KeyError):  # no event of the kernels
            kinds.add(game.definition.view.event(game, (number, 1, 1, 1)).kind)
    assert kinds == set(game.definition.events)


PLAYED: list[tuple[str, dict[str, Any]]] = [
    ("sanqi", {"side": 4}),
    ("triplicity", {}),
    ("sparklies", {"board": "4x4"}),
    ("sparklies", {"board": "4x4", "ruleset": "speed"}),
    ("sparklies", {"board": "4x4", "mode": "duel"}),
]
CHOICES = 8


def refused(position: Position, chance: random.Random) -> Iterator[list[str]]:
    """What may have been chosen, and then a cell with which no legal action goes on."""
    paths = [set(path[1]) for path in position_view(position)["paths"]]
    picks = ["#" + pick["id"] for pick in table_view(position.game)["picks"]]
    cells = sorted({step for path in paths for step in path if not step.startswith("#")})
    begun = [[], *([pick] for pick in picks), *([cell] for cell in cells)]
    begun += [list(pair) for pair in itertools.product(picks, cells)]
    begun = [  # with which a path goes on to a cell
        before
        for before in begun
        if any(path.issuperset(before) and any(step[:1] != "#" for step in path.difference(before)) for path in paths)
    ]
    chosen = [begun[0], *chance.sample(begun[1:], min(CHOICES, len(begun) - 1))]
    for before, cell in itertools.product(chosen, position.game.board.names):
        steps = {*before, cell}
        if cell not in before and not any(steps <= path or path == {cell} for path in paths):
            yield [*before, cell]


@pytest.mark.parametrize(("name", "options"), PLAYED, ids=str)
def test_no_choice_is_refused_in_silence(name: str, options: dict[str, Any]) -> None:
    chance, told = random.Random(7), 0
    attempt = present(game_definition(name).attempt)
    for seed in range(6):
        start = tercet.game(name, execution="interpreted", **options).start(seed=seed)
        *_, position = random_game(start, chance, chance.randrange(60))
        if position.is_over:
            continue
        legal = {str(action) for action in position.legal_actions}
        for steps in refused(position, chance):
            action = attempt(position, steps)
            assert action is not None, (str(position), steps)
            if action in legal:  # the page takes the cell alone
                continue
            assert refuses(tercet.IllegalAction, None, position.action, action).why, (str(position), steps)
            told += 1
    assert told > 20


def play_heaps(**exchanged: Any) -> None:
    testing.play_in_step(heap.heap("compiled", **exchanged), heap.heap("interpreted", **exchanged), seed=1)


def test_broken_promises_are_found() -> None:
    """Scores are zeros while the game goes on, all legal actions are drawn alike, and every entry is written."""
    # A game without a fault passes.
    play_heaps()
    game = heap.heap()
    testing.check_observation(game, game.start())
    for scores in (heap_kernels.half_each, heap_kernels.scores_left_alone):
        refuses(AssertionError, "the game goes on at ply 0", play_heaps, scores=scores)
    for sample in (heap_kernels.first_legal, heap_kernels.never_last, heap_kernels.favours_first):
        refuses(AssertionError, "sample does not draw uniformly", play_heaps, sample=sample)
    game = heap.heap(observe=heap_kernels.writes_ones)
    refuses(AssertionError, None, testing.check_observation, game, game.start())
