"""A game to print and play: rules on one page, a board of any size, and parts to cut out, as one PDF.

Needs the extra ``print``. The pages are drawn from the same data as every other drawing (:mod:`tercet.core.view`); what
there is to cut out, a game declares as :class:`~tercet.core.view.PrintSheet`.

>>> import tercet
>>> from tercet.pictures.printing import pdf
>>> pdf(tercet.game("sanqi", side=4), paper="letter")[:5]  # doctest: +SKIP
b'%PDF-'
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from tercet.core.game import Game, Position
from tercet.core.presentation import board_view
from tercet.core.view import Art, Cutout, Face, PrintSheet, RulesPage
from tercet.errors import OptionError, optional
from tercet.pictures.drawing import DAY, PAINT, border, centred, element, ground, moved, outline, piece, short, svg

if TYPE_CHECKING:
    from fpdf import FPDF

__all__ = ["MAX_PAGES", "PAPERS", "pdf"]

CHINESE = "\u2e80-\u9fff\uff00-\uffef"
PARTS = re.compile(rf"\s+|[{CHINESE}]|[^\s{CHINESE}]+")
CLOSING = "，。、；：！？）」』”’》〉】"  # never at the beginning of a line
OPENING = "（「『“‘《〈【"  # never at the end of one

Width = Callable[[str, bool], float]
Line = list[tuple[float, str, bool]]  # where each run begins, the run, whether it is bold
Box = list[tuple[str, bool]]  # runs that stay together


def _boxes(text: str) -> list[tuple[bool, Box]]:
    """Return the boxes of ``text``, each with whether a space stands before it, unless it begins a line."""
    found: list[tuple[bool, Box]] = []
    spaced, last = False, ""
    for number, part in enumerate(text.split("**")):
        for word in PARTS.findall(part):
            if word.isspace():
                spaced = True
                continue
            between = re.match(f"[{CHINESE}]", word) or re.match(f"[{CHINESE}]", last)
            joined = not spaced and (word[0] in CLOSING or last in OPENING or not between)
            if not (found and joined):
                found.append((spaced, []))
            found[-1][1].append((word, number % 2 == 1))
            spaced, last = False, word[-1]
    return found


def lines(text: str, room: float, width: Width) -> list[Line]:
    """``text`` in lines at most ``room`` wide where its boxes allow it; ``**bold**`` words are runs of their own."""
    found: list[Line] = []
    line: Line = []
    at = 0.0
    for spaced, runs in _boxes(text):
        gap = width(" ", False) if spaced and line else 0.0
        wide = sum(width(run, bold) for run, bold in runs)
        if line and at + gap + wide > room:
            found.append(line)
            line, at, gap = [], 0.0, 0.0
        for number, (run, bold) in enumerate(runs):
            before = " " if gap and not number else ""
            if line and line[-1][2] == bold:
                start, words, _ = line[-1]
                line[-1] = start, words + before + run, bold
                at += width(before, bold) if before else 0.0
            else:
                at += gap if not number else 0.0
                line.append((at, run, bold))
            at += width(run, bold)
    return [*found, line] if line else found


PRINTED = {**DAY, "paper": "#FFFFFF", "cell": "#FFFFFF", "edge": "#8C8471", "label": "#5F5848"}
CUT = "#8C8471"
DIE = (11.0, 13.0)  # a face of a ten-sided die of the usual 16 mm, in millimetres
KITE = ((0.0, -0.5), (0.5, 0.18), (0.0, 0.5), (-0.5, 0.18))  # the sharp corner is at the top


def drawing(box: Sequence[float], parts: Sequence[str]) -> str:
    """An SVG picture of ``box`` (left, top, width, height)."""
    left, top, width, height = map(short, box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{left} {top} {width} {height}" font-family="helvetica" text-anchor="middle">{"".join(parts)}</svg>'
    )


def board(game: Game) -> tuple[str, float, float]:
    """The empty board with its labels; its width and height in cells."""
    view = board_view(game.board)
    _, _, width, height = view["bounds"]
    return drawing(view["bounds"], ground(view, PRINTED, True)), width, height


def face(side: Face, cutout: Cutout, game: Game, art: Art, middle: tuple[float, float], cell: float) -> str:
    """One side of ``cutout`` around ``middle``."""
    x, y = middle
    symbols = {symbol.id: symbol for symbol in art.symbols}
    symbol = None if side.symbol is None else symbols[side.symbol]
    owner = None if side.owner is None else art.players[side.owner]["tone"]
    if cutout.shape == "die":
        return _die(symbol, owner, side.text, x, y)
    scale = cell * cutout.size
    tile = game.board.tile
    parts = []
    if cutout.shape == "disc":
        paint = "#FFFFFF" if symbol is not None or not side.text else PAINT["two"][0]
        parts.append(element("circle", cx=x, cy=y, r=0.45 * scale, fill=paint, stroke=CUT, stroke_width=0.15))
    else:
        paint = "#FFFFFF" if owner is None else PAINT[owner][0]
        cut, enlarged = outline(tile, x / scale, y / scale, 0.96), f"scale({short(scale)})"
        parts.append(element("path", d=cut, transform=enlarged, fill=paint, stroke=CUT, stroke_width=0.15 / scale))
    if symbol is not None:
        drawn = piece(symbol, 0, 0, tile, art.styles[0], owner, (), PRINTED)
        parts.append(element("g", drawn, transform=moved(x, y, scale)))
    elif side.text:
        writing = PAINT["two"][1] if owner is None else PAINT[owner][1]
        parts.append(centred(side.text, x, y, 0.5 * scale, writing))
    return "".join(parts)


def _die(symbol: Any, owner: str | None, text: str, x: float, y: float) -> str:
    def kite(scale: float) -> str:
        return "M" + "L".join(f"{short(x + a * DIE[0] * scale)} {short(y + b * DIE[1] * scale)}" for a, b in KITE) + "Z"

    paint, writing = ("#FFFFFF", PRINTED["ink"]) if symbol is None else PAINT[symbol.tone]
    parts = [element("path", d=kite(1), fill=paint, stroke=CUT, stroke_width=0.15)]
    if owner is not None:
        parts += border(kite(0.8), owner, 1.3, 0.9)
    low = y + 0.06 * DIE[1]  # the middle of the broad part
    if symbol is not None:
        form: Mapping[str, str] = symbol.forms.get("symbol") or next(iter(symbol.forms.values()))
        parts.append(element("path", transform=moved(x, low, 1.9), d=form.get("path", ""), fill=writing))
    elif text:
        parts.append(centred(text, x, low, 5, writing))
    return "".join(parts)


PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}  # millimetres
MAX_PAGES = 60
MIN_SIZE, MAX_SIZE = 50.0, 2000.0
MARGIN, FOOT = 10.0, 8.0
GAP = 1.5  # between two things to cut out
POINT = 25.4 / 72
LEADING = 1.32
COLUMNS, GUTTER = 2, 7.0
INK, SOFT, LINE = (35, 33, 28), (95, 88, 72), (140, 132, 113)
OTHER = re.compile("([^\\x00-\\xff]+)")  # what the built-in fonts of PDF cannot show
Colour = tuple[int, int, int]
Translate = Callable[[str], str]


def pdf(
    game: Game,
    *,
    paper: str = "a4",
    size: float | None = None,
    translate: Translate = str,
    read: Callable[[str], Position] | None = None,
) -> bytes:
    """Return ``game`` as a PDF: its rules on one page, its board, and its parts.

    ``paper`` is ``"a4"`` or ``"letter"``. ``size`` is the longer side of the board in millimetres, coordinates
    included; None fits it to the page. A larger board is cut into pages with marks. ``translate`` puts the texts into
    another language. ``read`` makes positions of the rules' examples; without it the rules have no pictures. Raises
    OptionError for a paper or a size that cannot be, TercetError where the extra ``print`` is not installed.
    """
    if paper not in PAPERS:
        raise OptionError("paper", f"The paper must be one of {', '.join(PAPERS)}, not {paper!r}.")
    if size is not None and not MIN_SIZE <= size <= MAX_SIZE:
        raise OptionError("size", f"The size must be from {MIN_SIZE:g} to {MAX_SIZE:g} mm, not {size:g}.")
    return _Printer(game, paper, translate, read).print(size)


def _document(paper: str) -> FPDF:
    fpdf, chinese = (optional(name, "Printing") for name in ("fpdf", "pylopdf_fonts_zh_cn"))
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    document: FPDF = fpdf.FPDF(unit="mm", format=PAPERS[paper])
    document.set_auto_page_break(False)
    document.set_margin(0)
    document.add_font("chinese", "", chinese.sans_path())
    return document


@dataclass(frozen=True)
class _Block:
    """A heading, a paragraph, or a picture with its caption."""

    kind: str
    text: str
    picture: str = ""


class _Printer:
    def __init__(self, game: Game, paper: str, translate: Translate, read: Callable[[str], Position] | None) -> None:
        self.game, self.say, self.read = game, translate, read
        self.art = game.definition.view.art(game)
        self.document = _document(paper)
        self.paper = PAPERS[paper]
        self._widths: dict[tuple[str, bool], float] = {}
        self._below = 0.0  # where the next sheet may begin on the page; 0: on a new one

    def print(self, size: float | None) -> bytes:
        definition = self.game.definition
        picture, wide, high = board(self.game)
        fitting = max(min(room[0] / wide, room[1] / high) for room in map(self._room, (False, True)))
        cell = fitting if size is None else size / max(wide, high)
        sheets = () if definition.print_sheets is None else definition.print_sheets(self.game)
        self._check_pages(cell * wide, cell * high, cell, sheets)
        self._rules(definition.view.rules_page(self.game))
        self._board(picture, cell * wide, cell * high)
        for sheet in sheets:
            self._sheet(sheet, cell)
        self.document.set_title(definition.title)
        self.document.set_author(definition.designer)
        self.document.set_creator("Tercet")
        return bytes(self.document.output())

    # Text

    def _font(self, text: str, bold: bool, points: float) -> None:
        if text.isascii() or OTHER.search(text) is None:
            self.document.set_font("helvetica", "B" if bold else "", points)
        else:
            self.document.set_font("chinese", "", points)

    def _width(self, points: float, text: str, bold: bool) -> float:
        found = self._widths.get((text, bold))
        if found is None:
            found = 0.0
            for part in _parts(text):
                self._font(part, bold, 10)
                found += self.document.get_string_width(part) / 10
            self._widths[text, bold] = found
        return found * points

    def _lines(self, text: str, points: float, room: float) -> list[Line]:
        return lines(text, room, partial(self._width, points))

    def _draw(self, line: Line, x: float, y: float, points: float, colour: Colour = INK) -> None:
        """A line whose top is at ``y``."""
        document = self.document
        document.set_text_color(*colour)
        for start, run, bold in line:
            at = x + start
            for part in _parts(run):
                self._font(part, bold, points)
                if bold and document.font_family == "chinese":
                    with document.local_context(
                        text_mode="FILL_STROKE", line_width=0.028 * points * POINT, draw_color=colour
                    ):
                        document.text(at, y + points * POINT, part)
                else:
                    document.text(at, y + points * POINT, part)
                at += self._width(points, part, bold)

    def _paragraph(self, text: str, x: float, y: float, room: float, points: float, colour: Colour = INK) -> float:
        """Draw ``text``; return where the next may begin."""
        for line in self._lines(text, points, room):
            self._draw(line, x, y, points, colour)
            y += points * POINT * LEADING
        return y

    # Pages

    def _page(self, footer: str, landscape: bool = False) -> tuple[float, float]:
        """A new page; the width and height that it has to draw on, from the margin."""
        definition, room = self.game.definition, self._room(landscape)
        self.document.add_page("landscape" if landscape else "portrait")
        foot = MARGIN + room[1] + FOOT - 3
        left = f"**{definition.title}** ({definition.designer}, {definition.year}) · {footer}"
        self._draw(self._lines(left, 8, room[0])[0], MARGIN + 2, foot, 8, SOFT)  # beside the cut marks
        number = str(self.document.page_no())
        self._draw([(0, number, False)], MARGIN + room[0] - 2 - self._width(8, number, False), foot, 8, SOFT)
        return room

    def _room(self, landscape: bool) -> tuple[float, float]:
        wide, high = reversed(self.paper) if landscape else self.paper
        return wide - 2 * MARGIN, high - 2 * MARGIN - FOOT

    def _picture(self, drawn: str, x: float, y: float, w: float, h: float) -> None:
        self.document.image(io.BytesIO(drawn.encode()), x=x, y=y, w=w, h=h)

    def _line(self, start: tuple[float, float], end: tuple[float, float], colour: Colour, width: float) -> None:
        self.document.set_draw_color(*colour)
        self.document.set_line_width(width)
        self.document.line(*start, *end)

    # Rules

    def _rules(self, rules: RulesPage) -> None:
        wide, high = self._page(self.say("Rules"))
        y = self._paragraph(f"**{self.say(rules.title)}**", MARGIN, MARGIN, wide, 16)
        changed = self.game.option_text(changed_only=True)
        if changed:
            y = self._paragraph(f"{self.say('Options')}: {changed}", MARGIN, y, wide, 8, SOFT)
        top, bottom = y + 2, MARGIN + high
        column = (wide - (COLUMNS - 1) * GUTTER) / COLUMNS
        for pictures, largest, smallest in ((True, 10.0, 7.5), (False, 10.0, 4.0)):
            blocks = list(self._blocks(rules, pictures))
            points = largest
            while points >= smallest:
                placed = self._flow(blocks, points, column, top, bottom)
                if placed is not None:
                    for draw in placed:
                        draw()
                    return
                points -= 0.25
        raise OptionError("game", f"The rules of {self.game.name} are too long for one page.")

    def _blocks(self, rules: RulesPage, pictures: bool) -> Iterator[_Block]:
        examples = {example.id: example for example in rules.examples}
        for title, paragraphs, shown in rules.sections:
            yield _Block("heading", self.say(title))
            for paragraph in paragraphs:
                text = self.say(paragraph)
                ours = text.startswith("(ours)")
                yield _Block("ours" if ours else "text", text.removeprefix("(ours)").strip())
            if pictures and shown and self.read is not None:
                example = examples[shown[-1]]
                drawn = svg(self.read(example.position), marks=example.marks, coordinates=True)
                yield _Block("picture", self.say(example.caption), _without_title(drawn))

    def _flow(
        self, blocks: Sequence[_Block], points: float, column: float, top: float, bottom: float
    ) -> list[Callable[[], None]] | None:
        """Return the drawing of ``blocks`` in columns with text of ``points``, or None if they do not fit."""
        step = points * POINT * LEADING
        placed: list[Callable[[], None]] = []
        number, y = 0, top

        def x() -> float:
            return MARGIN + number * (column + GUTTER)

        for block in blocks:
            heading, ours = block.kind == "heading", block.kind == "ours"
            size = points * (1.2 if heading else 0.9 if block.kind in ("ours", "picture") else 1)
            shift = 2.5 if ours else 0.0
            text = f"**{block.text}**" if heading else block.text
            beside = 0.36 * column if block.picture else 0.0
            tall = 0.0
            if beside:
                _, _, wide, height = map(float, block.picture.split('viewBox="', 1)[1].split('"', 1)[0].split())
                tall = beside * height / wide
                shift += beside + 2.5
            high = size * POINT * LEADING
            found = self._lines(text, size, column - shift)
            if heading and y > top:
                y += 0.7 * step
            whole = max(tall, len(found) * high) if beside else high * (3.2 if heading else 1)
            if y + whole > bottom:
                number, y = number + 1, top
            if number >= COLUMNS or y + whole > bottom:
                return None
            if beside:
                placed.append(partial(self._fit, block.picture, x(), y, beside))
            start = y
            for line in found:
                if y + high > bottom:
                    number, y = number + 1, top
                    if number >= COLUMNS:
                        return None
                colour = SOFT if ours or beside else INK
                placed.append(partial(self._draw, line, x() + shift, y, size, colour))
                if ours:
                    placed.append(partial(self._line, (x() + 0.8, y), (x() + 0.8, y + high), LINE, 0.3))
                y += high
            y = max(y, start + tall) + 0.35 * step
        return placed

    def _fit(self, drawn: str, x: float, y: float, side: float) -> None:
        self.document.image(io.BytesIO(drawn.encode()), x=x, y=y, w=side, h=side, keep_aspect_ratio=True)

    # Board

    def _tiling(self, wide: float, high: float) -> tuple[bool, int, int]:
        """Return whether the pages are landscape, and the fewest pages across and down."""
        ways = []
        for landscape in (False, True):
            room = self._room(landscape)
            across, down = ceil(round(wide / room[0], 6)), ceil(round(high / room[1], 6))
            ways.append((across * down, landscape, across, down))
        return min(ways)[1:]

    def _board(self, picture: str, wide: float, high: float) -> None:
        landscape, across, down = self._tiling(wide, high)
        room = self._room(landscape)
        left = MARGIN + (across * room[0] - wide) / 2
        top = MARGIN + (down * room[1] - high) / 2
        for row in range(down):
            for column in range(across):
                name = self.say("Board")
                if across * down > 1:
                    name += f" {row + 1}.{column + 1} ({down} × {across})"
                self._page(name, landscape)
                with self.document.rect_clip(MARGIN, MARGIN, *room):
                    self._picture(picture, left - column * room[0], top - row * room[1], wide, high)
                if across * down > 1:
                    self._cut_marks(*room)

    def _cut_marks(self, wide: float, high: float) -> None:
        """Lines outside the corners of the part of the board that a page shows."""
        for x, outward in ((MARGIN, -1), (MARGIN + wide, 1)):
            for y, down in ((MARGIN, -1), (MARGIN + high, 1)):
                self._line((x + outward, y), (x + 6 * outward, y), INK, 0.2)
                self._line((x, y + down), (x, y + 6 * down), INK, 0.2)

    # Parts

    def _check_pages(self, wide: float, high: float, cell: float, sheets: Sequence[PrintSheet]) -> None:
        _, across, down = self._tiling(wide, high)
        room = self._room(False)
        area = 0.0
        for cutout in (cutout for sheet in sheets for cutout in sheet.cutouts):
            one, tall = self._extent(cutout, cell)
            if one > room[0] or tall > room[1]:
                raise OptionError("size", "This size makes parts larger than a page. Choose a smaller one.")
            area += cutout.copies * (one + GAP) * (tall + GAP)
        pages = 1 + across * down + ceil(area / (room[0] * room[1])) + len(sheets)
        if pages > MAX_PAGES:
            raise OptionError("size", f"This size makes about {pages} pages. Choose one with at most {MAX_PAGES}.")

    def _extent(self, cutout: Cutout, cell: float) -> tuple[float, float]:
        """Return the width and height of all faces of ``cutout``, on a board with cells of so many millimetres."""
        if cutout.shape == "die":
            one, tall = DIE
        elif cutout.shape == "disc":
            one = tall = 0.9 * cell * cutout.size
        else:
            scale = 0.96 * cell * cutout.size
            one, tall = ((max(ends) - min(ends)) * scale for ends in zip(*self.game.board.tile, strict=True))
        return one * len(cutout.faces), tall

    def _sheet(self, sheet: PrintSheet, cell: float) -> None:
        wide, high = self._room(False)
        if not self._below or self._below > MARGIN + 0.75 * high or sheet.picture:
            self._page(self.say(sheet.title))
            self._below = MARGIN
        y = self._paragraph(f"**{self.say(sheet.title)}**", MARGIN, self._below, wide, 13) + 0.5
        if sheet.help:
            y = self._paragraph(self.say(sheet.help), MARGIN, y, wide, 9, SOFT)
        y += 2
        if sheet.table:
            y = self._table(sheet.table, MARGIN, y, wide) + 6
        if sheet.picture and self.read is not None:
            side = min(wide, MARGIN + high - y)
            drawn = _without_title(svg(self.read(sheet.picture), marks=False))
            self._fit(drawn, MARGIN + (wide - side) / 2, y, side)
            y += side
        self._below = self._cutouts(sheet, cell, y) + 8

    def _cutouts(self, sheet: PrintSheet, cell: float, y: float) -> float:
        """Lay out what is to be cut out from ``y`` on; return where the last row ends."""
        wide, high = self._room(False)
        parts: list[str] = []
        x, tallest = MARGIN, 0.0
        for cutout in sheet.cutouts:
            one, tall = self._extent(cutout, cell)
            for _ in range(cutout.copies):
                if x + one > MARGIN + wide + 1e-6:
                    x, y, tallest = MARGIN, y + tallest + GAP, 0.0
                if y + tall > MARGIN + high + 1e-6:
                    self._lay(parts)
                    parts = []
                    self._page(self.say(sheet.title))
                    x, y, tallest = MARGIN, MARGIN, 0.0
                for number, side in enumerate(cutout.faces):
                    middle = x + (number + 0.5) * (one / len(cutout.faces)), y + tall / 2
                    parts.append(face(side, cutout, self.game, self.art, middle, cell))
                x, tallest = x + one + GAP, max(tallest, tall)
        self._lay(parts)
        return y + tallest

    def _lay(self, parts: Sequence[str]) -> None:
        if parts:
            wide, high = self.paper
            self._picture(drawing((0, 0, wide, high), parts), 0, 0, wide, high)

    def _table(self, table: Sequence[Sequence[str]], x: float, y: float, wide: float) -> float:
        step = wide / len(table[0])
        for number, row in enumerate(table):
            for column, text in enumerate(row):
                translated = self.say(text)
                found = self._lines(f"**{translated}**" if not number else translated, 11, step - 3)
                for line in found[:1]:
                    self._draw(line, x + column * step + 1.5, y + 1, 11)
            y += 7
            self._line((x, y), (x + wide, y), LINE, 0.2)
        return y


def _parts(text: str) -> list[str]:
    """``text`` in parts of one font each."""
    return [part for part in OTHER.split(text) if part]


def _without_title(drawn: str) -> str:
    """An SVG picture without its title, which PDFs have no place for."""
    return re.sub("<title>.*?</title>", "", drawn, count=1, flags=re.S)
