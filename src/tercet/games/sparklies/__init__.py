"""Sparklies: chain reactions of three colours that take each other round in a circle (Churchill and Reay, 2005)."""

from pathlib import Path

from tercet.core.abilities.knowledge import Solver
from tercet.core.abilities.play import Explorations, Link, Preset, QuickStart, RulePicture, Sample, Skins, Tally
from tercet.core.definition import GameDefinition
from tercet.games.sparklies import engine, findings, kernels, lessons, long_notation, notation, positions, skins, view
from tercet.games.sparklies.editing import EDITOR
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
    summary="Set off chain reactions in three colours, and own more of the board than your opponent when it fills up.",
    aim=view.AIM,
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    notation=notation,
    view=view,
    events=view.EVENTS,
    attempt=view.attempt,
    turn_words=view.turn_words,
    turn_is_open=positions.turn_is_open,
    decisive=positions.decisive,
    images=positions.images,
    history=kernels,
    gestures=gestures,
    lessons=lessons.PARTS,
    translations=Path(__file__).parent / "translations",
    editor=EDITOR,
    template_kernel="capture",
    explorations=Explorations(findings.explorations, findings.explore, findings.askable),
    skins=Skins(skins.SKINS, skins.skin_art, skins.skin_rules),
    tally=Tally("cells owned", positions.cells_held),
    tournament_forms=("round-robin", "swiss", "arena", "best-margin"),
    saves=long_notation.SAVES,
    turn_forms=long_notation.TURN_FORMS,
    notation_styles=(long_notation.STYLE,),
    rated={
        "board": (*(f"{width}x{width}" for width in (5, 6, 7, 8, 9, 10, 11, 13)), "hex4", "hex5", "hex6"),
        "ruleset": ("subtle", "speed", "playtest2"),
        "attack": ("", "3t"),
        "players": (2, 3),
        "setup": ("random", "equal", "blank"),
        "wrap": (False, True),
        "order": ("seat", "fewest"),
        "mode": ("turns", "duel"),
        "round_end": ("ten", "inactive"),
        "resolve_order": ("same", "reverse", "fewest"),
    },
    presets=(
        Preset(
            "subtle", "Subtle", "Only your own cells attack, and every colour is your choice.", {"ruleset": "subtle"}
        ),
        Preset(
            "speed",
            "Speed for two",
            "All cells attack, and chains run by themselves: fast and wild.",
            {"ruleset": "speed"},
            picture="sparklies/board=9x9,ruleset=speed "
            "g2g0g0b0b1b0r0b0b0/g0b2b2b0b1b1r1r1r1/g0b1b1b1b1b1r1r1r1/b2b0b1b1b1b1r1r1r1/"
            "b1b0b0b1b1b1r2r2r0/g2g2g2g2g2g2r2b2g0/g1g0g2g2g2g2r2r2g0/g1g1g2g0g0g1g1g1g1/g1g1g2g1g1g1g1b1g0 B c 0",
        ),
        Preset(
            "playtest2",
            "Playtest 2",
            "All cells attack, and captured cells turn the colour they take.",
            {"ruleset": "playtest2"},
            picture="sparklies/board=9x9,ruleset=playtest2 "
            "g0g0g0b0b0r1g1b1g1/g2r1b0b0g0b1r2g1r1/g0g1b1r1r1g1g0g0b2/b0r1b1g0g2r0b0b0r2/"
            "r2g2b2g2g0g0b2g1r2/g2b2r2b2r2b2b2g2g0/r2g2g2r2r2g2r2b2g0/b2r2b2g2g2g1b1b1b0/g2b2g2r2b2b1r1r1g0 B c 0",
        ),
        Preset(
            "solitaire",
            "Solitaire",
            "Speed on your own: own the whole board in as few turns as possible.",
            {"players": 1, "ruleset": "speed"},
            alone=True,
            picture="sparklies/board=9x9,ruleset=speed,players=1 "
            "b1g0g0b0b0b0r0b0b0/g0b0b0b0g0g1g1g1g0/g0r0g0r0r0g0g0g0g0/b0b0g0g0g0r0b0b1b0/"
            "b0b0b1g0g0g0b0g1r0/g0b0b1b1g1g0g0r0g0/b1g0b1g0g1g1g1g1g1/r0r0b0g0g0g1g1g1g1/b0r0b0g1g1g1g1g1g0 B c 0",
        ),
        Preset(
            "duel",
            "Duel",
            "Players take single steps in turn, as the designers did in November 2005.",
            {"mode": "duel"},
            picture="sparklies/board=9x9,ruleset=subtle,mode=duel "
            "g0b0b0b0g0b0r0r0b0/r0g0b0g0r0b0g0r0g0/b0r0g2*r0g0g0b0g0r0/g0b0g2r2b0r0g0b0g0/r0g0b0r1r1*b0r0g0r0/"
            "b0r0g0g1b1r0b0r0b0/g0b0r0b0g1*r0g0b0g0/r0g0b0r0g0b0r0g0r0/b0r0g0b0r0g0b0r0b0 B d 0",
        ),
        Preset("blank", "No colours", "You choose the colour of each cell when you claim it.", {"setup": "blank"}),
        Preset(
            "hole",
            "A hole in the middle",
            "5x5 with a hole, 24 cells: eight of each colour.",
            {"board": "5x5", "dead": "c3", "setup": "equal"},
        ),
        Preset(
            "holes",
            "Four holes",
            "8x8 with four holes, 60 cells: twenty of each colour.",
            {"board": "8x8", "dead": "c3.f3.c6.f6", "setup": "equal"},
        ),
        Preset(
            "flag",
            "Capture the flag",
            "Your first cell is your flag. Capture another player's flag to win at once.",
            {"flag": True},
            picture="sparklies/board=9x9,ruleset=subtle,flag=true "
            "g0b0b0b0g0b0r0r0b0/r0g0b0g0r0b0g0r0g0/b0r0g0r0g0g0g2^b2r0/g0b0g0r0b0r0b2g2g0/r0g0b0r0r0b0r0g0r0/"
            "b0r0g0g0b0r0b0r0b0/g0g1r1b0g0r0g0b0g0/r0r1g1^r0g0b0r0g0r0/b0r0g0b0r0g0b0r0b0 B c 0",
        ),
        Preset("wrap", "Without edges", "Opposite edges are joined, on 7x7.", {"board": "7x7", "wrap": True}),
        Preset(
            "three",
            "For three",
            "Three players on a hexagonal board. A capture takes three of six neighbours.",
            {"board": "hex5", "players": 3, "attack": "3t", "order": "fewest"},
        ),
    ),
    samples=(
        Sample(
            "first-game",
            "The first published game: Alex Churchill against Chris Howlett, 5x5, Subtle",
            SAMPLES / "first-game.txt",
        ),
    ),
    links=(
        Link("The designers' wiki page", "https://www.toothycat.net/wiki/wiki.pl?AlexChurchill/GameDesign"),
        Link("The original program", "https://www.toothycat.net/~rachael/sparklies/"),
    ),
    quick_start=QuickStart(
        {"board": "5x5"},
        level=1,  # beside level 2, a newcomer who takes what the guide shows wins half of the games
        picture="sparklies/board=5x5,ruleset=subtle r1g1g0g0r0/g1g1g2b0b0/r1r1b2*b1b1/r1r2g2r2r0/g0g0g2r2g2 W v 1",
        moves=(
            *("c3=R", "c2=R", "c1=R", "b1=R", "+d5", "b4=R", "b5=B"),
            *("a4=B", "b4=G", "a5=G", "a4=R", "b5=R", "b4=B", "a5=B"),
        ),
        title="5 × 5",
        examples=(
            RulePicture("wheel", "Red takes green, green takes blue, blue takes red."),
            RulePicture("attack", "Two of your cells beside another take it."),
            RulePicture("chain", "Cells you take can take more. Own the most to win."),
        ),
        ladder=(
            Preset("7x7", "7 × 7", "The bigger board, 7 × 7.", {"board": "7x7"}),
            Preset("9x9", "9 × 9", "9 × 9, the usual board.", {"board": "9x9"}),
        ),
    ),
    engine=engine.PARTS,
    statistics=STATISTICS,
    studies=Path(__file__).parent / "studies",
    solver=Solver(
        "Sparklies: the fewest turns of a solitaire of Speed, with a line and whether that is proven.",
        solve,
        {"players": 1, "ruleset": "speed"},
    ),
    puzzles=PUZZLES,
    print_sheets=view.print_sheets,
)
