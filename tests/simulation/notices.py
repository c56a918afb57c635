"""A push service for the world, and phones, which must get each notice once, without a secret, and none on vacation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.server.people.push import PushDevice
    from tests.simulation.checks import Log
    from tests.simulation.players import Game
    from tests.simulation.scene import Scene

TURN, CLOCK = "Your turn", "Less than a day left for your turn"
STALE = 0.5  # seconds between what the only server process knows of a table and the notice that it sends
LATER = 2.5  # the same where word of another process may be lost
TROUBLED = 12.0  # the same once something has gone wrong
PROMPT = 2.0  # seconds in which a notice goes out while nothing goes wrong
ARRIVES = 0.9  # seconds in which a server learns at the latest that somebody has left


@dataclass
class Sent:
    """A notice that came to a phone: at which second, what, about which turn (the number of the event that it began
    with), and whether the process that sent it has heard that it was taken."""

    at: float
    title: str
    path: str
    turn: int | None
    is_known: bool = False


class Phone:
    """A device of a person on which a browser shows notices; ``since`` when the server has said so."""

    def __init__(self, scene: Scene, person: str, cookie: str) -> None:
        self.scene = scene
        self.person = person
        self.cookie = cookie
        self.random = scene.world.random(f"phone {person}")
        self.numbers = 0
        self.since: float | None = None
        self.got: list[Sent] = []
        self.attempts: list[tuple[float, str]] = []  # when a server process sent something, and about what

    async def switch_on(self) -> None:
        self.since = None
        self.numbers += 1
        body = {"endpoint": f"https://push.example.org/{self.person}/{self.numbers}", "p256dh": "key", "auth": "secret"}
        name, path = f"phone {int(self.person)}.{self.numbers}", "/api/me/notices/device"
        told = await self.scene.until_answered(name, path, body, self.cookie, (200,))
        if told["device"] is not True:
            self.scene.violation(f"{name} was switched on, and is off: {told}")
        self.since = self.scene.world.now

    @property
    def is_away(self) -> bool:
        seconds = max(LATER, self.scene.push.slack())
        return any(one.is_away(seconds) for one in self.scene.travellers if one.person == self.person)


class PushService:
    """In place of the push services of browsers, and of what sends to them in each server process."""

    key = 87 * "k"

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.random = scene.world.random("push service")
        self.phones: dict[str, Phone] = {}

    async def open(self, *_: Any) -> PushService:
        return self

    async def check(self, _device: PushDevice) -> None:
        """As ``WebPush.check``: every device will do."""

    def close(self) -> None:
        """As ``WebPush.close``."""

    async def send(self, device: PushDevice, text: str, _topic: str) -> int:
        """As ``WebPush.send``, but now and then it takes no notice, or none any more, or its answer is lost."""
        phone, began = self.phones[device.endpoint.split("/")[-2]], self.scene.world.now
        phone.attempts.append((began, json.loads(text)["path"]))
        await asyncio.sleep(self.random.uniform(0.01, 0.2))
        answers = (201,) if self.scene.quiet else (201, 201, 201, 201, 503, 429, 0, 410)
        status = self.random.choice(answers)
        self.scene.count(f"notices: {status}")
        if device.endpoint.split("/")[-1] != str(phone.numbers):
            return 410  # it has another subscription by now
        sent = self._take(phone, json.loads(text), began) if status in (201, 0) else None
        if status == 410:
            outside = self.scene.outside
            outside.call_soon(lambda: outside.create_task(phone.switch_on()))
        await asyncio.sleep(self.random.uniform(0.01, 0.2))
        if sent is not None:
            sent.is_known = status == 201
        return status

    def _take(self, phone: Phone, notice: dict[str, str], began: float) -> Sent:
        scene, title, path = self.scene, notice["title"], notice["path"]
        name = f"the phone of {int(phone.person)}"
        scene.tell(f"{name}: {notice}")
        scene.compare_secrets(name, json.dumps(notice))
        log = scene.observer.logs.get(path.removeprefix("/t/"))
        turn = None if log is None else _turn_of(log, phone.person, began - self.slack(), began)
        sent = Sent(scene.world.now, title, path, turn)
        known = [one for one in phone.got if (one.title, one.path, one.turn) == (title, path, turn) and one.is_known]
        if turn is None:
            scene.violation(f"{name} got {notice}, and it was not their turn")
        elif known and (title == TURN or self.slack() < TROUBLED):
            scene.violation(f"{name} got {notice} again, after {known}")
        if phone.is_away:
            scene.violation(f"{name} got {notice} during a vacation")
        phone.got.append(sent)
        return sent

    def slack(self) -> float:
        """For how many seconds a process may know an earlier state of a table."""
        if self.scene.troubled_since <= self.scene.world.now:
            return TROUBLED
        return STALE if self.scene.plan.processes == 1 else LATER

    def compare(self, game: Game, log: Log) -> None:
        """Who was not there when their turn began, and for a while, was told of it, unless something went wrong."""
        if not game.plan.slow:
            return
        for begins, event in enumerate(log.events, 1):
            table, before = log.tables[begins], log.tables[begins - 1]
            if table.mover in (None, before.mover) or begins == len(log.events):
                continue
            person, ends = log.seats[-1][1][table.mover or 0][1], log.events[begins].at
            phone = self.phones.get(person or "")
            if phone is None or phone.since is None or phone.since > event.at or phone.numbers > 1:
                continue
            if any(phone.cookie in one.people.values() for one in self.scene.analyses):
                continue  # who follows an analysis is there
            theirs = [one for at in self.scene.games for one in at.players if one.cookie == phone.cookie]
            was_out = all(one.was_out(event.at - ARRIVES, event.at + PROMPT) for one in theirs)
            if not was_out or min(ends, self.scene.troubled_since) < event.at + PROMPT:
                continue
            if any(one.person == person and len(one.leaves) > 1 for one in self.scene.travellers):
                continue
            self.scene.count("turns of people who are not there")
            if not any(path == f"/t/{game.id}" and event.at <= at < event.at + PROMPT for at, path in phone.attempts):
                self.scene.violation(f"{game.name}: {person} was not told that it was their turn after {event}")


def _turn_of(log: Log, person: str, since: float, until: float) -> int | None:
    """The number of the event with which the latest turn of that person began that they had in these seconds."""
    seats = [seat for seat, (_, who) in enumerate(log.seats[-1][1]) if who == person]
    for number in range(len(log.events), -1, -1):
        begins = log.events[number - 1].at if number else 0.0
        ends = log.events[number].at if number < len(log.events) else float("inf")
        if ends < since:
            return None
        if begins <= until and log.tables[number].mover in seats:
            while number and log.tables[number - 1].mover == log.tables[number].mover and not _is_back(log, number):
                number -= 1
            return number
    return None


def _is_back(log: Log, number: int) -> bool:
    """Whether the event of that number takes something back, after which a turn is another one."""
    return log.events[number - 1].kind == "takeback"
