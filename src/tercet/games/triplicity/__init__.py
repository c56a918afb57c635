"""Triplicity: chess for three with tribute, purchases and a rule of jeopardy (David Jagger, 2005)."""

from pathlib import Path

from tercet.definition import Explorations, GameDefinition, Preset, Sample, Tally
from tercet.games.triplicity import engine, findings, kernels, lessons, notation, positions, view
from tercet.games.triplicity.rules import OPTIONS, pack

SAMPLES = Path(__file__).parent / "samples"

DEFINITION: GameDefinition = GameDefinition(
    name="triplicity",
    title="Triplicity",
    designer="David Jagger",
    year=2005,
    summary="Chess for three: whoever is spared pays the captor, coins buy new men, and the last king wins.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    attempt=view.attempt,
    decisive=positions.decisive,
    images=positions.images,
    resignation=kernels,
    agreement=kernels,
    short_text=notation.short_text,
    note=notation.note,
    lessons=lessons.PARTS,
    explorations=Explorations(findings.explorations, findings.explore),
    tally=Tally("value of men and tokens", positions.values),
    facing=(0, 120, 240),  # White's home is at the bottom as the board is drawn, Black's upper right, Red's upper left
    takebacks="own",
    retractions=10,
    presets=(Preset("solitaire", "Solitaire", "One person plays White, Black and Red in turn.", alone=True),),
    samples=(
        Sample("engines-1", "Three engines: Black wins in 90 turns", SAMPLES / "engines-1.txt"),
        Sample("engines-2", "Three engines: Red wins in 95 turns", SAMPLES / "engines-2.txt"),
        Sample("engines-3", "Three engines: White wins in 191 turns", SAMPLES / "engines-3.txt"),
    ),
    engine=engine.PARTS,
)
