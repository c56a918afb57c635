"""Crossway (Mark Steere, 2007): connect your two sides, and complete no checkerboard."""

from tercet.core.definition import GameDefinition
from tercet_crossway import kernels, notation, view
from tercet_crossway.positions import EDITOR, decisive, images
from tercet_crossway.rules import OPTIONS, pack

DEFINITION: GameDefinition = GameDefinition(
    name="crossway",
    title="Crossway",
    designer="Mark Steere",
    year=2007,
    summary="Connect your two sides of the square, and complete no checkerboard.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    editor=EDITOR,
    attempt=view.attempt,
    decisive=decisive,
    images=images,
    typical_turns=30,
)
