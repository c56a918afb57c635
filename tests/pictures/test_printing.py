"""Printed games: pages, sizes and texts of every game, paper and language."""

import io
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from typer.testing import CliRunner

import tercet
from tercet.cli.app import all_commands
from tercet.errors import OptionError
from tercet.pictures.printing import PAPERS, lines, pdf
from tests.support.division import thorough_but
from tests.support.present import present
from tests.support.refusals import refuses

POINT = 25.4 / 72
PARTS = {
    "sanqi": ("Pieces",),
    "sparklies": ("Control tiles", "Colour tiles", "Faces for ten-sided dice"),
    "triplicity": ("Prices and array", "Pieces", "Coins"),
}


def pages(made: bytes) -> list[Any]:
    return list(PdfReader(io.BytesIO(made)).pages)


@pytest.mark.parametrize("paper", thorough_but(lambda paper: paper == "a4", PAPERS))
@pytest.mark.parametrize("name", tercet.games())
def test_every_game_on_every_paper(name: str, paper: str) -> None:
    game = tercet.game(name)
    made = pages(pdf(game, paper=paper))
    for page in made:
        sides = sorted((float(page.mediabox.width) * POINT, float(page.mediabox.height) * POINT))
        assert sides == pytest.approx(sorted(PAPERS[paper]), abs=0.1)
    texts = [page.extract_text() for page in made]
    for title, _, _ in game.definition.view.rules_page(game).sections:
        assert title in texts[0], "the rules are on the first page, whole"
    assert f"{game.definition.title}" in texts[1]
    assert "Board" in texts[1]
    for part in PARTS.get(name, ()):
        assert any(part in text for text in texts[2:]), part
    assert all(str(number) in text for number, text in enumerate(texts, 1))


def test_sizes_and_papers_that_cannot_be_or_are_cut_with_marks() -> None:
    boards = [page for page in pages(pdf(tercet.game("sanqi", side=5), size=400)) if "Board" in page.extract_text()]
    assert len(boards) == 4
    for page, (row, column) in zip(boards, [(row, column) for row in (1, 2) for column in (1, 2)], strict=True):
        assert f"Board {row}.{column} (2 × 2)" in page.extract_text()
    assert len([page for page in pages(pdf(tercet.game("sanqi", side=5))) if "Board" in page.extract_text()]) == 1
    game = tercet.game("sanqi", side=4)
    for wrong in ({"paper": "a5"}, {"size": 10}, {"size": 5000}, {"size": float("nan")}):
        refuses(OptionError, None, pdf, game, **wrong)
    refuses(OptionError, "pages", pdf, tercet.game("sanqi", side=20), size=2000)


def test_the_board_has_the_size_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from fpdf import FPDF

    drawn: list[tuple[float, float]] = []
    image = FPDF.image

    def noted(self: FPDF, *args: Any, **more: Any) -> Any:
        drawn.append((more["w"], more["h"]))
        return image(self, *args, **more)

    monkeypatch.setattr(FPDF, "image", noted)
    pdf(tercet.game("sparklies", board="5x5"), size=120)
    assert max(drawn[0]) == pytest.approx(120)
    assert drawn[0] != drawn[-1], "parts fill their page"


def test_pieces_of_each_game() -> None:
    game = tercet.game("sparklies", board="hex3", players=3)
    sheets = present(game.definition.print_sheets)(game)
    assert [sheet.title for sheet in sheets] == ["Control tiles", "Colour tiles"]
    assert {side.owner for cutout in sheets[0].cutouts for side in cutout.faces} == {0, 1, 2}
    assert pdf(game)
    game = tercet.game("sparklies")
    dice = next(sheet for sheet in present(game.definition.print_sheets)(game) if "dice" in sheet.title)
    states = {(side.symbol, side.owner, side.text) for cutout in dice.cutouts for side in cutout.faces}
    assert states == {(c, o, "") for c in "RGB" for o in (None, 0, 1)} | {(None, None, "?")}
    assert {cutout.shape for cutout in dice.cutouts} == {"die"}
    game = tercet.game("triplicity")
    prices, men, tokens = present(game.definition.print_sheets)(game)
    assert prices.table[-1] == ("king", "5", "15", "10")
    start = game.definition.view.scene(game.start())
    for symbol in {piece.symbol for piece in start.pieces}:
        printed = sum(cutout.copies for cutout in men.cutouts if cutout.faces[0].symbol == symbol)
        assert printed > sum(piece.symbol == symbol for piece in start.pieces)
    assert sum(cutout.copies for cutout in tokens.cutouts) == 30


@pytest.mark.thorough
@pytest.mark.parametrize(("language", "words"), [("de", ("Regeln", "Brett")), ("zh", ("规则", "棋盘"))])
@pytest.mark.parametrize("name", ["sanqi", "sparklies", "triplicity"])
def test_the_command_prints_in_each_language(name: str, language: str, words: tuple[str, ...], tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    found = CliRunner().invoke(all_commands(), ["print", name, "--language", language, "--out", str(target)])
    assert found.exit_code == 0, found.output
    texts = ["".join(page.extract_text().replace("\0", "").split()) for page in PdfReader(target).pages]
    assert words[0] in texts[0]
    assert words[1] in texts[1]
    english = [part.replace(" ", "") for part in PARTS[name]]
    assert not any(part in text for part in english for text in texts), "untranslated"


def test_lines_break_at_spaces_and_between_chinese_characters() -> None:
    def width(text: str, bold: bool) -> float:
        return float(len(text))

    assert [[run for _, run, _ in line] for line in lines("ab **cd**, ef", 6, width)] == [["ab", "cd", ","], ["ef"]]
    assert [line[0][1] for line in lines("甲乙丙，丁", 3, width)] == ["甲乙", "丙，丁"], "no comma begins a line"
