"""SanQi: two players share three kinds of pieces on a hexagonal board (L. Lynn Smith, 2003)."""

from pathlib import Path

from tercet.definition import Explorations, GameDefinition, Sample
from tercet.games.sanqi import engine, findings, kernels, notation, view
from tercet.games.sanqi.positions import decisive, images
from tercet.games.sanqi.rules import OPTIONS, pack

SAMPLES = Path(__file__).parent / "samples"

DEFINITION: GameDefinition = GameDefinition(
    name="sanqi",
    title="SanQi",
    designer="L. Lynn Smith",
    year=2003,
    summary="Two players share three kinds of pieces: First makes circles, Second makes lines, either makes triangles.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    attempt=view.attempt,
    decisive=decisive,
    images=images,
    samples=(
        Sample("engines-1", "Two engines, side 4: a circle in 33 moves", SAMPLES / "engines-1.txt"),
        Sample("engines-2", "Two engines, side 5: a circle in 27 moves", SAMPLES / "engines-2.txt"),
        Sample("engines-3", "Two engines, side 6: a line of six in 34 moves", SAMPLES / "engines-3.txt"),
    ),
    explorations=Explorations(findings.explorations, findings.explore),
    engine=engine.PARTS,
)
