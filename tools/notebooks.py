"""Writes the notebooks of examples/notebooks/: what a network sees of each game, drawn. Run it when planes change."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import tercet

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
INTRODUCTION = """# What a network sees of {title}

`Position.observe()` gives a position as *planes*: one number from 0 to 1 for each cell and plane, from the side of the
player who is to move (or of any other). The same planes come from `tercet.batch.Batch`, from every environment of
`tercet.environments`, and from `tercet.training.data`."""
BEGIN = """import random

import tercet
from tercet.environments.play import planes_svg

game = tercet.game("{name}"{options})
position, chance = game.start(seed=1), random.Random(1)
for _ in range({plies}):
    position = position.play(chance.choice(position.legal_actions))
position"""
LIST = """planes = position.observe()
print(planes.dtype, planes.shape)
for number, name in enumerate(game.rules.planes):
    print(number, name)"""
DRAW = "planes_svg(position)  # white is 0, dark is 1"
OTHER = """other = (position.mover + 1) % len(game.players)
planes_svg(position, other)  # the same from the next player's side"""
CELLS = (BEGIN, LIST, DRAW, OTHER)
CHOSEN: dict[str, tuple[str, int]] = {"sanqi": (", side=4", 24), "sparklies": ("", 40), "triplicity": ("", 30)}


def run(source: str, scope: dict[str, Any]) -> list[dict[str, Any]]:
    """Execute a cell as a notebook does; its outputs."""
    *lines, last = source.split("\n")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            code = compile(last, "<cell>", "eval")
            exec("\n".join(lines), scope)
            shown = eval(code, scope)
        except SyntaxError:  # the last line is no expression of its own
            exec(source, scope)
            shown = None
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if shown is not None:
        picture = shown._repr_svg_()
        data = {"image/svg+xml": [picture], "text/plain": [f"<{type(shown).__name__}>"]}
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def notebook(name: str) -> dict[str, Any]:
    """The notebook of a game, run."""
    options, plies = CHOSEN.get(name, ("", 20))
    scope: dict[str, Any] = {"random": random}
    introduction = INTRODUCTION.format(title=tercet.game(name).definition.title)
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "introduction", "metadata": {}, "source": introduction.splitlines(True)}
    ]
    for number, template in enumerate(CELLS):
        source = template.format(name=name, options=options, plies=plies) if number == 0 else template
        cells.append(
            {
                "cell_type": "code", "execution_count": None, "id": f"cell-{number}", "metadata": {},
                "outputs": run(source, scope), "source": source.splitlines(True),
            }
        )  # fmt: skip
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def text(name: str) -> str:
    """The notebook of a game as its file holds it."""
    return json.dumps(notebook(name), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game in sys.argv[1:] or tercet.games():
        (FOLDER / f"{game}.ipynb").write_text(text(game), encoding="utf-8")
