"""Triplicity: chess for three with tribute, purchases and a rule of jeopardy (David Jagger, 2005)."""

from tercet.definition import GameDefinition
from tercet.games.triplicity import engine, kernels, notation, view
from tercet.games.triplicity.rules import OPTIONS, pack

DEFINITION = GameDefinition(
    name="triplicity",
    title="Triplicity",
    designer="David Jagger",
    year=2005,
    summary="Chess for three on a snub triangle: whoever is not captured pays for it, and the last king wins.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    engine=engine,
)
