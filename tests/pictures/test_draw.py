"""Drawings: well-formed, complete, told apart without colour."""

import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.core.presentation import board_view
from tercet.core.view import Mark
from tercet.pictures import drawing as draw
from tests.support.play import random_game
from tests.support.present import present
from tests.support.refusals import refuses

SVG = "{http://www.w3.org/2000/svg}"
HELD = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g2 B v 1"  # three cells are active
SOME = "sanqi/4 4/5/2RR2/2RYR2/2RB2/5/4 S d4"


def parsed(position: tercet.Position, **how: Any) -> ElementTree.Element:
    return ElementTree.fromstring(draw.svg(position, **how))


@pytest.mark.parametrize("name", tercet.games())
@pytest.mark.parametrize("style", draw.STYLES)
def test_every_game_is_drawn(name: str, style: str) -> None:
    *_, position = random_game(tercet.game(name).start(1), 1, 6)
    picture = parsed(position, style=style, title="A & <b>")
    assert len(picture.findall(f"{SVG}g")) == len(position.game.definition.view.scene(position).pieces)
    left, top, width, height = (float(x) for x in picture.attrib["viewBox"].split())
    for cell in board_view(position.game.board)["cells"]:
        assert left < cell["x"] < left + width
        assert top < cell["y"] < top + height
    assert picture.findtext(f"{SVG}title") == "A & <b>"


def test_styles_coordinates_marks_and_night_differ() -> None:
    styles: list[dict[str, Any]] = [{}, {"style": "letter"}, {"style": "symbol"}]
    styles += [{"dark": True}, {"coordinates": False}, {"marks": False}, {"marks": [Mark("win", ("d4",))]}]
    assert len({draw.svg(tercet.parse(SOME), **how) for how in styles}) == 7
    # What a game marks is drawn as its art says: a piece that may not be replaced at once, an active cell.
    for marked, less in ((SOME, SOME.replace("S d4", "S -")), (HELD, HELD.replace("r1*/", "r1/"))):
        assert draw.svg(tercet.parse(marked)) != draw.svg(tercet.parse(less))


@pytest.mark.parametrize("dark", [False, True])
def test_the_shades_of_cells_are_those_of_the_page(dark: bool) -> None:
    tokens = (Path(__file__).parents[2] / "web" / "src" / "app.css").read_text("utf-8").split(":root.dark {")[dark]
    shades = [value.upper() for value in re.findall(r"--shade-\d: (#\w+);", tokens)[:3]]
    cells = parsed(tercet.game("triplicity").start(), dark=dark, coordinates=False).findall(f"{SVG}path")[:3]
    assert sorted(path.attrib["fill"] for path in cells) == sorted(shades)
    assert [path.attrib["d"].count("M") for path in cells] == [37, 37, 37]
    if not dark:  # pieces are drawn the same by night
        assert f"--green: {draw.PAINT['green'][0].lower()};" in tokens


def test_kinds_differ_without_colour() -> None:
    for style in draw.STYLES:
        shapes = set()
        for kind in "RYB":
            picture = parsed(tercet.parse(f"sanqi/4 4/5/6/3{kind}3/6/5/4 S -"), style=style)
            last = list(present(picture.find(f"{SVG}g")))[-1]
            shapes.add((last.attrib.get("d"), last.text))
        assert len(shapes) == 3


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"size": 3}, "from 16 to 10000 pixels, not 3"),
        ({"size": 10**6}, "pixels, not 1000000"),
        ({"size": "480"}, "pixels, not '480'"),
        ({"style": "oil"}, "style must be one of"),
        ({"marks": [Mark("win", ("z9",))]}, r"The board has no cell 'z9'\."),
        ({"marks": Mark("win", ("d4", "D4"))}, r"no cell 'D4'\."),
        ({"marks": [Mark("jeopardy", ("d4",))]}, "no kind of mark 'jeopardy'. Choose from arrow, .*, ko, "),
        ({"marks": ["d4"]}, r"A mark must be a tercet\.core\.view\.Mark, not 'd4'\."),
    ],
)
def test_bad_wishes_are_refused(how: dict[str, Any], why: str) -> None:
    for drawn in (draw.svg, draw.png, lambda position, **given: draw.gif([position], **given)):
        refuses(tercet.OptionError, why, drawn, tercet.parse(SOME), **how)
    refuses(tercet.OptionError, "at least one position", draw.gif, [])


def test_png_and_notebooks_show_the_drawing() -> None:
    picture = draw.png(tercet.parse(SOME), size=100)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20], "big") == 100
    assert tercet.parse(SOME)._repr_svg_() == draw.svg(tercet.parse(SOME))
    drawing = parsed(tercet.parse(SOME), size=200)
    assert max(int(drawing.attrib["width"]), int(drawing.attrib["height"])) == 200


def test_png_without_the_converter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    refuses(tercet.TercetError, r"tercet\[png\]", draw.png, tercet.parse(SOME))


def test_arrows_lead_from_cell_to_cell() -> None:
    position = tercet.parse(SOME)
    plain, pointed = draw.svg(position), draw.svg(position, arrows=[("d4", "e5"), ["e5", "d4"]])
    places = {cell["name"]: (cell["x"], cell["y"]) for cell in board_view(position.game.board)["cells"]}
    drawn = [line for line in pointed.splitlines() if line not in plain.splitlines()]
    for line, (start, end) in zip(drawn, [("d4", "e5"), ("e5", "d4")], strict=True):
        x, y, *_, tip_x, tip_y, _, _ = (float(number) for number in re.findall(r"-?[\d.]+", line.split('"')[1]))
        assert math.dist((x, y), places[start]) == pytest.approx(0.2, abs=0.01)
        assert math.dist((tip_x, tip_y), places[end]) == pytest.approx(0.2, abs=0.01)
    assert draw.svg(position, marks=[Mark("arrow", ("d4", "e5"), "")]) == draw.svg(position, arrows=[("d4", "e5")])
    assert draw.png(position, arrows=[("d4", "e5")])[:4] == b"\x89PNG"


@pytest.mark.parametrize("arrow", [("d4", "z9"), ("d4",), ("d4", "d4"), "d4", ("d4", "d5", "d6"), (1, 2), 7, ([], {})])
def test_an_arrow_that_makes_no_sense_is_refused(arrow: Any) -> None:
    with pytest.raises(tercet.OptionError, match="An arrow must be a pair of two cells of this board, as in"):
        draw.svg(tercet.parse(SOME), arrows=[arrow])
