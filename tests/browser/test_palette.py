"""The page's colours: what must be told apart is told apart, in each kind of colour vision, in grey, in both lights."""

import itertools
import re
from pathlib import Path

import pytest

from tests.support.present import present

WEB = Path(__file__).parents[2] / "web" / "src"
CSS = (WEB / "app.css").read_text()
Colour = tuple[float, float, float]

# Machado, Oliveira, Fernandes (2009), severity 1, on linear RGB.
VISION: dict[str, tuple[Colour, Colour, Colour]] = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
}
TOGETHER = {
    "SanQi": ("one", "two", "three"),
    "Sparklies": ("one", "green", "three"),
    "controllers": ("fixed-ink", "fixed-paper", "grey"),
    "Triplicity": ("fixed-ink", "fixed-paper", "one"),
}
SMALL_TEXT = 4.5
LARGE_SHAPES = 3.0


def tokens(light: str) -> dict[str, Colour]:
    """The colours of one light, linear RGB."""
    day = re.search(r":root \{(.*?)\n\}", CSS, re.S)
    night = re.search(r":root\.dark \{(.*?)\n\}", CSS, re.S)
    assert day is not None
    assert night is not None
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", day[1]))
    if light == "night":
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", night[1]))
    return {name: linear(value) for name, value in found.items()}


def linear(value: str) -> Colour:
    """sRGB in hexadecimal as linear RGB."""
    parts = (int(value[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def seen(colour: Colour, vision: str) -> Colour:
    """What somebody sees."""
    red, green, blue = (min(1, max(0, sum(a * b for a, b in zip(row, colour, strict=True)))) for row in VISION[vision])
    return red, green, blue


def lab(colour: Colour) -> Colour:
    """CIE L*a*b* of linear RGB, white D65."""
    red, green, blue = colour
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def distance(a: Colour, b: Colour) -> float:
    """CIE76."""
    return float(sum((p - q) ** 2 for p, q in zip(lab(a), lab(b), strict=True)) ** 0.5)


def contrast(a: Colour, b: Colour) -> float:
    """WCAG's contrast ratio."""
    lights = sorted(sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), colour, strict=True)) for colour in (a, b))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("names", TOGETHER.values(), ids=TOGETHER.keys())
def test_colours_that_stand_together_are_told_apart(names: tuple[str, ...], vision: str, light: str) -> None:
    colours = tokens(light)
    for a, b in itertools.combinations(names, 2):
        apart = distance(seen(colours[a], vision), seen(colours[b], vision))
        assert apart >= (12 if vision == "grey" else 20), f"{a} and {b}: {apart:.1f}"


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize("ground", ["paper", "raised", "sunk"])
@pytest.mark.parametrize("writing", ["ink", "soft", "faint", "bad"])
def test_text_can_be_read(writing: str, ground: str, light: str) -> None:
    colours = tokens(light)
    assert contrast(colours[writing], colours[ground]) >= SMALL_TEXT


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize("tone", ["one", "two", "three", "green", "grey"])
def test_forms_stand_out_from_their_ground(tone: str, light: str) -> None:
    colours = tokens(light)
    assert contrast(colours[tone], colours[f"on-{tone}"]) >= LARGE_SHAPES


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize("line", ["focus", "strong-line", "ink"])
def test_controls_and_focus_can_be_seen(line: str, light: str) -> None:
    colours = tokens(light)
    assert contrast(colours[line], colours["paper"]) >= LARGE_SHAPES
    assert contrast(colours[line], colours["tile"]) >= (LARGE_SHAPES if line != "strong-line" else 2.5)


def edge_of(tone: str, light: str) -> Colour:
    """The edge of what is drawn in ``tone``: its own, else that of the light."""
    places = [":root.dark" if light == "night" else ":root", f".tone-{tone}"]
    places += [f":root.dark .tone-{tone}"] if light == "night" else []
    found = "#000000"
    for place in places:
        block = re.search(rf"(?:^|\n){re.escape(place)} \{{(.*?)\n\}}", CSS, re.S)
        edge = re.search(r"--edge: (#[0-9a-f]{6});", block[1]) if block else None
        found = edge[1] if edge else found
    return linear(found)


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize(("tone", "token"), [("ink", "fixed-ink"), ("paper", "fixed-paper"), ("one", "one")])
def test_each_players_line_stands_out_in_graphs(tone: str, token: str, light: str) -> None:
    colours = tokens(light)
    ground = colours["sunk"]
    assert max(contrast(colours[token], ground), contrast(edge_of(tone, light), ground)) >= LARGE_SHAPES


@pytest.mark.parametrize("light", ["day", "night"])
def test_neighbours_in_the_evaluation_bar_are_told_apart(light: str) -> None:
    colours = tokens(light)
    for a, b in itertools.combinations(TOGETHER["Triplicity"], 2):
        assert contrast(colours[a], colours[b]) >= LARGE_SHAPES, (a, b)


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize(
    ("part", "look"), [("board/Ground", ".tile"), ("board/Ground", ".outline"), ("board/Marks", ".legal")]
)
def test_grids_and_dots_can_be_seen(part: str, look: str, light: str) -> None:
    source = (WEB / f"{part}.svelte").read_text()
    block = present(re.search(rf"\n  {re.escape(look)} \{{(.*?)\n  \}}", source, re.S))
    assert "opacity" not in block[1]
    colour = present(re.search(r"(?:stroke|fill): var\(--([\w-]*(?:line|dot))\)", block[1]))
    colours = tokens(light)
    assert contrast(colours[colour[1]], colours["tile"]) >= LARGE_SHAPES


@pytest.mark.parametrize("light", ["day", "night"])
@pytest.mark.parametrize(("tone", "token"), [("ink", "fixed-ink"), ("paper", "fixed-paper"), ("one", "one")])
def test_each_players_men_can_be_seen(tone: str, token: str, light: str) -> None:
    tile = tokens(light)["tile"]
    assert max(contrast(tokens(light)[token], tile), contrast(edge_of(tone, light), tile)) >= LARGE_SHAPES
