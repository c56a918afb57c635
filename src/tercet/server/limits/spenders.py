"""Clients and their networks are charged for the time of the event loop and of threads that their work takes, and take
turns on the loop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.responses import StreamingResponse
from starlette.types import Send

MAX_REMEMBERED = 50_000  # people
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
K = TypeVar("K")
V = TypeVar("V")
SPENDER = "tercet.spender"  # in the scope of a request or a socket: its sender


@dataclass(slots=True, eq=False)
class Spender:
    """A client that is charged: its ``network``, and its ``person`` (an id) once known. In queues each account counts
    for itself, and all guests of a network count as one. Without both it is the server itself, which has no limits.
    ``loop`` shares out the event loop that serves the client (None: no loop does)."""

    network: str | None
    person: str | None = None
    is_guest: bool = True
    loop: LoopTime | None = None

    def run(self, step: Callable[..., V], *args: Any) -> V:
        """Return what ``step`` returns, and charge the processor time that the event loop spends on it."""
        if self.loop is None:
            return step(*args)
        began = self.loop.begin_step()
        try:
            return step(*args)
        finally:
            self.loop.end_step(self, began)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the budgets that are charged."""
        return _keys(self.person, self.network)

    @property
    def share(self) -> str:
        """Return the key by which queues take turns."""
        if self.person is not None and not self.is_guest:
            return self.person
        return "the server" if self.network is None else f"guests of {self.network}"


class KnownSpenders:
    """The people who came to this process lately, and the network that each came from last."""

    def __init__(self) -> None:
        self._known: Bounded[str, Spender] = Bounded(MAX_REMEMBERED)

    def note(self, person_id: str, host: str | None, is_guest: bool = True) -> None:
        """Note that a person has come from this host."""
        self._known[person_id] = Spender(network_group(host), person_id, is_guest)

    def network(self, person_id: str) -> str | None:
        """Return the network that this person came from last; None if they have not come."""
        known = self._known.get(person_id)
        return None if known is None else known.network

    def of(self, person_id: str) -> Spender:
        """Return who is charged for this person (an id, or the :attr:`Spender.share` of a network's guests)."""
        if person_id.startswith("guests of "):
            return Spender(person_id.removeprefix("guests of "))
        return self._known.get(person_id) or Spender(None, person_id, is_guest=False)


Charge = Callable[[Spender, float], None]  # charges a client for so many seconds of computing
SERVER = Spender(None)
_CURRENT: ContextVar[Spender] = ContextVar("spender", default=SERVER)


def spender(new: Spender | None = None) -> Spender:
    """Return whom the current task charges; with ``new``, set that first."""
    if new is not None:
        _CURRENT.set(new)
    return _CURRENT.get()


def address_in(host: str | None) -> Address | None:
    """Return the address that ``host`` is; None if it is none. An IPv4 address written as IPv6 is an IPv4 address."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if address.version == 6 else address


def address_group(host: str | None) -> str:
    """Return what counts as one address: an IPv4 address, or an IPv6 network of 64 bits."""
    address = address_in(host)
    if address is None:
        return "unknown"
    return str(address) if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


def network_group(host: str | None) -> str:
    """Return what counts as one network: 24 bits of an IPv4 address, 56 bits of an IPv6 address."""
    address = address_in(host)
    if address is None:
        return "unknown"
    return str(ipaddress.ip_network((address, 24 if address.version == 4 else 56), strict=False))


@functools.lru_cache(maxsize=1 << 14)
def _keys(person: str | None, network: str | None) -> tuple[str, ...]:
    networks = () if network is None else with_site(network)
    return (*(() if person is None else (f"person {person}",)), *(f"network {one}" for one in networks))


SITE_FACTOR = 16  # times what a network, or an address, of a site may use


@functools.lru_cache(maxsize=1 << 14)
def with_site(key: str) -> tuple[str, ...]:
    """Return what the use of ``key`` is counted for: the key itself, and its site if it is a network of IPv6 (56 or 64
    bits). A site is what providers give to an organisation: 48 bits, with 256 networks."""
    prefix, _, bits = key.rpartition("/")
    if bits not in ("56", "64"):
        return (key,)
    try:
        return (key, str(ipaddress.IPv6Network((prefix, 48), strict=False)))
    except ValueError:
        return (key,)


def worth(key: str) -> int:
    """Return how many times as much as others this one of :func:`with_site` may use."""
    return SITE_FACTOR if key.endswith("/48") else 1


@functools.lru_cache(maxsize=1 << 14)
def turn_group(network: str) -> str:
    """Return what takes one turn where networks take turns: a network, or one of the sixteen parts of a site."""
    if not network.endswith("/56"):
        return network
    return str(ipaddress.IPv6Network((network.removesuffix("/56"), 52), strict=False))


@functools.lru_cache(maxsize=1 << 14)
def _site(network: str | None) -> str:
    return site_of(turn_group(network or ""))


@functools.lru_cache(maxsize=1 << 14)
def site_of(group: str) -> str:
    """Return the site of which this one of :func:`turn_group` is a part; itself if it is of none."""
    return str(ipaddress.IPv6Network((group.removesuffix("/52"), 48), strict=False)) if group.endswith("/52") else group


class Bounded(OrderedDict[K, V]):
    """A map of the ``most`` keys that were set, or read with :meth:`recent`, last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self.most:
            self.popitem(last=False)

    def recent(self, key: K) -> V | None:
        """Return the value of ``key``, which becomes the latest; None if there is none."""
        if key not in self:
            return None
        self.move_to_end(key)
        return self[key]


# The loop's time is shared out so often, and charged so much later: at most so many times what was measured.
SHARE_SECONDS, SETTLE_SECONDS, MAX_FACTOR = 0.02, 0.2, 10.0
# From so many seconds of the loop lately a network is heavy. If there were so many for others, heavy ones make room.
HEAVY_SECONDS, OTHERS_SECONDS = 0.05, 0.002
HEAVY = "heavy networks"  # what takes their turns


class LoopTime:
    """Shares out the processor time of the event loop among the clients it worked for, by how long the steps of each
    took. So they are charged for what lies between the steps, too: reading, parsing, calling threads, collecting
    garbage. (Only the sum is measured by the processor's clock, which takes ten times as long to read.)

    Networks that used much of it in the last second or so are heavy. As long as the loop works for others, too, the
    heavy ones take turns as one, and pause after each thing for as long as it took, in threads, too: these keep the
    interpreter from the loop."""

    def __init__(self, charge: Charge = lambda *_: None) -> None:
        self._charge = charge
        self._measured: dict[Spender, float] = {}
        self._began = -math.inf  # when the measured steps began
        self._processor = 0.0  # what the clock of the loop's processor said then
        self._owed: dict[Spender, float] = {}
        self._recent: Bounded[str, tuple[float, float]] = Bounded(MAX_REMEMBERED)  # by network: seconds, and as of when
        self._heavy_seconds = 0.0  # of the loop and of threads, since a pause was measured last
        self._heavy_things = 0  # that have begun since then
        self._pause = 0.0  # that follows each of them
        self._next = 0.0  # when another one may begin

    def begin_step(self) -> float:
        """Return when a step begins, for :meth:`end_step`. Reading from a connection begins one, too."""
        now = time.perf_counter()
        if not self._measured and now - self._began > SHARE_SECONDS:
            self._began, self._processor = now, time.thread_time()
        return now

    def end_step(self, who: Spender, began: float) -> None:
        """Note that the loop has worked for ``who`` since then."""
        now, measured = time.perf_counter(), self._measured
        if not self._owed:
            self._owe(who, 0.0)
        measured[who] = measured.get(who, 0.0) + now - began
        if now - self._began > SHARE_SECONDS:
            self._share_out()

    def bill(self) -> Callable[[float], None]:
        """Return what charges the client of the current task for seconds of a thread."""
        who = spender()

        def charge(seconds: float) -> None:
            self._owe(who, seconds)
            self.worked(who, seconds)

        return charge

    def _owe(self, who: Spender, seconds: float) -> None:
        if not self._owed:
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._settle)
        self._owed[who] = self._owed.get(who, 0.0) + seconds

    def _settle(self) -> None:
        if self._measured:
            self._share_out()
        owed, self._owed = self._owed, {}
        for who, seconds in owed.items():
            self._charge(who, seconds)

    def _share_out(self) -> None:
        measured, self._measured = self._measured, {}
        self._began = -math.inf
        factor = min(MAX_FACTOR, (time.thread_time() - self._processor) / (sum(measured.values()) or 1.0))
        by_site: dict[str, float] = {}
        for who, seconds in measured.items():
            self._owed[who] = self._owed.get(who, 0.0) + factor * seconds
            site = _site(who.network)
            by_site[site] = by_site.get(site, 0.0) + factor * seconds
        for site, seconds in by_site.items():
            self._worked(site, seconds)
        if self._heavy_things:
            self._pause += 0.3 * (self._heavy_seconds / self._heavy_things - self._pause)
            self._heavy_seconds, self._heavy_things = 0.0, 0

    def worked(self, who: Spender, seconds: float) -> None:
        """Note that the loop, or a thread, has worked so long for ``who``."""
        self._worked(_site(who.network), seconds)

    def _worked(self, site: str, seconds: float) -> None:
        if self._use(site, seconds) >= HEAVY_SECONDS:
            self._heavy_seconds += seconds
        else:
            self._use("", seconds)

    def _use(self, network: str, seconds: float = 0.0) -> float:
        """Note ``seconds`` for a network ('': for all that are not heavy). Return how many it had lately."""
        now = time.monotonic()
        used, at = self._recent.get(network, (0.0, now))
        used = used * math.exp(at - now) + seconds
        self._recent[network] = used, now
        return used

    def turn(self, network: str) -> str:
        """Return what takes the turns of ``network``: itself, or all heavy networks together."""
        site = site_of(network)
        used = self._recent.get(site)
        is_heavy = used is not None and used[0] >= HEAVY_SECONDS and self._use(site) >= HEAVY_SECONDS
        return HEAVY if is_heavy and self._use("") >= OTHERS_SECONDS else network

    def wait(self, group: str) -> float:
        """Return in how many seconds this one of :meth:`turn` may begin another thing."""
        return max(0.0, self._next - time.monotonic()) if group == HEAVY else 0.0

    def begin(self, group: str) -> None:
        """Note that this one of :meth:`turn` begins a thing."""
        if group == HEAVY:
            self._heavy_things += 1
            self._next = time.monotonic() + 2 * self._pause  # the thing itself, and a pause as long


class Turns:
    """Lets each network begin ``each`` things in a turn of the event loop.

    However much one network sends at once, only so much of it lies between any two things that the loop does for
    others. A loop that has nothing else to do turns at once, so a lone network loses no time. Heavy networks, of which
    ``loop_time`` tells, share their turns, and begin one thing in each."""

    def __init__(self, each: int = 1, loop_time: LoopTime | None = None) -> None:
        self._each = each
        self.loop_time = loop_time or LoopTime()
        self._begun: dict[str, float] = {}  # in this turn
        self._waiting: dict[str, deque[Callable[[], bool]]] = {}

    def enter(self, network: str) -> bool:
        """Return whether ``network`` may begin one more thing in this turn; it is counted then."""
        group = self.loop_time.turn(network)
        begun = self._begun.get(group)
        if begun is None and (group is not HEAVY or self.loop_time.wait(group) <= 0):
            self._begun[group] = 1
            self.loop_time.begin(group)
            asyncio.get_running_loop().call_soon(self._next, group)
            return True
        if begun is None or begun >= self._each or group == HEAVY or group in self._waiting:
            return False
        self._begun[group] = begun + 1
        return True

    def use(self, network: str, things: float) -> None:
        """Count ``things`` more against ``network`` in this turn."""
        group = self.loop_time.turn(network)
        if group in self._begun:
            self._begun[group] += things

    def call(self, network: str, work: Callable[[], bool]) -> None:
        """Call ``work`` when it is its turn, after what ``network`` asked for before. ``work`` returns whether there
        was still something to do."""
        group = self.loop_time.turn(network)
        if group not in self._begun:
            self._begun[group] = self._each
            self._turn_later(group)
        self._waiting.setdefault(group, deque()).append(work)

    async def take(self, network: str) -> None:
        """Wait for the turn of one thing of ``network``."""
        if self.enter(network):
            return
        turn = asyncio.get_running_loop().create_future()

        def begin() -> bool:
            if turn.done():  # the task that waited was cancelled
                return False
            turn.set_result(None)
            return True

        self.call(network, begin)
        await turn

    def _turn_later(self, group: str) -> None:
        loop, wait = asyncio.get_running_loop(), self.loop_time.wait(group)
        loop.call_later(wait, self._next, group) if wait > 0 else loop.call_soon(self._next, group)

    def _next(self, group: str) -> None:
        """Begin what waits, as one turn of ``group``."""
        waiting = self._waiting.get(group)
        if waiting is None:
            del self._begun[group]
            return
        self._begun[group] = 0
        for _ in range(len(waiting)):  # what is added meanwhile has its turn later
            did = waiting.popleft()()  # which may `use` more of the turn
            self._begun[group] += did
            if did:
                self.loop_time.begin(group)
            if self._begun[group] >= self._each or (did and group == HEAVY):
                break
        if not waiting:
            self._waiting.pop(group, None)
        if self._begun[group] or group in self._waiting:
            self._turn_later(group)
        else:
            del self._begun[group]


MAX_CHARGED_SECONDS = 5.0  # for one thing: what takes longer had something compiled, once on a machine


def charge_thread(charge: Charge, who: Spender, seconds: float) -> None:
    """Charge ``who`` for so many seconds of a thread."""
    charge(who, seconds)
    if who.loop is not None:
        who.loop.worked(who, seconds)


class ChargedThreads(ThreadPoolExecutor):
    """Threads whose processor time is charged to the client of the task that asks for something."""

    def __init__(self, charge: Charge, threads: int | None = None, name: str = "tercet-other") -> None:
        super().__init__(threads, name)
        self._charge = charge
        self._loop = asyncio.get_running_loop()

    def submit(self, work: Callable[..., V], /, *args: Any, **fields: Any) -> Future[V]:
        """Have ``work`` done."""
        who = spender()
        if not who.keys:
            return super().submit(work, *args, **fields)

        def charged() -> V:
            began = time.thread_time()
            try:
                return work(*args, **fields)
            finally:
                seconds = min(time.thread_time() - began, MAX_CHARGED_SECONDS)
                with contextlib.suppress(RuntimeError):  # the loop has been closed
                    self._loop.call_soon_threadsafe(charge_thread, self._charge, who, seconds)

        return super().submit(charged)


class Metered(Coroutine[Any, Any, V]):
    """Does ``work`` and charges the client of the current task the processor time that the event loop spends on it."""

    def __init__(self, work: Coroutine[Any, Any, V]) -> None:
        self._work = work
        self._who = spender()

    def send(self, value: Any) -> Any:
        """Go on with the work."""
        return self._who.run(self._work.send, value)

    def throw(self, *error: Any) -> Any:
        """Go on with the work, where something went wrong that it waited for."""
        return self._who.run(self._work.throw, *error)

    def close(self) -> None:
        """End the work."""
        self._work.close()

    def __await__(self) -> Generator[Any, Any, V]:
        return self  # type: ignore[return-value]  # an iterator is enough

    def __next__(self) -> Any:
        return self._who.run(self._work.send, None)


class ChargedStream(StreamingResponse):
    """A stream whose steps are charged to the client of its request: they run in a task of their own."""

    async def stream_response(self, send: Send) -> None:
        """Send the parts as they come."""
        await Metered(super().stream_response(send))
