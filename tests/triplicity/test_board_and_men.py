"""The board, the array and how men move: one test for each sentence of the rules file, quoted in its docstring."""

from collections.abc import Callable

import pytest

from tercet import IllegalAction, Position
from tercet.core.boards import snub_triangle
from tests.support.play import texts
from tests.support.refusals import refuses
from tests.triplicity.men import KINGS, START, immobile, place

Triple = tuple[int, ...]

BOARD = snub_triangle()
RING = "wPg8 wPg9 wPf9 wPe8 wPe7 wPf7"  # the six neighbours of f8


def at(name: str) -> Triple:
    """Coordinates of a cell, from its name alone."""
    y, x = "abcdefghijklm".index(name[0]), 13 - int(name[1:])
    return x, y, 14 - x - y


def goes(position: Position, cell: str) -> set[str]:
    starts = (f"{cell}-", f"{cell}x")
    return {text.split("=")[0][len(cell) + 1 :] for text in texts(position) if text.startswith(starts)}


def cells_by(rule: Callable[[Triple], bool], cell: str) -> set[str]:
    """Names of the cells whose difference from ``cell`` keeps ``rule``."""
    here = at(cell)
    return {
        one for one in BOARD.names if one != cell and rule(tuple(a - b for a, b in zip(at(one), here, strict=True)))
    }


def orthogonal(d: Triple) -> bool:
    return 0 in d


def diagonal(d: Triple) -> bool:
    return len(set(d)) == 2


def aside(*cells: str) -> str:
    """Three kings out of the way: on no line with any of ``cells`` and off the way of any king."""
    found: list[str] = []
    for name in sorted(BOARD.names):
        apart = [tuple(a - b for a, b in zip(at(name), at(other), strict=True)) for other in [*cells, *found]]
        if all(not orthogonal(d) and not diagonal(d) for d in apart):
            found.append(name)
    white, black, red, *_ = found
    return f"wK{white} bK{black} rK{red} "


def men_of(position: Position) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, (row, cells) in enumerate(zip(str(position).split()[1].split("/"), BOARD.rows, strict=True)):
        names = [BOARD.names[cell] for cell in cells]
        assert all(name[1:] == str(13 - number) for name in names)
        while row:
            if row[0] in "wbr":
                found[names.pop(0)] = row[:2]
                row = row[2:]
            else:
                digits = row[:2] if row[:2].isdigit() else row[0]
                del names[: int(digits)]
                row = row[len(digits) :]
    return found


def test_three_players_in_this_order() -> None:
    """Three players, White, Black and Red, take turns in that order (anticlockwise)."""
    assert START.game.players == ("White", "Black", "Red")
    position, order = START, []
    for _ in range(5):
        order.append(position.mover)
        position = position.play(position.legal_actions[0])
    assert order == [0, 1, 2, 0, 1]
    white, black, red = (BOARD.centres[BOARD.index[name]] for name in ("b1", "m12", "b12"))
    turn = (black[0] - white[0]) * (red[1] - white[1]) - (black[1] - white[1]) * (red[0] - white[0])
    assert turn < 0, "anticlockwise, y pointing down"


def test_the_array_is_called_a_reconstruction_in_the_rules_and_the_options() -> None:
    """The page's three diagrams are lost. The board follows from the text. The starting array below is a
    **reconstruction** (ours); the rules and the options of the page say so. You can give any other array as a position
    string."""
    view = START.game.definition.view
    option = next(option for option in START.game.definition.options if option.name == "array")
    assert "reconstruction" in option.words["tercet"]
    array = next(example for example in view.rules_page(START.game).examples if example.id == "array")
    assert "reconstruction" in array.caption
    assert START.game.parse(array.position) == START
    assert men_of(START.game.parse(str(START).replace("wBwBwB", "wBwQwB")))["b1"] == "wQ"


def test_the_board_is_a_triangle_without_corners() -> None:
    """The board is a snub triangle of 111 hexagons (text). Only one such board exists: a triangle with 15 cells to the
    side, less three cells at each corner. Its ranks have 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 12 and 11 cells."""
    whole = {(x, y, 14 - x - y) for x in range(15) for y in range(15 - x)}
    corners = {place for place in whole if max(place) > 12}
    assert len(corners) == 9
    assert (set(BOARD.coordinates), len(BOARD)) == (whole - corners, 111)
    assert [len(row) for row in reversed(BOARD.rows)] == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 12, 11]


def test_coordinates_and_names() -> None:
    """Which sides are homes, how the board is turned and what cells are called is ours: Each cell has coordinates x + y
    + z = 14, each from 0 to 12. A cell's name is a letter, a to m for y = 0 to 12, and the number 13 - x, from 1 to
    13."""
    for x, y, z in BOARD.coordinates:
        assert x + y + z == 14
        assert 0 <= min(x, y, z) <= max(x, y, z) <= 12
    assert all(at(name) == place for name, place in zip(BOARD.names, BOARD.coordinates, strict=True))
    assert {name[0] for name in BOARD.names} == set("abcdefghijklm")
    assert {int(name[1:]) for name in BOARD.names} == set(range(1, 14))
    for cell, (right, down) in enumerate(BOARD.centres):
        for other in BOARD.neighbours[cell]:
            if other < len(BOARD):
                dx, dy = BOARD.centres[other][0] - right, BOARD.centres[other][1] - down
                assert dx * dx + dy * dy == pytest.approx(1)


def test_homes_sides_and_the_perimeter() -> None:
    """White's home is the short side x = 12 (3 cells), Black's y = 12 and Red's z = 12. The long sides x = 0, y = 0 and
    z = 0 have 11 cells each. White's home is a1 b1 c1. The perimeter is the 36 cells with a coordinate 0 or 12."""
    assert {name for name in BOARD.names if at(name)[0] == 12} == {"a1", "b1", "c1"}
    rim = {name for name in BOARD.names if set(at(name)) & {0, 12}}
    assert len(rim) == 36
    assert {text[2:] for text in texts(place("wKf8 bKg8 rKe7")) if text.startswith("N@")} == rim
    men = men_of(START)
    for player, letter in enumerate("wbr"):
        home = [name for name in BOARD.names if at(name)[player] == 12]
        assert len(home) == 3
        assert all(men[name] == f"{letter}B" for name in home)
        assert sum(place[player] == 0 for place in BOARD.coordinates) == 11


@pytest.mark.parametrize(("turn", "player"), [("W", 0), ("B", 1), ("R", 2)])
def test_a_pawn_promotes_on_rank_thirteen_only(turn: str, player: int) -> None:
    """A player's rank k holds the cells where that player's coordinate is 13 - k. Rank 1 is the home side. Rank 13 is
    the long side opposite, where the player's pawns promote."""
    for name in BOARD.names:
        if at(name)[player] == 0 or name in ("b1", "m12", "b12"):
            continue
        for action in place(f"{KINGS}{turn.lower()}P{name}", turn).legal_actions:
            text = str(action)
            if text.startswith(f"{name}-"):
                rank = 13 - at(text.split("=")[0].split("-")[1])[player]
                assert ("=" in text) == (rank == 13)


def test_how_the_board_is_drawn() -> None:
    """White is drawn at the bottom, Black at the upper right, Red at the upper left."""
    white, black, red, middle = (BOARD.centres[BOARD.index[name]] for name in ("b1", "m12", "b12", "f8"))
    assert red[0] < middle[0] < black[0]
    assert max(red[1], black[1]) < middle[1] < white[1] == max(y for _, y in BOARD.centres)


def test_the_array_and_its_coins() -> None:
    """White has bishops on a1 b1 c1; rooks on a2 d2, king on b2, queen on c2; knights on b3 c3 d3; pawns on a3 e3, a4
    b4 c4 d4 e4 f4, c5 e5: 10 pieces and 10 pawns. The same for each player under rotation (x,y,z) -> (z,x,y), which
    takes White's set to Black's and Black's to Red's. Each player starts with 10 coins (text)."""
    men = men_of(START)
    words = "Ba1 Bb1 Bc1 Ra2 Rd2 Kb2 Qc2 Nb3 Nc3 Nd3 Pa3 Pe3 Pa4 Pb4 Pc4 Pd4 Pe4 Pf4 Pc5 Pe5"
    assert {name: man[1] for name, man in men.items() if man[0] == "w"} == {word[1:]: word[0] for word in words.split()}
    assert [list(men.values()).count(f"{player}P") for player in "wbr"] == [10] * 3
    placed = {at(name): man for name, man in men.items()}
    assert len(placed) == 60
    for (x, y, z), man in placed.items():
        assert placed[z, x, y] == {"w": "b", "b": "r", "r": "w"}[man[0]] + man[1]
    assert str(START).split()[3] == "10,10,10"


@pytest.mark.parametrize("cell", ["f8", "a7", "h13", "d4"])
def test_rook(cell: str) -> None:
    """Rook: any distance in the six orthogonal directions (one coordinate +1, another -1)."""
    assert goes(place(f"{aside(cell)} wR{cell}"), cell) == cells_by(orthogonal, cell)
    assert goes(place(f"{KINGS} wRf8 wPf10 bNf6"), "f8") & cells_by(lambda d: d[1] == 0, "f8") == {"f9", "f7", "f6"}


@pytest.mark.parametrize("cell", ["f8", "a7", "h13", "d4"])
def test_bishop(cell: str) -> None:
    """Bishop: any distance in the six diagonal directions ((+2,-1,-1), (-2,+1,+1) and permutations). It passes between
    cells, so only a piece on its own line stops it."""
    assert goes(place(f"{aside(cell)} wB{cell}"), cell) == cells_by(diagonal, cell)
    assert goes(place(f"{aside('f8')} wBf8 {RING}"), "f8") == cells_by(diagonal, "f8")
    assert at("g10") == tuple(a + b for a, b in zip(at("f8"), (-2, 1, 1), strict=True))
    stopped = goes(place(f"{aside('f8')} wBf8 bPg10"), "f8")
    assert "g10" in stopped
    assert "h12" not in stopped


def test_queen_and_knight() -> None:
    """Queen: as a rook or a bishop. Knight: a leap to any permutation of (+1,+2,-3) or (-1,-2,+3)."""
    assert goes(place(f"{aside('f8')} wQf8"), "f8") == cells_by(orthogonal, "f8") | cells_by(diagonal, "f8")
    position = place(f"{KINGS} wNf8 {RING}")
    assert goes(position, "f8") == cells_by(lambda d: sorted(abs(a) for a in d) == [1, 2, 3], "f8")
    assert len(goes(position, "f8")) == 12


def test_king() -> None:
    """King: one step in any of the twelve directions."""
    steps = cells_by(lambda d: sorted(d) in ([-1, 0, 1], [-1, -1, 2], [-2, 1, 1]), "f8")
    assert len(steps) == 12
    assert goes(place("wKf8 bKm12 rKb12"), "f8") == steps


@pytest.mark.parametrize(("turn", "player"), [("W", 0), ("B", 1), ("R", 2)])
def test_pawn(turn: str, player: int) -> None:
    """Pawn: moves, without capturing, one bishop step in one of the three directions that lower its owner's coordinate.
    It captures one rook step in one of the two orthogonal directions that lower that coordinate."""
    mine, other = turn.lower(), "wbr"[player - 1]

    def forward(d: Triple) -> bool:
        return d[player] < 0

    moves = cells_by(lambda d: forward(d) and sorted(d) in ([-1, -1, 2], [-2, 1, 1]), "f8")
    captures = cells_by(lambda d: forward(d) and sorted(d) == [-1, 0, 1], "f8")
    assert (len(moves), len(captures)) == (3, 2)
    assert goes(place(f"{KINGS} {mine}Pf8", turn), "f8") == moves
    full = " ".join(f"{other}N{name}" for name in moves | captures)
    assert goes(place(f"{KINGS} {mine}Pf8 {full}", turn), "f8") == captures
    own = " ".join(f"{mine}N{name}" for name in moves | captures)
    assert goes(place(f"{KINGS} {mine}Pf8 {own}", turn), "f8") == set()
    behind = " ".join(f"{other}N{name}" for name in cells_by(lambda d: sorted(d) == [-1, 0, 1], "f8") - captures)
    assert goes(place(f"{KINGS} {mine}Pf8 {behind}", turn), "f8") == moves


def test_no_double_step_no_en_passant_no_castling() -> None:
    """There is no double step, no en passant and no castling."""
    lengths = {
        max(abs(a - b) for a, b in zip(at(text.split("-")[0]), at(text.split("-")[1]), strict=True))
        for text in map(str, START.legal_actions)
        if "-" in text and men_of(START)[text.split("-")[0]] == "wP"
    }
    assert lengths == {2}, "one bishop step"
    for rook in ("a2", "d2"):  # nothing between king and rook: no step of the king's is longer than one
        assert goes(place(f"wKb2 wR{rook} bKm12 rKb12"), "b2") <= cells_by(lambda d: max(map(abs, d)) <= 2, "b2")
    passed = place(f"{KINGS} wPf8 bPh10 rPg12", "B").play("h10-g8")  # between g9, where f8 captures, and h9
    assert goes(passed.play("g12-h11"), "f8") == {"e9", "g10", "h9"}


def test_promotion_is_mandatory_and_to_any_piece() -> None:
    """A pawn that reaches its promotion rank becomes any piece but a pawn at once (mandatory, ours). It may become a
    king, and it need not be a piece that was captured."""
    position = place(f"{KINGS} wPf12 bNg13")
    moves = {str(action).partition("=") for action in position.legal_actions if str(action).startswith("f12")}
    assert moves == {(move, "=", kind) for move in ("f12xg13", "f12-h13", "f12-e13") for kind in "NBRQK"}
    refuses(IllegalAction, "what the pawn becomes", position.play, "f12-h13")
    assert men_of(position.play("f12xg13=K"))["g13"] == "wK"
    assert [event.kind for event in position.transition("f12xg13=K").events][:3] == ["moved", "captured", "promoted"]


def test_there_is_no_check() -> None:
    """There is no check or mate (text), and no stalemate (ours): kings may stand in or move into attack. Only capture
    matters."""
    position = place("wKb1 bRa7 bKm12 rKb12", tokens="0,0,0")
    assert "a1" in goes(position, "b1"), "the king may walk into the rook's line"
    attacked = place("wKa1 wPf8 bRa7 bKm12 rKb12", tokens="0,0,0")
    assert "f8-g10" in {str(action) for action in attacked.legal_actions}, "the king may stay in attack"
    assert not attacked.play("f8-g10").is_over
    stuck = immobile()
    assert not stuck.is_over
    assert not stuck.play("pass").is_over


def test_a_turn_is_a_move_or_a_purchase_or_else_a_pass() -> None:
    """A turn is a move or a purchase. A player who has neither passes (ours)."""
    for text in ("c5-d7", "N@a7"):
        assert START.play(text).mover == 1
    stuck = immobile()
    assert [str(action) for action in stuck.legal_actions] == ["pass"]
    assert stuck.play("pass").mover == 1
    refuses(IllegalAction, "neither move nor buy", START.play, "pass")
