"""Through which functions of the server an action passes: all that are at work when it gets a task of its own, when the
session decides, when the database writes and when clients hear of it.

``python benchmarks/hands.py`` plays a few actions and prints the functions in the order in which they began.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import connect

import tercet
from tercet.play.session import Session
from tercet.server.app import create_app
from tercet.server.store.database import Database
from tercet.server.tables.clients import Client

ACTIONS = 8
OURS = tuple(str(Path(tercet.__file__).parent / name) for name in ("server", "play/session"))
hands: dict[tuple[str, str], None] = {}  # file and function, in the order in which they were first seen at work


def noted(owner: Any, name: str) -> None:
    """Note which functions of the server and the session are at work when ``owner.name`` is called."""
    function = getattr(owner, name)

    def call(*arguments: Any, **named: Any) -> Any:
        frame: FrameType | None = sys._getframe(1)
        stack = [(function.__code__.co_filename, function.__qualname__)]
        while frame is not None:
            stack.append((frame.f_code.co_filename, frame.f_code.co_qualname))
            frame = frame.f_back
        hands.update(dict.fromkeys(one for one in reversed(stack) if one[0].startswith(OURS)))
        return function(*arguments, **named)

    setattr(owner, name, call)


def play(address: str) -> list[list[tuple[str, str]]]:
    """Return the functions through which each of some actions passed."""
    body = {"game": "sanqi", "options": {"side": 6}, "seats": [{"kind": "here"}] * 2}
    table = httpx.post(f"http://{address}/api/tables", json=body, timeout=240).json()
    query = "&".join(f"seat={seat['token']}" for seat in table["seats"])
    found = []
    with connect(f"ws://{address}/api/tables/{table['id']}/live?{query}", max_size=None) as wire:
        position = tercet.parse(json.loads(wire.recv(120))["state"]["view"]["position"])
        for ply in range(ACTIONS):
            action = str(position.legal_actions[7 * ply % len(position.legal_actions)])
            hands.clear()
            wire.send(json.dumps({"type": "act", "id": f"a{ply}", "ply": ply, "action": action}))
            while json.loads(wire.recv(120)).get("id") != f"a{ply}":
                pass
            found.append(list(hands))
            position = position.play(action)
    return found


def main() -> None:
    """Serve, play, print."""
    for owner, name in ((asyncio, "shield"), (Session, "apply"), (Database, "write_together"), (Client, "tell")):
        noted(owner, name)
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(create_app(Path(folder), engines=0), log_level="error", ws="websockets-sansio")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            found = play(f"127.0.0.1:{listener.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join()
    fewest = min(found, key=len)  # nothing else happened meanwhile
    for number, (path, name) in enumerate(fewest, 1):
        print(f"{number:3} {path.partition('/tercet/')[2]:32} {name}")


if __name__ == "__main__":
    main()
