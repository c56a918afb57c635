"""Two server processes that are killed, frozen, told to stop, and cut off, and whether the players notice.

    python benchmarks/fault.py --games 200            two processes on PostgreSQL and Redis (started for it)
    python benchmarks/fault.py --games 200 --sqlite   one process on SQLite

All three games are played, every seat by a client of its own, all on clocks of a few seconds a turn; some seats are
engines', some games have watchers, and some players fall asleep: their flags must fall, and nobody else's may. Clients
connect to any process, lose their connections, send messages twice and late, and again when they are not acknowledged.
Meanwhile processes get SIGKILL, SIGTERM or SIGSTOP for longer than others wait for them, and Redis is killed and
started. At the end the log on disk must hold every acknowledged action once, at the number acknowledged, and nothing
that was refused; and every client must have ended with the record that the log tells.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import services
import sqlalchemy as sa
from ordeal import GONE, Row, Server, read_logs, spread, warm
from websockets.asyncio.client import ClientConnection, connect

from tercet.server.store import address
from tercet.server.store.schema import TABLES
from tercet.session import LogEvent, Session, TableSettings

TURN = 10  # seconds a turn: more than a player needs, less than what processes are away
SILENCE = 4.0  # seconds after which a client takes a silent server for gone
KINDS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("sanqi", {"side": 4}, 2),
    ("triplicity", {}, 3),
    ("sparklies", {"board": "5x5"}, 2),
)
AMISS = (
    "stale-ply",
    "not-your-turn",
    "over",
    "not-possible",
    "unavailable",
)  # what a message may be refused for that came too late


@dataclass
class Figures:
    """What came of it."""

    games: int = 0
    finished: int = 0
    acknowledged: Counter[str] = field(default_factory=Counter)  # by type of message
    refused: int = 0
    resent: int = 0
    doubled: int = 0
    cuts: int = 0
    kills: int = 0
    stops: int = 0
    freezes: int = 0
    redis: int = 0
    flags: int = 0
    slow: int = 0  # flags of players who were told in time, on a machine that did not let them answer
    given_back: int = 0
    engine_moves: int = 0
    interrupted: int = 0
    seconds: float = 0.0
    restarts_s: list[float] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)  # from a client's loss of its connection to the state of the game
    acks_s: list[float] = field(default_factory=list)  # from an action's first sending to its acknowledgement
    faults: list[str] = field(default_factory=list)


@dataclass
class Game:
    """A table and what its clients know of it."""

    number: int
    kind: tuple[str, dict[str, Any], int]
    sleeper: int | None
    long: int  # the number of actions after which its players give up
    id: str = ""
    players: list[Player] = field(default_factory=list)


class Player:
    """Who holds one seat of a game, or, with None, watches."""

    def __init__(self, trial: Trial, game: Game, seat: int | None, token: str | None, rng: random.Random) -> None:
        self.trial = trial
        self.game = game
        self.seat = seat
        self.token = token
        self.rng = rng
        self.state: dict[str, Any] = {}
        self.moves: list[str] = []
        self.asked: dict[str, dict[str, Any]] = {}
        self.numbers: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self.open: dict[str, Any] | None = None
        self.first_sent = 0.0
        self.lost = 0.0
        self.due: float | None = None  # since when it has known, over one connection, that it is its turn
        self.slow: set[int] = set()  # flags of its own that fell though it had known for half of its time

    def fault(self, why: str) -> None:
        """Note what must not be."""
        self.trial.figures.faults.append(f"game {self.game.number} ({self.game.id}), seat {self.seat}: {why}")

    @property
    def is_over(self) -> bool:
        """Whether it has heard the end."""
        return bool(self.state) and bool(self.state["over"])

    async def play(self) -> None:
        """Until it has heard that the game is over, through however many connections."""
        choice = self.rng.randrange(len(self.trial.servers))
        while not self.is_over:
            server = self.trial.servers[choice % len(self.trial.servers)]
            choice += 1  # when this one is gone, the next
            query = [f"seat={self.token}"] if self.token else []
            if self.state and self.rng.random() < 0.7:
                query.append(f"since={self.state['number']}")
            where = f"ws://{server.base}/api/tables/{self.game.id}/live?{'&'.join(query)}"
            try:
                async with connect(where, max_size=None, open_timeout=5, close_timeout=0.2) as wire:
                    await self.follow(wire)
            except GONE:
                pass
            if not self.is_over:
                self.lost = self.lost or time.monotonic()
                await asyncio.sleep(0.05)

    async def follow(self, wire: ClientConnection) -> None:
        """Play over one connection, until the game is over or the connection is gone."""
        self.due = None
        self.take(json.loads(await asyncio.wait_for(wire.recv(), SILENCE)))
        if self.lost:
            self.trial.figures.back_s.append(time.monotonic() - self.lost)
            self.lost = 0.0
        if self.open is not None:
            self.trial.figures.resent += 1
            await self.send(wire, self.open)
        pinged = False
        self.due = time.monotonic() if self.state["mover"] == self.seat else None
        while not self.is_over:
            if self.open is None:
                message = self.next_message()
                if message is not None:
                    self.open = message
                    self.asked[message["id"]] = message
                    self.first_sent = time.monotonic()
                    if self.rng.random() < 0.05:
                        await asyncio.sleep(self.rng.uniform(0.0, 0.5))  # on a slow line
                    await self.send(wire, message)
            if self.rng.random() < 0.01:
                self.trial.figures.cuts += 1
                wire.transport.abort()
            try:
                heard = json.loads(await asyncio.wait_for(wire.recv(), SILENCE / 2))
                pinged = False
            except TimeoutError:
                if pinged:
                    return
                pinged = True
                await wire.send('{"type":"ping"}')
                continue
            self.take(heard)

    async def send(self, wire: ClientConnection, message: dict[str, Any]) -> None:
        """Send, now and then twice, now and then after something that was acknowledged long ago."""
        if self.numbers and self.rng.random() < 0.05:
            self.trial.figures.doubled += 1
            await wire.send(json.dumps(self.asked[self.rng.choice(list(self.numbers))]))
        await wire.send(json.dumps(message))
        if self.rng.random() < 0.05:
            self.trial.figures.doubled += 1
            await wire.send(json.dumps(message))

    def next_message(self) -> dict[str, Any] | None:
        """What to ask now, if anything: an answer, an action, now and then a takeback; in the end to give up."""
        state, seat = self.state, self.seat
        if seat is None:
            return None
        name = f"{seat}.{len(self.asked)}"
        for offer in state["offers"]:
            if seat in offer["awaited"]:
                return {"type": "answer", "id": name, "what": offer["what"], "yes": self.rng.random() < 0.7}
        if state["mover"] != seat:
            return None
        if self.game.sleeper == seat and state["ply"] >= 6:
            return None
        if state["ply"] >= self.game.long:
            return {"type": "resign", "id": name, "seat": seat}
        mine_open = any(offer["seat"] == seat for offer in state["offers"])
        if state["ply"] > 4 and not mine_open and self.rng.random() < 0.04:
            return {"type": "takeback", "id": name, "at": state["ply"]}
        paths = state["view"]["paths"]
        if not paths:  # of several events that come together only the last has them
            return None
        return {"type": "act", "id": name, "ply": state["ply"], "action": self.rng.choice(paths)[0]}

    def take(self, heard: dict[str, Any]) -> None:
        """Learn from a message."""
        kind = heard["type"]
        if kind == "snapshot":
            self.state = heard["state"]
            self.moves = [move["text"] for move in self.state["moves"]]
        elif kind == "event":
            expected = self.state["number"] + 1 if self.state else heard["number"]
            if heard["number"] != expected:
                self.fault(f"event {heard['number']} came after {expected - 1}")
            self.state = heard["state"]
            knew = None if self.due is None else time.monotonic() - self.due
            if heard["kind"] == "flag" and heard["seat"] == self.seat and knew is not None and knew > TURN / 2:
                self.slow.add(heard["number"])
            if self.state["mover"] != self.seat:
                self.due = None
            elif heard["kind"] == "action" or self.due is None:
                self.due = time.monotonic()
            if heard["kind"] == "action":
                self.moves.append(heard["action"])
            elif heard["kind"] == "takeback":
                del self.moves[heard["ply"] :]
            if len(self.moves) != self.state["ply"]:
                self.fault(f"{len(self.moves)} actions were told at event {heard['number']}, not {self.state['ply']}")
        elif kind == "ack":
            before = self.numbers.setdefault(heard["id"], heard["number"])
            if before != heard["number"]:
                self.fault(f"{heard['id']} was acknowledged as {before}, and then as {heard['number']}")
            if heard["id"] in self.refused:
                self.fault(f"{heard['id']} was refused ({self.refused[heard['id']]}), and then acknowledged")
            if self.open is not None and heard["id"] == self.open["id"]:
                self.trial.acknowledged(self.open, time.monotonic() - self.first_sent)
                self.open = None
        elif kind == "error" and "id" in heard:
            self.take_refusal(heard)

    def take_refusal(self, heard: dict[str, Any]) -> None:
        """A message of ours was refused, or is to be sent again."""
        name = heard["id"]
        if heard["code"] == "unavailable" and heard["where"] in ("server", "database"):
            raise EOFError  # connect again, send again
        if name in self.numbers:
            self.fault(f"{name} was acknowledged as {self.numbers[name]}, and then refused: {heard}")
        if heard["code"] not in AMISS:
            self.fault(f"{self.asked[name]} was refused: {heard}")
        self.refused[name] = heard["code"]
        self.trial.figures.refused += 1
        if self.open is not None and name == self.open["id"]:
            self.open = None


class Trial:
    """The servers, the players, and what happens to them."""

    def __init__(
        self, servers: list[Server], redis: services.Redis | None, games: int, seed: int, at_once: int
    ) -> None:
        self.servers = servers
        self.redis = redis
        self.rng = random.Random(seed)
        self.at_once = at_once
        self.figures = Figures(games=games)
        self.games = [self.make(number) for number in range(games)]
        self.playing = 0
        self.progress = 0

    def make(self, number: int) -> Game:
        """A game of the ``number``-th sort."""
        kind = KINDS[number % len(KINDS)]
        sleeper = 0 if number % 8 == 5 else None
        return Game(number, kind, sleeper, self.rng.randint(30, 120))

    def acknowledged(self, message: dict[str, Any], seconds: float) -> None:
        """Count it."""
        self.figures.acknowledged[message["type"]] += 1
        self.figures.acks_s.append(seconds)
        self.progress += 1

    async def run(self, url: sa.URL) -> Figures:
        """Play all games while things go wrong, then look at what is left."""
        began = time.monotonic()
        await asyncio.gather(*(server.start() for server in self.servers))
        try:
            left = iter(self.games)
            playing: list[asyncio.Future[Any]] = [asyncio.ensure_future(self.table(left)) for _ in range(self.at_once)]
            wrong: list[asyncio.Future[Any]] = [asyncio.ensure_future(self.break_server(one)) for one in self.servers]
            if self.redis is not None:
                wrong.append(asyncio.ensure_future(self.break_redis(self.redis)))
            together: asyncio.Future[Any] = asyncio.ensure_future(
                asyncio.wait(playing, return_when=asyncio.FIRST_EXCEPTION)
            )
            try:
                await asyncio.wait({together, *wrong}, return_when=asyncio.FIRST_COMPLETED)
                for task in [*wrong, *playing]:
                    if task.done():
                        task.result()
            finally:
                for task in [together, *playing, *wrong]:
                    task.cancel()
                await asyncio.gather(together, *playing, *wrong, return_exceptions=True)
            self.figures.seconds = time.monotonic() - began
            for server in self.servers:
                server.kill()
            await asyncio.gather(*(server.start() for server in self.servers))
            await self.compare_servers()
        finally:
            for server in self.servers:
                server.kill()
        for server in self.servers:
            self.figures.restarts_s += server.starts_s
        self.compare_logs(url)
        return self.figures

    async def break_server(self, server: Server) -> None:
        """Kill it, freeze it or stop it, again and again."""
        while True:
            # Counted in what gets done too, so that a slow machine is not killed before it has done anything.
            enough = self.progress + self.rng.randint(20, 150)
            await asyncio.sleep(self.rng.uniform(1.0, 8.0))
            while self.progress < enough:
                await asyncio.sleep(0.05)
            self.figures.interrupted += self.playing
            how = self.rng.random()
            if how < 0.3:
                server.freeze()
                self.figures.freezes += 1
                await asyncio.sleep(self.rng.uniform(1.0, 12.0))
                server.thaw()
                continue
            if how < 0.5:
                await server.stop()
                self.figures.stops += 1
            else:
                server.kill()
                self.figures.kills += 1
            await asyncio.sleep(self.rng.choice((0.0, self.rng.uniform(0.0, 3.0))))
            await server.start()

    async def break_redis(self, redis: services.Redis) -> None:
        """Kill it now and then."""
        while True:
            await asyncio.sleep(self.rng.uniform(4.0, 16.0))
            redis.stop()
            self.figures.redis += 1
            await asyncio.sleep(self.rng.uniform(0.0, 3.0))
            redis.start()

    async def table(self, left: Iterator[Game]) -> None:
        """Play one game after another."""
        for game in left:
            await self.open(game)
            self.playing += 1
            await asyncio.gather(*(player.play() for player in game.players))
            self.playing -= 1
            self.figures.finished += 1

    async def open(self, game: Game) -> None:
        """Open its table. An answer that got lost leaves an empty one."""
        name, options, seats = game.kind
        engine = seats - 1 if game.number % 9 == 3 and game.sleeper is None else None
        kinds: list[dict[str, Any]] = [{"kind": "me" if seat == 0 else "friend"} for seat in range(seats)]
        if engine is not None:
            kinds[engine] = {"kind": "engine", "level": 1}
        body = {"game": name, "options": options, "seats": kinds, "clock": {"kind": "turn", "seconds": TURN}}
        while not game.id:
            try:
                async with httpx.AsyncClient(timeout=5) as http:
                    server = self.rng.choice(self.servers)
                    answer = await http.post(f"http://{server.base}/api/tables", json=body)
                if answer.status_code == 503:
                    await asyncio.sleep(0.1)
                    continue
                told = answer.json()
                tokens = [seat["token"] or (seat["link"] or "=").split("=")[1] or None for seat in told["seats"]]
                game.id = told["id"]
            except GONE:
                await asyncio.sleep(0.05)
        game.players = [
            Player(self, game, seat, token, random.Random(self.rng.random()))
            for seat, token in enumerate(tokens)
            if token
        ]
        if game.number % 5 == 0:
            game.players.append(Player(self, game, None, None, random.Random(self.rng.random())))

    async def compare_servers(self) -> None:
        """Every process tells every game as its clients heard it."""
        async with httpx.AsyncClient(timeout=60) as http:
            for game in self.games:
                for server in self.servers:
                    state = (await http.get(f"http://{server.base}/api/tables/{game.id}")).json()["state"]
                    moves = [move["text"] for move in state["moves"]]
                    told = len(moves), state["number"], state["result"]
                    for player in game.players:
                        heard = len(player.moves), player.state["number"], player.state["result"]
                        if player.moves != moves or heard != told:
                            player.fault(f"ended with {heard}, where a server tells of {told}")

    def compare_logs(self, url: sa.URL) -> None:
        """The log holds what was acknowledged, once each, and nothing that was refused; it leads to what was seen."""
        logs = read_logs(url)
        engine = sa.create_engine(url.set(drivername=url.drivername.replace("+aiosqlite", "")))
        with engine.connect() as connection:
            setups = {row.id: row.setup for row in connection.execute(sa.select(TABLES.c.id, TABLES.c.setup))}
        engine.dispose()
        for game in self.games:
            rows = logs.get(game.id, [])
            self.compare_log(game, TableSettings.read(setups[game.id]), rows)

    def compare_log(self, game: Game, setup: TableSettings, rows: list[Row]) -> None:
        """The same of one game."""
        by_name = {(row.asked or "").partition(":")[2]: row for row in rows if row.asked}
        if len(by_name) != sum(row.asked is not None for row in rows):
            game.players[0].fault("the log holds a message twice")
        session = Session.replay(setup, [LogEvent(row.number, row.kind, row.data) for row in rows])
        known = {player.seat: player for player in game.players}
        for player in game.players:
            for name, number in player.numbers.items():
                row = by_name.get(name)
                meant = player.asked[name]
                if row is None or row.number != number:
                    player.fault(f"{meant} was acknowledged as {number}, the log has {row}")
                elif meant["type"] == "act" and row.data["action"] != meant["action"]:
                    player.fault(f"{meant} became {row}")
            for name, code in player.refused.items():
                if name in by_name:
                    player.fault(f"{player.asked[name]} was refused ({code}), the log has {by_name[name]}")
            if [one.text for one in session.played] != player.moves or session.number != player.state["number"]:
                player.fault("ended with another record than the log")
            if str(session.position) != player.state["view"]["position"]:
                player.fault("ended with another position than the log")
        for row in rows:
            if row.kind == "flag":
                self.figures.flags += 1
                fallen = known[row.data["seat"]]
                if row.number in fallen.slow and row.data["seat"] != game.sleeper:
                    self.figures.slow += 1
                elif row.data["seat"] != game.sleeper:
                    game.players[0].fault(f"a flag fell that should not: {rows[max(0, row.number - 4) : row.number]}")
            elif row.kind == "resumed":
                self.figures.given_back += 1
            elif row.kind == "action" and row.asked is None:
                self.figures.engine_moves += 1
                if row.data["seat"] in known:
                    game.players[0].fault(f"nobody asked for {row}")
        if not session.is_over:
            game.players[0].fault("the log goes on")


def ordeal(games: int, seed: int = 0, at_once: int = 16, sqlite: bool = False, processes: int = 2) -> Figures:
    """Run it. Nothing was lost, doubled or judged wrongly if ``faults`` is empty and all games finished."""
    for name, options, seats in KINDS:
        warm(name, options, seats)
    with contextlib.ExitStack() as stack:
        where = {"TERCET_ENGINES": "0", "TERCET_DRAIN": ""}
        redis: services.Redis | None = None
        if sqlite:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            where["TERCET_DATA"] = folder
            url = address(Path(folder) / "tercet.sqlite")
            processes = 1
        else:
            postgres = services.Postgres(durable=True)
            stack.callback(postgres.close)
            redis = services.Redis()
            stack.callback(redis.close)
            where |= {"TERCET_DATABASE": postgres.create(), "TERCET_REDIS": redis.url}
            url = address(where["TERCET_DATABASE"])
        servers = [Server(where, json.dumps(KINDS)) for _ in range(processes)]
        return asyncio.run(Trial(servers, redis, games, seed, at_once).run(url))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sqlite", action="store_true", help="one process on SQLite")
    asked = parser.parse_args()
    if not asked.sqlite and services.missing():
        sys.exit(services.missing())
    found = ordeal(asked.games, asked.seed, asked.at_once, asked.sqlite, asked.processes)
    told = ", ".join(f"{count} {kind}" for kind, count in found.acknowledged.most_common())
    print(
        f"{found.finished} of {found.games} games played to their end in {found.seconds:.0f} s through {found.kills} "
        f"SIGKILLs, {found.stops} SIGTERMs, {found.freezes} SIGSTOPs ({found.interrupted / found.games:.1f} a game) "
        f"and {found.redis} deaths of Redis\n"
        f"acknowledged: {told}; {found.refused} refused; {found.engine_moves} actions of engines\n"
        f"{found.resent} messages sent again after a connection was lost, {found.doubled} sent twice, {found.cuts} "
        f"connections cut\n"
        f"{found.flags} flags fell, {found.slow} of them of players who knew and were slow, the others of players "
        f"asleep unless said below; clocks were given time back "
        f"{found.given_back} times\n"
        f"start of a process to its first answer: {spread(found.restarts_s)}\n"
        f"lost connection to the state of the game: {spread(found.back_s)}\n"
        f"message to acknowledgement, through all of it: {spread(found.acks_s)}\n"
        f"faults: {len(found.faults)}"
    )
    for fault in found.faults[:50]:
        print(fault)
    sys.exit(1 if found.faults or found.finished < found.games else 0)


if __name__ == "__main__":
    main()
