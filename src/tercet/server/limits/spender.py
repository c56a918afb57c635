"""The client to whom work is charged: the sender of the request, or the server itself."""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["SERVER", "SPENDER", "Spender", "spender"]

SPENDER = "tercet.spender"  # in the scope of a request or a socket: its sender


class Spender:
    """A user of scarce resources: from a ``network``, and as a ``person`` (an id) once known. In queues each account
    counts for itself, and all guests of a network count as one. Without both it is the server itself, which has no
    limits."""

    __slots__ = ("is_guest", "network", "person")

    def __init__(self, network: str | None, person: str | None = None, is_guest: bool = True) -> None:
        self.network = network
        self.person = person
        self.is_guest = is_guest

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the budgets that this use counts for."""
        person = () if self.person is None else (f"person {self.person}",)
        return person if self.network is None else (*person, f"network {self.network}")

    @property
    def share(self) -> str:
        """Return the key by which queues take turns."""
        if self.person is not None and not self.is_guest:
            return self.person
        return "the server" if self.network is None else f"guests of {self.network}"


SERVER = Spender(None)
_CURRENT: ContextVar[Spender] = ContextVar("spender", default=SERVER)


def spender(new: Spender | None = None) -> Spender:
    """Return the spender of the current task; with ``new``, set it."""
    if new is not None:
        _CURRENT.set(new)
    return _CURRENT.get()
