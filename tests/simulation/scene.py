"""One plan played to its end: the world that it makes, and what of it must not have been."""

import asyncio
import contextlib
import gc
import hashlib
import logging
import shutil
import sys
import tempfile
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa

from tercet.core.execution import choose_execution, usual_execution
from tercet.server.people.identity import hash_secret, refresh_skeletons
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.lease import LIVING
from tercet.server.store.schema import PEOPLE, SESSIONS
from tests.simulation.analyses import EDITOR, OTHER, OWNER, Analysis
from tests.simulation.bus import Bus
from tests.simulation.checks import SLACK, UNNOTICED, Observer
from tests.simulation.disk import NAME, Disk
from tests.simulation.limits import sit_and_leave, try_limits
from tests.simulation.lists import look_on
from tests.simulation.loop import VirtualLoop, World
from tests.simulation.network import Answer, LineLostError, Socket, request
from tests.simulation.notices import Phone, PushService
from tests.simulation.plan import DAY, GAMES, MOMENTS, Fault, Plan, Table
from tests.simulation.plan import OWNER as OWNS
from tests.simulation.players import Game, Player
from tests.simulation.process import Process
from tests.simulation.swapped import EPOCH, Clocks, swapped
from tests.simulation.vacations import Traveller
from tests.simulation.visitors import Learner, Seeker, Solver, challenge, play_cup, puzzles

STORM = 9.0  # seconds, after which no more faults happen
PATIENCE = 60.0  # seconds after that in which everything must have come to an end
ACCOUNTS = 20
ZEROS = 20 * "0"  # with which the ids of accounts and the secrets of their cookies begin


@dataclass
class Report:
    """What came of one plan, or of a ``branch`` of its run (see `simulate`)."""

    plan: Plan
    branch: tuple[float, int] | None = None
    virtual_seconds: float = 0.0
    steps: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    story: list[tuple[float, str, str]] = field(default_factory=list)  # when, what, and the message, if it is one

    @property
    def lines(self) -> list[tuple[float, str]]:
        return [(at, what + _short(message) if message else what) for at, what, message in self.story]

    @property
    def digest(self) -> str:
        """A short name of the whole story: two runs with the same one were the same."""
        told = sorted(f"{at:.9f} {what}{message}" for at, what, message in self.story)
        return hashlib.blake2b("\n".join(told).encode(), digest_size=8).hexdigest()


class Scene(logging.Handler):
    """The world of one plan. It hears what the server logs, too."""

    def __init__(self, plan: Plan, folder: Path, branch: tuple[float, int] | None = None) -> None:
        super().__init__(logging.WARNING)
        self.plan = plan
        self.world = World(plan.seed, branch)
        self.report = Report(plan, branch)
        self.disk = Disk(self.world, folder)
        self.clocks = Clocks(self.world)
        self.bus = Bus(self.world) if plan.processes > 1 else None
        self.random = self.world.random("scene")
        self.observer = Observer(self)
        self.push = PushService(self)
        self.quiet = False
        self.calm_since = self.troubled_since = float("inf")
        self.tries: Counter[str] = Counter()  # how often requests of a name were sent
        self.secrets: set[str] = {ZEROS}  # that are in no message to anybody else
        self.changes: list[float] = [0.0]  # when another set of processes serves, and which
        self._serving: list[frozenset[VirtualLoop]] = [frozenset()]
        self._unnoticed: list[tuple[float, float]] = []
        self._silent: list[tuple[VirtualLoop, float, float]] = []
        self._leaving: dict[VirtualLoop | None, tuple[float, float]] = {}
        self.processes = [
            Process(self.world, number, self.disk, self.bus, self._said, self._overheard, self._happened)
            for number in range(plan.processes)
        ]
        for process in self.processes:
            process.closed = self.observer.closed
        self.outside = self.world.loop("outside")
        self.outside.on_error = lambda context: self.violation(f"in a client: {context}")
        self.games: list[Game] = []
        self.solvers: list[Solver] = []
        self.learners: list[Learner] = []
        self.seekers: list[Seeker] = []
        self.travellers: list[Traveller] = []
        self.analyses: list[Analysis] = []
        self._moments = [fault for fault in plan.faults if fault.moment]
        self._faults_end = 0.0
        if self._moments:
            self.disk.executed = self._wait_for_moment
        self._ended = asyncio.Event()
        self._played = self._done = False

    def close_files(self) -> None:
        self.disk.observer.close()
        for one in list(self.disk.connections.values()):
            one.close()

    def tell(self, what: str, message: str = "") -> None:
        self.report.story.append((self.world.now, what, message))

    def violation(self, what: str) -> None:
        self.report.violations.append(what)
        self.tell(f"*** {what}")

    def compare_secrets(self, name: str, text: str, player: Player | None = None) -> None:
        """No secret but the ``player``'s own is in what a client is told."""
        for secret in self.secrets:
            if secret in text and (player is None or secret != player.token):
                self.violation(f"{name} was told a secret: {secret} in {text[:200]}")

    def count(self, what: str) -> None:
        self.report.counts[what] += 1

    def emit(self, record: logging.LogRecord) -> None:
        """The server logs something. What it did not expect is a violation, what it did is part of the story."""
        said = record.getMessage()
        if record.exc_info is not None and record.exc_info[1] is not None:
            self.violation(f"the server logged: {said}: {record.exc_info[1]!r}")
        elif record.levelno >= logging.ERROR and "engines' processes died" not in said:
            self.violation(f"the server logged: {said}")
        else:
            self.tell(f"(logged: {said})")

    def _happened(self, what: str) -> None:
        self.tell(what)
        for one in self.processes:
            if one.slow and what == f"{one.name} serves":  # from when it wrote so, which took a slow disk that long
                self._unnoticed.append((self.world.now - one.slow - 0.01, self.world.now))
        self._note_serving()

    def _said(self, socket: Socket, text: str) -> None:
        self.observer.said(socket, text)
        self.tell(f"{socket.process.name} to {socket.name}: ", text)

    def _overheard(self, socket: Socket, text: str) -> None:
        self.tell(f"{socket.name} to {socket.process.name}: ", text)

    def _note_serving(self) -> None:
        self.changes.append(self.world.now)
        away, now = self.disk.away, self.world.now
        runs = [one.loop for one in self.processes if one.runs]
        self._serving.append(frozenset(one for one in runs if away.get(one, 0.0) <= now))

    def serving(self, at: float) -> frozenset[VirtualLoop]:
        return self._serving[bisect_right(self.changes, at) - 1]

    def answers(self, loop: VirtualLoop | None, at: float, stops: bool = False) -> bool:
        """Whether that process surely did at that second: nothing was wrong with it, and it was not told to stop, but
        for one that ``stops``."""
        silent = any(one is loop and since <= at < until for one, since, until in self._silent)
        return not silent and (stops or not self.is_leaving(loop, at))

    def is_leaving(self, loop: VirtualLoop | None, at: float) -> bool:
        """Whether that process had been told to stop by then, and had not ended: others serve its tables."""
        since, until = self._leaving.get(loop, (0.0, 0.0))
        return since <= at < until

    def unnoticed(self, since: float, until: float) -> float:
        """For how many of these seconds somebody was away for less than is noticed, or before it is."""
        return sum(max(0.0, min(end, until) - max(start, since)) for start, end in self._unnoticed)

    def _out(self, seconds: float) -> None:
        """A process is away from now on, for so long, and clocks run on for a while."""
        now = self.world.now
        self._unnoticed.append((now, now + (seconds if seconds < UNNOTICED else 1.3)))
        self._note_serving()
        self.world.after(seconds + 1e-6, self._note_serving)

    def _note_silence(self, process: Process, seconds: float) -> None:
        """For so long a process may be held for dead, and until its next heartbeats are written."""
        self._silent.append((process.loop, self.world.now, self.world.now + seconds + SLACK))
        self._note_serving()
        self.world.after(seconds + SLACK + 1e-6, self._note_serving)

    def _note_busy(self, process: Process) -> None:
        """A process that computes does not notice that it has no database meanwhile."""
        if process.exists:
            self._note_silence(process, process.loop.free_at - self.world.now)
            until = min(process.loop.free_at, self.disk.away.get(process.loop, 0.0))
            self._unnoticed.append((self.world.now, max(self.world.now, until)))

    def run(self) -> Report:
        logger = logging.getLogger("tercet")
        before, logger.handlers = logger.handlers, [self]
        propagates, logger.propagate = logger.propagate, False
        try:
            with swapped(self.world, self.disk, self.clocks, self.push, self._sample):
                self._play_plan()
                self.observer.compare()
        except Exception as raised:  # what must be there is not
            self.violation(f"the world could not go on: {raised!r}")
        finally:
            logger.handlers = before
            logger.propagate = propagates
            LIVING.clear()
        for process in self.processes:
            for error in process.errors:
                self.violation(f"{process.name}: {error}")
        self.report.virtual_seconds = self.world.now
        self.report.steps = self.world.steps
        return self.report

    def _play_plan(self) -> None:
        for process in self.processes:
            process.start()
        for fault in self.plan.faults:
            self._faults_end = max(self._faults_end, self._end_of(fault))
            if fault not in self._moments:
                self.world.at(fault.at, lambda fault=fault: self._fail(fault))  # type: ignore[misc]
        self.outside.call_soon(lambda: self.outside.create_task(self._people()))
        self.world.run(lambda: self._played, STORM if self.plan.faults or self.plan.has_days else STORM / 2)
        while self.world.now < self._faults_end:
            self.world.run(lambda: False, self._faults_end)
        self._calm()
        if not self.world.run(lambda: self._done, self.world.now + PATIENCE):
            waits = [player.name for game in self.games for player in game.players if not player.is_over]
            self.violation(f"the world did not come to an end; {', '.join(waits)} wait")
        self._count_games()

    def _count_games(self) -> None:
        """What follows from the end of a game: ratings are looked at every ten seconds."""
        self.world.run(lambda: False, self.world.now + 1.0)
        asked = "SELECT 1 FROM tables WHERE over AND NOT counted"
        for _ in range(24 if self.plan.is_rated else 0):
            if self.disk.observer.execute(asked).fetchone() is None:
                return
            self.world.run(lambda: False, self.world.now + 1.0)

    @staticmethod
    def _end_of(fault: Fault) -> float:
        return 0.0 if fault.kind == "clock" or fault.moment else fault.at + max(0.0, fault.seconds)

    def _wait_for_moment(self, owner: VirtualLoop, sql: str) -> None:
        """A process has executed a statement: does it come to a moment at which something is to go wrong?"""
        for fault in self._moments:
            if MOMENTS[fault.moment][0] not in sql or self.world.now < fault.at or not self._matters(fault):
                continue
            self._moments.remove(fault)
            number = next(one.number for one in self.processes if one.exists and one.loop is owner)
            happens = replace(fault, at=self.world.now, process=number, moment="")
            self._faults_end = max(self._faults_end, self._end_of(happens))
            self.world.at(self.world.now, lambda: self._fail(happens))  # noqa: B023  (it returns)
            return

    def _matters(self, fault: Fault) -> bool:
        asked = {
            "counting": "SELECT 1 FROM tables WHERE over AND rated AND NOT counted",
            "pairs": "SELECT 1 FROM seeks WHERE table_id IS NULL LIMIT 1 OFFSET 1",
        }.get(fault.moment)
        return asked is None or self.disk.observer.execute(asked).fetchone() is not None

    def _calm(self) -> None:
        self.tell("no more faults happen")
        self.quiet, self.calm_since = True, self.world.now
        self.disk.cut_at_commit = None
        self.disk.fails.clear()
        for process in self.processes:
            process.slow = 0.0
            process.start()

    def _sample(self, sample: Callable[[], None]) -> None:
        loop = self.world.current
        for process in self.processes:
            if process.lives and process.loop is loop:
                process.samples.append(sample)

    def _owner(self) -> int:
        """The number of the first process that owns a table where a game goes on."""
        database, loops = self.disk.observer, [one.loop for one in self.processes if one.exists]
        asked = "SELECT DISTINCT owner FROM tables WHERE owner IS NOT NULL AND NOT over"
        owners = [self.observer.runs.get(run) for (run,) in database.execute(asked)]
        return next((one.number for one in self.processes if one.loop in owners and one.loop in loops), 0)

    def _fail(self, fault: Fault) -> None:
        if self.quiet:
            return
        if fault.process == OWNS:
            fault = replace(fault, process=self._owner())
        process, seconds, kind = self.processes[fault.process], fault.seconds, fault.kind
        if kind in ("suspend", "busy") and process.exists and process.loop.free_at > self.world.now + 0.1:
            self.world.at(process.loop.free_at, lambda: self._fail(fault))  # a process that is stopped computes nothing
            return
        self.report.faults[kind] += 1
        self.troubled_since = min(self.troubled_since, self.world.now)
        again = lambda: process.start()  # noqa: E731
        if kind in ("kill", "vanish"):
            if kind == "kill":
                self._note_death(process)
            else:
                process.lines_fall_silent()
            process.kill("is killed" if kind == "kill" else "is gone with its machine")
            self.world.after(seconds, again)
        elif kind == "stop":
            if process.is_up:
                loop, now = process.loop, self.world.now
                self._leaving[loop] = now, float("inf")
                process.ended.append(lambda: self._leaving.update({loop: (now, self.world.now)}))
                process.ended.append(lambda: self.world.after(seconds, again))
            else:
                self.world.after(seconds, again)
            process.stop()
        elif kind == "suspend" and process.exists:
            process.suspend(seconds)
            self._note_silence(process, seconds)
            self._out(seconds)
        elif kind == "silent" and process.exists:
            self.tell(f"the lines of {process.name} fall silent")
            process.lines_fall_silent()
        elif kind == "busy":
            process.occupy(seconds)
            self._note_busy(process)
        elif kind == "away" and process.exists:
            self.tell(f"{process.name} has no database for {seconds:.1f} s")
            self.disk.away[process.loop] = self.world.now + seconds
            self._note_silence(process, seconds)
            self._out(seconds)
            self._note_busy(process)
        elif kind == "slow":
            self.tell(f"{process.name} has a slow disk for {seconds:.1f} s")
            process.slow = self.random.uniform(0.1, 1.5)
            if process.exists:
                self._note_silence(process, seconds)
            self.world.after(seconds, lambda: setattr(process, "slow", 0.0))
        elif kind.startswith("fail") and process.exists:
            self.tell(f"{process.name} is told for {seconds:.1f} s that its commits fail")
            self._note_silence(process, seconds)
            self.disk.fails[process.loop] = kind.removeprefix("fail "), self.world.now + seconds
            self._out(seconds)
        elif kind == "power":
            self.disk.commits_to_cut = self.random.randrange(12)
            self.disk.cut_at_commit = lambda: self._lose_power(seconds)
        elif kind == "bus" and self.bus is not None:
            self.tell(f"word between processes is lost for {seconds:.1f} s")
            self.bus.go_away(seconds)
        elif kind == "clock":
            self.tell(f"the machine's clock is set by {seconds:.1f} s")
            self.clocks.jumped += seconds

    def _note_death(self, process: Process) -> None:
        registry = process.registry
        if registry is not None:
            LIVING.discard(registry.lease.process)

    def _lose_power(self, seconds: float) -> None:
        self.tell("the power fails")
        for process in self.processes:
            process.kill("is dead")
        self.disk.lose_power()
        self.observer.forget_after_power_cut()
        for process in self.processes:
            self.world.after(seconds, process.start)

    async def _people(self) -> None:
        try:
            await self._everybody()
        except Exception as error:
            self.violation(f"a client failed: {error!r}")
        self._done = True

    async def _everybody(self) -> None:
        plan = self.plan
        self.solvers = [Solver(self, at, person_id(6 + at), cookie(6 + at)) for at in range(plan.solvers)]
        self.learners = [Learner(self, person_id(9), cookie(9)) for _ in range(plan.learners)]
        self.seekers = [Seeker(self, at, person_id(14 + at), cookie(14 + at)) for at in range(plan.seekers)]
        self.travellers = [Traveller(self, at, person_id(at), cookie(at)) for at in range(plan.travellers)]
        self.push.phones = {person_id(at): Phone(self, person_id(at), cookie(at)) for at in range(plan.phones)}
        if plan.analysts:
            self.analyses = [Analysis(self, {OWNER: cookie(0), EDITOR: cookie(1), OTHER: cookie(2)})]
        cups = [] if plan.cup is None else [play_cup(self, plan.cup, [cookie(at) for at in range(plan.cup.entrants)])]
        await asyncio.gather(
            *(self._play(number, table) for number, table in enumerate(plan.tables)),
            *cups,
            *(solver.solve() for solver in self.solvers),
            *(learner.learn() for learner in self.learners),
            *(look_on(self, cookie(18)) for _ in range(plan.onlookers)),
            *(try_limits(self, cookie(19)) for _ in range(plan.testers)),
            *(sit_and_leave(self, cookie(19), cookie(16)) for _ in range(plan.testers)),
            *(seeker.seek() for seeker in self.seekers),
            *(traveller.travel() for traveller in self.travellers),
            *(phone.switch_on() for phone in self.push.phones.values()),
            *(analysis.work() for analysis in self.analyses),
            *(challenge(self, at, (cookie(10 + 2 * at), cookie(11 + 2 * at))) for at in range(plan.challenges)),
        )
        self._played = True
        await self.until_quiet()
        await asyncio.gather(*(player.ask_again() for game in self.games for player in game.players))

    async def until_quiet(self) -> None:
        """Wait until nothing goes wrong any more and all processes serve."""
        while not self.quiet or not all(process.is_up for process in self.processes):
            for process in self.processes if self.quiet else ():
                process.start()
            await asyncio.sleep(0.5)

    async def _play(self, number: int, table: Table) -> None:
        game = Game(f"game {number}", table)
        self.games.append(game)
        name, options, seats = GAMES[table.game]
        kinds: list[dict[str, Any]] = [{"kind": "me"}]
        kinds += [{"kind": "open" if table.rated or table.opened else "friend"} for _ in range(seats - 1)]
        if table.engine is not None:
            kinds[table.engine] = {"kind": "engine", "level": 1}
        body: dict[str, Any] = {"game": name, "options": options, "seats": kinds, "rated": table.rated}
        body |= {"takebacks": table.takebacks, "chat": bool(table.talks), "watch": "public" if table.listed else "link"}
        if table.turn is not None:
            days = {"kind": "correspondence", "days": table.turn // DAY}
            body["clock"] = days if table.slow else {"kind": "turn", "seconds": table.turn}
        by_cookie = table.rated or table.opened
        cookies = [cookie(one) for one in range(3)]  # the same people play at all tables
        mine = cookies[0] if by_cookie else None
        told = await self.until_answered(f"{game.name} opening", "/api/tables", body, mine, (201,))
        tokens = [seat["token"] or (seat["link"] or "=").split("=")[1] or None for seat in told["seats"]]
        game.id = told["id"]
        people: list[tuple[str | None, str | None]] = [(None if by_cookie else tokens[0], mine)]
        if by_cookie:
            people += await self._race(game, kinds, [None if table.guests else one for one in cookies[1:]])
        else:
            for seat, token in enumerate(tokens[1:], 1):
                people += [(await self._renewed(game, seat, token), None)] if token else []
        people += [(None, cookie(17) if table.talks else None)] * table.watchers
        game.players = [Player(self, game, at, token, cookie) for at, (token, cookie) in enumerate(people)]
        self.secrets |= {token for token, _ in people if token}
        await asyncio.gather(*(player.play() for player in game.players))
        again = self.observer.logs[game.id].tables[-1].rematch
        if again is not None:
            self.count("rematches")
            shifted = None if table.engine is None else (table.engine + 1) % seats
            more = Game(f"{game.name} again", replace(table, again=False, engine=shifted, sleeper=None), again)
            more.players = [Player(self, more, one.number, one.token, one.cookie) for one in game.players]
            self.games.append(more)
            await asyncio.gather(*(player.play() for player in more.players))

    async def until_answered(
        self, name: str, path: str, body: Any, cookie: str | None, good: tuple[int, ...], method: str = ""
    ) -> Any:
        """The answer to a request that is sent again, to any process, until there is one. Without a ``body`` it only
        looks, unless a ``method`` says otherwise."""
        headers, method = {"cookie": cookie} if cookie else {}, method or ("GET" if body is None else "POST")
        chosen = self.world.random(name)
        for number in range(1, 10_000):
            process = chosen.choice(self.processes)
            self.tries[name] = number
            try:
                answer: Answer = await request(process, f"{name} {number}", method, path, body, headers)
            except LineLostError:
                await asyncio.sleep(0.2)
                continue
            self.tell(f"{process.name} answers {name} {number}: {answer.status}")
            if answer.status == 503:
                await asyncio.sleep(0.2)
                continue
            if answer.status in good:
                return answer.json
            if answer.status >= 500 or not good[1:]:
                self.violation(f"{name} was answered {answer.status} {answer.body[:200]!r}")
            return answer.json
        raise AssertionError

    async def _renewed(self, game: Game, seat: int, token: str) -> str:
        """The token of a player without a cookie, who now and then replaces the link first."""
        name = f"{game.name} link {seat}"
        random = self.world.random(name)
        if random.random() < 0.3:
            return token
        await asyncio.sleep(random.uniform(0.0, 3.0))
        self.count("links replaced")
        path, body = f"/api/tables/{game.id}/seats/{seat}/link?seat={token}", {"id": f"a-secret-of-the-client-{seat}"}
        told = await self.until_answered(name, path, body, None, (201,))
        return str(told["link"]).split("=")[1]

    async def _race(
        self, game: Game, kinds: list[dict[str, Any]], cookies: list[str | None]
    ) -> list[tuple[str | None, str | None]]:
        """Have people with these cookies (None: a guest without one) ask for the same open seats. Return by what those
        who sit are known: a token of the seat, and their cookie. A guest has what the answer says, and nothing else."""
        seats = [number for number, kind in enumerate(kinds) if kind["kind"] == "open"]
        asked = [(seat, who) for seat in seats for who in range(len(cookies))]

        async def ask(seat: int, who: int) -> Any:
            name = f"{game.name} seat {seat} for {(cookies[who] or f'guest {who}')[-4:]}"
            path, body = f"/api/tables/{game.id}/seats/{seat}", {"id": f"a-secret-of-the-guest--{who}"}
            return await self.until_answered(name, path, {} if cookies[who] else body, cookies[who], (201, 200))

        answers = await asyncio.gather(*(ask(seat, who) for seat, who in asked))
        sits: dict[int, set[int]] = {}
        known: dict[int, tuple[str | None, str | None]] = {}
        for (_, who), answer in zip(asked, answers, strict=True):
            if answer.get("seat") is not None and "code" not in answer:
                sits.setdefault(who, set()).add(answer["seat"])
                known[who] = (None if cookies[who] else answer["token"]), cookies[who]
        if None in cookies:
            self.count("tables of guests")
        taken = [seat for held in sits.values() for seat in held]
        if len(taken) != len(set(taken)) or any(len(held) > 1 for held in sits.values()) or len(taken) != len(seats):
            self.violation(f"{game.name}: of {len(seats)} open seats each should have one player: {sits}")
        if any(token is None and cookie is None for token, cookie in known.values()):
            self.violation(f"{game.name}: a guest sits there and has no token: {answers}")
        return list(known.values())


def _short(text: str) -> str:
    message = orjson.loads(text)
    kind = message["type"]
    if kind == "event":
        return f"event {message['number']} {message['kind']}"
    if kind == "snapshot" and "state" in message:
        return f"snapshot at {message['state']['number']}"
    return text if len(text) < 120 else f"{text[:117]}..."


def _secret(number: int) -> str:
    return f"{number:043d}"


def person_id(number: int) -> str:
    """The id of an account."""
    return f"{number:024d}"


def cookie(number: int) -> str:
    """The cookie of a browser in which an account is signed in."""
    return f"tercet=s.{_secret(number)}"


_TEMPLATE: list[Path] = []
_KEPT: list[Scene] = []


def _template() -> Path:
    """A database with a few accounts, made once."""
    if not _TEMPLATE:
        folder = Path(tempfile.mkdtemp(prefix="tercet-simulation-", dir=_fast()))
        Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
        migrate(address(folder / NAME))
        engine = sa.create_engine(f"sqlite:///{folder / NAME}")
        with engine.begin() as connection:
            for number in range(ACCOUNTS):
                who = {"id": person_id(number), "kind": "account", "handle": f"player{number}", "name": f"P{number}"}
                connection.execute(PEOPLE.insert().values(**who, created=EPOCH))
                session = {"id": who["id"], "person_id": who["id"], "kind": "browser", "name": "a browser"}
                token = hash_secret(_secret(number))
                connection.execute(SESSIONS.insert().values(**session, token_hash=token, created=EPOCH, seen=EPOCH))
        engine.dispose()
        asyncio.run(refresh_skeletons(Database(address(folder / NAME))))
        _TEMPLATE.append(folder / NAME)
        puzzles()
    return _TEMPLATE[0]


def _fast() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """What is thrown away complains to nobody, and all of it is thrown away before the next world begins."""
    before, sys.unraisablehook = sys.unraisablehook, lambda _: None
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
            gc.collect()
            gc.freeze()  # so that only what a world has made is looked through when it ends
    finally:
        logging.disable(logging.NOTSET)
        sys.unraisablehook = before


def simulate(plan: Plan, tidies: bool = True, branch: tuple[float, int] | None = None) -> Report:
    """Play a plan to its end; with a ``branch`` (second, number) all that is left to chance is otherwise from then on.
    Without ``tidies`` the world stays in memory: a process that is about to end spares a quarter of the work."""
    before = {name: usual_execution(name) for name, _, _ in GAMES}
    for name in before:
        choose_execution(name, "interpreted")
    template = _template()
    collects = gc.isenabled()
    gc.disable()  # a world is thrown away in one piece
    try:
        with tempfile.TemporaryDirectory(prefix="tercet-simulation-", dir=_fast()) as folder:
            shutil.copy(template, Path(folder) / NAME)
            return _play(plan, Path(folder), tidies, branch)
    finally:
        if collects:
            gc.enable()
        for name, execution in before.items():
            choose_execution(name, execution)


def _play(plan: Plan, folder: Path, tidies: bool, branch: tuple[float, int] | None) -> Report:
    scene = Scene(plan, folder, branch)
    try:
        return scene.run()
    finally:
        scene.close_files()
        if tidies:
            with _quietly():
                scene.world.close()
                del scene
        else:
            _KEPT.append(scene)
