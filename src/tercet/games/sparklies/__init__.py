"""Sparklies: chain reactions of three colours that take each other round in a circle (Churchill and Reay, 2005)."""

from pathlib import Path

from tercet.definition import (
    Explorations,
    GameDefinition,
    Preset,
    QuickStart,
    Sample,
    SaveForm,
    Skins,
    Solver,
    Tally,
    TurnForm,
)
from tercet.games.sparklies import (
    engine,
    findings,
    kernels,
    lessons,
    long_notation,
    notation,
    positions,
    saves,
    skins,
    turns,
    view,
)
from tercet.games.sparklies.engine.solver import solve
from tercet.games.sparklies.gestures import gestures
from tercet.games.sparklies.options import OPTIONS
from tercet.games.sparklies.puzzles import PUZZLES
from tercet.games.sparklies.rules import pack
from tercet.games.sparklies.statistics import STATISTICS

SAMPLES = Path(__file__).parent / "samples"

DEFINITION: GameDefinition = GameDefinition(
    name="sparklies",
    title="Sparklies",
    designer="Alex Churchill and Douglas Reay",
    year=2005,
    summary="Set off chain reactions of three colours, and hold more of the full board than your opponent.",
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    attempt=view.attempt,
    turn_is_open=positions.turn_is_open,
    decisive=positions.decisive,
    images=positions.images,
    history=kernels,
    gestures=gestures,
    lessons=lessons.PARTS,
    translations=Path(__file__).parent / "translations",
    explorations=Explorations(findings.explorations, findings.explore, findings.askable),
    skins=Skins(skins.SKINS, skins.skin_art, skins.skin_rules),
    tally=Tally("cells held", positions.cells_held),
    saves=(
        SaveForm(
            "save",
            "the original page's save string",
            saves.is_save,
            lambda text: saves.read_save(text).position,
            saves.write_save,
        ),
    ),
    turn_forms=(
        TurnForm(
            "long",
            "the original page's long notation",
            long_notation.read_long,
            lambda position, actions, _: long_notation.long_text(position, actions),
            turns.turns,
        ),
        TurnForm(
            "numbered",
            "the original page's move list, the long notation with number and player",
            long_notation.read_long,
            long_notation.numbered_text,
            turns.turns,
        ),
    ),
    presets=(
        Preset(
            "solitaire",
            "Solitaire",
            "Speed on one's own: the whole board in as few turns as possible.",
            {"players": 1, "ruleset": "speed"},
            alone=True,
        ),
        Preset("duel", "Duel", "One step by each in turn, as the designers played in November 2005.", {"mode": "duel"}),
        Preset(
            "three",
            "For three",
            "Three players on a board of hexagons, where it takes three of six neighbours to capture.",
            {"board": "hex5", "players": 3, "attack": "3t", "order": "fewest"},
        ),
    ),
    samples=(
        Sample(
            "first-game",
            "The first published game: Chris Howlett against Alex Churchill, 5x5, Subtle",
            SAMPLES / "first-game.txt",
        ),
    ),
    quick_start=QuickStart(
        {"board": "5x5"},
        picture="sparklies/board=5x5,ruleset=subtle r1g1g0g0r0/g1g1g2b0b0/r1r1b2*b1b1/r1r2g2r2r0/g0g0g2r2g2 W v 1",
        moves=(
            "c3=R",
            "c2=R",
            "c1=R",
            "b1=R",
            "+d5",
            "b4=R",
            "b5=B",
            "a4=B",
            "b4=G",
            "a5=G",
            "a4=R",
            "b5=R",
            "b4=B",
            "a5=B",
        ),
    ),
    engine=engine.PARTS,
    statistics=STATISTICS,
    solver=Solver(
        "Sparklies: the fewest turns of a solitaire of Speed, with a line and whether that is proven.",
        solve,
        {"players": 1, "ruleset": "speed"},
    ),
    puzzles=PUZZLES,
)
