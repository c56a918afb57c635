"""One drawing of any position, as SVG or PNG, and of a whole game as GIF.

Draws the data of :mod:`tercet.core.view`; knows no rule and no game.

>>> import tercet
>>> from tercet.pictures.drawing import svg
>>> svg(tercet.parse("sanqi/4 4/5/6/3R3/6/5/4 S d4"))[:4]
'<svg'
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from html import escape
from io import BytesIO
from math import hypot
from typing import Any

from tercet.core.game import Position
from tercet.core.presentation import board_view
from tercet.core.rules import plain
from tercet.core.view import Mark, Symbol
from tercet.errors import OptionError, TercetError, needs_extra

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
}
NIGHT = {
    **DAY,
    "ink": "#E9E4D6",
    "paper": "#17181C",
    "cell": "#26282F",
    "edge": "#3B3E48",
    "label": "#9A968A",
    "win": "#F5F1E4",
}
# A tone as paint and what is written on it. Men are the same by day and by night: dark ones stay dark.
PAINT = {
    "one": (DAY["one"], "#FFFFFF"),
    "two": (DAY["two"], "#23211C"),
    "three": (DAY["three"], "#FFFFFF"),
    "ink": ("#2B2924", "#FBF8F1"),
    "paper": ("#FBF8F1", "#2B2924"),
    "green": ("#9BCB60", "#23211C"),
    "grey": ("#8A8F98", "#FBF8F1"),
}

# The characters of the three pieces as strokes, so that no font is needed. Squares from -1 to 1.
STROKES = {
    "上": "M0 -0.78V0.66M0 -0.1H0.52M-0.72 0.66H0.72",
    "中": "M-0.58 -0.4H0.58V0.24H-0.58ZM0 -0.82V0.84",
    "下": "M-0.72 -0.62H0.72M0 -0.62V0.82M0.1 -0.22L0.5 0.12",
}
LOOKS = frozenset({"arrow", "blocked", "danger", "hint", "last", "source", "unseen", "warning", "win"})
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
        (
            f'<rect x="{short(left)}" y="{short(top)}" width="{short(width)}" height="{short(height)}" '
            f'fill="{colours["paper"]}"/>'
        ),
    ]
    tile = board["tile"]
    drawn = head + ground(board, places, colours, coordinates)
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
    """Return ``position`` as a PNG picture; arguments as for :func:`svg`. TercetError where the converter is not
    installed."""
    return raster(svg(position, size=size, **how))


def raster(drawing: str) -> bytes:
    """Return an SVG ``drawing`` as PNG. TercetError where the converter is not installed."""
    try:
        import resvg_py
    except ImportError:
        raise TercetError(needs_extra("A PNG picture", "resvg_py")) from None
    has_text = "<text" in drawing  # to read the system's fonts takes longer than to draw a board
    return bytes(resvg_py.svg_to_bytes(svg_string=drawing, font_family="DejaVu Sans", skip_system_fonts=not has_text))


def gif(positions: Sequence[Position], *, size: int = 480, seconds: float = 0.8, **how: Any) -> bytes:
    """Return ``positions`` as an animated GIF, each for so many ``seconds`` and the last four times as long; other
    arguments as for :func:`svg`. TercetError where the converter is not installed."""
    try:
        from PIL import Image
    except ImportError:
        raise TercetError(needs_extra("A GIF picture", "PIL")) from None

    if not positions:
        raise OptionError("positions", "A GIF must have at least one position.")

    def frame(position: Position) -> Any:
        return Image.open(BytesIO(png(position, size=size, **how))).convert("RGB")

    colours = frame(positions[-1]).quantize(GIF_COLOURS)  # one palette, so that only what changes is stored
    first, *others = [frame(one).quantize(palette=colours, dither=Image.Dither.NONE) for one in positions]
    durations = [round(1000 * seconds)] * len(others) + [round(4000 * seconds)]
    made = BytesIO()
    first.save(made, "GIF", save_all=True, append_images=others, duration=durations, loop=0)
    return made.getvalue()


def ground(
    board: Mapping[str, Any],
    places: Mapping[str, tuple[float, float]],
    colours: Mapping[str, str],
    coordinates: bool,
) -> list[str]:
    """Return the empty board: places left out of it, the frame of a wrapped one, its cells, and its labels."""
    tile = board["tile"]
    drawn = []
    if board["gone"]:
        drawn.append(
            f'<path d="{"".join(outline(tile, x, y, 0.9) for x, y in board["gone"])}" fill="none" '
            f'stroke="{colours["edge"]}" stroke-width="0.03" stroke-dasharray="0.09 0.09"/>'
        )
    if board["wrapped"]:
        x, y, w, h = board["bare"]
        drawn.append(
            f'<rect x="{short(x + 0.05)}" y="{short(y + 0.05)}" width="{short(w - 0.1)}" height="{short(h - 0.1)}" '
            f'fill="none" stroke="{colours["label"]}" stroke-width="0.04" stroke-dasharray="0.2 0.12"/>'
        )
    drawn.append(
        f'<path d="{"".join(outline(tile, x, y, 1.0) for x, y in places.values())}" fill="{colours["cell"]}" '
        f'stroke="{colours["edge"]}" stroke-width="0.035" stroke-linejoin="round"/>'
    )
    if coordinates:
        drawn += [
            centred(label["text"], label["x"], label["y"], 0.34, colours["label"], weight=400)
            for label in board["labels"]
        ]
    return drawn


def short(value: float) -> str:
    """Return a number as a short text."""
    return f"{round(value, 3):g}"


def outline(tile: Sequence[Sequence[float]], x: float, y: float, scale: float) -> str:
    """Path of a cell's outline around (x, y)."""
    return "M" + "L".join(f"{short(x + a * scale)} {short(y + b * scale)}" for a, b in tile) + "Z"


def centred(text: str, x: float, y: float, size: float, colour: str, weight: int = 600) -> str:
    """Text centred on (x, y); capitals are about 0.72 of the size high."""
    return (
        f'<text x="{short(x)}" y="{short(y + 0.36 * size)}" font-size="{short(size)}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )


def _form(symbol: Symbol, style: str) -> Mapping[str, str]:
    """Return how ``symbol`` looks in ``style``, or in its own first way."""
    return symbol.forms.get(style) or next(iter(symbol.forms.values()))


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
        parts.append(f'<path d="{outline(tile, x, y, 0.95)}" fill="{paint}"/>')
    elif symbol.ground == "disc":
        rim = colours["edge"] if owner is None else PAINT[owner][0]
        parts.append(
            f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(inner * 0.84)}" fill="{paint}" stroke="{rim}" '
            f'stroke-width="{0.03 if owner is None else 0.08}"/>'
        )
    if owner is not None and symbol.ground == "tile":
        border = outline(tile, x, y, 0.78)
        for colour, width in ((PAINT[owner][1], 0.17), (PAINT[owner][0], 0.11)):
            parts.append(
                f'<path d="{border}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>'
            )
    if symbol.ground == "none":
        paint, writing = PAINT[owner or symbol.tone][1], PAINT[owner or symbol.tone][0]
        form = _shape(_form(symbol, style), x, y, inner * 0.8, writing, paint)
    else:
        form = _shape(_form(symbol, style), x, y, inner * 0.52, writing, None)
    parts.append(form)
    parts += [_badge(badge, x + 0.27, y - 0.27, colours) for badge in badges if badge in BADGES]
    faded = ' opacity="0.45"' if "cross" in badges else ""
    return f"<g{faded}>{''.join(parts)}</g>"


def _shape(form: Mapping[str, str], x: float, y: float, scale: float, colour: str, edge_colour: str | None) -> str:
    """Return a form, 2 * ``scale`` high; with an edge of ``edge_colour`` where it stands on the bare board."""
    text = form.get("text")
    edge = (
        f' stroke="{edge_colour}" stroke-width="0.12" paint-order="stroke" stroke-linejoin="round"'
        if edge_colour
        else ""
    )
    place = f"translate({short(x)} {short(y)}) scale({short(scale)})"
    if text is None:
        return f'<path transform="{place}" d="{escape(form["path"])}" fill="{colour}"{edge} fill-rule="evenodd"/>'
    if text in STROKES:
        return (
            f'<path transform="{place}" d="{STROKES[text]}" fill="none" stroke="{colour}" stroke-width="0.2" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    size = 2.3 / max(1.0, 0.62 * len(text))
    return (
        f'<text transform="{place}" y="{short(0.36 * size)}" font-size="{short(size)}" font-weight="700" '
        f'fill="{colour}"{edge}>{escape(text)}</text>'
    )


BADGES = {
    "halo": "M0.3 -1L-0.7 0.2H-0.1L-0.3 1L0.7 -0.2H0.1Z",  # a flash
    "pennant": "M-0.5 -0.9L0.7 -0.45L-0.25 0V0.9H-0.5Z",
    "dot": "M-0.7 -0.2H0.7V0.2H-0.7Z",
}


def _badge(badge: str, x: float, y: float, colours: Mapping[str, str]) -> str:
    """Return a small sign at the corner of a piece."""
    return (
        f'<circle cx="{short(x)}" cy="{short(y)}" r="0.17" fill="{colours["paper"]}" stroke="{colours["ink"]}" '
        f'stroke-width="0.03"/><path transform="translate({short(x)} {short(y)}) scale(0.12)" '
        f'd="{BADGES[badge]}" fill="{colours["ink"]}"/>'
    )


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
    return "".join(
        f'<path d="{path}" fill="none" stroke="{colours[role]}" stroke-width="{width}" stroke-linecap="round" '
        'stroke-linejoin="round"/>'
        for role, width in (("paper", 0.2), ("ink", 0.12))
    )


def _mark(look: str, x: float, y: float, tile: Sequence[Sequence[float]], colours: Mapping[str, str]) -> str:
    """Return a sign on a cell that stands out."""
    if look == "unseen":
        return ""
    ink = colours["ink"]
    if look == "hint":
        return f'<circle cx="{short(x)}" cy="{short(y)}" r="0.47" fill="none" stroke="{ink}" stroke-width="0.05"/>'
    if look in ("danger", "warning"):
        return (
            f'<path transform="translate({short(x - 0.27)} {short(y - 0.27)}) scale(0.16)" d="M0 -1L1 0.8H-1Z" '
            f'fill="{colours["paper"]}" stroke="{ink}" stroke-width="0.3" stroke-linejoin="round"/>'
        )
    width, dashes = {
        "win": (0.1, ""),
        "last": (0.06, ""),
        "blocked": (0.05, "0.1 0.08"),
        "source": (0.05, "0.05 0.07"),
    }.get(look, (0.05, ""))
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="{outline(tile, x, y, 0.93)}" fill="none" stroke="{colours["win" if look == "win" else "ink"]}" '
        f'stroke-width="{width}" stroke-linejoin="round"{dashed}/>'
    )
