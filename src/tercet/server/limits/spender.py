"""Whom work is charged to: the sender of a request, or the server itself. And which hosts count as one address, and as
one network."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from contextvars import ContextVar
from typing import TypeVar

MAX_REMEMBERED = 50_000  # people
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
SPENDER = "tercet.spender"  # in the scope of a request or a socket: its sender


class Spender:
    """A client that is charged: its ``network``, and its ``person`` (an id) once known. In queues each account counts
    for itself, and all guests of a network count as one. Without both it is the server itself, which has no limits."""

    __slots__ = ("is_guest", "network", "person")

    def __init__(self, network: str | None, person: str | None = None, is_guest: bool = True) -> None:
        self.network = network
        self.person = person
        self.is_guest = is_guest

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the budgets that are charged."""
        person = () if self.person is None else (f"person {self.person}",)
        return person if self.network is None else (*person, f"network {self.network}")

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

    def share(self, person_id: str) -> str:
        """Return the share by which this person takes turns."""
        return self.of(person_id).share


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


K = TypeVar("K")
V = TypeVar("V")


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
