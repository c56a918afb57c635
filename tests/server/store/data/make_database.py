"""Writes what a server of some version keeps: a database, and what that server tells of it.

``PYTHONPATH=<checkout>/src python tests/server/store/data/make_database.py <name>`` writes ``<name>.sql.gz`` and
``<name>.json.gz`` beside this file. Games of all kinds, finished and not, with clocks, retractions, resignations, talk,
accounts, ratings and a tournament. It uses nothing but the server's protocol, so that it runs with any version.
"""

import gzip
import json
import random
import socket
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import ClientConnection, connect

import tercet
from tercet.server.app import create_app

HERE = Path(__file__).parent
CHANCE = random.Random(1)
CLOCK = {"kind": "fischer", "minutes": 10, "increment": 5}
DAYS = {"kind": "correspondence", "days": 7}


class Player:
    """A client that sits in all seats of a table."""

    def __init__(self, address: str, table: dict[str, Any]) -> None:
        self.id = table["id"]
        self.tokens = [one["token"] or (one["link"] or "=").split("=")[1] or None for one in table["seats"]]
        query = "&".join(f"seat={token}" for token in self.tokens if token)
        self.socket: ClientConnection = connect(f"ws://{address}/api/tables/{self.id}/live?{query}", max_size=None)
        self.state: dict[str, Any] = json.loads(self.socket.recv(60))["state"]

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message; the acknowledgement or the error."""
        asked = f"m{CHANCE.random()}"
        self.socket.send(json.dumps({"id": asked, **message}))
        while True:
            heard: dict[str, Any] = json.loads(self.socket.recv(120))
            if "state" in heard:
                self.state = heard["state"]
            if heard.get("id") == asked:
                return heard

    def play(self, most: int) -> None:
        """Play at random, so many actions at most."""
        for _ in range(most):
            if self.state["over"]:
                return
            actions = tercet.parse(self.state["view"]["position"]).legal_actions
            action = str(actions[CHANCE.randrange(len(actions))])
            heard = self.ask(type="act", ply=self.state["ply"], action=action)
            assert heard["type"] == "ack", heard


def play_all(address: str, http: httpx.Client) -> dict[str, list[str | None]]:
    """Tables of each game; the tokens of each table."""
    tokens: dict[str, list[str | None]] = {}

    def opened(game: str, most: int = 0, **wish: Any) -> Player:
        kinds = [{"kind": "me"}, *[{"kind": "here"}] * (len(tercet.game(game).players) - 1)]
        small = {"options": {"side": 4}} if game == "sanqi" else {}
        answer = http.post("/api/tables", json={"game": game, "seats": kinds, **small, **wish})
        assert answer.status_code == 201, answer.text
        player = Player(address, answer.json())
        tokens[player.id] = player.tokens
        player.play(most)
        return player

    for game in ("sanqi", "triplicity", "sparklies"):
        opened(game)  # nothing has happened
        player = opened(game, 12, chat=True)
        player.ask(type="takeback")
        player.play(3)
        assert player.ask(type="say", room="players", text=f"well played, {game}")["type"] == "ack"
        opened(game, 9, clock=CLOCK, takebacks="own")
        opened(game, 7, clock=DAYS, confirm=True)
        player = opened(game, 8, clock=CLOCK, takebacks="own")
        player.ask(type="takeback")
        player.play(4)
        player.ask(type="resign", seat=0)
        opened(game, 5).ask(type="adjourn")
        opened(game, 6).ask(type="draw")
        opened(game, 2000 if game == "sanqi" else 60)
        opened(game).ask(type="abort")
    return tokens


def compete(address: str, one: httpx.Client, other: httpx.Client) -> str:
    """A round robin of two with one finished game; its id."""
    game = {"game": "sanqi", "options": {"side": 4}, "clock": CLOCK, "rated": True}
    made = one.post("/api/tournaments", json={"name": "Cup", "form": "round-robin", **game})
    assert made.status_code == 201, made.text
    found = str(made.json()["id"])
    for who in (one, other):
        assert who.post(f"/api/tournaments/{found}/join", json={}).status_code == 200
    assert one.post(f"/api/tournaments/{found}/begin", json={}).status_code == 200
    while (table := one.get(f"/api/tournaments/{found}").json()["yourTable"]) is None:
        time.sleep(0.05)
    for who in (one, other):
        cookie = "; ".join(f"{name}={value}" for name, value in who.cookies.items())
        live = f"ws://{address}/api/tables/{table}/live"
        with connect(live, max_size=None, additional_headers={"cookie": cookie}) as wire:
            state = json.loads(wire.recv(60))["state"]
            if who is one:
                continue
            wire.send(json.dumps({"type": "resign", "id": "r", "seat": state["yourSeats"][0]}))
            while json.loads(wire.recv(60))["type"] not in ("ack", "error"):
                pass
    while one.get(f"/api/tournaments/{found}").json()["state"] != "over":
        time.sleep(0.05)
    return found


def main(name: str) -> None:
    """Serve, play, write."""
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(create_app(Path(folder)), log_level="error", ws="websockets-sansio"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        people = [httpx.Client(base_url=f"http://{address}", timeout=240) for _ in range(2)]
        for who, handle in zip(people, ("ada", "bert"), strict=True):
            body = {"handle": handle, "password": "a long enough secret"}
            assert who.post("/api/accounts", json=body).status_code == 201
        tokens = play_all(address, people[0])
        tournament = compete(address, *people)
        time.sleep(3)  # until ratings are counted
        told = {
            "tokens": tokens,
            "records": {table: people[0].get(f"/api/tables/{table}/record").text for table in tokens},
            "states": {table: people[0].get(f"/api/tables/{table}").json()["state"] for table in tokens},
            "tournament": people[0].get(f"/api/tournaments/{tournament}").json(),
            "profile": people[0].get("/api/people/ada").json(),
        }
        server.should_exit = True
        thread.join()
        with sqlite3.connect(Path(folder) / "tercet.sqlite") as database:
            dump = "\n".join(database.iterdump())
    for state in told["states"].values():
        state["view"] = {"position": state["view"]["position"], "outcome": state["view"]["outcome"]}
    (HERE / f"{name}.sql.gz").write_bytes(gzip.compress(dump.encode(), mtime=0))
    text = json.dumps(told, indent=1, sort_keys=True) + "\n"
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
