"""The kernels against a slow turn written from the rules' words, and what must hold of chains."""

import random
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import cell_words
from tests.sparklies.positions import quadrille
from tests.support.play import playouts, random_game

TAKER = {"r": "b", "g": "r", "b": "g"}  # red takes green, green takes blue, blue takes red
Cells = dict[str, list[Any]]  # name to [colour, holder, active]


def cells_of(position: tercet.Position) -> Cells:
    """Colour, holder (0 nobody) and whether active, of each cell."""
    names = position.game.board.names
    words = zip(names, cell_words(position.row, len(names)), strict=True)
    return {name: ["rgb."[word & 3], (word >> 2) & 3, bool(word & 16)] for name, word in words}


def near(game: tercet.Game, name: str) -> list[str]:
    """Neighbours from the coordinates alone."""
    board = game.board
    x, y = board.coordinates[board.index[name]]
    found = []
    for dx, dy in [(1, 0), (0, 1), (-1, 0), (0, -1)] + [(-1, 1), (1, -1)] * (board.shape == "hexagon"):
        other = (x + dx, y + dy)
        if game.options["wrap"]:
            width, height = (int(side) for side in game.options["board"].split("x"))
            other = (other[0] % width, other[1] % height)
        if other in board.at:
            found.append(board.names[board.at[other]])
    return found


def captured(game: tercet.Game, cells: Cells, expression: str, player: int, pinged: str) -> set[str]:
    """Neighbours of ``pinged``, already in its new colour, that are under a valid attack of which it is part."""
    found = set()
    for name in near(game, pinged):
        colour = cells[name][0]
        if colour == ".":
            continue
        (prey,) = set("rgb") - {colour, TAKER[colour]}
        classes = {"T": TAKER[colour], "P": prey, "O": colour}
        valid, part = True, False
        for count, letter in re.findall(r"(\d)(\w)", expression):
            wanted = classes[letter.upper()]
            counted = [
                other
                for other in near(game, name)
                if cells[other][0] == wanted and (letter.isupper() or cells[other][1] == player)
            ]
            valid = valid and len(counted) >= int(count)
            part = part or pinged in counted
        if valid and part:
            found.add(name)
    return found


def ping(game: tercet.Game, cells: Cells, expression: str, player: int, name: str, colour: str) -> set[str]:
    """Ping in place; the cells captured."""
    cells[name][0], cells[name][2] = colour, False
    found = captured(game, cells, expression, player, name)
    for other in found:
        cells[other][1], cells[other][2] = player, True
    return found


EXPRESSIONS = ("2t", "2T", "3T", "2T+1P", "2T+2P", "2O", "1t", "2T+1t", "1o+1P", "1T+1t+1p")


def random_text(rng: random.Random, options: dict[str, Any], players: int = 2) -> str:
    """A position at the first ping of Black, colours and holders at random."""
    game = tercet.game("sparklies", **options)
    cells: Cells = {
        name: [rng.choice("rgb"), rng.choice([0, 1, 1, *range(1, players + 1)]), False] for name in game.board.names
    }
    cells[game.board.names[0]][1] = 1
    head, names = str(game.start()).split(" ")[0], game.board.names
    rows = ("".join(f"{cells[names[cell]][0]}{cells[names[cell]][1]}" for cell in row) for row in game.board.rows)
    return f"{head} {'/'.join(rows)} B p 0"


BOARDS: list[dict[str, Any]] = [{"board": "4x4"}, {"board": "5x3", "wrap": True}]
BOARDS += [{"board": "hex3", "players": 3}, {"board": "3x3", "wrap": True}]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_captures_are_those_of_the_rules_words(expression: str, board: dict[str, Any]) -> None:
    rng = random.Random(expression)
    some = 0
    for _ in range(40):
        position = tercet.parse(random_text(rng, {**board, "attack": expression}, board.get("players", 2)))
        game = position.game
        action = rng.choice(position.legal_actions)
        name, _, colour = str(action).partition("=")
        cells = cells_of(position)
        expected = ping(game, cells, expression, 1, name, colour.lower())
        cell = game.board.index[name]
        found = int(game.kernels.targets(game.data, position.row, 0, cell, "RGB".index(colour)))
        targets = [
            game.kernels.neighbour(game.data, cell, each) for each in range(game.board.degree) if found >> each & 1
        ]
        assert {game.board.names[target] for target in targets} == expected
        for other in near(game, name):
            under = (0, game.board.index[other], cell, "RGB".index(colour))
            assert bool(game.kernels.attacked(game.data, position.row, *under)) == (other in expected)
        told = {event.cells[0] for event in position.transition(action).events if event.kind == "captured"}
        assert told == expected
        following = position.play(action)
        if not following.is_over and expected:
            assert cells_of(following) == cells
        some += len(expected)
    if expression != "1T+1t+1p":
        assert some > 0, "nothing was ever captured: the test shows nothing"


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**30),
    expression=st.sampled_from(["2T", "2t", "1T", "3T", "2T+1t"]),
    board=st.sampled_from(BOARDS),
)
def test_the_result_of_speed_does_not_depend_on_the_order(seed: int, expression: str, board: dict[str, Any]) -> None:
    rng = random.Random(seed)
    options = {**board, "ruleset": "speed", "attack": expression}
    position = tercet.parse(random_text(rng, options, board.get("players", 2)))
    action = rng.choice(position.legal_actions)
    name, _, colour = str(action).partition("=")
    expected = cells_of(position.play(action))
    pings = sum(event.kind == "pinged" for event in position.transition(action).events)
    for order in range(4):
        cells, chance, made = cells_of(position), random.Random(f"{seed} {order}"), 1
        ping(position.game, cells, expression, 1, name, colour.lower())
        while active := [other for other, cell in cells.items() if cell[2]]:
            chosen = chance.choice(active)
            ping(position.game, cells, expression, 1, chosen, TAKER[cells[chosen][0]])
            made += 1
        assert (cells, made) == (expected, pings)


@pytest.mark.parametrize("board", ["5x5", "8x8", "hex4"])
def test_a_turn_of_playtest_2_ends_with_the_cap(board: str) -> None:
    game = tercet.game("sparklies", board=board, ruleset="playtest2")
    size = len(game.board)
    rng = random.Random(board)
    longest = 0
    for seed in range(6):
        position = game.start(seed)
        while not position.is_over:
            best = max(position.legal_actions, key=lambda one: (len(position.transition(one).records), rng.random()))
            before = int(position.row[layout.PINGS])
            position = position.play(best)
            longest = max(longest, before + 1)
            assert before < size, "a cell pinged twice in a turn"
    assert longest > 10


def test_uncapped_playtest_2_runs_on_and_on_until_the_bound() -> None:
    game = tercet.game("sparklies", board="8x8", ruleset="playtest2", pings_per_turn=0)
    bound = 8 * 64
    pings = [int(position.row[layout.PINGS]) for position in random_game(game.start(4), 4)]
    assert max(pings[:-1]) < bound
    assert max(before + 1 for before, after in pairwise(pings) if before and after == 0) == bound


@pytest.mark.parametrize("bound", [-1, 1, 2, 17, 100])
def test_a_subtle_chain_can_be_kept_up_for_as_long_as_the_bound_allows_and_no_longer(bound: int) -> None:
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    if bound > 0:
        text = text.replace("subtle", f"subtle,max_pings={bound}")
    position = tercet.parse(text)
    pings = 0
    while position.mover == 0 and not position.is_over:
        position = quadrille(position, "b3 c3 c2 b2")
        pings += 1
    assert pings == (bound if bound > 0 else 8 * 16)


def test_without_a_bound_the_dance_goes_on() -> None:
    position = tercet.parse("sparklies/board=2x2,ruleset=subtle,max_pings=0 r1g1/g1r1 B p 0")
    for _ in range(500):
        position = quadrille(position, "a2 b2 b1 a1")
    assert position.row[layout.PINGS] == 500


@pytest.mark.parametrize(
    ("ruleset", "low", "high"), [("speed", 2.3, 3.0), ("playtest2", 5.0, 7.0), ("subtle", 1.2, 1.5)]
)
def test_mean_pings_a_turn_in_random_play_on_8x8(ruleset: str, low: float, high: float) -> None:
    """An independent implementation gave 2.7, 5.4 and 1.3."""
    game = tercet.game("sparklies", board="8x8", ruleset=ruleset)
    row, events, out = game.new_row(), game.new_events(), game.new_list()
    rng = random.Random(1)
    pings = ended = 0
    for seed in range(40):
        game.kernels.setup(game.data, row, seed)
        while not game.kernels.status(game.data, row):
            action = game.kernels.sample(game.data, row, rng.getrandbits(61), out)
            count = int(game.kernels.apply(game.data, row, action, events))
            pings += sum(int(kind) == layout.PINGED for kind in events[: 4 * count : 4])
            ended += int(row[layout.STEP]) == layout.CONTROL
    assert low < pings / ended < high


@pytest.mark.parametrize("options", [
    {"board": "5x5"}, {"board": "8x8", "ruleset": "speed"}, {"board": "hex4", "players": 3, "ruleset": "playtest2"},
    {"board": "5x5", "mode": "duel", "flag": True},
], ids=str)  # fmt: skip
def test_playouts_of_the_library_are_the_games_of_its_kernels(options: dict[str, Any]) -> None:
    plies, total = playouts(tercet.game("sparklies", **options).start(3), 50, seed=7)
    assert total.sum() == pytest.approx(50)
    assert plies > 50
