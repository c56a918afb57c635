"""A bot that plays any of the games, at random: the least that a bot is. Python and httpx are all it needs.

python examples/bot.py http://127.0.0.1:8000 TOKEN
"""

import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx


def lines(client: httpx.Client, path: str) -> Iterator[dict[str, Any]]:
    """What the server says on an answer that does not end. Empty lines only say that it is there."""
    with client.stream("GET", path, timeout=httpx.Timeout(10, read=30)) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            if line:
                yield json.loads(line)


def play(client: httpx.Client, table: str) -> None:
    """Play one game to its end, or until the line breaks: the server tells of the game again then."""
    for line in lines(client, f"/api/bot/games/{table}/stream"):
        state = line["state"] if line["type"] == "gameFull" else line
        if state["type"] != "gameState":
            continue
        if state["yourTurn"]:
            now = client.get(f"/api/bot/games/{table}/legal").json()
            if now["legal"] and now["ply"] == state["ply"]:
                body = {"ply": now["ply"], "action": random.choice(now["legal"])}
                client.post(f"/api/bot/games/{table}/act", json=body)
        if state["over"]:
            print(table, state["result"])


def main(server: str, token: str) -> None:
    """Accept every challenge; come back when the line breaks."""
    client = httpx.Client(base_url=server, headers={"Authorization": f"Bearer {token}"}, timeout=30)
    while True:
        try:
            for event in lines(client, "/api/bot/stream"):
                if event["type"] == "challenge":
                    client.post(f"/api/bot/challenges/{event['table']}/accept")
                elif event["type"] == "gameStart":
                    threading.Thread(target=play, args=(client, event["table"]), daemon=True).start()
        except httpx.TransportError as error:
            print("the line broke:", error)
        time.sleep(2)


if __name__ == "__main__":
    main(*sys.argv[1:3])
