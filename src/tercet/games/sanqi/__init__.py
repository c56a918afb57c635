"""SanQi: two players share three kinds of pieces on a hexagonal board (L. Lynn Smith, 2003)."""

from tercet.definition import GameDefinition
from tercet.games.sanqi import engine, kernels, notation, view
from tercet.games.sanqi.positions import decisive, images
from tercet.games.sanqi.rules import OPTIONS, pack

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
    engine=engine.PARTS,
)
