"""``tercet perft``."""

from __future__ import annotations

import json as json_module
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from rich.console import Console
from rich.progress import track

from tercet.cli.words import first_game, game_of, name_in, split, start_of
from tercet.errors import OptionError

MAX_DEPTH = 100  # actions


def run(
    words: Sequence[str],
    divide: bool,
    position: str | None,
    execution: str | None,
    seed: int,
    json: bool,
    threads: int | None = None,
) -> None:
    """Print the count and its speed. With ``divide``, first print one line for each action, in order.

    The trees below the first actions are counted side by side in ``threads`` threads, as many as there are cores if
    not said; compiled kernels do not hold the interpreter's lock.
    """
    positional, options = split(words)
    if not positional and position is not None:
        positional = [name_in(position)]
    if len(positional) == 1 and position is not None and positional[0].isdigit():
        positional = [name_in(position), positional[0]]
    if len(positional) != 2:
        raise OptionError("words", f"Name a game and a depth, as in `tercet perft {first_game()} 3`.")
    if not (positional[1].isascii() and positional[1].isdigit() and int(positional[1]) <= MAX_DEPTH):
        raise OptionError("depth", f"The depth must be a number from 0 to {MAX_DEPTH}, not {positional[1][:20]!r}.")
    depth = int(positional[1])
    start = start_of(game_of(positional[0], options, execution), position, seed)
    game = start.game
    begun = time.perf_counter()
    below: dict[str, int] = {}
    if depth == 0:
        nodes = 1
    else:
        console = Console(stderr=True)
        actions = [str(action) for action in start.legal_actions]
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            counts = pool.map(lambda text: game.perft(start.play(text), depth - 1), actions)
            shown = track(counts, "counting", len(actions), console=console, disable=not console.is_terminal)
            below = dict(zip(actions, shown, strict=True))
        nodes = sum(below.values())
    seconds = time.perf_counter() - begun
    if json:
        answer: dict[str, object] = {"nodes": nodes, "depth": depth, "seconds": round(seconds, 3)}
        if divide:
            answer["divide"] = below
        print(json_module.dumps(answer, ensure_ascii=False))
        return
    if divide:
        for text, count in below.items():
            print(f"{text} {count}")
    print(f"nodes {nodes}")
    rate = nodes / seconds if seconds > 0 else 0.0
    print(f"{seconds:.3f} s, {rate:,.0f} nodes/s, {game.execution}", file=sys.stderr)
