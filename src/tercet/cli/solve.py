"""``tercet solve``: games for one, as far as they can be solved."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence

from rich.console import Console

from tercet.cli.words import game_of, name_in, split, start_of
from tercet.core.abilities.knowledge import Solution
from tercet.errors import OptionError
from tercet.games import game_definition, names


def run(words: Sequence[str], seconds: float | None, position: str | None, seed: int, json: bool) -> None:
    """Solve a game: report progress on stderr, and print the bounds and the line."""
    positional, options = split(words)
    if not positional and position is not None:
        positional = [name_in(position)]
    solvers = {name: solver for name in names() if (solver := game_definition(name).solver) is not None}
    if len(positional) != 1 or positional[0] not in solvers:
        example = next(iter(solvers))
        known = " or ".join(solvers)
        raise OptionError("words", f"Name a game that can be solved: {known}, as in `tercet solve {example}`.")
    solver = solvers[positional[0]]
    wanted: dict[str, str | None] = {name: str(value) for name, value in solver.options.items()}
    start = start_of(game_of(positional[0], wanted | options), position, seed)
    console = Console(stderr=True, highlight=False)

    def tell(solution: Solution) -> None:
        if console.is_terminal:
            tried = f"{solution.tried:,} actions tried, {solution.seconds:.1f} s"
            console.print(f"at least {solution.low}, at most {solution.high} turns; {tried}", style="dim")

    solution = solver.solve(start, seconds, tell)
    if json:
        found = {"low": solution.low, "high": solution.high, "proven": solution.is_proven, "line": solution.line}
        rest = {"tried": solution.tried, "seconds": round(solution.seconds, 3), "position": str(start)}
        print(json_module.dumps(found | rest))
        return
    print(start)
    for number, turn in enumerate(solution.line, 1):
        print(f"{number}. {' '.join(turn)}")
    if solution.is_proven:
        print(f"{solution.high} turns: no fewer can do it")
    else:
        print(f"{solution.high} turns: whether {solution.low} to {solution.high - 1} can do it was not settled in time")
    print(f"{solution.tried:,} actions tried in {solution.seconds:.2f} s")
