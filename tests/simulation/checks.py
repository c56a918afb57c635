"""What must hold, whatever goes wrong. Some of it is looked at when it happens, the rest when the world is quiet."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import orjson

from tercet.play.session import LogEvent, Session, TableSettings
from tests.simulation.counts import Counts
from tests.simulation.devices import engine_choice
from tests.simulation.loop import VirtualLoop
from tests.simulation.swapped import EPOCH

if TYPE_CHECKING:
    from tests.simulation.network import Socket
    from tests.simulation.players import Game, Player
    from tests.simulation.scene import Scene

UNNOTICED = 3.7  # seconds that a process may be suspended or without its database, and clocks run on


@dataclass(frozen=True)
class Event:
    """A row of a table's log, and when it was committed (in the world's seconds). ``came`` is the moment that it says
    it happened at, by the clock of the process that wrote it, in the world's seconds; None where no clock runs."""

    number: int
    kind: str
    data: dict[str, Any]
    client_id: str | None
    at: float
    came: float | None


@dataclass
class Log:
    """What is known of one table."""

    events: list[Event] = field(default_factory=list)
    owners: list[tuple[float, int | None]] = field(default_factory=lambda: [(0.0, None)])


class Observer:
    """Looks at the database after every transaction, and at everything that leaves a process."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.world = scene.world
        self.logs: dict[str, Log] = {}
        self.runs: dict[int, VirtualLoop] = {}
        self.ends: dict[str, Session] = {}  # how the games ended, by table
        self.counts = Counts(scene)
        self._row = 0
        scene.disk.committed = self.committed

    def committed(self, owner: VirtualLoop) -> None:
        """A process has committed something."""
        database, now = self.scene.disk.observer, self.world.now
        for (run,) in database.execute("SELECT id FROM runs WHERE id > ?", (max(self.runs, default=0),)):
            self.runs[run] = owner
        for table, holds in database.execute("SELECT id, owner FROM tables"):
            owners = self.logs.setdefault(table, Log()).owners
            if owners[-1][1] != holds:
                owners.append((now, holds))
        self.counts.committed()
        rows = database.execute(
            "SELECT rowid, table_id, number, kind, data, client_id FROM events WHERE rowid > ? ORDER BY rowid",
            (self._row,),
        ).fetchall()
        for row, table, number, kind, data, client_id in rows:
            self._row = row
            log, told = self.logs.setdefault(table, Log()), orjson.loads(data)
            if number != len(log.events) + 1:
                self.scene.violation(f"table {table}: event {number} was written after event {len(log.events)}")
            log.events.append(Event(number, kind, told, client_id, now, self._came(owner, told)))
            self.scene.tell(f"(log of {self._name(table)}: {number} {kind} {client_id or ''})")

    def _came(self, owner: VirtualLoop, data: dict[str, Any]) -> float | None:
        if "at" not in data:
            return None
        registry = next(one for one in self.scene.processes if one.lives and one.loop is owner).registry
        ahead = registry.now() / 1000 - self.world.now if registry is not None else EPOCH
        return float(data["at"] / 1000 - ahead)

    def _name(self, table: str) -> str:
        return next((game.name for game in self.scene.games if game.id == table), table)

    def forget_after_power_cut(self) -> None:
        """The power was cut: everything that was acknowledged must be there."""
        database = self.scene.disk.observer
        self._row = database.execute("SELECT coalesce(max(rowid), 0) FROM events").fetchone()[0]
        for table, log in self.logs.items():
            kept = database.execute("SELECT coalesce(max(number), 0) FROM events WHERE table_id = ?", (table,))
            number = kept.fetchone()[0]
            if number < len(log.events):
                self.scene.violation(
                    f"{self._name(table)}: events {number + 1} to {len(log.events)} were committed, and lost with the "
                    "power"
                )
                del log.events[number:]
        for table in [table for table in self.logs if not self._exists(table)]:
            del self.logs[table]
        self.counts.committed()
        self._read_what_was_torn()

    def _exists(self, table: str) -> bool:
        asked = self.scene.disk.observer.execute("SELECT 1 FROM tables WHERE id = ?", (table,))
        return asked.fetchone() is not None

    def _read_what_was_torn(self) -> None:
        """A transaction that nobody heard of may be there all the same."""
        database, now = self.scene.disk.observer, self.world.now
        for table, number, kind, data, client_id in database.execute(
            "SELECT table_id, number, kind, data, client_id FROM events ORDER BY table_id, number"
        ):
            log, told = self.logs.setdefault(table, Log()), orjson.loads(data)
            if number == len(log.events) + 1:
                came = None if "at" not in told else min(now, told["at"] / 1000 - EPOCH - self.scene.clocks.jumped)
                log.events.append(Event(number, kind, told, client_id, now, came))
        for run, holds in database.execute("SELECT id, owner FROM tables"):
            log = self.logs.setdefault(run, Log())
            if log.owners[-1][1] != holds:
                log.owners.append((now, holds))

    # When it happens --------------------------------------------------------------------------------------------------

    def said(self, socket: Socket, text: str) -> None:
        """Something leaves a process."""
        message, player = orjson.loads(text), socket.at_ack
        if player is None or message["type"] not in ("event", "ack") or "talk" in message:
            return
        log = self.logs.get(player.game.id, Log())
        number = message["number"]
        if number > len(log.events):
            self.scene.violation(f"{player.name} was sent {text[:60]}, which is not on disk")
            return
        event = log.events[number - 1] if number else None
        if message["type"] == "event":
            if event is None or event.kind != message["kind"]:
                self.scene.violation(f"{player.name} was told of another event {number} than the log holds")
        elif event is None or not (event.client_id or "").endswith(f":{message['id']}"):
            self.scene.violation(
                f"{player.name} was sent an acknowledgement of {message['id']} as event {number}, which is {event}"
            )

    # In the end -------------------------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Compare what all were told with what is on disk."""
        for game in self.scene.games:
            if game.id:
                self._compare(game)
        self.counts.compare()

    def _compare(self, game: Game) -> None:
        database, log = self.scene.disk.observer, self.logs.get(game.id, Log())
        setup = database.execute("SELECT setup FROM tables WHERE id = ?", (game.id,)).fetchone()
        rows = database.execute(
            "SELECT number, kind, data, client_id FROM events WHERE table_id = ? ORDER BY number", (game.id,)
        ).fetchall()
        if setup is None or len(rows) != len(log.events):
            self.scene.violation(f"{game.name}: {len(log.events)} events were committed, {len(rows)} are there")
            return
        for row, event in zip(rows, log.events, strict=True):
            if (row[0], row[1], orjson.loads(row[2]), row[3]) != (
                event.number,
                event.kind,
                event.data,
                event.client_id,
            ):
                self.scene.violation(f"{game.name}: {event} became {row}")
        ids = [event.client_id for event in log.events if event.client_id]
        if len(ids) != len(set(ids)):
            self.scene.violation(f"{game.name}: the log holds a message twice")
        sessions = [Session.open(TableSettings.read(orjson.loads(setup[0])))]
        for event in log.events:
            sessions.append(sessions[-1].after(LogEvent(event.number, event.kind, event.data)))
        self.ends[game.id] = sessions[-1]
        for player in game.players:
            self._compare_player(player, log, sessions)
        self._compare_seats(game, log)
        self._compare_engine(game, log, sessions)
        self._compare_order(game, log)
        self._compare_answers(game, log, sessions)
        self._compare_flags(game, log, sessions)

    def _compare_player(self, player: Player, log: Log, sessions: list[Session]) -> None:
        end, violation = sessions[-1], self.scene.violation
        by_id = {event.client_id: event for event in log.events if event.client_id}
        for name, asked in player.asked.items():
            if asked.message["type"] == "say":
                continue  # is no event
            event = next((one for seat in range(8) if (one := by_id.get(f"{seat}:{name}")) is not None), None)
            if asked.number is not None:
                if event is None or event.number != asked.number:
                    violation(f"{player.name}: {name} was acknowledged as {asked.number}, the log has {event}")
                elif asked.message["type"] == "act" and event.data.get("action") != asked.message["action"]:
                    violation(f"{player.name}: {asked.message} became {event}")
            if asked.code is not None and event is not None:
                violation(f"{player.name}: {asked.message} was refused ({asked.code}), the log has {event}")
            if asked.number is None and asked.code is None:
                violation(f"{player.name}: {asked.message} was never answered")
            if asked.code == "stale-ply" and asked.message["type"] == "act" and asked.answered is not None:
                self._compare_stale(player, name, log, sessions)
        if not player.is_over:
            violation(f"{player.name} never heard the end")
        elif ([one.text for one in end.played], end.number) != (player.moves, player.state["number"]):
            violation(f"{player.name} ended with another record than the log")
        elif str(end.position) != player.state["view"]["position"]:
            violation(f"{player.name} ended with another position than the log")

    def _compare_seats(self, game: Game, log: Log) -> None:
        """A seat has one player, who alone plays for it."""
        seats = [player.seat for player in game.players if player.seat is not None]
        if len(seats) != len(set(seats)):
            self.scene.violation(f"{game.name}: its players sit in seats {seats}")
        for event in log.events:
            if event.kind != "action" or not event.client_id:
                continue
            player = game.players[int(event.client_id.split(":")[1].split(".")[0])]
            if player.seat != event.data["seat"]:
                self.scene.violation(f"{player.name} in seat {player.seat} played for another: {event}")

    def _compare_engine(self, game: Game, log: Log, sessions: list[Session]) -> None:
        """An engine plays what it chooses, whatever devices say."""
        for before, event in zip(sessions, log.events, strict=False):
            if event.kind == "action" and event.data["seat"] == game.plan.engine:
                choice = engine_choice(self.world.seed, before.position)
                if event.data["action"] != choice:
                    self.scene.violation(f"{game.name}: its engine chose {choice}, and the log has {event}")

    def _compare_answers(self, game: Game, log: Log, sessions: list[Session]) -> None:
        """What the server plays for a person is an answer that they had planned last, when nothing was taken back
        since."""
        by_seat = {player.seat: player for player in game.players if player.seat is not None}
        for before, event in zip(sessions, log.events, strict=False):
            player = None if event.client_id or event.kind != "action" else by_seat.get(event.data["seat"])
            if player is None or player.seat == game.plan.engine:
                continue
            self.scene.count("conditional moves played")
            moves = [one.text for one in before.played]
            broken = [
                one.at for one in log.events[: event.number] if one.kind in ("takeback", "resign", "flag", "claim")
            ]
            if not any(
                one.first <= event.at
                and one.answer(moves) == event.data["action"]
                and not any(
                    one.first < other.first < (other.answered or event.at) < event.at for other in player.planned
                )
                and not any((one.answered or event.at) < at for at in broken)
                for one in player.planned
            ):
                self.scene.violation(f"{player.name} had not planned {event}")

    def _compare_stale(self, player: Player, name: str, log: Log, sessions: list[Session]) -> None:
        """What was refused as stale must have been so at some moment between question and answer."""
        asked, ply = player.asked[name], player.asked[name].message["ply"]
        times = [event.at for event in log.events]
        first = bisect_right(times, asked.first)
        last = bisect_right(times, asked.answered or self.world.now)
        known = asked.message.get("number", 0)
        if all(sessions[number].ply == ply for number in range(first, last + 1)) and known in (0, last):
            self.scene.violation(f"{player.name}: {asked.message} was refused as stale, which it never was")

    def _compare_order(self, game: Game, log: Log) -> None:
        """The log is one order of all that was asked, which nobody can tell from that in which it happened: what was
        answered before something else was asked comes before it; and each took effect in between."""
        asked = {
            f"{seat}:{name}": one for player in game.players for name, one in player.asked.items() for seat in range(8)
        }
        latest, of = 0.0, ""
        for event in log.events:
            one = asked.get(event.client_id or "")
            if one is None:
                continue
            if event.at < one.first or (one.answered is not None and one.answered < event.at):
                self.scene.violation(f"{game.name}: {event} was not committed between question and answer")
            if one.answered is not None and one.answered < latest:
                self.scene.violation(f"{game.name}: {event} comes after {of}, which was asked when it was answered")
            if one.first > latest:
                latest, of = one.first, str(event)

    # Clocks -----------------------------------------------------------------------------------------------------------

    def _compare_flags(self, game: Game, log: Log, sessions: list[Session]) -> None:
        """No flag falls before its player had all of the time, that in which nobody served the table not counted."""
        for number, event in enumerate(log.events):
            if event.kind != "flag":
                continue
            start = number - 1  # the event with which this turn began
            while start > 0 and log.events[start].kind in ("resumed", "offer", "decline", "here"):
                start -= 1
            if start < 0:
                continue
            began, clock = log.events[start], sessions[start + 1].clock
            if clock is None or began.came is None:
                continue
            allowed = clock.left[event.data["seat"]] / 1000
            served = self._served(log, began.came, event.at)
            if served < allowed - 0.1:
                self.scene.violation(
                    f"{game.name}: the flag of seat {event.data['seat']} fell at {event.at:.2f} s, {served:.2f} s "
                    f"of {allowed:.2f} s after its turn began at {began.came:.2f} s"
                )

    def _served(self, log: Log, since: float, until: float) -> float:
        """For how many of the seconds from ``since`` to ``until`` the table was served: its owner ran, or, where it had
        none or that one was stopping, any process did."""
        cuts = sorted({since, until, *(at for at, _ in log.owners), *self.scene.changes})
        cuts = [at for at in cuts if since <= at <= until]
        total = 0.0
        for start, end in pairwise(cuts):
            middle = (start + end) / 2
            owner = log.owners[bisect_right([at for at, _ in log.owners], middle) - 1][1]
            serving = self.scene.serving(middle)
            process = self.runs.get(owner or 0)
            if (process in serving) or (serving and (owner is None or self.scene.is_leaving(process, middle))):
                total += end - start
        return total + self.scene.unnoticed(since, until)
