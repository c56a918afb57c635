"""One drawing of any position, as SVG or PNG, and of a whole game as GIF.

Draws the data of :mod:`tercet.core.view`; knows no rule and no game.

>>> import tercet
>>> from tercet.pictures.drawing import svg
>>> svg(tercet.parse("sanqi/4 4/5/6/3R3/6/5/4 S d4"))[:4]
'<svg'
"""

from __future__ import annotations

from collections.abc import Collection, Container, Generator, Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from math import hypot
from typing import Any

from tercet.core.game import Position
from tercet.core.presentation import board_view
from tercet.core.rules import plain
from tercet.core.view import Mark, Symbol
from tercet.errors import OptionError, optional

STYLES = ("character", "letter", "symbol")

# Colour by role. The three tones differ in lightness too, so that they differ in greyscale.
DAY = {
    "one": "#CB4630",
    "two": "#E0A91B",
    "three": "#24508F",
    "ink": "#23211C",
    "paper": "#FBF8F1",
    "cell": "#EFE8D8",
    "edge": "#CFC5AE",
    "label": "#7A715E",
    "win": "#23211C",
    "shade-0": "#ECDFC6",
    "shade-1": "#DFCBA7",
    "shade-2": "#CFB68B",
}
NIGHT = {
    **DAY,
    "ink": "#E9E4D6",
    "paper": "#17181C",
    "cell": "#26282F",
    "edge": "#3B3E48",
    "label": "#9A968A",
    "win": "#F5F1E4",
    "shade-0": "#857B69",
    "shade-1": "#736A5B",
    "shade-2": "#61594D",
}
# A tone as paint and what is written on it. Men are the same by day and by night: dark ones stay dark.
PAINT = {
    "one": (DAY["one"], "#FFFFFF"),
    "two": (DAY["two"], "#23211C"),
    "three": (DAY["three"], "#FFFFFF"),
    "ink": ("#2B2924", "#FBF8F1"),
    "paper": ("#FBF8F1", "#2B2924"),
    "green": ("#A8C77E", "#23211C"),
    "grey": ("#8A8F98", "#FBF8F1"),
}

# The characters of the three pieces as strokes, so that no font is needed. Squares from -1 to 1.
STROKES = {
    "上": "M0 -0.78V0.66M0 -0.1H0.52M-0.72 0.66H0.72",
    "中": "M-0.58 -0.4H0.58V0.24H-0.58ZM0 -0.82V0.84",
    "下": "M-0.72 -0.62H0.72M0 -0.62V0.82M0.1 -0.22L0.5 0.12",
}
LOOKS = frozenset({"arrow", "blocked", "danger", "hint", "last", "source", "unseen", "warning", "win"})
OUTLINES = {  # of marked cells: colour, width and dashes
    "win": ("win", 0.1, ""),
    "last": ("ink", 0.06, ""),
    "blocked": ("ink", 0.05, "0.1 0.08"),
    "source": ("ink", 0.05, "0.05 0.07"),
}
GIF_COLOURS = 64
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif"


def svg(
    position: Position,
    *,
    size: int = 480,
    style: str | None = None,
    dark: bool = False,
    coordinates: bool = True,
    marks: bool | Iterable[Mark] = True,
    arrows: Iterable[Sequence[str]] = (),
    title: str | None = None,
) -> str:
    """Return ``position`` as an SVG picture, ``size`` pixels along its longer side.

    ``style`` distinguishes pieces besides their colour: ``"character"``, ``"letter"`` or ``"symbol"`` (None: the game's
    own). ``marks`` are those of the position (True), none (False), or those and the given ones. ``arrows`` are pairs of
    cells, as in ``[("a1", "b2")]``, each from the first to the second. ``title`` stands below the board. OptionError
    for a size, style, mark or arrow that makes no sense.
    """
    if style is not None and style not in STYLES:
        raise OptionError("style", f"The option style must be one of {', '.join(STYLES)}, not {style!r}.")
    pixels: Any = plain(size)
    if isinstance(pixels, bool) or not isinstance(pixels, int | float) or not 16 <= pixels <= 10_000:
        raise OptionError("size", f"The option size must be from 16 to 10000 pixels, not {pixels!r:.40}.")
    game = position.game
    board = board_view(game.board)
    art = game.definition.view.art(game)
    scene = game.definition.view.scene(position)
    chosen = style or art.styles[0]
    colours = NIGHT if dark else DAY
    symbols = {symbol.id: symbol for symbol in art.symbols}
    places = {cell["name"]: (cell["x"], cell["y"]) for cell in board["cells"]}
    left, top, width, height = board["bounds" if coordinates else "bare"]
    below = top + height  # where a title goes
    height += 0.9 if title else 0.0
    scale = pixels / max(width, height)
    head = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{round(width * scale)}" '
            f'height="{round(height * scale)}" viewBox="{short(left)} {short(top)} {short(width)} {short(height)}" '
            f'role="img" font-family="{FONT}" text-anchor="middle">'
        ),
        f"<title>{escape(title or scene.result or scene.prompt or game.definition.title)}</title>",
        element("rect", x=left, y=top, width=width, height=height, fill=colours["paper"]),
    ]
    tile = board["tile"]
    drawn = head + ground(board, colours, coordinates)
    for standing in scene.pieces:
        owner = None if standing.owner is None else art.players[standing.owner]["tone"]
        badges = [art.badges.get(flag, "pennant") for flag in standing.flags]
        drawn.append(piece(symbols[standing.symbol], *places[standing.cell], tile, chosen, owner, badges, colours))
    shown: list[Mark] = list(scene.marks) if marks else []
    if not isinstance(marks, bool):
        given = [marks] if isinstance(marks, Mark) else list(marks)
        _check_marks(given, game.board.index, LOOKS | art.marks.keys())
        shown += given
    drawn_arrows = [_checked(arrow, game.board.names) for arrow in arrows]
    for mark in shown:
        look = art.marks.get(mark.kind, mark.kind)
        if look == "arrow":
            drawn_arrows.append(_checked(mark.cells, game.board.names))
            continue
        drawn += [_mark(look, *places[cell], tile, colours) for cell in mark.cells if cell in places]
    drawn += [_arrow(places[start], places[end], colours) for start, end in drawn_arrows]
    if title:
        drawn.append(centred(title, left + width / 2, below + 0.35, 0.42, colours["ink"]))
    return "\n".join([*drawn, "</svg>"])


def _check_marks(marks: Sequence[Any], cells: Container[str], kinds: Collection[str]) -> None:
    """Raise OptionError where one of ``marks`` is none, or names a kind or a cell that there is not."""
    for mark in marks:
        if not isinstance(mark, Mark):
            raise OptionError("marks", f"A mark must be a tercet.core.view.Mark, not {mark!r:.40}.")
        if mark.kind not in kinds:
            known = ", ".join(sorted(kinds))
            raise OptionError("marks", f"There is no kind of mark {mark.kind!r:.40}. Choose from {known}.")
        for cell in mark.cells:
            if cell not in cells:
                raise OptionError("marks", f"The board has no cell {cell!r:.40}.")


def png(position: Position, *, size: int = 480, **how: Any) -> bytes:
    """Return ``position`` as PNG; arguments as for :func:`svg`. TercetError where the converter is not installed."""
    return raster(svg(position, size=size, **how))


def raster(drawing: str) -> bytes:
    """Return an SVG ``drawing`` as PNG. TercetError where the converter is not installed."""
    resvg = optional("resvg_py", "A PNG picture")
    has_text = "<text" in drawing  # to read the system's fonts takes longer than to draw a board
    return bytes(resvg.svg_to_bytes(svg_string=drawing, font_family="DejaVu Sans", skip_system_fonts=not has_text))


def gif(positions: Sequence[Position], *, size: int = 480, seconds: float = 0.8, **how: Any) -> bytes:
    """Return ``positions`` as an animated GIF, each for so many ``seconds`` and the last four times as long; other
    arguments as for :func:`svg`. TercetError where the converter is not installed."""
    drawing = gif_in_steps(positions, size=size, seconds=seconds, **how)
    while True:
        try:
            next(drawing)
        except StopIteration as done:
            made: bytes = done.value
            return made


def gif_in_steps(
    positions: Sequence[Position], *, size: int = 480, seconds: float = 0.8, **how: Any
) -> Generator[None, None, bytes]:
    """As :func:`gif`, in one step for each position and one for the whole."""
    image = optional("PIL.Image", "A GIF picture")
    if not positions:
        raise OptionError("positions", "A GIF must have at least one position.")

    def frame(position: Position) -> Any:
        return image.open(BytesIO(png(position, size=size, **how))).convert("RGB")

    colours = frame(positions[-1]).quantize(GIF_COLOURS)  # one palette, so that only what changes is stored
    frames = []
    for one in positions:
        frames.append(frame(one).quantize(palette=colours, dither=image.Dither.NONE))
        yield
    durations = [round(1000 * seconds)] * (len(frames) - 1) + [round(4000 * seconds)]
    made = BytesIO()
    frames[0].save(made, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    return made.getvalue()


def ground(board: Mapping[str, Any], colours: Mapping[str, str], coordinates: bool) -> list[str]:
    """Return the empty board: places left out of it, the frame of a wrapped one, its cells, and its labels."""
    tile, edge = board["tile"], colours["edge"]
    drawn = []
    if board["gone"]:
        gone = "".join(outline(tile, x, y, 0.9) for x, y in board["gone"])
        drawn.append(element("path", d=gone, fill="none", stroke=edge, stroke_width=0.03, stroke_dasharray="0.09 0.09"))
    if board["wrapped"]:
        x, y, w, h = board["bare"]
        around = element("rect", x=x + 0.05, y=y + 0.05, width=w - 0.1, height=h - 0.1, fill="none",
                         stroke=colours["label"], stroke_width=0.04, stroke_dasharray="0.2 0.12")  # fmt: skip
        drawn.append(around)
    shades: dict[str, str] = {}
    for cell in board["cells"]:
        role = f"shade-{cell['shade']}" if "shade" in cell else "cell"
        shades[role] = shades.get(role, "") + outline(tile, cell["x"], cell["y"], 1.0)
    line = {
        "stroke": colours["shade-2"] if len(shades) > 1 else edge,
        "stroke_width": 0.035,
        "stroke_linejoin": "round",
    }
    drawn += [element("path", d=cells, fill=colours[role], **line) for role, cells in shades.items()]
    if coordinates:
        drawn += [
            centred(label["text"], label["x"], label["y"], 0.34, colours["label"], weight=400)
            for label in board["labels"]
        ]
    return drawn


def short(value: float) -> str:
    """Return a number as a short text."""
    return f"{round(value, 3):g}"


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Return an SVG element. ``_`` in the names of attributes stands for ``-``; those that are None are left out."""
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            written = short(value) if isinstance(value, float) else value
            words.append(f'{key.rstrip("_").replace("_", "-")}="{written}"')
    return f"<{' '.join(words)}>{content}</{name}>" if content else f"<{' '.join(words)}/>"


def moved(x: float, y: float, scale: float) -> str:
    """Return the transform that enlarges a drawing by ``scale`` and moves it to (x, y)."""
    return f"translate({short(x)} {short(y)}) scale({short(scale)})"


def outline(tile: Sequence[Sequence[float]], x: float, y: float, scale: float) -> str:
    """Path of a cell's outline around (x, y)."""
    return "M" + "L".join(f"{short(x + a * scale)} {short(y + b * scale)}" for a, b in tile) + "Z"


def centred(text: str, x: float, y: float, size: float, colour: str, weight: int = 600) -> str:
    """Text centred on (x, y); capitals are about 0.72 of the size high."""
    return element("text", escape(text), x=x, y=y + 0.36 * size, font_size=size, font_weight=weight, fill=colour)


def piece(
    symbol: Symbol,
    x: float,
    y: float,
    tile: Sequence[Sequence[float]],
    style: str,
    owner: str | None,
    badges: Sequence[str],
    colours: Mapping[str, str],
) -> str:
    """Return a piece as SVG: its ground, its owner's border, its form and its badges."""
    paint, writing = PAINT[symbol.tone]
    inner = min(hypot((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(tile, [*tile[1:], tile[0]], strict=True))
    parts = []
    if symbol.ground == "tile":
        parts.append(element("path", d=outline(tile, x, y, 0.95), fill=paint))
    elif symbol.ground == "disc":
        rim, width = (colours["edge"], 0.03) if owner is None else (PAINT[owner][0], 0.08)
        parts.append(element("circle", cx=x, cy=y, r=inner * 0.84, fill=paint, stroke=rim, stroke_width=width))
    if owner is not None and symbol.ground == "tile":
        parts += border(outline(tile, x, y, 0.78), owner, 0.17, 0.11)
    form = symbol.forms.get(style) or next(iter(symbol.forms.values()))
    if symbol.ground == "none":
        paint, writing = PAINT[owner or symbol.tone][1], PAINT[owner or symbol.tone][0]
        parts.append(_shape(form, x, y, inner * 0.8, writing, paint))
    else:
        parts.append(_shape(form, x, y, inner * 0.52, writing, None))
    parts += [_badge(badge, x + 0.27, y - 0.27, colours) for badge in badges if badge in BADGES]
    faded = ' opacity="0.45"' if "cross" in badges else ""
    return f"<g{faded}>{''.join(parts)}</g>"


def border(path: str, owner: str, outer: float, inner: float) -> list[str]:
    """Return a border along ``path`` in the tone of its owner, on one that is a little wider."""
    lines = ((PAINT[owner][1], outer), (PAINT[owner][0], inner))
    return [
        element("path", d=path, fill="none", stroke=colour, stroke_width=width, stroke_linejoin="round")
        for colour, width in lines
    ]


def _shape(form: Mapping[str, str], x: float, y: float, scale: float, colour: str, edge_colour: str | None) -> str:
    """Return a form, 2 * ``scale`` high; with an edge of ``edge_colour`` where it stands on the bare board."""
    text = form.get("text")
    edge: dict[str, object] = {}
    if edge_colour:
        edge = {"stroke": edge_colour, "stroke_width": 0.12, "paint_order": "stroke", "stroke_linejoin": "round"}
    around = moved(x, y, scale)
    if text is None:
        return element("path", transform=around, d=escape(form["path"]), fill=colour, **edge, fill_rule="evenodd")
    if text in STROKES:
        return element("path", transform=around, d=STROKES[text], fill="none", stroke=colour, stroke_width=0.2,
                       stroke_linecap="round", stroke_linejoin="round")  # fmt: skip
    size = 2.3 / max(1.0, 0.62 * len(text))
    return element("text", escape(text), transform=around, y=0.36 * size, font_size=size, font_weight=700, fill=colour,
                   **edge)  # fmt: skip


BADGES = {
    "halo": "M0.3 -1L-0.7 0.2H-0.1L-0.3 1L0.7 -0.2H0.1Z",  # a flash
    "pennant": "M-0.5 -0.9L0.7 -0.45L-0.25 0V0.9H-0.5Z",
    "dot": "M-0.7 -0.2H0.7V0.2H-0.7Z",
}


def _badge(badge: str, x: float, y: float, colours: Mapping[str, str]) -> str:
    """Return a small sign at the corner of a piece."""
    paper, ink = colours["paper"], colours["ink"]
    disc = element("circle", cx=x, cy=y, r=0.17, fill=paper, stroke=ink, stroke_width=0.03)
    return disc + element("path", transform=moved(x, y, 0.12), d=BADGES[badge], fill=ink)


def _checked(arrow: Sequence[str], names: Sequence[str]) -> Sequence[str]:
    """Return ``arrow``; OptionError unless it leads from one of the cells ``names`` to another."""
    cells = [cell for cell in arrow if cell in names] if isinstance(arrow, Sequence) else []
    if len(cells) == 2 == len(arrow) and cells[0] != cells[1]:
        return cells
    raise OptionError(
        "arrows", f"An arrow must be a pair of two cells of this board, as in {tuple(names[:2])!r}, not {arrow!r:.40}."
    )


def _arrow(start: tuple[float, float], end: tuple[float, float], colours: Mapping[str, str]) -> str:
    """Return an arrow from centre to centre of two cells, edged so that it is seen on every piece."""
    (x, y), length = end, hypot(end[0] - start[0], end[1] - start[1])
    ux, uy = (x - start[0]) / length, (y - start[1]) / length

    def at(back: float, aside: float) -> str:
        return f"{short(x - ux * back - uy * aside)} {short(y - uy * back + ux * aside)}"

    path = f"M{at(length - 0.2, 0)}L{at(0.45, 0)}M{at(0.5, 0.18)}L{at(0.2, 0)}L{at(0.5, -0.18)}"
    round_ = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return "".join(
        element("path", d=path, fill="none", stroke=colours[role], stroke_width=width, **round_)
        for role, width in (("paper", 0.2), ("ink", 0.12))
    )


def _mark(look: str, x: float, y: float, tile: Sequence[Sequence[float]], colours: Mapping[str, str]) -> str:
    """Return a sign on a cell that stands out."""
    if look == "unseen":
        return ""
    ink = colours["ink"]
    if look == "hint":
        return element("circle", cx=x, cy=y, r=0.47, fill="none", stroke=ink, stroke_width=0.05)
    if look in ("danger", "warning"):
        line = {"stroke": ink, "stroke_width": 0.3, "stroke_linejoin": "round"}
        return element(
            "path", transform=moved(x - 0.27, y - 0.27, 0.16), d="M0 -1L1 0.8H-1Z", fill=colours["paper"], **line
        )
    role, width, dashes = OUTLINES.get(look, ("ink", 0.05, ""))
    line = {"stroke": colours[role], "stroke_width": width, "stroke_linejoin": "round"}
    return element("path", d=outline(tile, x, y, 0.93), fill="none", **line, stroke_dasharray=dashes or None)
