"""Triplicity: chess for three with tribute, purchases and a rule of jeopardy (David Jagger, 2005)."""

from pathlib import Path

from tercet.core.abilities.play import Explorations, Link, Preset, QuickStart, RulePicture, Sample, Tally
from tercet.core.definition import GameDefinition
from tercet.games.triplicity import engine, findings, kernels, lessons, notation, positions, view
from tercet.games.triplicity.editing import EDITOR
from tercet.games.triplicity.kernels import words
from tercet.games.triplicity.puzzles import PUZZLES
from tercet.games.triplicity.rules import OPTIONS, pack
from tercet.games.triplicity.statistics import STATISTICS

SAMPLES = Path(__file__).parent / "samples"

DEFINITION: GameDefinition = GameDefinition(
    name="triplicity",
    title="Triplicity",
    wordmark="TRiPLiCiTY",
    designer="David Jagger",
    year=2005,
    summary="Chess for three. Capture a piece and the third player pays you. Coins buy new pieces; the last king wins.",
    aim="Take a piece: the third player pays you. The last king wins.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    events=view.EVENTS,
    attempt=view.attempt,
    answers=positions.answers,
    decisive=positions.decisive,
    images=positions.images,
    resignation=kernels,
    agreement=kernels,
    scaled=kernels,
    words=words,
    short_text=notation.short_text,
    note=notation.note,
    turn_words=view.turn_words,
    lessons=lessons.PARTS,
    translations=Path(__file__).parent / "translations",
    editor=EDITOR,
    template_kernel="tribute_due",
    explorations=Explorations(findings.explorations, findings.explore),
    tally=Tally("value of pieces and coins", positions.values),
    facing=(0, 120, 240),  # White's home is at the bottom as the board is drawn, Black's upper right, Red's upper left
    takebacks="own",
    retractions=10,
    rated={"jeopardy": ("text", "no-successive", "off"), "drops": ("perimeter", "anywhere")},
    links=(Link("The inventor's page", "https://www.chessvariants.com/contests/10/triplicity.html"),),
    quick_start=QuickStart(
        examples=(
            RulePicture("tribute", "Take a piece: the third player pays you coins."),
            RulePicture("purchase", "Coins buy new pieces."),
            RulePicture("jeopardy", "Lose your last king and you are out."),
        ),
        picture="triplicity rBrRrPrP2bNbPbPbRbB/1rK1rP6bQbB/rBrQ1rPrP2bPbP2bKbB/rR1rP1rN2bP1bPbNbR/rPrPrPrN4bPbPbP/"
        "rP1rN3wP1bNbP/5wPrB2/4wN1wP1/2wP4/wPwPwPwP2/wPwN1wNwP/wRwKwQwR/wBwBwB B 10,10,10 a,a,a 0 -",
        moves=(
            *("i8xf7", "g7xe6", "d3xe6", "l13xg8", "c8-f10", "Q@a5", "g8-e8"),
            *("f10-c8", "a5-a6", "Q@l13", "Q@g13", "c1xf7", "l13xf7"),
        ),
    ),
    presets=(
        Preset("solitaire", "Solitaire", "One person plays White, Black and Red in turn.", alone=True),
        Preset("castle", "Castle", "Our other array: kings in the back row, between the rooks.", {"array": "castle"}),
    ),
    samples=(
        Sample("engines-1", "Three engines: Black wins in 90 turns", SAMPLES / "engines-1.txt"),
        Sample("engines-2", "Three engines: Red wins in 95 turns", SAMPLES / "engines-2.txt"),
        Sample("engines-3", "Three engines: White wins in 191 turns", SAMPLES / "engines-3.txt"),
    ),
    engine=engine.PARTS,
    statistics=STATISTICS,
    studies=Path(__file__).parent / "studies",
    puzzles=PUZZLES,
    print_sheets=view.print_sheets,
)
