"""Answers that are recorded when the site is built: the page shows its games and a first board before Python starts."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tercet.browser.backend import Backend
from tercet.browser.storage import MemoryStorage
from tercet.browser.tables import KEY

__all__ = ["PLACE", "SHARED", "Recorded", "quick_wish", "record"]

PLACE = "@TABLE@"  # stands for the id of a recorded table, and for the tokens of its seats
SHARED = ("type", "id", "table")  # the fields of a snapshot that do not depend on the start of the game
STARTS_PER_GAME = 6  # recorded of a game with chance in its start

Recorded = dict[str, dict[str, Any]]  # what the files of one language hold, by their names


def record(language: str) -> Recorded:
    """Return what a visitor with this language asks for first: ``answers`` for the page with the games; ``tables`` for
    the tables that its buttons open, with the answers for these."""
    return asyncio.run(_Recorder(language).all())


class _Recorder:
    def __init__(self, language: str) -> None:
        self._language = language
        self._storage = MemoryStorage()
        self._backend = Backend(self._storage)

    async def _ask(self, answers: dict[str, str], method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Record the answer to a request, which the page writes in just this way. Return it."""
        asked = "" if body is None else _text(body)
        _, answer = await self._backend.request(method, path, asked or None, self._language)
        answers[f"{method} {path} {asked}"] = answer
        return json.loads(answer)

    async def all(self) -> Recorded:
        answers: dict[str, str] = {}
        games = await self._ask(answers, "GET", "/api/games")
        await self._ask(answers, "GET", "/api/me")
        for game in games:
            quick = game["quickStart"]
            shown = {"position": quick["picture"], "moves": quick["moves"]}
            body = {"game": game["name"], "options": quick["options"], "seed": 0}
            await self._ask(answers, "POST", "/api/preview", {**body, **{k: v for k, v in shown.items() if v}})
        ideas: dict[str, str] = {}
        tables: dict[str, Any] = {}
        for game in games:
            for wish in _wishes(game):
                tables[f"POST /api/tables {_text(wish)}"] = opening = await self._opening(wish)
                if wish["options"] == game["quickStart"]["options"]:
                    for start in opening["starts"]:
                        guided = {"position": start["shown"]["state"]["view"]["position"], "moves": [], "seen": []}
                        await self._ask(ideas, "POST", "/api/first-game", guided)
        return {"answers": {"answers": answers}, "tables": {"answers": ideas, "tables": tables}}

    async def _opening(self, wish: Mapping[str, Any]) -> dict[str, Any]:
        """Return how a table opens: the ``answer`` to the request, the fields of its first snapshot that all starts
        have in common (``shared``), and for each start what is ``stored``, and ``shown`` besides."""
        starts: list[dict[str, Any]] = []
        for seed in range(STARTS_PER_GAME):
            _, text = await self._backend.request("POST", "/api/tables", _text({**wish, "seed": seed}), self._language)
            made = json.loads(text)
            snapshot = await self._first_snapshot(made["id"])
            stored = json.loads(self._storage.texts[KEY + made["id"]])
            start = {"stored": {**stored, "opened": 0}, "shown": _without(snapshot, SHARED)}
            if start not in starts:
                starts.append(start)
        seats = [{**seat, "token": seat["token"] and PLACE} for seat in made["seats"]]
        answer = _placed({**made, "seats": seats}, made["id"])
        return {"answer": _text(answer), "shared": {name: snapshot[name] for name in SHARED}, "starts": starts}

    async def _first_snapshot(self, table: str) -> dict[str, Any]:
        heard: asyncio.Queue[str] = asyncio.Queue()
        socket = self._backend.connect(f"/api/tables/{table}/live?lang={self._language}", heard.put_nowait)
        found: dict[str, Any] = _placed(json.loads(await heard.get()), table)
        self._backend.close(socket)
        return found


def quick_wish(game: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table that the quick start of a game asks for, as the page writes it."""
    quick = game["quickStart"]
    engine = {"kind": "engine", "level": quick["level"]}
    seats = [{"kind": "me"}, *itertools.repeat(engine, len(game["players"]) - 1)]
    return {"game": game["name"], "options": quick["options"], "seats": seats}


def _wishes(game: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what the button of a game asks for: its quick start, and after the first win the next board."""
    wish = quick_wish(game)
    yield wish
    for step in game["quickStart"]["ladder"][:1]:
        yield {**wish, "options": step["options"]}


def _text(content: Any) -> str:
    """Return ``content`` as the page writes it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _placed(content: Any, table: str) -> Any:
    return json.loads(_text(content).replace(table, PLACE))


def _without(content: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in names}
