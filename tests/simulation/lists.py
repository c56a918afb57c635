"""Somebody who watches the list of games, and what it must show: each table that waits, as it was opened and as it
stands, in a fair order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.simulation.plan import GAMES
from tests.simulation.visitors import follow_news

if TYPE_CHECKING:
    from tests.simulation.checks import Log
    from tests.simulation.model import Table
    from tests.simulation.scene import Scene

HEARD = 1.0  # seconds after which each process has heard of a change while nothing goes wrong


async def look_on(scene: Scene, cookie: str) -> None:
    """Open a game that nobody joins, and watch how the list of games changes. What follows from the changes is in the
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
    follows = asyncio.get_running_loop().create_task(
        follow_news(scene, "list", path, cookie, hear, lambda: scene.quiet)
    )
    for number in range(1, 100):
        await asyncio.sleep(random.uniform(0.2, 2.0))
        asked, game = scene.world.now, random.choice(("", f"&game={name}"))
        shown = await asks(f"list {number}", f"/api/lobby?size={random.choice((1, 100))}{game}", None, None, (200,))
        scene.observer.lists.compare(shown, asked, name if game else None)
        if scene.quiet:
            break
    await follows
    if scene.observer.lists.is_sure() and set(known) != {told["id"]}:
        scene.violation(f"who followed the list of games has {known}, and only {told['id']} waits")


class Lists:
    """Compares lists of games with the logs of tables."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def is_sure(self) -> bool:
        """Whether nothing has gone wrong so far: word of each change arrives."""
        return self.scene.troubled_since > self.scene.world.now

    def compare(self, told: dict[str, Any], asked: float, game: str | None) -> None:
        """What a client was ``told`` who ``asked`` at that second, of one ``game`` or of all."""
        observer, violation = self.scene.observer, self.scene.violation
        since = asked - HEARD if self.is_sure() else 0.0
        logs = {ident: log for ident, log in observer.logs.items() if log.tables[0].setup["watch"] == "public"}
        logs = {ident: log for ident, log in logs.items() if game in (None, log.game)}
        waits = {ident: [_waits(table) for table in _between(log, since)] for ident, log in logs.items()}
        surely = [ident for ident, log in logs.items() if log.opened < since and all(waits[ident])]
        if self.is_sure() and not len(surely) <= told["total"] <= sum(map(any, waits.values())):
            violation(f"of {waits} the list of games ({game}) counts {told['total']}")
        for one in told["open"]:
            log = logs.get(one["id"])
            if log is None or not any(waits[one["id"]]):
                violation(f"the list of games ({game}) shows {one}, which does not wait")
            elif not any(self._shown(one["id"], log, table).items() <= one.items() for table in _between(log, since)):
                violation(f"the list of games shows {one}, not {self._shown(one['id'], log, log.tables[-1])}")
        order = sorted(told["open"], key=lambda one: -one["at"])
        turns = [
            [each["seats"][0]["handle"] for each in order[:at]].count(one["seats"][0]["handle"])
            for at, one in enumerate(order)
        ]
        fair = [one for _, one in sorted(zip(turns, order, strict=True), key=lambda pair: pair[0])]
        if fair != told["open"]:
            violation(f"the list of games is in the order {told['open']}, not {fair}")
        for one in told["live"]:
            log = logs.get(one["id"])
            if log is None or not any(self._plays(one, log, table) for table in log.tables):
                violation(f"the list of games that are played shows {one}")

    def _shown(self, ident: str, log: Log, table: Table) -> dict[str, Any]:
        """What the list shows of a table that waits."""
        asked = "SELECT opened, speed FROM tables WHERE id = ?"
        opened, speed = self.scene.disk.observer.execute(asked, (ident,)).fetchone()
        setup = table.setup
        return {
            "game": log.game,
            "clock": setup["clock"],
            "speed": speed,
            "rated": log.rated,
            "takebacks": setup["takebacks"],
            "chat": setup["chat"],
            "explore": setup["explore"] and not log.rated,
            "fromPosition": False,
            "at": round(1000 * opened),
        }

    @staticmethod
    def _plays(one: dict[str, Any], log: Log, table: Table) -> bool:
        kinds = [seat["kind"] for seat in one["seats"]]
        same = (one["game"], one["rated"], one["ply"], kinds) == (log.game, log.rated, len(table.moves), [*table.kinds])
        return same and not table.waiting and not table.over


def _waits(table: Table) -> bool:
    return bool(table.waiting) and not table.over


def _between(log: Log, since: float) -> list[Table]:
    """As the table stood at any moment from that second on."""
    first = sum(event.at <= since for event in log.events)
    return log.tables[first:]
