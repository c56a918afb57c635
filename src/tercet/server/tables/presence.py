"""Presence at a table: the seats that have a screen open, in any process, and the number of spectators."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tercet.answers.wire.table_messages import PresenceMessage
from tercet.answers.wire.table_state import AwayView

LINGER_SECONDS = 2.0  # before the others learn that a client left: most come right back


class Presence:
    """Of one table, as one process knows it. ``here_now`` are the seats and ``watching``
    the number of watchers that are connected to this one."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.here_now: frozenset[int] = frozenset()
        self._elsewhere: dict[int, tuple[frozenset[int], int]] = {}
        self.watching = 0
        self._absent: dict[int, int] = {}
        self._began = now()

    @property
    def present(self) -> frozenset[int]:
        """Seats whose player is connected somewhere."""
        return self.here_now.union(*(seats for seats, _ in self._elsewhere.values()))

    @property
    def watchers(self) -> int:
        """Return how many watch, wherever."""
        return self.watching + sum(watching for _, watching in self._elsewhere.values())

    def absent_since(self, seat: int) -> int | None:
        """Return when the player of ``seat`` left (milliseconds); None while present. A player who has not come
        since this process knows the table left when it began to."""
        return None if seat in self.present else self._absent.get(seat, self._began)

    def has_come(self, seat: int) -> bool:
        """Return whether the player of ``seat`` is here, or was since this process knows the table."""
        return seat in self._absent or seat in self.present

    def away(self, seats: Iterable[int], expected: frozenset[int]) -> list[AwayView]:
        """Those of ``seats`` who are away, since when, and whether they came (the ``expected`` did not)."""
        present = self.present
        return [
            {"seat": seat, "since": self._absent.get(seat, self._began), "came": seat not in expected}
            for seat in seats
            if seat not in present
        ]

    def _change(self, change: Callable[[], None]) -> bool:
        before = self.present, self.watchers
        change()
        now = self.present
        for seat in before[0] - now:
            self._absent[seat] = self._now()
        return (now, self.watchers) != before

    def here(self, seats: frozenset[int], watching: int) -> bool:
        """``seats`` are connected to this process and so many watch here; whether that changes anything."""

        def change() -> None:
            self.here_now, self.watching = seats, watching

        return self._change(change)

    def elsewhere(self, process_id: int, seats: Iterable[int], watching: int) -> bool:
        """Return the same of another process."""
        return self._change(lambda: self._elsewhere.__setitem__(process_id, (frozenset(seats), watching)))

    def only(self, process_ids: Iterable[int]) -> bool:
        """Drop what is known of other processes but these, which are alive."""
        if not self._elsewhere:
            return False
        dead = self._elsewhere.keys() - set(process_ids)

        def change() -> None:
            for process_id in dead:
                del self._elsewhere[process_id]

        return bool(dead) and self._change(change)

    def shown(self, seats: Iterable[int], expected: frozenset[int]) -> PresenceMessage:
        """Return the presence of ``seats`` as clients get it; the ``expected`` never came."""
        return {
            "type": "here",
            "seats": [{"seat": seat, "since": self.absent_since(seat), "came": seat not in expected} for seat in seats],
            "watchers": self.watchers,
        }
