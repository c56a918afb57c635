"""Server processes that are killed, suspended, told to stop, and cut off from Redis, and whether the players notice.

All three games are played, every seat by a client of its own, all on clocks of a few seconds a turn; some seats are
engines', some games have watchers, and some players fall asleep: their flags must fall, and nobody else's may. Clients
connect to any process, lose their connections, send messages twice and late, and again when they are not acknowledged.
Meanwhile processes get SIGKILL, SIGTERM or SIGSTOP for longer than others wait for them, and Redis is killed and
started. At the end the log on disk must hold every acknowledged action once, at the number acknowledged, and nothing
that was refused; and every client must have ended with the record that the log tells.

With ``partitions`` processes are cut off from the database and from Redis instead, in whole or in part
(:mod:`tests.support.network`): packets are lost, and no connection is closed. With ``power`` one process on SQLite dies
in the place of a sync instead, with writes open, of which chance decides what is left (:mod:`tests.support.disk`);
meanwhile syncs fail now and then.
"""

import asyncio
import contextlib
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa

from tercet.server.store.database import address
from tercet.server.store.schema import TABLES
from tests.simulation.model import ImpossibleError, read_log

from . import network, services
from .disk import LossyDisk
from .failure_players import TURN, FailureReport, Game, Player
from .processes import CONNECTION_LOST, LoggedEvent, ServerProcess, read_logs
from .serve import warm

KINDS: tuple[Any, ...] = (("sanqi", {"side": 4}, 2), ("triplicity", {}, 3), ("sparklies", {"board": "5x5"}, 2))


class LossyServer(ServerProcess):
    """A process on SQLite whose disk loses what was not synced, each time that it dies. It dies by itself."""

    def __init__(self, where: dict[str, str], folder: Path, rng: random.Random) -> None:
        super().__init__(where)
        self.disk, self.rng = LossyDisk(Path(where["TERCET_DATA"]) / "tercet.sqlite", folder, rng), rng
        self.is_mended = False

    async def start(self) -> None:
        while True:
            die, fail = self.rng.randint(3, 150), self.rng.choice((0, 0, 2, 5, 20))
            self.where |= self.disk.environment(*((0, 0) if self.is_mended else (die, fail)))
            try:
                return await super().start()
            except RuntimeError:  # it died before it answered
                self.kill()

    def kill(self) -> None:
        super().kill()
        self.disk.cut_power()


class Trial:
    """The servers, the players, and what happens to them."""

    def __init__(
        self, servers: Sequence[ServerProcess], redis: services.Redis | None, games: int, seed: int, at_once: int
    ) -> None:
        self.servers, self.redis, self.at_once = servers, redis, at_once
        self.rng = random.Random(seed)
        self.report = FailureReport(games=games)
        self.games = [
            Game(number, KINDS[number % len(KINDS)], 0 if number % 8 == 5 else None, self.rng.randint(30, 120))
            for number in range(games)
        ]
        self.playing = 0

    async def run(self, url: sa.URL) -> FailureReport:
        """Play all games while processes fail, then look at what is left."""
        began = time.monotonic()
        await asyncio.gather(*(server.start() for server in self.servers))
        try:
            left = iter(self.games)
            breaking = [self.break_server(one) for one in self.servers]
            if self.redis is not None:
                breaking.append(self.break_redis(self.redis))
            async with asyncio.TaskGroup() as group:
                failures = [group.create_task(each) for each in breaking]
                await asyncio.gather(*(group.create_task(self.table(left)) for _ in range(self.at_once)))
                for task in failures:
                    task.cancel()
            self.report.seconds = time.monotonic() - began
            for server in self.servers:
                server.kill()
                if isinstance(server, LossyServer):
                    self.report.sectors, self.report.failed_syncs = server.disk.sectors, server.disk.failures
                    server.is_mended = True
            await asyncio.gather(*(server.start() for server in self.servers))
            await self.compare_servers()
        finally:
            for server in self.servers:
                server.kill()
        for server in self.servers:
            self.report.restarts_s += server.starts_s
        self.compare_logs(url)
        return self.report

    async def break_server(self, server: ServerProcess) -> None:
        """Kill it, freeze it or stop it, again and again."""
        if server.network is not None:
            return await self.cut_off(server, server.network)
        while isinstance(server, LossyServer):
            await asyncio.sleep(0.05)
            if not server.is_alive:
                self.report.interrupted += self.playing
                self.report.kills += 1
                server.kill()
                await server.start()
        while True:
            # Counted in what gets done too, so that a slow machine is not killed before it has done anything.
            enough = self.report.progress + self.rng.randint(20, 150)
            await asyncio.sleep(self.rng.uniform(1.0, 8.0))
            while self.report.progress < enough:
                await asyncio.sleep(0.05)
            self.report.interrupted += self.playing
            how = self.rng.random()
            if how < 0.3:
                server.suspend()
                self.report.suspensions += 1
                await asyncio.sleep(self.rng.uniform(1.0, 12.0))
                server.resume()
                continue
            if how < 0.5:
                await server.stop()
                self.report.stops += 1
            else:
                server.kill()
                self.report.kills += 1
            await asyncio.sleep(self.rng.choice((0.0, self.rng.uniform(0.0, 3.0))))
            await server.start()

    async def cut_off(self, server: ServerProcess, net: network.Network) -> None:
        """Cut it off from the database and Redis, again and again; in between it must get something done."""
        kinds = list(network.CUTS)
        self.rng.shuffle(kinds)
        while True:
            enough = self.report.progress + self.rng.randint(20, 100)
            # The first time soon: on a fast machine few games are soon over.
            await asyncio.sleep(self.rng.uniform(1.0, 5.0) if self.report.partitions else 0.5)
            while self.report.progress < enough:
                await asyncio.sleep(0.05)
            self.report.interrupted += self.playing
            kind = kinds[self.report.partitions % len(kinds)]
            self.report.partitions += 1
            seconds = self.rng.uniform(1.0, 14.0)
            self.report.note_fault(f"{server.base} loses packets ({kind}) for {seconds:.1f} s")
            await net.cut(kind, seconds, self.rng)

    async def break_redis(self, redis: services.Redis) -> None:
        """Kill it now and then."""
        while True:
            await asyncio.sleep(self.rng.uniform(4.0, 16.0))
            redis.stop()
            self.report.redis += 1
            await asyncio.sleep(self.rng.uniform(0.0, 3.0))
            redis.start()

    async def table(self, left: Iterator[Game]) -> None:
        for game in left:
            await self.open(game)
            self.playing += 1
            await asyncio.gather(*(player.play() for player in game.players))
            self.playing -= 1
            self.report.finished += 1

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
            except CONNECTION_LOST:
                await asyncio.sleep(0.05)
        game.players = [
            Player(self.servers, self.report, game, seat, token, random.Random(self.rng.random()))
            for seat, token in enumerate(tokens)
            if token
        ]
        if game.number % 5 == 0:
            game.players.append(Player(self.servers, self.report, game, None, None, random.Random(self.rng.random())))

    async def compare_servers(self) -> None:
        """Every process tells every game as its clients heard it."""
        async with httpx.AsyncClient(timeout=60) as http:
            for game in self.games:
                for server in self.servers:
                    answer = (await http.get(f"http://{server.base}/api/tables/{game.id}")).json()
                    if "state" not in answer:
                        game.players[0].violation(f"a server tells of it {answer}")
                        continue
                    state = answer["state"]
                    moves = [move["text"] for move in state["moves"]]
                    told = len(moves), state["number"], state["result"]
                    for player in game.players:
                        heard = len(player.moves), player.state["number"], player.state["result"]
                        if player.moves != moves or heard != told:
                            player.violation(f"ended with {heard}, where a server tells of {told}")

    def compare_logs(self, url: sa.URL) -> None:
        """The log holds what was acknowledged, once each, and nothing that was refused; it leads to what was seen."""
        logs = read_logs(url)
        engine = sa.create_engine(url)
        with engine.connect() as connection:
            setups = {row.id: row.setup for row in connection.execute(sa.select(TABLES.c.id, TABLES.c.setup))}
        engine.dispose()
        for game in self.games:
            rows = logs.get(game.id, [])
            try:
                self.compare_log(game, setups[game.id], rows)
            except ImpossibleError as error:
                game.players[0].violation(f"the log cannot be: {error}")

    def compare_log(self, game: Game, setup: dict[str, Any], rows: list[LoggedEvent]) -> None:
        """The same of one game, and of all messages about it."""
        by_id = {(row.client_id or "").partition(":")[2]: row for row in rows if row.client_id}
        if len(by_id) != sum(row.client_id is not None for row in rows):
            game.players[0].violation("the log holds a message twice")
        tables = read_log(setup, [(row.number, row.kind, row.data) for row in rows])
        known = {player.seat: player for player in game.players}
        for player in game.players:
            for name, number in player.numbers.items():
                row = by_id.get(name)
                meant = player.requests[name]
                if row is None or row.number != number:
                    player.violation(f"{meant} was acknowledged as {number}, the log has {row}")
                elif meant["type"] == "act" and row.data["action"] != meant["action"]:
                    player.violation(f"{meant} became {row}")
            for name, code in player.refused.items():
                if name in by_id:
                    player.violation(f"{player.requests[name]} was refused ({code}), the log has {by_id[name]}")
            if [one.text for one in tables[-1].moves] != player.moves or len(rows) != player.state["number"]:
                player.violation("ended with another record than the log")
            for state in player.told:
                wrong = tables[state["number"]].differs(state) if state["number"] <= len(rows) else "it is not there"
                if wrong:
                    player.violation(f"received event {state['number']}, in which {wrong}")
        for row in rows:
            if row.kind == "flag":
                self.report.flags += 1
                fallen = known.get(row.data["seat"])  # None: an engine's
                if fallen is not None and row.number in fallen.slow and fallen.seat != game.sleeper:
                    self.report.slow += 1
                elif fallen is None or fallen.seat != game.sleeper:
                    game.players[0].violation(
                        f"a flag fell that should not: {rows[max(0, row.number - 4) : row.number]}\n"
                        + "\n".join([*self.report.faults, *(fallen or game.players[0]).lately])
                    )
            elif row.kind == "resumed":
                self.report.given_back += 1
            elif row.kind == "action" and row.client_id is None:
                self.report.engine_moves += 1
                if row.data["seat"] in known:
                    game.players[0].violation(f"nobody asked for {row}")
        if not tables[-1].over:
            game.players[0].violation("the log goes on")


@contextlib.contextmanager
def servers_that_can_be_cut_off(
    processes: int, where: dict[str, str], games_known: str
) -> Iterator[tuple[sa.URL, list[ServerProcess]]]:
    """Yield the address of a database and processes over it and over one Redis, each in a network of its own."""
    with contextlib.ExitStack() as stack:
        postgres = services.Postgres(settings=["listen_addresses=*"])
        stack.callback(postgres.close)
        redis = services.Redis(is_open=True)
        stack.callback(redis.close)
        url, servers = address(postgres.create()), []
        for number in range(1, processes + 1):
            net = network.Network(number)
            stack.callback(net.close)
            net.wait(postgres.port)
            own = {
                "TERCET_DATABASE": f"postgresql://postgres@{net.database}:{postgres.port}/{url.database}",
                "TERCET_REDIS": f"redis://{net.redis}:{redis.port}/0",
            }
            servers.append(ServerProcess({**where, **own}, games_known, net))
        yield url, servers


def play_through_failures(
    games: int, seed: int = 0, at_once: int = 16, sqlite: bool = False, processes: int = 2, partitions: bool = False,
    power: bool = False,
) -> FailureReport:  # fmt: skip
    """Run it. Nothing was lost, doubled or judged wrongly if ``violations`` is empty and all games finished."""
    for name, options, seats in KINDS:
        warm(name, options, seats)
    with contextlib.ExitStack() as stack:
        where = {"TERCET_ENGINES": "0", "TERCET_DRAIN": ""}
        games_known = json.dumps(KINDS)
        redis: services.Redis | None = None
        servers: Sequence[ServerProcess]
        if partitions:
            url, servers = stack.enter_context(servers_that_can_be_cut_off(processes, where, games_known))
            return asyncio.run(Trial(servers, None, games, seed, at_once).run(url))
        if sqlite or power:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            (folder / "data").mkdir()
            where["TERCET_DATA"] = str(folder / "data")
            url, processes = address(folder / "data" / "tercet.sqlite"), 1
        else:
            postgres = services.Postgres(durable=True)
            stack.callback(postgres.close)
            redis = services.Redis()
            stack.callback(redis.close)
            where |= {"TERCET_DATABASE": postgres.create(), "TERCET_REDIS": redis.url}
            url = address(where["TERCET_DATABASE"])
        servers = [ServerProcess(where, games_known) for _ in range(processes)]
        if power:
            servers = [LossyServer(where, folder, random.Random(seed))]
        return asyncio.run(Trial(servers, redis, games, seed, at_once).run(url))
