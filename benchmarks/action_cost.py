"""What one action costs the server: how often it is read, checked and applied, what is rendered, and processor time.

``python benchmarks/action_cost.py [--games sanqi ...] [--actions 60] [--json]``. Each game is played at random by one
client who holds all seats; time is from the message to the acknowledgement, client and server in one process, so that
calls can be counted. Uses only the protocol and the library, so that it runs with earlier versions too.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import connect

import tercet
from tercet.game import Position
from tercet.server.app import create_app

SMALL = {"sanqi": {"side": 6}}
calls: Counter[str] = Counter()
mine = threading.local()  # what this benchmark itself calls does not count


def counted(owner: Any, name: str, *kinds: str) -> None:
    """Count calls of ``owner.name`` as each of ``kinds``."""
    function: Callable[..., Any] | None = getattr(owner, name, None)
    if function is None:
        return

    def call(*arguments: Any, **named: Any) -> Any:
        if not getattr(mine, "is_client", False):
            calls.update(kinds)
        return function(*arguments, **named)

    setattr(owner, name, call)


def count_all() -> None:
    """Count what is done with actions and positions."""
    counted(Position, "allows", "check")  # also within ``action`` and, in earlier versions, ``events``
    counted(Position, "play", "check", "apply")
    counted(Position, "events", "apply")
    counted(Position, "transition", "apply")
    for name in tercet.games():
        game = tercet.game(name)
        definition: Any = getattr(game, "definition", None) or getattr(game, "house", None)
        counted(definition.notation, "parse_action", "parse")
        counted(definition.view, "paths", "paths")
        counted(definition.view, "scene", "scene")


class Play:
    """One run of a game through one table."""

    def __init__(self, address: str, http: httpx.Client, game: str, seats: int) -> None:
        body = {"game": game, "options": SMALL.get(game, {}), "seats": [{"kind": "here"}] * seats}
        self.table = http.post("/api/tables", json=body).json()
        self.address = address

    def wire(self, *seats: int) -> Any:
        """A socket that holds these seats."""
        query = "&".join(f"seat={self.table['seats'][seat]['token']}" for seat in seats)
        return connect(f"ws://{self.address}/api/tables/{self.table['id']}/live?{query}", max_size=None)


def measure(address: str, http: httpx.Client, game: str, most: int) -> dict[str, float]:
    """Calls and milliseconds of the process an action, with one client that holds all seats."""
    mine.is_client = True
    chance = random.Random(1)
    seats = len(tercet.game(game).players)
    play = Play(address, http, game, seats)
    with play.wire(*range(seats)) as wire:
        position = tercet.parse(json.loads(wire.recv(120))["state"]["view"]["position"])
        done, spent = 0, 0.0
        for ply in range(most + 10):
            if position.is_over:
                break
            legal = position.legal_actions
            action = str(legal[chance.randrange(len(legal))])
            if ply == 10:  # by then everything is compiled and cached
                calls.clear()
                done, spent = 0, 0.0
            begun = time.process_time()
            wire.send(json.dumps({"type": "act", "id": f"a{ply}", "ply": ply, "action": action}))
            while json.loads(wire.recv(120)).get("id") != f"a{ply}":
                pass
            spent += time.process_time() - begun
            done += 1
            position = position.play(action)
    found: dict[str, float] = {kind: calls[kind] / done for kind in ("parse", "check", "apply", "paths", "scene")}
    return {**found, "ms": 1000 * spent / done, "actions": done}


def main() -> None:
    """Serve, play, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", nargs="*", default=list(tercet.games()))
    parser.add_argument("--actions", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    count_all()
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(create_app(Path(folder), engines=0), log_level="error", ws="websockets-sansio")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        with httpx.Client(base_url=f"http://{address}", timeout=240) as http:
            found = {game: measure(address, http, game, asked.actions) for game in asked.games}
        server.should_exit = True
        thread.join()
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{'':12}" + "".join(f"{name:>9}" for name in next(iter(found.values()))))
    for game, figures in found.items():
        print(f"{game:12}" + "".join(f"{value:9.2f}" for value in figures.values()))


if __name__ == "__main__":
    main()
