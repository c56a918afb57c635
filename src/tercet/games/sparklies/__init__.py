"""Sparklies: chain reactions of three colours that take each other round in a circle (Churchill and Reay, 2005)."""

from tercet.definition import GameDefinition, SaveForm, TurnForm
from tercet.games.sparklies import engine, kernels, notation, saves, turns, view
from tercet.games.sparklies.rules import OPTIONS, pack

DEFINITION = GameDefinition(
    name="sparklies",
    title="Sparklies",
    designer="Alex Churchill and Douglas Reay",
    year=2005,
    summary="Red takes green, green takes blue, blue takes red: ping a cell, and what it captures pings in its turn.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    engine=engine,
    saves=(
        SaveForm(
            "save",
            "the original page's save string",
            saves.is_save,
            lambda text: saves.read_save(text).position,
            saves.write_save,
        ),
    ),
    turn_forms=(TurnForm("long", "the original page's long notation", turns.read_long, turns.long_text, turns.turns),),
)
