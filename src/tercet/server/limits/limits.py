"""What one address, or one person (a guest, an account or a bot), may ask for, and how large it may be."""

from __future__ import annotations

import ipaddress
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from tercet.errors import OptionError

__all__ = ["Bucket", "Buckets", "ServerLimits", "Shares", "address_group", "network_group"]


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
        """As ``text`` says (``TERCET_BOUNDS``): ``name=number`` or, for a rate, ``name=none``, separated by spaces or
        commas. OptionError names what makes no sense."""
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


class Bucket:
    """Tokens that fill at ``rate`` a second up to ``size``."""

    __slots__ = ("_at", "_left", "_rate", "_size")

    def __init__(self, rate: float, size: float) -> None:
        self._rate = rate
        self._size = self._left = size
        self._at = time.monotonic()

    def take(self, tokens: float = 1) -> bool:
        """Take so many ``tokens`` if they are there."""
        now = time.monotonic()
        self._left = min(self._size, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < tokens:
            return False
        self._left -= tokens
        return True

    def owe(self, tokens: float) -> None:
        """Tokens that were taken elsewhere are gone here too."""
        self._left = max(-self._size, self._left - tokens)

    @property
    def wait(self) -> float:
        """In how many seconds there is a token."""
        return max(0.0, (1 - self._left) / self._rate)


class Buckets:
    """A bucket for each address, of so many a minute, or as many at once as ``size`` says; the latest 10,000
    addresses are remembered. ``taken`` gets each use."""

    def __init__(self, per_minute: float | None, size: float | None = None) -> None:
        self._per_minute = per_minute
        self._size = per_minute if size is None else size
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self.taken: Callable[[str], None] = lambda _: None

    def take(self, address: str) -> bool:
        """Whether ``address`` may once more."""
        if self._per_minute is None or self._size is None:
            return True
        taken = self._bucket(address, self._per_minute, self._size).take()
        if taken:
            self.taken(address)
        return taken

    def wait(self, address: str) -> float:
        """In how many seconds ``address`` may once more."""
        bucket = self._buckets.get(address)
        return 0.0 if bucket is None else bucket.wait

    def owe(self, address: str, tokens: float) -> None:
        """``address`` was served so often by another process."""
        if self._per_minute is not None and self._size is not None:
            self._bucket(address, self._per_minute, self._size).owe(tokens)

    def _bucket(self, address: str, per_minute: float, size: float) -> Bucket:
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(per_minute / 60, size)
            if len(self._buckets) > 10_000:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        return bucket


class Shares:
    """The shares of scarce resources: each account has one, and all guests of a network have one together, since a
    client can get another guest's cookie at once. The latest people are remembered."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[str, bool]] = OrderedDict()

    def note(self, person_id: str, host: str | None, is_guest: bool = True) -> None:
        """Note that a person has come from this host."""
        self._known[person_id] = network_group(host), is_guest
        self._known.move_to_end(person_id)
        if len(self._known) > 50_000:
            self._known.popitem(last=False)

    def known(self, person_id: str) -> tuple[str, bool] | None:
        """Return the last network of this person, and whether they are a guest; None if they have not come."""
        return self._known.get(person_id)

    def of(self, person_id: str) -> str:
        """On whose share something is that this person asks for."""
        network, is_guest = self._known.get(person_id, ("", False))
        return f"guests of {network}" if is_guest else person_id

    @staticmethod
    def of_host(host: str | None) -> str:
        """Return the share of an unknown client from this host."""
        return f"guests of {network_group(host)}"


def address_group(host: str | None) -> str:
    """What counts as one address: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return "unknown"
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def network_group(host: str | None) -> str:
    """What counts as one network: 24 bits of an IPv4 address, 56 bits of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return "unknown"
    if address.version == 6 and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return str(ipaddress.ip_network((address, 24 if address.version == 4 else 56), strict=False))
