"""People who go on vacation and end it early, and what must come of it: days are spent once and whole ones are given
back; at each table where they play correspondence their clock stands still, and the others hear of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.simulation.plan import DAY
from tests.simulation.swapped import EPOCH

if TYPE_CHECKING:
    from tests.simulation.checks import Event, Log
    from tests.simulation.players import Player
    from tests.simulation.scene import Scene

ALLOWANCE = 30  # days a year
DAY_MS = round(1000 * DAY)
PROMPT = 3.0  # seconds in which tables hear of a vacation before anything went wrong
SOON = 12.0  # seconds in which tables hear of a vacation once nothing goes wrong any more


@dataclass
class Wish:
    """Days of vacation that somebody asked for (0: its end), in requests of this ``name``; ``done`` is how often that
    was granted, which is at most as often as it was sent."""

    name: str
    days: int
    first: float
    done: int = 0


@dataclass(frozen=True)
class Leave:
    """A row of the database from the second ``at`` on: until when they are away (milliseconds), and the days used."""

    at: float = 0.0
    until: int = 0
    used: int = 0


class Traveller:
    """A player with an account who goes on vacation. ``leaves`` are the rows that the database had of them."""

    def __init__(self, scene: Scene, number: int, person: str, cookie: str) -> None:
        self.scene = scene
        self.name = f"traveller {number}"
        self.person = person
        self.cookie = cookie
        self.random = scene.world.random(self.name)
        self.wishes: list[Wish] = []
        self.leaves = [Leave()]

    async def travel(self) -> None:
        """Go away a few times, each time until the end or until they think better of it."""
        for _ in range(self.random.randint(1, 4)):
            await asyncio.sleep(self.random.uniform(0.0, 3.0))
            if self.scene.quiet:
                break
            await self._take(self.random.choice((1, 2, 3, 4, 14, 25, 30)))
            while self.random.random() < 0.9 and not self.scene.quiet:
                await asyncio.sleep(self.random.uniform(0.1, 2.0))
                if self.random.random() < 0.2:
                    await self._take(1)
            if self.random.random() < 0.8:
                await self._take(0)
        await self.scene.until_quiet()
        until = self.scene.world.now + SOON + self.random.uniform(0.5, 3.0)
        while self.scene.world.now < until and not all(one.is_over for one in self._players()):
            await asyncio.sleep(0.5)
        await self._take(0)  # so that games come to an end

    def _players(self) -> list[Player]:
        return [one for game in self.scene.games for one in game.players if one.cookie == self.cookie]

    async def _take(self, days: int) -> None:
        scene, asked = self.scene, self.scene.world.now
        wish = Wish(f"{self.name} {len(self.wishes)}", days, asked)
        self.wishes.append(wish)
        told = await scene.until_answered(wish.name, "/api/me/vacation", {"days": days}, self.cookie, (200, 409))
        scene.count("vacations refused" if "error" in told else "vacations begun" if days else "vacations ended")
        known = [leave for leave, after in self._times() if after > asked]
        if "error" in told:
            granted = wish.done or any(one.until > self._now(asked) or ALLOWANCE - one.used < days for one in known)
            if told["error"]["code"] != "not-possible" or not granted:
                scene.violation(f"{self.name}: {days} days were refused: {told}, after {known}")
        elif not any(self._shows(told, leave) for leave in known):
            scene.violation(f"{self.name}: {days} days were answered {told}, after {known}")
        elif not wish.done and (days or self.leaves[-1].until > self._now(scene.world.now)):
            scene.violation(f"{self.name}: {days} days were granted, and are not there: {self.leaves[-1]}")

    def _shows(self, told: dict[str, Any], leave: Leave) -> bool:
        ended = leave.until <= self._now(self.scene.world.now)
        until = told["until"] == leave.until or (told["until"] is None and ended)
        return until and told["left"] == ALLOWANCE - leave.used

    def _times(self) -> list[tuple[Leave, float]]:
        """Each row, and until when it was there."""
        ends = [leave.at for leave in self.leaves[1:]]
        return list(zip(self.leaves, [*ends, float("inf")], strict=True))

    def _now(self, second: float) -> int:
        """That second by the clock of the server, which goes on evenly where the machine's is set."""
        registry, now = self.scene.processes[0].registry, self.scene.world.now
        ahead = EPOCH + self.scene.clocks.jumped if registry is None else registry.now() / 1000 - now
        return round(1000 * (ahead + second))

    def is_away(self, seconds: float) -> bool:
        """Whether they have been on vacation for so many seconds, and still are."""
        now = self.scene.world.now
        return self.leaves[-1].at < now - seconds and self.leaves[-1].until > self._now(now)

    def committed(self) -> None:
        """Something was committed: is a new row what was asked for, once?"""
        asked = "SELECT until, used FROM vacations WHERE person_id = ?"
        row = self.scene.disk.observer.execute(asked, (self.person,)).fetchone() or (0, 0)
        before = self.leaves[-1]
        if row == (before.until, before.used):
            return
        now = self.scene.world.now
        self.leaves.append(Leave(now, *row))
        wish = next((one for one in self.wishes[::-1] if self._fits(one, before, *row)), None)
        if wish is None:
            self.scene.violation(f"{self.name}: {before} became {row}, which follows from none of {self.wishes}")
        else:
            wish.done += 1

    def _fits(self, wish: Wish, before: Leave, until: int, used: int) -> bool:
        began = until - wish.days * DAY_MS
        rest = max(0, before.until - began)
        follows = used == before.used + wish.days if wish.days else used == max(0, before.used - rest // DAY_MS)
        in_time = self._now(wish.first) - 20 <= began <= self._now(self.scene.world.now) + 20
        if self.scene.clocks.jumped:
            in_time = True
        may = wish.done < self.scene.tries[wish.name] and 0 <= used <= ALLOWANCE
        return follows and in_time and may and (not wish.days) == bool(rest)

    def at_table(self, name: str, log: Log, event: Event) -> None:
        """An event says that their clock stands still: until when their vacation ends, or ended."""
        seat, until = event.data["seat"], event.data["until"]
        if log.seats[-1][1][seat][1] == self.person and until not in [leave.until for leave in self.leaves]:
            self.scene.violation(f"{name}: {event}, but {self.name} had {self.leaves}")

    def compare(self, name: str, log: Log) -> None:
        """Each vacation is known at each of their tables soon, once nothing went wrong; and no flag falls meanwhile."""
        held = enumerate(log.seats[-1][1] if log.seats else [])
        seats = [seat for seat, (_, person) in held if person == self.person]
        clock = log.tables[-1].clock
        if not seats or clock is None or log.tables[0].setup["clock"]["kind"] != "correspondence":
            return
        for leave, ends in self._times()[1:]:
            by = leave.at + PROMPT
            if by > self.scene.troubled_since:
                by = max(leave.at, self.scene.calm_since) + SOON
            known = next((table for event, table in zip(log.events, log.tables, strict=False) if event.at > by), None)
            if known is None or ends < by or known.waiting or known.over or not known.plays(seats[0]):
                continue
            shown = known.clock.away[seats[0]] if known.clock is not None and known.clock.away else 0
            if max(shown, self._now(by)) != max(leave.until, self._now(by)):
                self.scene.violation(f"{name}: {self.name} is away {leave}, and the table knows {known.clock}")
        for event in log.events:
            if event.kind == "flag" and event.data["seat"] in seats:
                leave = next(one for one, ends in self._times() if one.at <= event.at < ends)
                calm = event.at < self.scene.troubled_since
                if leave.until > event.data["at"] and leave.at < event.at - PROMPT and calm:
                    self.scene.violation(f"{name}: {event} came while {self.name} was away: {leave}")
