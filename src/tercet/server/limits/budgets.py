"""How much each person and each network may use: rates of what is cheap, budgets of what is costly.

Budgets count four resources: seconds in which engines think, seconds of other computing, bytes of requests and
answers, and rows written to the database. A budget refills at its rate a minute; the amount of :data:`BURST_MINUTES`
minutes may be used at once. A network has :data:`NETWORK_FACTOR` times a person's budget.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from tercet.errors import OptionError
from tercet.server.errors import ApiError, repeat
from tercet.server.limits.spenders import Bounded, Spender, with_site, worth
from tercet.server.metrics import OVER_BUDGET
from tercet.server.store.pubsub import PubSub


@dataclass(frozen=True)
class ServerLimits:
    """Limits of a server; None switches a rate off. Processes that hear from each other count together."""

    tables_per_minute: int | None = 60
    requests_per_minute: int | None = 1200  # of an address
    requests_per_person: int | None = 900  # a minute; a bot is a person
    files_per_minute: int | None = 6000  # of an address: the page, its parts, and what else is none of the API's
    guests_per_minute: int | None = 60  # of an address that something is kept of
    visits_per_minute: int | None = 240  # sockets that a network opens; so many at once, too
    signups_per_hour: int | None = 10  # of an address, the refused ones too
    signins_per_minute: int | None = 10  # of an address, and of a handle
    reports_per_hour: int | None = 20  # of a person
    letters_per_hour: int | None = 5  # of e-mail, to an account and to an address
    messages_per_second: int | None = 30
    frames_per_second: int | None = 120  # of a socket; each started kilobyte of a long one counts, too
    lines_per_minute: int | None = 20  # of a person's chat at tables, or messages to friends
    engine_seconds_per_minute: int | None = 60  # of a person; a network has four times as much, of these and the next
    cpu_seconds_per_minute: int | None = 10
    bytes_per_minute: int | None = 10_000_000
    rows_per_minute: int | None = 600
    queued_per_person: int | None = 16  # requests that wait in each queue; all have four times that
    body: int = 400_000  # bytes of a request
    message: int = 64_000  # bytes of a socket message
    sockets_per_address: int = 200
    connections_per_address: int = 400  # unless it is a trusted proxy's
    waiting_per_network: int | None = 60  # tables that wait for players
    analyses: int = 4  # at once
    analyses_each: int = 2  # of one person's
    analysis_seconds: float = 120.0

    @classmethod
    def read(cls, text: str) -> ServerLimits:
        """Read the limits of ``TERCET_BOUNDS``: ``name=number`` or, for a rate, ``name=none``, separated by spaces or
        commas. Raise OptionError, which names what is wrong."""
        given: dict[str, float | None] = {}
        known = {one.name: one for one in fields(cls)}
        for word in text.replace(",", " ").split():
            name, _, value = word.partition("=")
            where = f"TERCET_BOUNDS {name[:40]}"
            if name not in known:
                raise OptionError(where, f"The limit must be one of {', '.join(known)}.")
            number = re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", value, re.ASCII)
            if value == "none" and "None" in str(known[name].type):
                given[name] = None
            elif number is None or float(value) <= 0 or (number[1] and known[name].type != "float"):
                raise OptionError(where, f"The limit must be a number above 0, not {value[:20]!r}.")
            else:
                given[name] = float(value) if known[name].type == "float" else int(value)
        return replace(cls(), **given)  # type: ignore[arg-type]


MAX_BUCKETS = 10_000
MIN_PAUSE_SECONDS = 5.0  # that a refused client is asked to wait
HOLD_SECONDS = 2.0  # before the refusal, so that clients that ignore it return less often
MAX_HELD = 100  # sockets of a network that are held at once; the others get no reason


@contextlib.contextmanager
def counted(counter: Counter[str], key: str) -> Iterator[None]:
    """Count ``key``, and its site, while this lasts."""
    add(counter, key)
    try:
        yield
    finally:
        add(counter, key, -1)


def add(counter: Counter[str], key: str, number: int = 1) -> None:
    """Add ``number`` to ``key`` and to its site."""
    for one in with_site(key):
        counter[one] += number
        if not counter[one]:
            del counter[one]


def is_full(counter: Mapping[str, int], key: str, most: float) -> bool:
    """Return whether ``key`` has ``most`` already, or its site a site's share."""
    return any(counter.get(one, 0) >= most * worth(one) for one in with_site(key))


class Bucket:
    """Tokens that fill at ``rate`` a second up to ``size``."""

    __slots__ = ("_at", "_left", "_rate", "_size")

    def __init__(self, rate: float, size: float) -> None:
        self._rate = rate
        self._size = self._left = size
        self._at = time.monotonic()

    def take(self, tokens: float = 1) -> bool:
        """Take ``tokens`` if there are enough. Return whether there were."""
        now = time.monotonic()
        self._left = min(self._size, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < tokens:
            return False
        self._left -= tokens
        return True

    def owe(self, tokens: float) -> None:
        """Remove tokens that another process has taken."""
        self._left = max(-self._size, self._left - tokens)

    @property
    def wait(self) -> float:
        """Return in how many seconds there will be a token."""
        return max(0.0, (1 - self._left) / self._rate)


class Buckets:
    """A bucket for each address (or any other key), which refills ``per_minute`` (None: no limit) up to ``size`` (None:
    a minute's). The latest :data:`MAX_BUCKETS` are remembered. ``taken`` is called with the address of each use."""

    def __init__(self, per_minute: float | None, size: float | None = None) -> None:
        self._per_minute = per_minute
        self._size = per_minute if size is None else size
        self._buckets: Bounded[str, Bucket] = Bounded(MAX_BUCKETS)
        self.taken: Callable[[str], None] = lambda _: None

    @classmethod
    def hourly(cls, most: int | None) -> Buckets:
        """Return buckets of so many an hour (None: any number)."""
        return cls(None if most is None else most / 60, most)

    def take(self, address: str) -> bool:
        """Take a token of ``address``, and of its site. Return whether both had one."""
        buckets = self._buckets_of(address)
        taken = all(bucket.take() for bucket in buckets)
        if buckets and taken:
            self.taken(address)
        return taken

    def check(self, where: str, why: str, *addresses: str) -> None:
        """Take a token of each of ``addresses``. Raise ApiError, with ``where`` and ``why``, if one has none."""
        if not all(self.take(address) for address in addresses):
            raise ApiError("too-many", where, why, retry=max(self.wait(address) for address in addresses))

    def wait(self, address: str) -> float:
        """Return in how many seconds ``address`` will have a token."""
        return max((self._buckets[one].wait for one in with_site(address) if one in self._buckets), default=0.0)

    def owe(self, address: str, tokens: float) -> None:
        """Remove tokens of ``address`` that another process has taken."""
        for bucket in self._buckets_of(address):
            bucket.owe(tokens)

    def _buckets_of(self, address: str) -> list[Bucket]:
        """Return the buckets of ``address`` and of its site; none if there is no limit."""
        if self._per_minute is None or self._size is None:
            return []
        for one in with_site(address):
            if self._buckets.recent(one) is None:
                self._buckets[one] = Bucket(self._per_minute / 60 * worth(one), self._size * worth(one))
        return [self._buckets[one] for one in with_site(address)]


class Visits:
    """How many sockets networks may open: as many as ``buckets`` have tokens."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets, self._held = buckets, Counter[str]()

    def refusal(self, who: Spender) -> ApiError | None:
        """Count a socket that ``who`` opens. Return the error if it is refused, else None."""
        network = who.network or "unknown"
        if self._buckets.take(network):
            return None
        wait = max(MIN_PAUSE_SECONDS, self._buckets.wait(network))
        why = f"Your network has opened too many connections. Wait {wait:.0f} seconds."
        return ApiError("too-many", "network", why, retry=wait)

    async def hold(self, who: Spender) -> bool:
        """Let the refused client ``who`` wait for the error. Return False if its network has too many waiting."""
        network = who.network or "unknown"
        if is_full(self._held, network, MAX_HELD):
            return False
        with counted(self._held, network):
            await asyncio.sleep(HOLD_SECONDS)
        return True


CHANNEL = "used"
EXCHANGE_SECONDS = 1.0  # between two messages to the other processes
BELIEVED_SECONDS = 5.0  # that what another process has now is believed, where it says nothing more
UNSHARED_COUNT = 10  # up to which other processes learn nothing: nearly all clients have a few
Used = Callable[[str, Sequence[float]], None]


class Exchange:
    """Tells the other processes once a second what was used here, by kind and key, and how many of something each key
    has now, such as open sockets. It passes on what they tell. In a single process it does nothing."""

    def __init__(self) -> None:
        self._process_id = secrets.token_hex(6)
        self._counting: dict[str, Used] = {}
        self._news: dict[str, dict[str, list[float]]] = {}
        self._pubsub: PubSub | None = None
        self._levels: dict[str, Mapping[str, int]] = {}
        # By process: when it was received, and what.
        self._elsewhere: dict[str, tuple[float, dict[str, dict[str, int]]]] = {}
        self._told_levels = False

    def show(self, kind: str, now: Mapping[str, int]) -> None:
        """Tell the other processes those values of ``now``, which changes, above :data:`UNSHARED_COUNT`."""
        self._levels[kind] = now

    def elsewhere(self, kind: str, key: str) -> int:
        """Return how many of this kind ``key`` has in the other processes, as they said last."""
        if not self._elsewhere:
            return 0
        since = time.monotonic() - BELIEVED_SECONDS
        return sum(levels.get(kind, {}).get(key, 0) for at, levels in self._elsewhere.values() if at > since)

    def count(self, kind: str, used: Used) -> None:
        """Call ``used`` with key and amounts whenever another process says that some of this kind were used."""
        self._counting[kind] = used

    def share(self, kind: str, buckets: Buckets) -> None:
        """Have the other processes take from their ``buckets`` what is taken from these."""
        self.count(kind, lambda key, amounts: buckets.owe(key, amounts[0]))
        buckets.taken = lambda key: self.note(kind, key, (1.0,))

    def note(self, kind: str, key: str, amounts: Sequence[float]) -> None:
        """Note a use in this process."""
        if self._pubsub is None:
            return
        known = self._news.setdefault(kind, {}).setdefault(key, [0.0] * len(amounts))
        for number, amount in enumerate(amounts):
            known[number] += amount

    async def begin(self, pubsub: PubSub) -> None:
        """Subscribe to what the other processes tell."""
        if pubsub.reaches_others:
            self._pubsub = pubsub
            await pubsub.subscribe(CHANNEL, self._hear)

    async def run(self) -> None:
        """Tell the other processes regularly, until cancelled."""
        await repeat("tell the other processes what was used", self.tell, EXCHANGE_SECONDS)

    async def tell(self) -> None:
        """Tell the other processes now. What cannot be published comes the next time."""
        if self._pubsub is None:
            return
        levels = {kind: {key: n for key, n in now.items() if n > UNSHARED_COUNT} for kind, now in self._levels.items()}
        has_levels = any(levels.values())
        if self._news or has_levels or self._told_levels:
            news, self._news = self._news, {}
            try:
                await self._pubsub.publish(CHANNEL, {"run": self._process_id, "used": news, "now": levels})
            except BaseException:
                for kind, keys in news.items():
                    for key, amounts in keys.items():
                        self.note(kind, key, amounts)
                raise
            self._told_levels = has_levels

    def _hear(self, data: dict[str, Any]) -> None:
        if data["run"] == self._process_id:
            return
        now, levels = time.monotonic(), data.get("now", {})
        self._elsewhere = {known: one for known, one in self._elsewhere.items() if one[0] > now - BELIEVED_SECONDS}
        self._elsewhere.pop(data["run"], None)
        if any(levels.values()):
            self._elsewhere[data["run"]] = now, levels
        for kind, keys in data["used"].items():
            for key, amounts in keys.items():
                if kind in self._counting:
                    self._counting[kind](key, amounts)


RESOURCES = ("engine", "cpu", "bytes", "rows")
NUMBERS = {name: number for number, name in enumerate(RESOURCES)}
WORDS = {"engine": "engine time", "cpu": "computing time", "bytes": "traffic", "rows": "database writes"}
BURST_MINUTES = 5  # whose budget may be used at once
BURST_SECONDS = 60 * BURST_MINUTES
NETWORK_FACTOR = 4  # times a person's budget
MAX_BUDGETS = 50_000  # persons and networks
KIND = "budget"


def _by_resource(used: Sequence[float]) -> dict[str, float]:
    return {name: round(amount, 1) for name, amount in zip(RESOURCES, used, strict=True)}


@dataclass
class _Used:
    """What a person or network has used, as of the time ``at``. At once it may use ``sizes`` (None: any amount)."""

    amounts: list[float]
    at: float
    sizes: Sequence[float | None]


class Budgets:
    """The budgets of all persons and networks. ``now`` tells the time in seconds."""

    def __init__(self, limits: ServerLimits, exchange: Exchange, now: Callable[[], float] = time.monotonic) -> None:
        seconds = [limits.engine_seconds_per_minute, limits.cpu_seconds_per_minute]
        a_minute = [*seconds, limits.bytes_per_minute, limits.rows_per_minute]
        self._a_second = [None if amount is None else amount / 60 for amount in a_minute]
        self._exchange = exchange
        self._now = now
        self._used: Bounded[str, _Used] = Bounded(MAX_BUDGETS)
        exchange.count(KIND, self._add)

    def spend(self, who: Spender, *, engine: float = 0, cpu: float = 0, size: int = 0, rows: int = 0) -> None:
        """Charge ``who``: seconds of engines, seconds of other computing, bytes (``size``), rows."""
        amounts = (engine, cpu, size, rows)
        for key in who.keys:
            self._add(key, amounts)
            self._exchange.note(KIND, key, amounts)

    def charge(self, who: Spender, seconds: float) -> None:
        """Charge ``who`` for so many seconds of computing."""
        self.spend(who, cpu=seconds)

    def _add(self, key: str, amounts: Sequence[float]) -> None:
        used = self._of(key).amounts
        for number, amount in enumerate(amounts):
            if amount:
                used[number] += amount

    def _of(self, key: str) -> _Used:
        """Return what ``key`` has used, as of now."""
        used, now = self._used.recent(key), self._now()
        if used is None:
            used = self._used[key] = _Used([0.0] * len(RESOURCES), now, self._sizes(key))
        if now > used.at:
            passed, used.at, amounts = (now - used.at) / BURST_SECONDS, now, used.amounts
            for number, size in enumerate(used.sizes):
                left = amounts[number] and (amounts[number] - passed * size if size else 0.0)
                amounts[number] = left if left > 0 else 0.0
        return used

    def _sizes(self, key: str) -> list[float | None]:
        """Return how much of each resource ``key`` may use at once."""
        times = NETWORK_FACTOR * worth(key) if key.startswith("network ") else 1
        return [None if rate is None else BURST_SECONDS * rate * times for rate in self._a_second]

    def used(self, share: str) -> float:
        """Return the recent engine seconds of a ``share``."""
        network = share.removeprefix("guests of ")
        key = f"network {network}" if network != share else f"person {share}"
        return self._of(key).amounts[0] if key in self._used else 0.0

    def check(self, who: Spender, *resources: str) -> None:
        """Raise ApiError if ``who`` or their network has used up one of these."""
        for key in who.keys:
            if key not in self._used:
                continue
            used = self._of(key)
            for resource in resources:
                size = used.sizes[NUMBERS[resource]]
                if size is not None and used.amounts[NUMBERS[resource]] >= size:
                    raise self._over(key, resource, used.amounts, size)

    def _over(self, key: str, resource: str, used: Sequence[float], size: float) -> ApiError:
        of = key.partition(" ")[0]
        OVER_BUDGET.labels(resource, of).inc()
        # Until a twentieth of it is free again, so that the client can then do something.
        wait = max(1, math.ceil((used[NUMBERS[resource]] - 0.95 * size) * BURST_SECONDS / size))
        whose = "You have used up your" if of == "person" else "Your network has used up its"
        why = f"{whose} share of {WORDS[resource]}. Wait {wait} seconds."
        return ApiError("too-many", of, why, retry=wait, used=_by_resource(used))

    def pressure(self, most: int = 20) -> list[dict[str, Any]]:
        """Return those who have used most of their budgets: ``{of, who, used, share}``, with the greatest share (1: all
        of a budget) first."""
        users: list[dict[str, Any]] = []
        for key in list(self._used):
            used, (of, _, who) = self._of(key), key.partition(" ")
            sizes = zip(used.amounts, used.sizes, strict=True)
            share = max((amount / size for amount, size in sizes if size), default=0.0)
            if share > 0.001:
                users.append({"of": of, "who": who, "used": _by_resource(used.amounts), "share": round(share, 3)})
        users.sort(key=lambda one: (-one["share"], one["who"]))
        return users[:most]

    def greatest(self) -> dict[tuple[str, str], float]:
        """Return, by ``person`` or ``network`` and resource, the greatest used share of a budget."""
        shares = {(of, resource): 0.0 for of in ("person", "network") for resource in RESOURCES}
        for key in list(self._used):
            of, used = key.partition(" ")[0], self._of(key)
            for resource, amount, size in zip(RESOURCES, used.amounts, used.sizes, strict=True):
                if size:
                    shares[of, resource] = max(shares[of, resource], round(amount / size, 4))
        return shares
