"""The server process that :mod:`tests.support.processes` starts, with ``python serve.py PORT [HOST]``. It imports
nothing but Tercet, so that it runs from any folder. Games are kept where the environment says. It loads the kernels of
``TERCET_WARM_GAMES`` before it answers: ``[[game, options, seats], ...]`` as JSON."""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from tercet.core.presentation import position_view
from tercet.play.session import Seat, Session, TableSettings
from tercet.server.limits.budgets import ServerLimits


def warm(game: str, options: dict[str, Any], seats: int, actions: int = 400) -> None:
    """Have a game's kernels compiled and loaded: a server killed while it compiles starts over each time."""
    rng = random.Random(1)
    session = Session.open(TableSettings(game, options, (Seat("person"),) * seats))
    while not session.is_over and session.ply < actions:
        position_view(session.position)
        session = session.with_action(str(rng.choice(session.position.legal_actions)))


def unlimited(**more: int) -> ServerLimits:
    """Limits without any of a rate but in ``more``."""
    units = ("_minute", "_person", "_hour", "_second", "_network")
    rates = {name: None for name in vars(ServerLimits()) if name.endswith(units)}
    return ServerLimits(**rates | more)  # type: ignore[arg-type]


def main() -> None:
    from tercet.server.run import serve

    for game, options, seats in json.loads(os.environ.get("TERCET_WARM_GAMES") or "[]"):
        warm(game, options, seats, 10)
    limits = unlimited(sockets_per_address=1_000_000, connections_per_address=1_000_000)
    folder = os.environ.get("TERCET_DATA")
    host = sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1"
    serve(host, int(sys.argv[1]), Path(folder) if folder else None, limits=limits, warm=False)


if __name__ == "__main__":
    main()
