"""Arrays under a name, or as rows of White's men."""

import pytest

import tercet
from tercet.errors import OptionError
from tercet.games.triplicity.kernels import layout
from tercet.games.triplicity.rules import ARRAYS


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
