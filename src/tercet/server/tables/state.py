"""What one process knows of a table: what was settled, what happened, who sits there and who follows it here."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tercet.answers.table_messages import TableInfo
from tercet.answers.wire.table_messages import PresenceMessage
from tercet.answers.wire.table_state import AwayView
from tercet.play.session import LogEvent, Session, SessionError, Step, TableSettings
from tercet.server.errors import Unreachable
from tercet.server.limits.bounded import Bounded
from tercet.server.metrics import DAMAGED_TABLES
from tercet.server.store.table_data import AlsoWrite, SeatAccess, StoredTable, hash_token
from tercet.server.tables.broadcast import Client
from tercet.server.tables.host import TableHost
from tercet.server.tables.presence import Presence

LOG = logging.getLogger("tercet.server")
DAMAGED = (
    "The server's record of this game is damaged. You can read what is left of it, but not play on; please tell the "
    "operator of the server."
)
MAX_REFUSALS = 64  # that are remembered


@dataclass(frozen=True)
class Change:
    """A requested change of a table: ``decide`` makes its events of the session as it then is and of the time at which
    the change was asked for (milliseconds), or raises SessionError. ``client_ids`` are the sender's ids for it, under
    which it happens once; the first is stored. ``seats`` get new tokens with it; ``also`` writes more in the same
    transaction; ``short`` says that it plays an action or a few; ``as_owner`` that it is written only as long as this
    process owns the table."""

    decide: Callable[[Session, int], list[Step]]
    client_ids: tuple[str, ...] = ()
    seats: Mapping[int, SeatAccess] | None = None
    also: AlsoWrite | None = None
    short: bool = False
    as_owner: bool = False


class TableState:
    """One table in memory. ``info`` are its settings, ``log`` its events, ``session`` where they led, ``acks`` the
    event number of each client id; ``tokens`` are the hashes of the seats' tokens and ``occupants`` the people known
    to sit there, which ``are_seats_old`` if the database did not answer when they changed; ``owner`` is the process
    that runs its clocks and engines; ``digest`` is the last event's, ``damage`` says why the log on disk cannot be
    trusted (None if it can). All of these change only under ``lock``."""

    def __init__(self, host: TableHost, stored: StoredTable, session: Session) -> None:
        self.host = host
        self.info: TableInfo = stored.info
        self.channel = f"table:{stored.info.id}"  # of the processes that have the table in memory
        self.opened = stored.opened
        self.tokens = dict(stored.tokens)
        self.occupants = dict(stored.occupants)
        self.are_seats_old = False
        self.log: list[LogEvent] = list(stored.log)
        self.acks = dict(stored.acks)
        self.session = session
        self._refused: Bounded[str, SessionError] = Bounded(MAX_REFUSALS)  # by client ids: what was refused
        self.owner = stored.owner
        self.digest = stored.digest
        self.damage = stored.damage
        self.lock = asyncio.Lock()
        self.clients: set[Client] = set()
        self.presence = Presence(host.now)

    @property
    def id(self) -> str:
        """Return the table's id."""
        return self.info.id

    @property
    def settings(self) -> TableSettings:
        """What the session was opened with."""
        return self.info.settings

    @property
    def owned(self) -> bool:
        """Return whether this process owns the table (runs its clocks and engines)."""
        return self.owner == self.host.lease.process_id

    async def publish(self, data: dict[str, Any]) -> None:
        """Tell the other processes that have the table in memory."""
        if self.host.pubsub.reaches_others:
            await self.host.pubsub.publish(self.channel, {"run": self.host.lease.process_id, **data})

    def refuse_if_damaged(self) -> None:
        """Raise SessionError where the log on disk cannot be trusted: the game is read, and not played on."""
        if self.damage is not None:
            raise SessionError("damaged", "table", DAMAGED)

    async def note_damage(self, damage: str) -> None:
        """From now on the log on disk is not trusted."""
        if self.damage is not None:
            return
        self.damage = damage
        for client in self.clients:
            client.tell({"type": "error", "code": "damaged", "where": "table", "why": DAMAGED})
        with contextlib.suppress(Unreachable):
            if not await self.host.store.note_damage(self.id, damage):
                return  # it is known
        DAMAGED_TABLES.inc()
        LOG.error("table %s is damaged and cannot be played on: %s", self.id, damage)

    def answered(self, client_ids: tuple[str, ...]) -> int | None:
        """Return the number of the event that what bears one of these ids became; None where it has not been
        acknowledged. SessionError where it was refused: a copy that comes later is refused too, whatever is possible by
        then."""
        for one in client_ids:
            if one in self.acks:
                return self.acks[one]
        for one in client_ids:
            if one in self._refused:
                raise self._refused[one]
        return None

    def note_refused(self, client_ids: tuple[str, ...], refused: SessionError) -> None:
        """What bears these ids was refused, and stays so, unless it was to be sent again."""
        if refused.code == "unavailable":
            return
        for one in client_ids:
            self._refused[one] = SessionError(refused.code, refused.where, refused.why)

    def seats_of(self, tokens: Iterable[str], person_id: str | None = None) -> tuple[frozenset[int], bool]:
        """Return the seats that ``tokens`` open or this person sits in, and whether each token opens one. A seat
        that an engine has taken over, or that an invited player has not taken yet, is held by no one."""
        held, all_known = set(), True
        for token in tokens:
            made = hash_token(token)
            seats = [seat for seat, known in self.tokens.items() if secrets.compare_digest(known, made)]
            held.update(seats)
            all_known = all_known and bool(seats)
        if person_id is not None:
            held.update(seat for seat, occupant in self.occupants.items() if occupant.person_id == person_id)
        return frozenset(seat for seat in held if self.session.seats[seat].kind == "person"), all_known

    def _people(self) -> list[int]:
        return [number for number, seat in enumerate(self.session.seats) if seat.kind == "person"]

    @property
    def expected(self) -> frozenset[int]:
        """Return the seats whose invited player has not come yet: the game may be aborted, but the player is not
        absent."""
        if not self.session.abortable:
            return frozenset()
        return frozenset(
            seat for seat in self._people() if seat not in self.occupants and not self.presence.has_come(seat)
        )

    def away(self) -> list[AwayView]:
        """Return the players who are not here, with the time they went (milliseconds), and whether they ever came."""
        people = self._people()
        if self.presence.present.issuperset(people):  # most often; who is expected takes longer to say
            return []
        return self.presence.away(people, self.expected)

    def here(self) -> PresenceMessage:
        """Return who is here, as clients get it."""
        return self.presence.shown(self._people(), self.expected)
