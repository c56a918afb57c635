"""Hostile people: what they do to a server as fast as they can, from a network of their own (:mod:`benchmarks.abuse`).

Each public method of :class:`Attack` but the first two is one abuse, and so is each of :class:`Costly`: what was costly
and charged to no one. Those of :class:`Flood` are three abuses each: from one socket, from one address and from two
networks (:data:`CROWDS`). Everything goes to a server of one's own on this machine, or to a bare one beside it
(:data:`CONTROLLED`).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import random
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks import front

__all__ = ["ABUSES", "CONTROLLED", "COSTLY", "SMALL", "attack", "path_of", "wire"]

ANSWERED = (ConnectionClosed, InvalidStatus, httpx.HTTPError, OSError, TimeoutError, asyncio.IncompleteReadError)
SMALL: dict[str, Any] = {"game": "sanqi", "options": {"side": 6}}
LARGE: dict[str, Any] = {"game": "sanqi", "options": {"side": 30}}
T = TypeVar("T")
OUTSIDE = "127.0.0.2"  # this machine, too, but no proxy that the server trusts
CROWDS: dict[str, dict[str, int]] = {  # connections by the addresses that they come from
    "socket": {"203.0.113.1": 1},
    "address": {"203.0.113.1": 60},
    "networks": {"203.0.113.1": 60, "192.0.2.1": 60},
}
EMPTY = bytes([0x80, 0, 0, 0, 0])  # what follows the first byte of a frame from a client that has no payload
LONG_HEADERS = b"".join(b"X-%d: %s\r\n" % (number, b"y" * 30) for number in range(800))  # 31 kB


def hostile_host() -> str:
    """Somebody of the hostile network."""
    return f"203.0.113.{random.randrange(1, 255)}"


async def within(seconds: float, work: Awaitable[T]) -> T:
    """What comes of ``work``; TimeoutError where it takes longer. (A cancelled ``asyncio.wait_for`` may go on.)"""
    async with asyncio.timeout(seconds):
        return await work


def wire(port: int, path: str, host: str, cookie: str = "") -> Any:
    """A socket of somebody at ``host``."""
    headers = {"x-forwarded-for": host, **({"cookie": cookie} if cookie else {})}
    address = f"{front.address('ws', port)}{path}"
    return connect(
        address,
        ssl=front.trust(),
        max_size=None,
        compression=None,
        ping_interval=None,
        open_timeout=60,
        additional_headers=headers,
    )


def path_of(opened: dict[str, Any]) -> str:
    """The socket of a table that was opened, with all its seats."""
    tokens = [seat["token"] for seat in opened["seats"] if seat["token"]]
    return f"/api/tables/{opened['id']}/live?" + "&".join(f"seat={token}" for token in tokens)


class Attack:
    """Hostile people against a server at ``port``; ``table`` is where the innocent plays. What they do without end goes
    to ``target``: this server, or a bare one."""

    def __init__(self, port: int, table: str, target: int) -> None:
        self.port = target
        self.table = table
        self.counts: Counter[str] = Counter()
        self.begun = asyncio.Event()
        self.http, self.server = (
            httpx.AsyncClient(
                base_url=front.address("http", one), timeout=30, limits=httpx.Limits(), verify=front.trust() or True
            )
            for one in (target, port)
        )

    async def post(self, path: str, body: dict[str, Any], cookie: str = "", host: str = "") -> httpx.Response:
        """Ask, as somebody of the network, and count how it was answered."""
        headers = {"x-forwarded-for": host or hostile_host(), **({"cookie": cookie} if cookie else {})}
        answer = await self.http.post(path, json=body, headers=headers)
        self.http.cookies.clear()
        self.counts[str(answer.status_code)] += 1
        return answer

    async def many(self, number: int, work: Callable[[], Awaitable[Any]]) -> None:
        """Have ``number`` do ``work`` again and again, whatever they are answered."""
        self.begun.set()

        async def again() -> None:
            while True:
                try:
                    await work()
                except ANSWERED as error:
                    self.counts[type(error).__name__] += 1
                    await asyncio.sleep(0.05)

        await asyncio.gather(*(again() for _ in range(number)))

    async def uploads(self) -> None:
        """Long records to be read."""
        text = '[Game "sanqi"]\n[Options "side=6"]\n\n' + "".join(f"{number}. Ra1 Ya2 " for number in range(1, 10_000))
        await self.many(16, lambda: self.post("/api/record", {"text": text[:199_000]}))

    async def drawings(self) -> None:
        """Drawings of a large board."""
        start = await self.post("/api/preview", LARGE)
        position = start.json()["view"]["position"]
        await self.many(16, lambda: self.post("/api/draw", {"position": position, "size": 4000}))

    async def openings(self) -> None:
        """Tables without end, and looks at large boards."""
        seats = [{"kind": "me"}, {"kind": "here"}]
        await self.many(8, lambda: self.post("/api/tables", {"seats": seats, **LARGE}))

    async def connections(self) -> None:
        """Connections that say nothing."""
        self.begun.set()
        held = []
        with contextlib.suppress(OSError):
            for _ in range(900):
                held.append(await asyncio.open_connection("127.0.0.1", self.port, local_addr=(OUTSIDE, 0)))
        self.counts["connections"] = len(held)
        await asyncio.sleep(3600)

    async def engines(self) -> None:
        """New guests, each with an engine of the highest level that begins."""

        async def game() -> None:
            seats = [{"kind": "engine", "level": 10}, {"kind": "me"}]
            answer = await self.post("/api/tables", {"seats": seats, **SMALL})
            if answer.status_code == 201:
                cookie = answer.headers.get("set-cookie", "").partition(";")[0]
                async with wire(self.port, path_of(answer.json()), hostile_host(), cookie) as socket:
                    await within(30, socket.recv())
                    await asyncio.sleep(20)

        await self.many(60, game)

    async def analyses(self) -> None:
        """As many analyses as are had."""
        start = await self.post("/api/preview", SMALL)
        position = start.json()["view"]["position"]

        async def analysis() -> None:
            async with wire(self.port, "/api/analysis", hostile_host()) as socket:
                await socket.send(json.dumps({"type": "go", "id": "a", "position": position}))
                async for text in socket:
                    if json.loads(text)["type"] == "error":
                        self.counts["refused"] += 1
                        return

        await self.many(12, analysis)

    async def lobby(self) -> None:
        """Open games that others see, many who look at the lobby, and guests who are paired and never play."""

        async def follow() -> None:
            async with wire(self.port, "/api/lobby/live", hostile_host()) as socket:
                async for text in socket:
                    self.counts["bytes"] += len(text)

        async def seek() -> None:
            quick, host = {"game": "sanqi", "time": "5+3"}, {"x-forwarded-for": hostile_host()}
            async with self.http.stream("POST", "/api/pairing", json=quick, headers=host) as answer:
                self.http.cookies.clear()
                async for line in answer.aiter_lines():
                    self.counts["paired"] += "paired" in line
            self.counts[str(answer.status_code)] += 1

        offers = self.many(10, lambda: self.post("/api/tables", {"seats": [{"kind": "me"}, {"kind": "open"}], **SMALL}))
        await asyncio.gather(offers, self.many(100, follow), self.many(40, seek))

    async def crowds(self) -> None:
        """Throw-away guests of two networks, each with a table, and whether an innocent table is still shown first."""
        waits = {"seats": [{"kind": "me"}, {"kind": "open"}], "public": True, **SMALL}

        async def open_one(host: str) -> str:
            answer = await self.http.post("/api/tables", json=waits, headers={"x-forwarded-for": host})
            self.http.cookies.clear()
            self.counts[str(answer.status_code)] += 1
            return str(answer.json().get("id", ""))

        innocent = await open_one("198.51.100.99")
        await asyncio.gather(*(open_one(f"{net}.{n}") for n in range(1, 61) for net in ("203.0.113", "192.0.2")))
        while True:
            answer = await self.http.get("/api/lobby?size=6", headers={"x-forwarded-for": hostile_host()})
            shown = innocent in [one["id"] for one in answer.json().get("open", ())]
            self.counts["shown" if shown else "not shown"] += 1
            await asyncio.sleep(0.1)

    async def tournaments(self) -> None:
        """Tournaments without end."""
        clock = {"kind": "fischer", "minutes": 5, "increment": 3}
        begins = round(1000 * time.time()) + 3_600_000
        body = {"name": "Cup", "form": "swiss", "rounds": 3, "game": "sanqi", "clock": clock, "begins": begins}
        await self.many(8, lambda: self.post("/api/tournaments", body))

    async def arrivals(self) -> None:
        """Watchers who come to the innocent's table and go again."""

        async def visit() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host()) as socket:
                self.counts["bytes"] += len(await within(30, socket.recv()))
                self.counts["visits"] += 1

        await self.many(50, visit)

    async def _act_and_take_back(self, wish: dict[str, Any], then: Callable[[Any], Awaitable[None]]) -> None:
        """Act and take it back at a new table, over and over, and ``then`` each time do something with its socket."""
        answer = await self.post("/api/tables", {"seats": [{"kind": "me"}, {"kind": "here"}], **wish})
        if answer.status_code != 201:
            await asyncio.sleep(1)
            return
        async with wire(self.port, path_of(answer.json()), hostile_host()) as socket:
            action = json.loads(await socket.recv())["state"]["view"]["paths"][0][0]
            for number in itertools.count():
                await socket.send(json.dumps({"type": "act", "id": f"a{number}", "ply": 0, "action": action}))
                await socket.send(json.dumps({"type": "takeback", "id": f"t{number}", "ply": 0}))
                await then(socket)

    async def takebacks(self) -> None:
        """Actions that are taken back, over and over."""

        async def hear(socket: Any) -> None:
            for _ in range(4):
                said = json.loads(await within(30, socket.recv()))
                self.counts[said.get("code", said["type"])] += 1
                if said["type"] == "error":
                    break

        await self.many(10, lambda: self._act_and_take_back(SMALL, hear))

    async def passwords(self) -> None:
        """Passwords that are guessed."""
        await self.many(
            16,
            lambda: self.post("/api/session", {"handle": f"ann{random.randrange(10_000)}", "password": "guessed it"}),
        )

    async def messages(self) -> None:
        """Messages as fast as they go, and words at the innocent's table."""

        async def flood() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host()) as socket:
                await socket.recv()
                for number in itertools.count():
                    line = {"type": "say", "id": f"s{number}", "room": "watchers", "text": "spam " * 50}
                    await socket.send(json.dumps(line))
                    said = json.loads(await within(30, socket.recv()))
                    self.counts[said.get("code", said["type"])] += 1

        await self.many(20, flood)

    async def chatter(self) -> None:
        """Throw-away guests who watch the innocent's table and talk there."""

        async def talk() -> None:
            answer = await self.post("/api/me", {"name": f"Watcher {random.randrange(10**6)}"})
            cookie = answer.headers.get("set-cookie", "").partition(";")[0]
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host(), cookie) as socket:
                for number in range(5):
                    line = {"type": "say", "id": f"s{number}", "room": "watchers", "text": "spam " * 50}
                    await socket.send(json.dumps(line))
                    while (said := json.loads(await within(30, socket.recv())))["type"] not in ("ack", "error"):
                        pass
                    self.counts[said.get("code", said["type"])] += 1

        await self.many(20, talk)

    async def explorations(self) -> None:
        """Questions that search ahead."""
        start = await self.post("/api/preview", {"game": "triplicity", "options": {}})
        position = start.json()["view"]["position"]
        asked = [one["id"] for one in start.json()["table"]["explorations"] if one["needs"] == "position"]
        kinds = itertools.cycle(asked)
        await self.many(16, lambda: self.post("/api/explore", {"position": position, "id": next(kinds)}))

    async def clocks(self) -> None:
        """Turns begun anew without end on an egg timer, with a line that is slow on purpose."""

        async def hear_late(socket: Any) -> None:
            await asyncio.sleep(0.2)
            said = json.loads(await within(30, socket.recv()))
            self.counts[said.get("code", said["type"])] += 1
            if said["type"] == "ping?":
                await asyncio.sleep(0.5)
                await socket.send(json.dumps({"type": "pong", "n": said["n"]}))

        body = {"clock": {"kind": "turn", "seconds": 10}, "game": "sparklies", "options": {"board": "5x5"}}
        await self.many(20, lambda: self._act_and_take_back(body, hear_late))

    async def guests(self) -> None:
        """New guests without end."""
        await self.many(16, lambda: self.post("/api/me", {"name": f"Somebody {random.randrange(10_000)}"}))

    async def signups(self) -> None:
        """New accounts, and letters and codes of recovery for those of others."""

        async def ask() -> None:
            handle = f"own{random.randrange(10**9)}"
            await self.post("/api/accounts", {"handle": handle, "password": "a long enough secret"})
            await self.post("/api/recovery/letter", {"handle": "ann"})
            await self.post("/api/recovery/code", {"handle": "ann", "code": "x" * 20, "password": "a long secret"})

        await self.many(8, ask)

    async def seats(self) -> None:
        """Seats that are taken and left again, and games that are resigned at once."""

        async def sit() -> None:
            answer = await self.post("/api/tables", {"seats": [{"kind": "me"}, {"kind": "open"}], **SMALL})
            if answer.status_code != 201:
                await asyncio.sleep(1)
                return
            table = answer.json()["id"]
            for _ in range(10):
                taken = await self.post(f"/api/tables/{table}/seats/1", {})
                cookie = taken.headers.get("set-cookie", "").partition(";")[0]
                headers = {"x-forwarded-for": hostile_host(), "cookie": cookie}
                left = await self.http.delete(f"/api/tables/{table}/seats/1", headers=headers)
                self.counts[str(left.status_code)] += 1
            await self.post(f"/api/tables/{table}/seats/1", {})
            async with wire(self.port, path_of(answer.json()), hostile_host()) as socket:
                await socket.send(json.dumps({"type": "resign", "id": "r"}))
                await within(30, socket.recv())

        await self.many(8, sit)

    async def cheats(self) -> None:
        """Rated games that the one who opens them has rigged: takebacks, handicaps, seeds, boards, rules and seats."""
        clock = {"kind": "turn", "seconds": 10}
        triplicity: dict[str, Any] = {"game": "triplicity", "options": {}, "takebacks": "own"}
        sparklies = ({"handicap": 12}, {"board": "2x2"}, {"attack": "1"}, {"order": "alternate"})
        rigged = [triplicity, {**SMALL, "seed": 7}, *({"game": "sparklies", "options": one} for one in sparklies)]
        seats = itertools.cycle([[{"kind": "me"}, {"kind": "open"}], [{"kind": "open"}, {"kind": "me"}]])
        wishes = itertools.cycle([{"rated": True, "clock": clock, **one} for one in rigged])
        handle = f"own{random.randrange(10**9)}"
        made = await self.post("/api/accounts", {"handle": handle, "password": "a long enough secret"})
        cookie = made.headers.get("set-cookie", "").partition(";")[0]

        async def open_one() -> None:
            answer = await self.post("/api/tables", {"seats": next(seats), **next(wishes)}, cookie)
            self.counts["opened" if answer.status_code == 201 else "refused"] += 1

        await self.many(4, open_one)

    async def masks(self) -> None:
        """Names that look like those of others, of engines and of moderators, or like nothing."""
        names = itertools.cycle(
            ["\u3164\u3164", "\u115f\uffa0", "Engine Ievel 8", "Tercet Team", "Moderator (official)", "Ann\u200b"]
        )
        await self.many(8, lambda: self.post("/api/me", {"name": next(names)}))

    async def boosts(self) -> None:
        """Throw-away guests who all miss one puzzle, and how far its rating goes."""
        headers = {"x-forwarded-for": hostile_host()}
        puzzle = (await self.http.get("/api/puzzles/daily?game=sanqi", headers=headers)).json()
        where = f"/api/puzzles/{puzzle['id']}"

        async def miss() -> None:
            action = random.choice(puzzle["view"]["paths"])[0]
            await self.post(f"{where}/try", {"actions": [action]})
            now = (await self.http.get(where, headers=headers)).json()
            self.counts["points of rating"] = round(abs(now["rating"] - puzzle["rating"]))

        await self.many(8, miss)

    async def deaf(self) -> None:
        """Watchers of the innocent's table who ask for all of it again and again, and read nothing."""

        async def watch() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host()) as socket:
                socket.transport.pause_reading()
                for _ in range(2000):
                    await within(5, socket.send('{"type": "snapshot"}'))
                self.counts["asked"] += 2000

        await self.many(20, watch)

    async def slow(self) -> None:
        """Requests that are sent a byte at a time."""

        async def drip() -> None:
            where = {"local_addr": (OUTSIDE, 0), "ssl": front.trust()}
            _, writer = await asyncio.open_connection("127.0.0.1", self.port, **where)  # type: ignore[arg-type]
            try:
                self.counts["begun"] += 1
                writer.write(b"POST /api/record HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n")
                writer.write(b"Content-Type: application/json\r\n\r\n")
                while True:
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.2)
            finally:
                writer.close()

        await self.many(300, drip)

    async def garbage(self) -> None:
        """What makes no sense: bodies too long and malformed, messages, addresses, links and origins of others."""
        wrong = itertools.cycle(
            [
                ("/api/tables", b"[" * 300_000),
                ("/api/record", b"x" * 3_000_000),
                ("/api/position", b'{"position": "\xff\x00"}'),
                ("/api/tables/" + "0" * 16 + "/seats/0", b"{}"),
                ("/api/analyse", json.dumps({"moves": ["x" * 400] * 900, **SMALL}).encode()),
            ]
        )

        async def ask() -> None:
            path, body = next(wrong)
            headers = {"x-forwarded-for": hostile_host(), "content-type": "application/json"}
            answer = await self.http.post(path, content=body, headers=headers)
            self.counts[str(answer.status_code)] += 1

        async def say() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live?seat={'x' * 30}", hostile_host()) as socket:
                for _ in range(40):
                    await socket.send(random.choice(["{", "[]", '{"type": "act"}', "x" * 60_000]))
                while True:
                    self.counts[json.loads(await within(5, socket.recv())).get("code", "told")] += 1

        await asyncio.gather(self.many(8, ask), self.many(8, say))


class Flood(Attack):
    """The same from as many connections as ``crowd`` says, each of which sends as fast as it can."""

    def __init__(self, port: int, table: str, target: int, crowd: dict[str, int]) -> None:
        super().__init__(port, table, target)
        self.crowd = crowd

    async def _throw(self, begin: Callable[[str], bytes], data: bytes) -> None:
        """Begin a connection for each of the crowd, send ``data`` on it over and over, and read whatever comes."""
        works = [self._once(begin(host), data) for host, number in self.crowd.items() for _ in range(number)]
        await asyncio.gather(*(self.many(1, work) for work in works))

    def _once(self, begin: bytes, data: bytes) -> Callable[[], Awaitable[None]]:
        async def connection() -> None:
            reader, writer = await within(10, asyncio.open_connection("127.0.0.1", self.port, ssl=front.trust()))
            writer.write(begin)
            reading = asyncio.ensure_future(self._read(reader))
            try:
                while not reading.done():
                    writer.write(data)
                    await writer.drain()
                    self.counts["sent kB"] += len(data) // 1000
                    await asyncio.sleep(0)
            finally:
                reading.cancel()
                writer.close()
                self.counts["connections"] += 1
                await asyncio.sleep(0.02)

        return connection

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(1 << 16):
                pass

    def _handshake(self, more: bytes = b"") -> Callable[[str], bytes]:
        """How a socket to the innocent's table is asked for."""

        def begin(host: str) -> bytes:
            return (
                b"GET /api/tables/%s/live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                b"X-Forwarded-For: %s\r\n%s\r\n"
            ) % (self.table.encode(), host.encode(), more)

        return begin

    async def _ask(self, *paths: str, headers: bytes = b"") -> None:
        """Requests without end, pipelined."""
        lines = [
            b"GET %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: HOST\r\n%s\r\n" % (p.encode(), headers) for p in paths
        ]
        works = [
            self._once(b"", b"".join(lines).replace(b"HOST", host.encode()) * max(1, 64_000 // len(b"".join(lines))))
            for host, number in self.crowd.items()
            for _ in range(number)
        ]
        await asyncio.gather(*(self.many(1, work) for work in works))

    async def pings(self) -> None:
        """Pings without end."""
        await self._throw(self._handshake(), (b"\x89" + EMPTY) * 10_000)

    async def pongs(self) -> None:
        """Pongs and pieces of messages, all of them empty."""
        await self._throw(
            self._handshake(), b"\x01" + EMPTY + (b"\x8a" + EMPTY + b"\x00" + EMPTY) * 5_000 + b"\x80" + EMPTY
        )

    async def braces(self) -> None:
        """Messages that say nothing: ``{}``."""
        await self._throw(self._handshake(), bytes([0x81, 0x82, 0, 0, 0, 0, *b"{}"]) * 8_000)

    async def zipped(self) -> None:
        """Compressed messages: frames of 85 bytes that unpack to 63 kB."""
        packer = zlib.compressobj(wbits=-12)
        data = (packer.compress(b" " * 63_000) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]
        frame = bytes([0xC1, 0x80 | len(data), 0, 0, 0, 0]) + data
        asked = (
            b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12; client_no_context_takeover\r\n"
        )
        await self._throw(self._handshake(asked), frame * 1000)

    async def pages(self) -> None:
        """The page, its files, and what tells how the server is."""
        page = await self.http.get("/")
        files = [part.split('"')[0] for part in page.text.split('src="')[1:]]
        await self._ask("/", "/health", "/ready", "/rules/sanqi", "/no/such/page", *files, "/assets/none.js")

    async def headers(self) -> None:
        """Requests with 31 kB of headers."""
        await self._ask("/health", headers=LONG_HEADERS)

    async def translations(self) -> None:
        """A large board in German, asked for over and over."""
        works = []
        for host in self.crowd:
            answer = await self.http.post(
                "/api/tables",
                json={"seats": [{"kind": "me"}, {"kind": "here"}], **LARGE},
                headers={"x-forwarded-for": host},
            )
            self.http.cookies.clear()
            path = path_of(answer.json()) + "&lang=de"

            async def look(path: str = path, host: str = host) -> None:
                async with wire(self.port, path, host) as socket:
                    for _ in range(1000):
                        await socket.send('{"type": "snapshot"}')
                        said = json.loads(await within(30, socket.recv()))
                        self.counts[said.get("code", said["type"])] += 1

            works.append(self.many(-(-self.crowd[host] // 5), look))
        await asyncio.gather(*works)

    async def germans(self) -> None:
        """German watchers of the innocent's table, twice as many as connections otherwise."""

        def watcher(host: str) -> Callable[[], Awaitable[None]]:
            async def watch() -> None:
                async with wire(self.port, f"/api/tables/{self.table}/live?lang=de", host) as socket:
                    async for text in socket:
                        self.counts[json.loads(text)["type"]] += 1

            return watch

        await asyncio.gather(*(self.many(2 * number, watcher(host)) for host, number in self.crowd.items()))


CLOCK = {"kind": "fischer", "minutes": 5, "increment": 3}
SIX = [f"203.0.{network}.{person}" for network in range(6) for person in range(1, 11)]
SITE = [f"2001:db8:1:{network:02x}00::1" for network in range(256)]  # all that one provider gave to one organisation


class Costly(Flood):
    """Attacks whose cost was once charged to no one."""

    def __init__(self, port: int, table: str, target: int) -> None:
        super().__init__(port, table, target, {"203.0.113.1": 8})

    async def _prepare(self, path: str, body: dict[str, Any], host: str) -> tuple[dict[str, Any], str]:
        """Ask the server itself; the answer, and the new guest's cookie."""
        answer = await self.server.post(path, json=body, headers={"x-forwarded-for": host})
        self.server.cookies.clear()
        return answer.json(), answer.headers.get("set-cookie", "").partition(";")[0]

    async def _cup(self, form: str, guests: int) -> tuple[str, list[tuple[str, str]]]:
        """A tournament that throw-away guests have joined: its address, and who they are."""
        body = {"name": "Cup", "form": form, "clock": CLOCK, "begins": round(1000 * time.time()) + 3_600_000, **SMALL}
        cup, _ = await self._prepare("/api/tournaments", body | ({"minutes": 30} if form == "arena" else {}), SIX[0])
        address, who = f"/api/tournaments/{cup['id']}", []
        for host in itertools.islice(itertools.cycle(SIX), guests):
            _, cookie = await self._prepare(f"{address}/join", {}, host)
            who.append((host, cookie))
        return address, who

    async def cups(self) -> None:
        """A tournament of 128 guests, asked for over and over."""
        address, _ = await self._cup("swiss", 128)
        await self._ask(address)

    async def entries(self) -> None:
        """Forty guests who join an arena and leave it, over and over."""
        address, guests = await self._cup("arena", 40)

        async def come_and_go(host: str, cookie: str) -> None:
            for what in ("leave", "join"):
                await self.post(f"{address}/{what}", {}, cookie, host)

        await asyncio.gather(*(self.many(1, functools.partial(come_and_go, *who)) for who in guests))

    async def descriptions(self) -> None:
        """The description of all addresses, on 40 connections."""
        self.crowd = {"203.0.113.1": 40}
        await self._ask("/api/openapi.json")

    async def stops(self) -> None:
        """Analyses of a large board that end as soon as they have begun."""
        told, _ = await self._prepare("/api/preview", LARGE, SIX[0])
        go = json.dumps({"type": "go", "id": "a", "position": told["view"]["position"]})

        async def analyse(host: str) -> None:
            async with wire(self.port, "/api/analysis", host) as socket:
                await socket.send(go)
                await asyncio.sleep(0.2)

        await asyncio.gather(*(self.many(1, functools.partial(analyse, host)) for host in SIX[::5]))

    async def previews(self) -> None:
        """Guests of four networks who look at large boards."""
        looks = [functools.partial(self.post, "/api/preview", LARGE, "", host) for host in SIX[:40:10]]
        await asyncio.gather(*(self.many(4, look) for look in looks))

    async def returns(self) -> None:
        """Sixty sockets of six networks that ping and come again."""
        pings = b"".join(bytes([0x89, 0x81, 0, 0, 0, 0, number]) for number in range(100))

        async def come(host: str) -> None:
            reader, writer = await within(
                10, asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22, ssl=front.trust())
            )
            try:
                writer.write(self._handshake()(host))
                await within(10, reader.readuntil(b"\r\n\r\n"))
                writer.write(pings)
                await within(10, reader.readuntil(bytes([0x8A, 1, 99])))
                self.counts["visits"] += 1
            finally:
                writer.close()

        await asyncio.gather(*(self.many(1, functools.partial(come, host)) for host in SIX))

    async def films(self) -> None:
        """Animated pictures of a hundred moves on a large board."""
        import tercet

        position, moves = tercet.game("sanqi", **LARGE["options"]).start(), []
        for _ in range(100):
            moves.append(str(random.choice(position.legal_actions)))
            position = position.play(moves[-1])
        numbered = " ".join(f"{ply // 2 + 1}. {move}" if ply % 2 == 0 else move for ply, move in enumerate(moves))
        record = f'[Game "sanqi"]\n[Options "side=30"]\n\n{numbered} *'
        films = []
        for _ in range(12):
            wish = {"record": record, "seats": [{"kind": "me"}, {"kind": "here"}]}
            opened, _ = await self._prepare("/api/tables", wish, SIX[0])
            address = f"{front.address('ws', self.server.base_url.port or 0)}{path_of(opened)}"
            async with connect(address, ssl=front.trust(), max_size=None) as socket:
                await socket.send(json.dumps({"type": "resign", "id": "r", "seat": 0}))
                while json.loads(await within(30, socket.recv()))["type"] != "ack":
                    pass
            films.append(f"/api/pictures/table/{opened['id']}.gif")
        await self._ask(*films)

    async def dials(self) -> None:
        """Games of strong engines for the dial."""
        seeds = itertools.count(1)
        await self.many(4, lambda: self.post("/api/dial", {"game": "sanqi", "level": 5, "seed": next(seeds)}))

    async def _trees(self, clients: int) -> None:
        """The widest conditional moves, set and withdrawn over and over by so many clients, each at a table."""
        import tercet

        position, works = tercet.game("sanqi", **SMALL["options"]).start(), []
        lines = [[str(one), str(position.play(one).legal_actions[0])] for one in position.legal_actions[:150]]
        for host in SIX[:clients]:
            seats = [{"kind": "me"}, {"kind": "here"}]
            opened, _ = await self._prepare("/api/tables", {"seats": seats, **SMALL}, host)
            path = f"/api/tables/{opened['id']}/seats/1/conditional?seat={opened['seats'][1]['token']}"

            async def set_and_withdraw(path: str = path, host: str = host) -> None:
                for branches in (lines, []):
                    body, headers = {"ply": 0, "branches": branches}, {"x-forwarded-for": host}
                    answer = await self.http.put(path, json=body, headers=headers)
                    self.counts[str(answer.status_code)] += 1

            works.append(self.many(1, set_and_withdraw))
        await asyncio.gather(*works)

    async def trees(self) -> None:
        """The widest conditional moves, set and withdrawn over and over by one client."""
        await self._trees(1)

    async def forests(self) -> None:
        """The same by twenty clients, each at a table of its own."""
        await self._trees(20)

    async def edits(self) -> None:
        """Tiny changes of a saved analysis of nearly 1 MB, and looks at it, by two accounts."""
        works = []
        for host in SIX[:2]:
            handle = f"own{random.randrange(10**9)}"
            account = {"handle": handle, "password": "a long enough secret"}
            _, cookie = await self._prepare("/api/accounts", account, host)
            start, _ = await self._prepare("/api/preview", SMALL, host)
            large = [{"after": -1, "text": f"R{number}", "comment": "a" * 4000} for number in range(90)]
            body = {"name": "a", "chapter": "b", "start": start["view"]["position"], "moves": large}
            headers = {"x-forwarded-for": host, "cookie": cookie}
            made = (await self.server.post("/api/analyses", json=body, headers=headers)).json()
            path = f"/api/analyses/{made['id']}/chapters"
            await self.server.post(path, json={**body, "moves": large}, headers=headers)

            async def change(path: str = path, host: str = host, cookie: str = cookie) -> None:
                note = {"path": ["R1"], "comment": str(random.random())}
                await self.post(f"{path}/1", {"changes": [note]}, cookie, host)

            works.append(self.many(4, change))
        await asyncio.gather(*works)

    async def lines(self) -> None:
        """Handshakes with lines of 9 kB."""
        await self._throw(self._handshake(b"X: " + b"y" * 9000 + b"\r\n"), b"")

    async def site(self) -> None:
        """The 256 networks of one site of IPv6, each with requests of its own."""
        self.crowd = dict.fromkeys(SITE, 1)
        await self._ask("/api/lobby", "/api/games")


def _public(kind: type) -> dict[str, str]:
    """The abuses among its methods, and what each is."""
    return {
        name: work.__doc__ or "" for name, work in vars(kind).items() if name[0] != "_" and name not in ("post", "many")
    }


FLOODS = {f"{name}.{crowd}": text for name, text in _public(Flood).items() for crowd in CROWDS}
COSTLY = _public(Costly)
ABUSES = COSTLY | _public(Attack) | FLOODS
CONTROLLED = {*COSTLY, *FLOODS}  # those that are the same against a bare server


async def attack(name: str, port: int, table: str, seconds: float, target: int) -> None:
    """Do one of :data:`ABUSES` for so long, and print what was answered."""
    name, _, crowd = name.partition(".")
    hostile = Costly(port, table, target) if name in COSTLY else Attack(port, table, target)
    if crowd:
        hostile = Flood(port, table, target, CROWDS[crowd])
    doing = asyncio.ensure_future(getattr(hostile, name)())
    begun = asyncio.ensure_future(hostile.begun.wait())
    await asyncio.wait([doing, begun], return_when=asyncio.FIRST_COMPLETED)
    print(flush=True)  # what they need is prepared
    await asyncio.wait([doing], timeout=seconds)
    if not doing.cancel():
        doing.result()
    print(json.dumps(hostile.counts))
