"""``tercet train``."""

from __future__ import annotations

import json as json_module
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercet.cli.words import game_of, split
from tercet.errors import OptionError, TercetError, needs_extra

__all__ = ["run"]


def run(
    words: Sequence[str], out: Path, rounds: int, variants: Sequence[str], on: str, workers: int | None, json: bool,
    **settings: Any,
) -> None:  # fmt: skip
    """Train, saying what was done, and say where the best network is."""
    try:
        import torch  # noqa: F401  (before anything is played)
    except ImportError:
        raise TercetError(needs_extra("Training", "train,data")) from None
    from tercet.training import Training

    positional, options = split(words)
    if len(positional) != 1:
        raise OptionError("words", "Name a game and its options, as in GAME OPTION=VALUE.")
    name = positional[0]
    chosen = [game_of(name, split(text.split())[1] | options).options for text in variants]
    if options and not variants:
        chosen = [game_of(name, options).options]
    training = Training(game_of(name, {}).name, tuple(dict(each) for each in chosen), **settings)
    for progress in training.run(rounds, out, on=on, workers=workers):
        if not json:
            print(f"round {progress.round}: {progress.what}", flush=True)
    best = out / "best.net"
    if json:
        print(json_module.dumps({"net": str(best) if best.exists() else None, "report": str(out / "report.html")}))
    else:
        print(f"{best if best.exists() else 'no network was kept'}; curves in {out / 'report.html'}")
