"""Presence at a table: the seats that have a screen open, in any process, and the number of spectators."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence

import sqlalchemy as sa

from tercet.answers.wire.table_messages import AwayView, PresenceMessage
from tercet.core.game import Game
from tercet.games import game_definition
from tercet.play.ratings import why_unrated
from tercet.play.session import LogEvent, TableSettings
from tercet.server.store.schema import SEATS

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
        """Note that these seats are here in another process, and how many watch there. Return whether that changes
        anything."""
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


def why_unrated_table(settings: TableSettings) -> str | None:
    """Return the sentence that says why a table with these settings cannot be rated; None where it can."""
    definition = game_definition(settings.game)
    if settings.clock is None:
        return "A rated game needs a clock, or days for each turn."
    if settings.position is not None or settings.opening:
        return "A rated game begins at the start of the game."
    if len(settings.seats) < 2 or any(seat.kind == "engine" for seat in settings.seats):
        return "A rated game is between people with accounts."
    if settings.takebacks == "own" and definition.takebacks != "own":
        return f"In a rated game of {definition.title}, takebacks are off or need the consent of the others."
    return why_unrated(Game(definition, dict(settings.options), "interpreted"))


def draw_lots(seats: int) -> tuple[int, ...]:
    """Return a random order: for each seat, the one to which its player moves."""
    order = list(range(seats))
    secrets.SystemRandom().shuffle(order)
    return tuple(order)


def move_seats(connection: sa.Connection, table_id: str, events: Sequence[LogEvent]) -> None:
    """Store that the players have moved to the seats that were drawn, where ``events`` say so."""
    for event in events:
        if event.kind != "lots":
            continue
        theirs = SEATS.c.table_id == table_id
        rows = {row.seat: row for row in connection.execute(sa.select(SEATS).where(theirs))}
        connection.execute(sa.delete(SEATS).where(theirs))
        moved = [
            {"table_id": table_id, "seat": to, "token_hash": rows[seat].token_hash, "person_id": rows[seat].person_id}
            for seat, to in enumerate(event.data["seats"])
            if seat in rows
        ]
        if moved:
            connection.execute(SEATS.insert(), moved)
