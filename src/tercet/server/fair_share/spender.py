"""On whose account something is done: whoever sends the request, or the server itself."""

from __future__ import annotations

from contextvars import ContextVar

__all__ = ["SERVER", "SPENDER", "Spender", "spender"]

SPENDER = "tercet.spender"  # in the scope of a request or a socket: whoever sends it


class Spender:
    """Somebody who uses what is scarce: from a ``network``, and as a ``person`` (an id) once he is known. Of accounts
    each counts for itself in queues, all guests of a network count as one. Without both: the server itself, which
    nobody limits."""

    __slots__ = ("is_guest", "network", "person")

    def __init__(self, network: str | None, person: str | None = None, is_guest: bool = True) -> None:
        self.network = network
        self.person = person
        self.is_guest = is_guest

    @property
    def keys(self) -> tuple[str, ...]:
        """What his use is counted for."""
        person = () if self.person is None else (f"person {self.person}",)
        return person if self.network is None else (*person, f"network {self.network}")

    @property
    def share(self) -> str:
        """What he counts as where things take turns."""
        if self.person is not None and not self.is_guest:
            return self.person
        return "the server" if self.network is None else f"guests of {self.network}"


SERVER = Spender(None)
_CURRENT: ContextVar[Spender] = ContextVar("spender", default=SERVER)


def spender(new: Spender | None = None) -> Spender:
    """On whose account the current task does what it does; with ``new``, from now on on his."""
    if new is not None:
        _CURRENT.set(new)
    return _CURRENT.get()
