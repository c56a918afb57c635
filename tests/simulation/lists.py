"""A visitor who watches the list of games. It must show every waiting table as it is now, in a fair order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.simulation.plan import GAMES
from tests.simulation.visitors import follow_news

if TYPE_CHECKING:
    from tests.simulation.checks import Log
    from tests.simulation.scene import Scene

HEARD = 1.0  # seconds after which each process has heard of a change while nothing goes wrong


async def look_on(scene: Scene, cookie: str) -> None:
    """Open a game that no one joins, and watch how the list of games changes. What follows from the changes is in the
    end that this game waits."""
    random, asks, known = scene.world.random("onlooker"), scene.until_answered, dict[str, Any]()
    name, options, seats = random.choice(GAMES)
    kinds = [{"kind": "me"}, *({"kind": "open"} for _ in range(seats - 1))]
    body = {"game": name, "options": options, "seats": kinds, "watch": "public", "chat": random.random() < 0.5}
    told = await asks("onlooker opening", "/api/tables", body, cookie, (201,))

    async def hear(heard: dict[str, Any], _opened: float | None) -> None:
        changed = {one["id"]: one for one in heard.get("openChanged", heard["open"])}
        shown = [one if isinstance(one, str) else one["id"] for one in heard["open"]]
        listed = {ident: changed.get(ident) or known[ident] for ident in shown}
        known.clear()
        known.update(listed)

    path = "/api/lobby/live?changes=true"
    news = follow_news(scene, "list", path, cookie, hear, lambda: scene.quiet)
    follows = asyncio.get_running_loop().create_task(news)
    for number in range(1, 100):
        await asyncio.sleep(random.uniform(0.2, 2.0))
        asked, game = scene.world.now, random.choice(("", f"&game={name}"))
        shown = await asks(f"list {number}", f"/api/lobby?size={random.choice((1, 100))}{game}", None, None, (200,))
        _compare(scene, shown, asked, name if game else None)
        if scene.quiet:
            break
    await follows
    last = {ident: log.tables[-1] for ident, log in scene.observer.logs.items()}
    waits = {ident for ident, one in last.items() if one.setup["watch"] == "public" and one.waiting and not one.over}
    if _is_sure(scene) and (set(known) != waits or told["id"] not in waits):
        scene.violation(f"who followed the list of games has {known}, and {waits} wait")


def _is_sure(scene: Scene) -> bool:
    """Whether nothing has gone wrong so far: word of each change arrives."""
    return scene.troubled_since > scene.world.now


def _compare(scene: Scene, told: dict[str, Any], asked: float, game: str | None) -> None:
    """Compare with the tables the list that a client was sent who ``asked`` at that second, of a ``game`` or of all."""
    since = asked - HEARD if _is_sure(scene) else 0.0
    public = {ident: log for ident, log in scene.observer.logs.items() if log.tables[0].setup["watch"] == "public"}
    logs = {ident: log for ident, log in public.items() if game in (None, log.game)}
    known = {ident: log.tables[sum(event.at <= since for event in log.events) :] for ident, log in logs.items()}
    waits = {ident: [bool(one.waiting) and not one.over for one in tables] for ident, tables in known.items()}
    surely = [ident for ident, log in logs.items() if log.opened < since and all(waits[ident])]
    if _is_sure(scene) and not len(surely) <= told["total"] <= sum(map(any, waits.values())):
        scene.violation(f"of {waits} the list of games ({game}) counts {told['total']}")
    for one in told["open"]:
        if one["id"] not in logs or not any(waits[one["id"]]):
            scene.violation(f"the list of games ({game}) shows {one}, which does not wait")
        elif not (should := _shown(scene, one["id"], logs[one["id"]])).items() <= one.items():
            scene.violation(f"the list of games shows {one}, not {should}")
    newest = sorted(told["open"], key=lambda one: -one["at"])
    openers = [one["seats"][0]["handle"] for one in newest]
    fair = sorted(enumerate(newest), key=lambda pair: openers[: pair[0]].count(openers[pair[0]]))
    if [one for _, one in fair] != told["open"]:
        scene.violation(f"the list of games is in the order {told['open']}, not {fair}")
    for one in told["live"]:
        tables = logs[one["id"]].tables if one["id"] in logs else []
        shown = (one["rated"], one["ply"], [seat["kind"] for seat in one["seats"]])
        plays = [table for table in tables if not table.waiting and not table.over]
        if not any(shown == (logs[one["id"]].rated, len(table.moves), [*table.kinds]) for table in plays):
            scene.violation(f"the list of games that are played shows {one}")


def _shown(scene: Scene, ident: str, log: Log) -> dict[str, Any]:
    """What the list shows of a table that waits, whatever has happened there."""
    asked = "SELECT opened, speed FROM tables WHERE id = ?"
    opened, speed = scene.disk.observer.execute(asked, (ident,)).fetchone()
    setup = log.tables[0].setup
    same = {name: setup[name] for name in ("game", "clock", "takebacks", "chat")}
    more = {"speed": speed, "rated": log.rated, "fromPosition": False, "at": round(1000 * opened)}
    return {**same, **more, "explore": setup["explore"] and not log.rated}
