"""The page's colours: what must be told apart is told apart, in each kind of colour vision, in grey, in both lights."""

import itertools
import math
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
LARGE_SHAPES = 3.0


def tokens(light: str) -> dict[str, Colour]:
    """The colours of one light, linear RGB."""
    found: dict[str, str] = {}
    for place in [r":root", r":root\.dark"][: 1 if light == "day" else 2]:
        block = present(re.search(place + r" \{(.*?)\n\}", CSS, re.S))
        found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[1]))
    return {name: linear(value) for name, value in found.items()}


def linear(value: str) -> Colour:
    """sRGB in hexadecimal as linear RGB."""
    parts = (int(value[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return red, green, blue


def seen(colour: Colour, vision: str) -> Colour:
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


def contrast(a: Colour, b: Colour) -> float:
    """WCAG's contrast ratio."""
    lights = sorted(sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), colour, strict=True)) for colour in (a, b))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


PER_LIGHT = pytest.mark.parametrize("light", ["day", "night"])


@PER_LIGHT
@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("names", TOGETHER.values(), ids=TOGETHER.keys())
def test_colours_that_stand_together_are_told_apart(names: tuple[str, ...], vision: str, light: str) -> None:
    colours = tokens(light)
    for a, b in itertools.combinations(names, 2):
        apart = math.dist(lab(seen(colours[a], vision)), lab(seen(colours[b], vision)))  # CIE76
        assert apart >= (12 if vision == "grey" else 20), f"{a} and {b}: {apart:.1f}"


@PER_LIGHT
@pytest.mark.parametrize(
    ("what", "ground", "least"),
    [
        *((text, ground, 4.5) for text in ("ink", "soft", "faint", "bad") for ground in ("paper", "raised", "sunk")),
        *((tone, f"on-{tone}", LARGE_SHAPES) for tone in ("one", "two", "three", "green", "grey")),
        *((line, "paper", LARGE_SHAPES) for line in ("focus", "strong-line", "ink")),
        *(("focus", "tile", LARGE_SHAPES), ("strong-line", "tile", 2.5), ("ink", "tile", LARGE_SHAPES)),
        # neighbours in the evaluation bar
        *((one, other, LARGE_SHAPES) for one, other in itertools.combinations(TOGETHER["Triplicity"], 2)),
    ],
)
def test_text_forms_and_lines_stand_out_from_their_ground(what: str, ground: str, least: float, light: str) -> None:
    colours = tokens(light)
    assert contrast(colours[what], colours[ground]) >= least


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


@PER_LIGHT
@pytest.mark.parametrize("ground", ["sunk", "tile"], ids=["graphs", "boards"])
@pytest.mark.parametrize(("tone", "token"), [("ink", "fixed-ink"), ("paper", "fixed-paper"), ("one", "one")])
def test_each_player_stands_out(tone: str, token: str, ground: str, light: str) -> None:
    colours = tokens(light)
    assert max(contrast(one, colours[ground]) for one in (colours[token], edge_of(tone, light))) >= LARGE_SHAPES


@PER_LIGHT
@pytest.mark.parametrize(("part", "look"), [("Ground", ".tile"), ("Ground", ".outline"), ("Marks", ".legal")])
def test_grids_and_dots_can_be_seen(part: str, look: str, light: str) -> None:
    source = (WEB / f"board/{part}.svelte").read_text()
    block = present(re.search(rf"\n  {re.escape(look)} \{{(.*?)\n  \}}", source, re.S))
    assert "opacity" not in block[1]
    colour = present(re.search(r"(?:stroke|fill): var\(--([\w-]*(?:line|dot))\)", block[1]))
    colours = tokens(light)
    assert contrast(colours[colour[1]], colours["tile"]) >= LARGE_SHAPES
