"""The people of the world. Each holds a seat of a game, or watches, over lines that break, and notes what it is told.

A player thinks, asks for what a legal move or a rule allows, sends things twice and late, leaves a silent server for
another, and sends again what was not answered. When the world has become quiet each plays on until its game is over.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import tercet
from tests.simulation.devices import Device
from tests.simulation.loop import VirtualLoop
from tests.simulation.network import ClosedError, LineLostError, Socket, read, request
from tests.simulation.plan import GAMES, Table
from tests.simulation.process import Process

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

SILENCE = 4.0  # seconds after which a client leaves a silent server for another one


@dataclass
class Asked:
    """Something that a player asked of its table, and what became of it. Times are the world's."""

    message: dict[str, Any]
    seat: int | None
    first: float
    answered: float | None = None  # when an answer first came
    number: int | None = None  # that it was acknowledged with; of a line of chat, the line's
    code: str | None = None  # that it was refused with first
    refused_by: VirtualLoop | None = None  # the process, as long as it lives


@dataclass
class Planned:
    """Conditional moves that a player set after event ``number``, when ``ply`` actions stood; ``answered`` is when the
    server said that they are kept, None where its answer was lost. Times are the world's."""

    number: int
    ply: int
    lines: list[list[str]]
    first: float
    answered: float | None = None

    def left(self, moves: list[str]) -> list[list[str]]:
        """What is left of them after these moves of the whole game. ``*`` is any move that no other line names."""
        lines = self.lines
        for text in moves[self.ply :]:
            named = [line[1:] for line in lines if line[:1] == [text]]
            lines = named or [line[1:] for line in lines if line[:1] == ["*"]]
        return [line for line in lines if line]

    def answer(self, moves: list[str]) -> str | None:
        """What they answer after these moves of the whole game; None where that is nothing."""
        return next((line[0] for line in self.left(moves) if line[0] != "*"), None)


@dataclass
class Game:
    """A table of the plan, and who is at it."""

    name: str
    plan: Table
    id: str = ""
    players: list[Player] = field(default_factory=list)
    said: dict[int, str] = field(default_factory=dict)  # the lines of its chat that are on disk, by number


class Player:
    """One client of a table. ``seat`` is the one it holds, None: it watches. It is known by a ``token`` of the seat or
    by the ``cookie`` of an account."""

    def __init__(self, scene: Scene, game: Game, number: int, token: str | None, cookie: str | None) -> None:
        self.scene = scene
        self.game = game
        self.number = number
        self.name = f"{game.name} client {number}"
        self.seat: int | None = None
        self.token = token
        self.cookie = cookie
        self.is_asleep = number == game.plan.sleeper
        self.late = scene.world.random(f"late {self.name}")
        self.sleeps_after = 5 if game.plan.rated else 2  # plies: a rated game counts by then
        self.oversleeps = self.is_asleep and self.late.random() < 0.35  # it wakes just after its flag has fallen
        self.wakes: float | None = None  # when
        self.wants_again = game.plan.again
        self.ended = math.inf  # when it heard the end
        self.withdraws = False  # it calls the game off before the second turn
        self.random = scene.world.random(f"player {self.name}")
        plan = game.plan
        may_think = plan.engine is not None and GAMES[plan.game][2] == 2 and bool(token or cookie)
        self.device = Device(scene, self.name, may_think) if plan.devices else None
        self.state: dict[str, Any] = {}
        self.moves: list[str] = []
        self.asked: dict[str, Asked] = {}
        self.planned: list[Planned] = []
        self.open: Asked | None = None
        self.read: dict[int, str] = {}  # lines of chat, by number
        self.lines = 0
        self.socket: Socket | None = None
        self.here = math.inf  # since when it has had a line
        self.left = math.inf  # since when it has had none
        self.is_resting = False
        self.rests: list[tuple[float, float]] = []  # when it was not there

    @property
    def is_over(self) -> bool:
        return bool(self.state) and bool(self.state["over"])

    @property
    def is_done(self) -> bool:
        """Whether it has nothing more to do here: nothing is open, and no rematch wanted."""
        waits = self.wants_again and self.seat is not None and self.state.get("rematch") is None
        return self.is_over and self.open is None and not (waits and self.scene.world.now < self.ended + 3.0)

    async def play(self) -> None:
        """Until it has heard that the game is over, through however many lines."""
        scene = self.scene
        choice = self.random.randrange(len(scene.processes))
        while not self.is_done:
            process = scene.processes[choice % len(scene.processes)]
            choice += 1  # when this one is gone, the next
            if not process.is_up:
                await asyncio.sleep(0.1)
                continue
            since = self.state["number"] if self.state and self.random.random() < 0.7 else None
            self.lines += 1
            self.socket = socket = Socket(process, f"{self.name} {self.lines}", *self._address(since))
            socket.at_ack = self
            self.here, self.left = scene.world.now, math.inf
            try:
                await self._follow(socket)
            except (LineLostError, ClosedError, TimeoutError):
                pass
            finally:
                late = 0.0 if self.game.plan.slow else self.random.choice((0.0, 0.0, self.random.uniform(0.0, 5.0)))
                socket.leave(late)
                self.here, self.left = math.inf, scene.world.now + late
            if self.is_resting:
                await self._rest()
            else:
                await asyncio.sleep(self.random.uniform(0.02, 0.3))
        self.rests.append((scene.world.now, math.inf))

    async def _rest(self) -> None:
        """Do something else for a while, or until the phone rings."""
        scene, began = self.scene, self.scene.world.now
        until, phone = began + self.random.uniform(1.5, 6.0), scene.push.phones.get((self.cookie or "")[-24:])
        got = len(phone.got) if phone is not None else 0
        while scene.world.now < until and not scene.quiet:
            await asyncio.sleep(0.3)
            if phone is not None and len(phone.got) > got and not self.is_asleep:
                break
        self.is_resting = False
        self.rests.append((began, scene.world.now))

    def was_out(self, since: float, until: float) -> bool:
        """Whether it was not there all the time between two seconds."""
        return any(first <= since and until <= last for first, last in self.rests)

    def _may_rest(self) -> bool:
        """Whether it can do something else: another player is to move, or it would not move in time."""
        state = self.state
        is_away = any(one.cookie == self.cookie and one.is_away(0.0) for one in self.scene.travellers)
        waits = bool(state) and (state["mover"] != self.seat or self.is_asleep or is_away) and self.open is None
        return self.game.plan.slow and waits and not (state["over"] or state["waiting"])

    async def ask_again(self) -> None:
        """Ask everything once more, now that the game is over: each must get the answer that it got."""
        for process in self.scene.processes:
            while not await self._ask_again(process):
                await asyncio.sleep(0.5)

    async def _ask_again(self, process: Process) -> bool:
        """Ask this process; False where it has sent the client elsewhere, since it was without its database."""
        self.lines += 1
        self.socket = socket = Socket(process, f"{self.name} {self.lines}", *self._address())
        socket.at_ack = self
        again = {name: asked for name, asked in self.asked.items() if _is_known(asked, socket)}
        waits = set(again)
        for asked in again.values():
            socket.say(json.dumps(asked.message))
        try:
            log = self.scene.observer.logs[self.game.id]
            while waits or self.read != self.game.said or self.state["number"] < len(log.events):
                heard = read(await socket.hear(20.0))
                if heard["type"] in ("ack", "error") and heard.get("id") in waits:
                    waits.discard(heard["id"])
                    if (heard["type"] == "ack") != (self.asked[heard["id"]].number is not None):
                        was = self.asked[heard["id"]]
                        self.scene.violation(f"{self.name}: {was} was answered in the end with {heard}")
                self.take(heard)
        except ClosedError as error:
            if error.code != 1013:
                raise
            return False
        finally:
            socket.leave()
        return True

    async def _follow(self, socket: Socket) -> None:
        self.take(read(await socket.hear(SILENCE)))
        if self.device is not None:
            self.device.offer(socket)
        if self.open is not None:
            self.scene.count("sent again")
            await self._send(socket, self.open)
        pinged = False
        while not self.is_done:
            if self.open is None:
                await self._plan(socket.process)
                message = None if await self._is_answered(socket.process) else self._next_message()
                if message is not None:
                    if not self.scene.quiet:
                        await asyncio.sleep(self.random.uniform(0.0, self.game.plan.thinks))
                    self.open = self.asked[message["id"]] = Asked(message, self.seat, self.scene.world.now)
                    await self._send(socket, self.open)
            if not self.scene.quiet:
                if self._may_rest() and self.random.random() < 0.7:
                    self.is_resting = True
                    return
                chance = self.random.random()
                if chance < self.game.plan.breaks:
                    self.scene.count("lines cut")
                    return
                if chance < 1.5 * self.game.plan.breaks:
                    self.scene.count("lines fallen silent")
                    socket.fall_silent()
            wait = min(SILENCE / 2, self._sleeps())
            try:
                heard = read(await socket.hear(wait))
                pinged = False
            except TimeoutError:
                if wait < SILENCE / 2:
                    self.scene.count("players awake too late")
                    self.is_asleep = self.oversleeps = False
                    continue
                if pinged:
                    return
                pinged = True
                socket.say('{"type":"ping"}')
                continue
            self.take(heard)

    @property
    def _dozes(self) -> bool:
        """Whether it has fallen asleep, and makes no move."""
        return self.is_asleep and bool(self.state) and bool(self.state["ply"] > self.sleeps_after)

    def _sleeps(self) -> float:
        """The seconds until it wakes: a little more than it has for its turn; for ever where it does not."""
        if not (self.oversleeps and self._dozes) or self.state["mover"] != self.seat:
            self.wakes = None
            return math.inf
        now = self.scene.world.now
        if self.wakes is None:
            self.wakes = now + (self.game.plan.turn or 0) + self.late.uniform(0.0, 0.3)
        return max(0.001, self.wakes - now)

    async def _plan(self, process: Process) -> None:
        """Now and then set conditional moves, while another player thinks: an answer to each of a few moves."""
        state, seat = self.state, self.seat
        is_theirs = seat is not None and not state["over"] and state["mover"] not in (None, seat)
        if self.number > 0:  # what another sets would remind a server that has forgotten these
            return
        if not is_theirs or self.scene.quiet or self.is_asleep or self.random.random() >= self.game.plan.ahead:
            return
        if self.planned and (self.planned[-1].ply == state["ply"] or self.random.random() < 0.2):
            if (chance := self.random.random()) < 0.2:
                await self._compare_plan(process, self.planned[-1])
            if chance < 0.8:
                return
        start, lines = tercet.parse(state["view"]["position"]), []
        actions = list(map(str, start.legal_actions))
        for action in {actions[0]: None} | dict.fromkeys(self.random.sample(actions, min(6, len(actions)))):
            position, line, ends = start.play(action), [action], 0
            while position.mover is not None and len(line) < 12:
                mine = position.mover == seat
                line.append(str(self.random.choice(position.legal_actions) if mine else position.legal_actions[0]))
                position, ends = position.play(line[-1]), len(line) if mine else ends
            if ends:
                lines.append(line[:ends])
        random = self.scene.world.random(f"{self.name} plans {len(self.planned)}")
        if self.game.plan.game == 1 and random.random() < 0.4:  # where each turn is one action
            lines.append(["*", random.choice(actions)])
        if lines and self.game.plan.tries and random.random() < self.game.plan.tries:
            await self._plan_wrongly(process, random, lines)
        planned = Planned(state["number"], state["ply"], lines, self.scene.world.now)
        self.planned.append(planned)
        answer = await self._ask_of_plan(process, "PUT", {"ply": planned.ply, "branches": lines})
        if answer == lines:
            self.scene.count("conditional moves set")
            planned.answered = self.scene.world.now
        elif answer is not None:
            self.planned.remove(planned)

    async def _compare_plan(self, process: Process, last: Planned) -> None:
        """The server has what is left of the last plan, if nothing happened since but actions."""
        events, begun = self.scene.observer.logs[self.game.id].events, self.state["number"]
        found = await self._ask_of_plan(process, "GET")
        is_sure = last.answered is not None and begun == len(events)
        is_sure = is_sure and all(one.kind in ("action", "resumed") for one in events[last.number :])
        if found is not None and is_sure and found != last.left(self.moves):
            self.scene.violation(f"{self.name} planned {last}; {found} is said to be left after {self.moves}")

    async def _plan_wrongly(self, process: Process, random: Random, lines: list[list[str]]) -> None:
        """Ask for a plan that is none: a line ends with another's move, is not legal, has two answers, or begins
        with one's own move."""
        line, *others = lines
        wrong = random.choice(([[*line, "z9"]], [["z9", *line[1:]]], [line[:1]], [["*", "*", line[-1]]]))
        wrong = wrong if random.random() < 0.7 or len(line) > 2 else [line, [line[0], f"{line[1]}z"]]
        begun, body = self.state["number"], {"ply": self.state["ply"], "branches": [*others, *wrong]}
        answer = await self._ask_of_plan(process, "PUT", body, True)
        if answer and begun == len(self.scene.observer.logs[self.game.id].events):
            self.scene.violation(f"{self.name} may plan {wrong}, and has {answer}")

    async def _is_answered(self, process: Process) -> bool:
        """Whether the server has an answer to play for this player, who leaves that to it."""
        if not self.planned or self.state["mover"] != self.seat or not self.planned[-1].answer(self.moves):
            return False
        found = await self._ask_of_plan(process, "GET")
        return found is None or any(line[0] == self.planned[-1].answer(self.moves) for line in found)

    async def _ask_of_plan(self, process: Process, method: str, body: Any = None, wrong: bool = False) -> Any:
        """The lines that the server has; none where it refuses, None where no answer comes."""
        path, headers = f"/api/tables/{self.game.id}/seats/{self.seat}/conditional", {}
        path += f"?seat={self.token}" if self.token else ""
        if self.cookie:
            headers = {"cookie": self.cookie}
        self.lines += 1
        try:
            answer = await request(process, f"{self.name} {self.lines}", method, path, body, headers, seconds=2.0)
        except (LineLostError, ClosedError):
            return None
        is_now = len(self.scene.observer.logs[self.game.id].events) == self.state["number"]
        if is_now and not wrong and answer.json.get("error", {}).get("code") in ("bad-message", "illegal-action"):
            self.scene.violation(f"{self.name} may not plan {body}: {answer.json}")
        return None if answer.status >= 500 else answer.json.get("branches", [])

    async def _send(self, socket: Socket, asked: Asked) -> None:
        """Send, now and then twice, now and then with something older."""
        text = json.dumps(asked.message)
        if self.scene.quiet:
            socket.say(text)
            return
        older = [one for one in self.asked.values() if _is_known(one, socket)]
        again = [one for one in older if one.code and self._would_do(one.message)]
        if again and self.random.random() < 0.8:
            self.scene.count("copies of refused messages")
            copy = self.random.choice(again)
            if "number" in copy.message and len(self.scene.processes) > 1:
                await self._send_elsewhere(copy, socket.process)
            else:
                socket.say(json.dumps(copy.message))
        if older and self.random.random() < 0.06:
            self.scene.count("copies of older messages")
            socket.say(json.dumps(self.random.choice(older).message))
        socket.say(text)
        if self.random.random() < 0.08:
            self.scene.count("messages doubled")
            socket.say(text)

    async def _send_elsewhere(self, copy: Asked, process: Process) -> None:
        """Send a copy to another process, which has not refused it, over a line of its own."""
        others = [one for one in self.scene.processes if one is not process and one.is_up]
        if not others:
            return
        self.lines += 1
        socket = Socket(self.random.choice(others), f"{self.name} {self.lines}", *self._address())
        socket.at_ack = self
        try:
            await socket.hear(1.0)
            socket.say(json.dumps(copy.message))
            while (heard := read(await socket.hear(1.0))).get("id") != copy.message["id"]:
                pass
            if heard["type"] == "ack":
                self.take(heard)
        except (LineLostError, ClosedError, TimeoutError):
            pass
        finally:
            socket.leave()

    def _address(self, since: int | None = None) -> tuple[str, dict[str, str]]:
        """The path of the table's socket, and the headers with which it is opened."""
        query = [f"seat={self.token}"] if self.token else []
        query += [] if since is None else [f"since={since}"]
        return (f"/api/tables/{self.game.id}/live?{'&'.join(query)}", {"cookie": self.cookie} if self.cookie else {})

    def _would_do(self, message: dict[str, Any]) -> bool:
        """Whether what was refused would be possible now: as many actions stand again, or an offer of that kind."""
        if message["type"] == "answer":
            return any(bool(offer["what"] == message["what"]) for offer in self.state["offers"])
        return bool(message.get("ply", message.get("at", self.state["ply"])) == self.state["ply"])

    def _next_message(self) -> dict[str, Any] | None:
        state, seat, chance = self.state, self.seat, self.random.random()
        if not state:
            return None
        name = f"{self.number}.{len(self.asked)}"
        plan, chosen, restless = self.game.plan, self.random.choice, not self.scene.quiet
        if seat is None and restless and plan.tries and self.random.random() < plan.tries / 4:
            return {**self._anything(), "id": name, "number": state["number"]}
        if (seat is None and not plan.talks) or self._dozes:
            return None
        if restless and not state["over"] and self.random.random() < plan.talks:
            tries = plan.tries > 0 and self.random.random() < 0.4
            said: dict[str, Any] = {"room": "watchers" if tries or seat is None else "players", "text": f"line {name}"}
            wrong: list[dict[str, Any]] = [{"room": "players"}, {"seat": (seat or 0) + 1}, {"text": "\n "}]
            said |= chosen(wrong) if tries else {}
            return {"type": "say", "id": name, **said}
        if seat is None:
            return None
        # Without the number a process keeps in mind what it refused; with it all processes know, for ever.
        alone = self.scene.plan.processes == 1
        known = {} if alone and self.random.random() < 0.75 else {"number": state["number"]}
        if chance > 0.97 and state["ply"] > 2 and not self.scene.quiet:  # it has not heard that the offer is gone
            what = self.random.choice(("draw", "takeback"))
            return {"type": "answer", "id": name, "what": what, "yes": True, **known}
        if state["over"]:
            self.wants_again = self.wants_again and (chance < 0.8 or bool(state["offers"]))
            mine = [offer for offer in state["offers"] if offer["seat"] == seat]
            return {"type": "rematch", "id": name, "seat": seat, **known} if self.wants_again and not mine else None
        if self.withdraws and state["abortable"]:
            return {"type": "abort", "id": name, **known}
        if restless and plan.tries and self.random.random() < plan.tries:
            return {**self._anything(), "id": name, **known}
        for offer in state["offers"]:
            if seat in offer["awaited"]:
                is_early = plan.rated and offer["what"] == "draw" and state["ply"] <= self.sleeps_after
                yes = (chance < 0.6 and not is_early) or (offer["what"] == "continue" and self.scene.quiet)
                return {"type": "answer", "id": name, "what": offer["what"], "yes": yes, **known}
        if state["adjourned"] and not any(offer["what"] == "continue" for offer in state["offers"]):
            return {"type": "continue", "id": name, "seat": seat, **known}
        if state["mover"] != seat:
            return None
        if state["ply"] >= self.game.plan.long:
            return {"type": "resign", "id": name, "seat": seat}
        mine_open = any(offer["seat"] == seat for offer in state["offers"])
        if state["ply"] > 3 and not mine_open and not self.scene.quiet:
            if chance < 0.08:
                return {"type": "takeback", "id": name, "at": state["ply"], **known}
            if chance < 0.1:
                return {"type": "draw", "id": name, "seat": seat, **known}
        paths = state["view"]["paths"]
        if not paths:  # of several events that come together only the last has them
            return None
        ahead = self.game.plan.ahead  # where players plan, moves are often those that were planned for
        action = paths[0][0] if ahead and self.random.random() < ahead else self.random.choice(paths)[0]
        ply = state["ply"]
        if ply and chance > 0.85 and not (self.scene.quiet or self.planned):  # it has not heard the last, or is ahead
            round_ = GAMES[self.game.plan.game][2]
            ply += self.random.choice((-1, 1, round_, round_))
        return {"type": "act", "id": name, "ply": ply, "action": action, **known}

    def _anything(self) -> dict[str, Any]:
        """Something that a client can ask, possible or not; but for what would end the game."""
        state, chosen = self.state, self.random.choice
        seats, plies = [*range(len(state["seats"]) + 1), *3 * [self.seat or 0]], range(state["ply"] + 2)
        kinds = ["takeback", "takeback", "answer", "claim", "act", "draw", "continue", "rematch", "resign"]
        kinds += 2 * ["adjourn"] * self.game.plan.may_pause + ["abort"] * (not state["abortable"])
        made: dict[str, Any] = {"type": chosen(kinds)}
        if made["type"] == "takeback":
            made |= {"ply": chosen((None, None, *plies)), "at": chosen((None, state["ply"]))}
        elif made["type"] == "answer":
            made |= {
                "what": chosen(("draw", "takeback", "adjourn", "continue", "rematch")),
                "yes": chosen((True, False)),
            }
        elif made["type"] == "claim":
            made |= {"seat": chosen(seats), "what": chosen(("win", "engine"))}
        elif made["type"] == "act":
            made |= {"ply": state["ply"], "action": chosen(("pass", "Ra1", "Rd4", "z9"))}
        elif made["type"] != "abort":
            made["seat"] = chosen([one for one in seats if made["type"] != "resign" or one != self.seat])
        return made

    def take(self, heard: dict[str, Any]) -> None:
        kind, scene = heard["type"], self.scene
        if kind == "snapshot":
            self._see(heard["state"])
            self.moves = [move["text"] for move in self.state["moves"]]
        elif kind == "event":
            expected = self.state["number"] + 1 if self.state else heard["number"]
            if heard["number"] != expected:
                scene.violation(f"{self.name} was told event {heard['number']} after {expected - 1}")
            self._see(heard["state"])
            if heard["kind"] == "action":
                self.moves.append(heard["action"])
            elif heard["kind"] == "takeback":
                del self.moves[heard["ply"] :]
        elif kind == "think" and self.socket is not None:
            if self.device is None:
                scene.violation(f"{self.name} was asked to think, which it never offered")
            else:
                self.device.think(self.socket, heard)
        elif kind == "talk":
            self._read([heard])
        elif kind == "talked":
            self._read(heard["lines"])
        elif kind == "ack":
            self._acknowledged(heard)
        elif kind == "error" and "id" in heard:
            self._refused(heard)
        elif kind == "ping?" and self.socket is not None and self.random.random() < 0.8:
            self.socket.say(json.dumps({"type": "pong", "n": heard["n"]}))

    def _read(self, lines: list[dict[str, Any]]) -> None:
        """Learn lines of chat, which come in order where several come at once, and stay what they were."""
        for line in lines:
            number, text = line["number"], line["text"]
            hears = line["room"] == "players" or self.seat is None or self.state.get("over")
            said = self.game.said.get(number)
            if not hears or said != text or self.read.setdefault(number, text) != text:
                self.scene.violation(f"{self.name} read {text!r} as line {number}, which is {said}")
        if [line["number"] for line in lines] != sorted({line["number"] for line in lines}):
            self.scene.violation(f"{self.name} was told lines of chat in the order {lines}")

    def _see(self, state: dict[str, Any]) -> None:
        self.ended = min(self.ended, self.scene.world.now) if state["over"] else math.inf
        self.state = state
        self.seat = state["yourSeats"][0] if state["yourSeats"] else None

    def _acknowledged(self, heard: dict[str, Any]) -> None:
        asked = self.asked.get(heard["id"])
        if asked is None:
            self.scene.violation(f"{self.name} got an acknowledgement of {heard['id']}, which it never asked")
            return
        if asked.code is not None:
            self.scene.violation(f"{self.name}: {heard['id']} was refused ({asked.code}), and then acknowledged")
        number = heard.get("talk", heard["number"])
        if asked.number not in (None, number):
            self.scene.violation(f"{self.name}: {heard['id']} was acknowledged as {asked.number}, and then as {number}")
        asked.number = number
        asked.answered = asked.answered or self.scene.world.now
        self.scene.count("acknowledged")
        if self.open is asked:
            self.open = None

    def _refused(self, heard: dict[str, Any]) -> None:
        asked = self.asked.get(heard["id"])
        if asked is None:
            return
        if heard["code"] == "unavailable":
            raise LineLostError  # connect again, send again
        if asked.number is not None:
            self.scene.violation(f"{self.name}: {heard['id']} was acknowledged as {asked.number}, and then refused")
        asked.code = asked.code or heard["code"]  # the first one; later the game may be over
        self.wants_again = self.wants_again and not self.is_over
        asked.refused_by = self.socket.loop if self.socket is not None else None
        asked.answered = asked.answered or self.scene.world.now
        self.scene.count("refused")
        if self.open is asked:
            self.open = None


def _is_known(asked: Asked, socket: Socket) -> bool:
    """Whether what was asked gets its answer again on this line: a refusal of what names no number of an event is known
    to the process that refused it, as long as that lives."""
    return asked.code is None or "number" in asked.message or asked.refused_by is socket.loop
