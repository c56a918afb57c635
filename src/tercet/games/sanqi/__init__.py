"""SanQi: two players share three kinds of pieces on a hexagonal board (L. Lynn Smith, 2003)."""

from pathlib import Path

from tercet.core.abilities.play import Explorations, Link, Preset, QuickStart, RulePicture, Sample
from tercet.core.definition import GameDefinition
from tercet.games.sanqi import engine, findings, kernels, lessons, notation, view
from tercet.games.sanqi.editing import EDITOR
from tercet.games.sanqi.positions import decisive, images, move_again
from tercet.games.sanqi.puzzles import PUZZLES
from tercet.games.sanqi.rules import OPTIONS, has_designers_goals, pack
from tercet.games.sanqi.statistics import STATISTICS

SAMPLES = Path(__file__).parent / "samples"

DEFINITION: GameDefinition = GameDefinition(
    name="sanqi",
    title="SanQi",
    designer="L. Lynn Smith",
    year=2003,
    summary="Both players share three kinds of piece. "
    "One needs a circle, the other a line; a triangle wins for either.",
    aim="Circle wins for First, line for Second, triangle for either.",
    aim_holds=has_designers_goals,
    options=OPTIONS,
    pack=pack,
    kernels=kernels,
    bits=kernels,
    notation=notation,
    view=view,
    events=view.EVENTS,
    attempt=view.attempt,
    decisive=decisive,
    images=images,
    move_again=move_again,
    links=(
        Link("The designer's article", "https://www.abstractgames.org/sanqi.html"),
        Link("SanQi in the World of Abstract Games", "https://jpneto.github.io/world_abstract_games/sanqi.htm"),
    ),
    quick_start=QuickStart(
        {"side": 5},
        picture="sanqi/5 2B2/4R1/3BBY1/4Y1R1/1R2RBY2/5Y2/6Y/1R4/1Y3 S i3",
        moves=("Rd9", "Rh1", "Ri4", "Yd3", "Rf6", "Yh5", "Yc8", "Yxi4", "Bh3", "Yi2", "Ra9", "Yxh3"),
        title="61 cells",
        examples=(
            RulePicture("circle", "First wins with a circle: six of one kind around a cell."),
            RulePicture("line", "Second wins with a line: six of one kind in a row."),
            RulePicture("triangle", "A triangle of six wins for either player."),
        ),
        ladder=tuple(
            Preset(f"side-{side}", f"{cells} cells", what, {"side": side, "opening": "book"})
            for side, cells, what in (
                (6, 91, "A bigger board, with a few pieces already on it."),
                (8, 169, "An even bigger board, with a few pieces already on it."),
                (10, 271, "The designer's own board, the largest."),
            )
        ),
    ),
    presets=tuple(
        Preset(
            f"balanced-{side}",
            f"Balanced, side {side}",
            "A starting position in which First and Second have about equal chances between strong players.",
            {"side": side, "opening": "book"},
        )
        for side in (6, 8, 10)
    ),
    samples=(
        Sample("engines-1", "Two engines, side 4: a circle in 33 moves", SAMPLES / "engines-1.txt"),
        Sample("engines-2", "Two engines, side 5: a circle in 27 moves", SAMPLES / "engines-2.txt"),
        Sample("engines-3", "Two engines, side 6: a line of six in 34 moves", SAMPLES / "engines-3.txt"),
    ),
    rated={
        "side": range(4, 16),
        "stalemate": ("draw", "loss"),
        "opening": ("book", "swap", "swap2"),
        "setup": range(3, 13),
    },
    rated_preset="balanced-8",
    lessons=lessons.PARTS,
    translations=Path(__file__).parent / "translations",
    editor=EDITOR,
    template_kernel="replaceable",
    explorations=Explorations(findings.explorations, findings.explore),
    engine=engine.PARTS,
    statistics=STATISTICS,
    studies=Path(__file__).parent / "studies",
    puzzles=PUZZLES,
    print_sheets=view.print_sheets,
)
