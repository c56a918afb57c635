"""Arrays under a name, or as rows of White's men, and the known figures of the usual one."""

import pytest

import tercet
from tercet import Position
from tercet.errors import OptionError
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.rules import ARRAYS
from tercet.games.triplicity.statistics import STATISTICS
from tercet.laboratory import Arm, players
from tests.support.play import playouts
from tests.triplicity.men import START, place, resign


def test_the_default_array_has_a_name_and_a_text() -> None:
    """The rotation (x,y,z) -> (z,x,y) takes White's set to Black's, and Black's to Red's. The option `array` (ours)
    chooses another one: `tercet` (default): this reconstruction, `BBB.RKQR.PNNNP.PPPPPP.2P1P2`. `castle`:
    `RKR.BQNB.PNBNP.PPPPPP.2P1P2`. White's pieces by rows from number 1 up, separated by dots, each row from its
    lowest letter, with decimal counts for empty runs."""
    assert ARRAYS == {"tercet": "BBB.RKQR.PNNNP.PPPPPP.2P1P2", "castle": "RKR.BQNB.PNBNP.PPPPPP.2P1P2"}
    plain, text = tercet.game("triplicity"), tercet.game("triplicity", array=ARRAYS["tercet"])
    assert plain.options["array"] == "tercet"
    assert (plain.start().row == text.start().row).all()
    assert str(plain.start()).startswith("triplicity r"), "the default is not written"


@pytest.mark.parametrize("array", [*ARRAYS, "K.RR.2Q.P4P"])
def test_an_array_is_the_same_for_all_three_and_survives_its_position_string(array: str) -> None:
    """Rows may end early. Black's and Red's pieces follow by the rotation. To play from anything else, use a position
    string."""
    game = tercet.game("triplicity", array=array)
    start = game.start()
    assert tercet.parse(str(start)) == start
    assert game.definition.images is not None
    turned = game.definition.images(game, start.row)
    cells = slice(layout.CELLS, layout.CELLS + layout.SIZE)
    assert all((image[cells] == start.row[cells]).all() for image in turned)
    if array in ARRAYS:
        assert not any("x" in str(action) for action in start.legal_actions), "nothing can be captured at once"


@pytest.mark.parametrize(
    ("array", "why"),
    [
        ("", "king"),
        ("X", "must be tercet, castle"),
        ("5K", "Row 1 of the array .* not 6"),
        ("K.12P", "Row 2 of the array .* not 13"),
        ("K." + ".".join(map(str, range(4, 14))) + ".12.P", "promoted"),
        ("K.4.5.6.7.8.9.10.11.12.13.12K", "Row 12 of the array .* not 13"),
        ("K" * 200, "120 characters"),
        ("K.4.5.6.7.8.9.10.11.12.13.KKKKKKKKKKKK", "two players"),
    ],
)
def test_arrays_that_cannot_be(array: str, why: str) -> None:
    """An array needs a king, has no pawn on its promotion rank, and puts two players' pieces on no cell."""
    with pytest.raises(OptionError, match=why):
        tercet.game("triplicity", array=array)


def turned(position: Position, player: int) -> Position:
    """The same position with ``player`` to act."""
    fields = str(position).split(" ")
    fields[2] = "WBR"[player]
    return position.game.parse(" ".join(fields))


@pytest.mark.parametrize("player", range(3))
def test_actions_at_the_start(player: int) -> None:
    """Each player has 63 legal actions at the start: 30 moves (20 of pawns, 10 of knights) and 33 purchases."""
    position = turned(START, player)
    pieces = {piece.cell: piece.symbol for piece in position.game.definition.view.scene(position).pieces}
    texts = [str(action) for action in position.legal_actions]
    movers = [pieces[text.split("-")[0]][1] for text in texts if "-" in text]
    assert len(texts) == 63
    assert (movers.count("P"), movers.count("N"), len(movers)) == (20, 10, 30)
    assert sum("@" in text for text in texts) == 33


@pytest.mark.parametrize("mode", ["compiled", "interpreted"])
def test_perft_of_the_array(mode: str) -> None:
    """Perft 1 to 3: 63; 4,065; 265,650."""
    position = tercet.game("triplicity", execution=mode).start()
    assert [position.game.perft(position, depth) for depth in (1, 2, 3)] == [63, 4065, 265650]


def test_nothing_is_en_prise_and_all_is_guarded() -> None:
    """Every piece is protected and none is under attack. A first capture needs two or three moves of one's own. Random
    games run to about 350 turns."""
    game, row = START.game, START.row
    for cell in range(layout.SIZE):
        man = int(row[layout.CELLS + cell])
        if man:
            guards = [bool(game.kernels.attacked(game.data, row, cell, player, -1)) for player in range(3)]
            assert guards == [player == man >> 3 for player in range(3)]
    assert own_actions_to_a_capture(START, "-") == 3
    assert own_actions_to_a_capture(START, "-@") == 2, "a man who is bought and captures"
    games = 300
    plies, points = playouts(START, games)
    assert 300 < plies / games < 450
    assert points.sum() == pytest.approx(games)


def own_actions_to_a_capture(position: Position, signs: str) -> int:
    """How many actions with one of the ``signs`` White needs to capture something, the others standing still."""
    here = {position}
    for number in range(1, 5):
        actions = [(one, str(action)) for one in here for action in one.legal_actions]
        if any("x" in text for _, text in actions):
            return number
        here = {turned(one.play(text), 0) for one, text in actions if any(sign in text for sign in signs)}
    return 5


def test_what_is_counted() -> None:
    """For every game it counts the length in actions, why it ended, and each seat's points. Then it counts turns (a
    sacrifice is none), captures, coins of tribute, sacrifices, purchases and promotions, and turns in which the rule of
    jeopardy forbids a capture. For the first king whose capture put a player out of the game, it keeps the turn, and
    the points that the captor and the bystander had at the end. A slow independent implementation gave these, and the
    game must agree with them."""
    rows = Arm("triplicity", {}, players("random")).run(12)
    for row in rows:
        assert (sum(row.scores), row.counts["turns"]) == (1, row.actions - row.counts["sacrifices"])
        fall = row.counts["fall"]
        if fall is not None:
            assert 0 < fall["turn"] <= row.counts["turns"]
            assert fall["captor"] + fall["bystander"] <= 1
    assert sum(row.counts["captures"] for row in rows) > 0


def test_jeopardy_counts_where_it_forbids_a_capture() -> None:
    for guard, forbidden in (("rRb8", 1), ("rPm12", 0)):
        start = place(f"wKb1 bKf6 rKb12 wRf8 {guard}")
        count, done = STATISTICS.count(start), start.transition("b1-c1")
        count.follow(start, done)
        assert count.end(resign(resign(done.after, 1), 2))["jeopardy"] == forbidden
