"""What must hold, whatever goes wrong. Some of it is looked at when it happens, the rest when the world is quiet."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson

from tests.simulation.counts import Counts
from tests.simulation.devices import engine_choice
from tests.simulation.loop import VirtualLoop
from tests.simulation.model import ImpossibleError, Table
from tests.simulation.network import read
from tests.simulation.swapped import EPOCH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.network import Socket
    from tests.simulation.players import Asked, Game, Player
    from tests.simulation.scene import Scene

UNNOTICED = 3.7  # seconds that a process may be suspended or without its database, and clocks run on
SLACK = 1.5  # seconds before a process ends that count as lost with it: those since its last heartbeat
LATE = 1.7  # seconds in which another process may not know yet that a table's owner is gone
PRESENT = 1.5  # seconds after which all know who has come to a table, or left it
STORED = "SELECT id, owner, number, waiting, over, deadline, result FROM tables"
SEATING = ("sit", "stand", "lots", "link")
SAME = ("game", "options", "position", "opening", "takebacks", "clock", "confirm", "chat", "gone", "watch", "explore")
Holder = tuple[str | None, str | None]  # of a seat: the hash of its token, and the person


@dataclass(frozen=True)
class Event:
    """A row of a table's log, and when it was committed (in the world's seconds). ``came`` is the moment that it says
    it happened at, by the clock of its ``writer``, the process that wrote it; None where no clock runs."""

    number: int
    kind: str
    data: dict[str, Any]
    client_id: str | None
    at: float
    came: float | None
    writer: VirtualLoop | None = field(default=None, repr=False)


@dataclass
class Log:
    """What is known of one table: its events, the model after each (``tables`` from before the first one on), who has
    owned it since when, and who has held its ``seats`` since which event."""

    events: list[Event] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    owners: list[tuple[float, int | None]] = field(default_factory=lambda: [(0.0, None)])
    seats: list[tuple[int, list[Holder]]] = field(default_factory=list)
    rated: bool = False
    game: str = ""
    opened: float = 0.0


class Observer:
    """Looks at the database after every transaction, and at everything that leaves a process."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.world = scene.world
        self.logs: dict[str, Log] = {}
        self.runs: dict[int, VirtualLoop] = {}
        self.counts = Counts(scene)
        self._row = 0
        self._loaded: WeakKeyDictionary[Any, float] = WeakKeyDictionary()  # when a process first spoke of a table
        self._stored: list[tuple[Any, ...]] = []
        self._rows: dict[str, tuple[Table, Any]] = {}  # what was compared last of each table, and with what
        scene.disk.committed = self.committed

    def committed(self, owner: VirtualLoop) -> None:
        database, now = self.scene.disk.observer, self.world.now
        for (run,) in database.execute("SELECT id FROM runs WHERE id > ?", (max(self.runs, default=0),)):
            self.runs[run] = owner
        rows = database.execute(
            "SELECT rowid, table_id, number, kind, data, client_id FROM events WHERE rowid > ? ORDER BY rowid",
            (self._row,),
        ).fetchall()
        seated = self._read_tables()
        for row, table, number, kind, data, client_id in rows:
            self._row = row
            log, told = self.logs[table], orjson.loads(data)
            if number != len(log.events) + 1:
                self.scene.violation(f"table {table}: event {number} was written after event {len(log.events)}")
            event = Event(number, kind, told, client_id, now, self._came(owner, told), owner)
            self._note(table, event)
            for one in self.scene.travellers if kind == "vacation" else ():
                one.at_table(self._name(table), log, event)
            if kind in SEATING:
                seated.append(table)
            self.scene.tell(f"(log of {self._name(table)}: {number} {kind} {client_id or ''})")
        for table in dict.fromkeys(seated):
            self._note_seats(table)
        for _, table, _, kind, data, _ in rows:
            if kind == "rematch":
                self._compare_rematch(table, self.logs[table], self.logs.get(orjson.loads(data)["id"]))
        self._compare_rows()
        self.counts.committed()

    def _read_tables(self) -> list[str]:
        """Note who owns each table. Return those that are new."""
        new, database = [], self.scene.disk.observer
        self._stored = database.execute(STORED).fetchall()
        for table, owner, *_ in self._stored:
            log = self.logs.get(table)
            if log is None:
                setup, rated = database.execute("SELECT setup, rated FROM tables WHERE id = ?", (table,)).fetchone()
                log = self.logs[table] = Log(tables=[made := Table.of(orjson.loads(setup))], rated=bool(rated))
                log.game, log.opened = made.setup["game"], self.world.now
                new.append(table)
            if log.owners[-1][1] != owner:
                log.owners.append((self._owned_since(log, owner), owner))
        return new

    def _owned_since(self, log: Log, owner: int | None) -> float:
        """Who gives lost time back serves the table from then on, though a slow disk writes later that they own it."""
        process, last = self.runs.get(owner or 0), log.events[-1] if log.events else None
        gave = last is not None and last.kind == "resumed" and last.writer is process is not None
        return max(last.came, log.owners[-1][0]) if gave and last and last.came else self.world.now

    def _note(self, table: str, event: Event) -> None:
        log = self.logs[table]
        log.events.append(event)
        try:
            log.tables.append(log.tables[-1].after(event.number, event.kind, event.data))
        except ImpossibleError as error:
            self.scene.violation(f"{self._name(table)}: {event} cannot be: {error}")
            log.tables.append(replace(log.tables[-1], number=event.number))

    def _compare_rows(self) -> None:
        """What is stored beside a log, as it was just read, follows from it."""
        for table, _, *row in self._stored:
            model = self.logs[table].tables[-1]
            was, self._rows[table] = self._rows.get(table), (model, row)
            if was is not None and was[0] is model and was[1] == row:
                continue
            deadline, result = None if model.over else model.deadline, row[-1]
            follows = [model.number, len(model.waiting), model.over, deadline, model.scores]
            told = [*row[:-1], None if result is None else tuple(orjson.loads(result)["scores"])]
            if told != follows:  # a truth value is a number there
                self.scene.violation(f"{self._name(table)}: what stands beside its log is {told}, not {follows}")

    def _compare_rematch(self, table: str, old: Log, new: Log | None) -> None:
        """At the table of a rematch all that was settled is the same, and each player sits one seat on. Where a game
        was too short to count, a rematch does not count either."""
        rated = old.rated and not old.tables[-1].is_short
        should = [[*seats[-1:], *seats[:-1]] for seats in (old.tables[-1].kinds, old.seats[-1][1])]
        settled = [old.tables[0].setup[one] for one in SAME]
        now = new and ([[*new.tables[0].kinds], new.seats[-1][1]], [new.tables[0].setup[one] for one in SAME])
        if new is None or now != (should, settled) or new.rated != rated:
            self.scene.violation(f"{self._name(table)}: the table of the rematch is {new}, not {should}, {settled}")

    def _note_seats(self, table: str) -> None:
        """Who holds which seat changes as the log says, and in no other way."""
        log, asked = self.logs[table], "SELECT seat, token_hash, person_id FROM seats WHERE table_id = ? ORDER BY seat"
        rows = {seat: (token, person) for seat, token, person in self.scene.disk.observer.execute(asked, (table,))}
        now = [rows.get(seat, (None, None)) for seat in range(len(log.tables[0].kinds))]
        first, should = log.seats[-1] if log.seats else (len(log.events), now)
        should = list(should)
        for event in log.events[first:]:
            if event.kind == "lots":
                should = [should[event.data["seats"].index(to)] for to in range(len(should))]
            elif event.kind in SEATING:
                seat = event.data["seat"]
                drawn = [one.data["seats"] for one in log.events[event.number :] if one.kind == "lots"]
                holder = now[drawn[0][seat] if drawn else seat]  # who has taken it may sit elsewhere by now
                person = holder[1] or ""
                if event.kind != "stand" and holder in (should[seat], (None, None)):
                    self.scene.violation(f"{self._name(table)}: with {event} its holder is still {holder}")
                if person.isdigit() and event.data.get("name", f"P{int(person)}") != f"P{int(person)}":
                    self.scene.violation(f"{self._name(table)}: {event} put {person} there")
                should[seat] = holder
        if now != should:
            self.scene.violation(f"{self._name(table)}: {should} became {now}")
        log.seats.append((len(log.events), now))

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
                lost = f"events {number + 1} to {len(log.events)}"
                self.scene.violation(f"{self._name(table)}: {lost} were committed, and lost with the power")
                del log.events[number:], log.tables[number + 1 :]
        for table in self.logs.keys() - {table for (table,) in database.execute("SELECT id FROM tables")}:
            del self.logs[table]
        self.counts.committed()
        self._read_what_was_torn()

    def _read_what_was_torn(self) -> None:
        """A transaction that nobody heard of may be there all the same."""
        database, now = self.scene.disk.observer, self.world.now
        seated = self._read_tables()
        for table, number, kind, data, client_id in database.execute(
            "SELECT table_id, number, kind, data, client_id FROM events ORDER BY table_id, number"
        ):
            told = orjson.loads(data)
            if number == len(self.logs[table].events) + 1:
                came = None if "at" not in told else min(now, told["at"] / 1000 - EPOCH - self.scene.clocks.jumped)
                self._note(table, Event(number, kind, told, client_id, now, came))
                seated += [table] if kind in SEATING else []
        for table in dict.fromkeys(seated):
            self._note_seats(table)
        self._compare_rows()

    def said(self, socket: Socket, text: str) -> None:
        player = socket.at_ack
        self.scene.compare_secrets(socket.name, text, player)
        message = read(text)
        if player is None or message["type"] not in ("event", "ack", "snapshot", "here") or "talk" in message:
            return
        if message["type"] == "here":
            self._compare_away(socket, [one["seat"] for one in message["seats"] if one["since"] is not None])
            return
        log, kind = self.logs.get(player.game.id, Log()), message["type"]
        number = message["state"]["number"] if kind == "snapshot" else message["number"]
        if number > len(log.events):
            self.scene.violation(f"{player.name} was sent {text[:60]}, which is not on disk")
            return
        event = log.events[number - 1] if number else None
        if kind == "ack":
            if event is None or not (event.client_id or "").endswith(f":{message['id']}"):
                self.scene.violation(f"{player.name} was sent {message}, but event {number} is {event}")
            return
        if kind == "event":
            received = {name: message.get(name) for name in ("kind", *(event.data if event else ()))}
            if event is None or received != {"kind": event.kind, **event.data}:
                self.scene.violation(f"{player.name} received {received}, but the log holds {event}")
                return
        state = message["state"]
        wrong = log.tables[number].differs(state) or self._wrong_seats(player, log, number, state["yourSeats"])
        short = log.rated and log.tables[number].is_short
        if (state["rated"], state["short"]) != (log.rated and not short, short):
            wrong = wrong or f"it is rated: {state['rated']}, and too short: {state['short']}"
        if wrong:
            self.scene.violation(f"{player.name} received event {number}, in which {wrong}")
        self._compare_away(socket, [one["seat"] for one in state["away"]])

    def _compare_away(self, socket: Socket, away: list[int]) -> None:
        """Who is ``away`` from a table has no line to it, and who is not has one, while no line breaks. A process that
        has just read the table asks the others who is there, and does not know it before they answer; players do not
        know at once to which seat they were moved."""
        player, now = socket.at_ack, self.world.now
        game = player.game
        since = self._loaded.setdefault(socket.process.registry.known(game.id), now)
        asks = len(self.scene.processes) > 1 and now < since + PRESENT
        drawn = any(one.kind == "lots" and one.at > now - PRESENT for one in self.logs[game.id].events)
        if self.scene.troubled_since > now and not (self.scene.quiet or game.plan.breaks or drawn):
            for one in game.players:
                is_wrong = (one.here if one.seat in away else one.left) < now - PRESENT
                if one.seat is not None and is_wrong and not (asks and one.seat in away):
                    self.scene.violation(f"{player.name} is told that seats {away} are away, not that of {one.name}")

    @staticmethod
    def _wrong_seats(player: Player, log: Log, number: int, seats: list[int]) -> str:
        """Return which seats the player holds, if ``seats`` are others; empty if they are right."""
        since, holders = log.seats[-1]
        if number < since:
            return ""
        token = None if player.token is None else sha256(player.token.encode()).hexdigest()
        person = None if player.cookie is None else player.cookie[-24:]
        mine = [seat for seat, (key, who) in enumerate(holders) if (key and key == token) or (who and who == person)]
        return "" if seats == mine else f"its seats are {seats}, not {mine}"

    def closed(self, owner: VirtualLoop) -> None:
        """A process that stops leaves its tables to others, but for those where a conditional move may be due."""
        asked = (
            "SELECT id, owner FROM tables WHERE owner IS NOT NULL AND (over OR NOT EXISTS "
            "(SELECT 1 FROM conditional_moves WHERE table_id = tables.id))"
        )
        latest = max((run for run, process in self.runs.items() if process is owner), default=None)
        held = self.scene.disk.observer.execute(asked).fetchall()
        for table, holds in held:  # what an earlier id of it holds is known to be free
            if holds == latest and self.scene.answers(owner, self.world.now, stops=True):
                self.scene.violation(f"{self._name(table)} belongs to a process that has stopped")

    def compare(self) -> None:
        for game in self.scene.games:
            if game.id:
                self._compare(game)
        self.counts.compare()

    def _compare(self, game: Game) -> None:
        database, log = self.scene.disk.observer, self.logs.get(game.id, Log())
        rows = database.execute(
            "SELECT number, kind, data, client_id FROM events WHERE table_id = ? ORDER BY number", (game.id,)
        ).fetchall()
        if len(rows) != len(log.events):
            self.scene.violation(f"{game.name}: {len(log.events)} events were committed, {len(rows)} are there")
            return
        for row, event in zip(rows, log.events, strict=True):
            was = event.number, event.kind, event.data, event.client_id
            if (row[0], row[1], orjson.loads(row[2]), row[3]) != was:
                self.scene.violation(f"{game.name}: {event} became {row}")
        ids = [event.client_id for event in log.events if event.client_id]
        if len(ids) != len(set(ids)):
            self.scene.violation(f"{game.name}: the log holds a message twice")
        for player in game.players:
            self._compare_player(player, log)
        self._compare_commands(game, log)
        self._compare_engine(game, log)
        self._compare_answers(game, log)
        self._compare_clocks(game, log)
        for traveller in self.scene.travellers:
            traveller.compare(game.name, log)
        self.scene.push.compare(game, log)

    def _compare_player(self, player: Player, log: Log) -> None:
        violation = self.scene.violation
        by_id = {event.client_id: event for event in log.events if event.client_id}
        for name, asked in player.asked.items():
            if asked.code is not None:
                self._compare_refusal(player, asked, log)
            if asked.message["type"] == "say":
                must = log.tables[-1].refuses(asked.message, asked.seat) - {"over", "not-possible"}
                if asked.code is None and must:
                    violation(f"{player.name} may say {asked.message}")
                continue  # is no event
            event = next((one for seat in range(8) if (one := by_id.get(f"{seat}:{name}")) is not None), None)
            if asked.number is not None and (event is None or event.number != asked.number):
                violation(f"{player.name}: {name} was acknowledged as {asked.number}, the log has {event}")
            if asked.code is not None and event is not None:
                violation(f"{player.name}: {asked.message} was refused ({asked.code}), the log has {event}")
            if asked.number is None and asked.code is None:
                violation(f"{player.name}: {asked.message} was never answered")
        if not player.is_over:
            violation(f"{player.name} never heard the end")
        elif player.state["number"] != log.tables[-1].number:
            violation(f"{player.name} heard the last of event {player.state['number']} of {log.tables[-1].number}")

    def _compare_engine(self, game: Game, log: Log) -> None:
        """An engine plays what it chooses, whatever devices say."""
        for before, event in zip(log.tables, log.events, strict=False):
            if event.kind == "action" and event.data["seat"] == game.plan.engine:
                choice = engine_choice(self.world.seed, before.position)
                if event.data["action"] != choice:
                    self.scene.violation(f"{game.name}: its engine chose {choice}, and the log has {event}")

    def _compare_answers(self, game: Game, log: Log) -> None:
        """What the server plays for a person is what they had planned last, if nothing was taken back since."""
        by_seat = {player.seat: player for player in game.players if player.seat is not None}
        for before, event in zip(log.tables, log.events, strict=False):
            player = None if event.client_id or event.kind != "action" else by_seat.get(event.data["seat"])
            if player is None or player.seat == game.plan.engine:
                continue
            self.scene.count("conditional moves played")
            moves = [one.text for one in before.moves]
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

    def _compare_refusal(self, player: Player, asked: Asked, log: Log) -> None:
        """What was refused must have been impossible for that reason at some moment between question and answer."""
        times = [event.at for event in log.events]
        first = bisect_right(times, asked.first)
        last = bisect_right(times, asked.answered or self.world.now)
        tables, seats = log.tables[first : last + 1], {asked.seat, player.seat}
        may = [table.refuses(asked.message, seat) for table in tables for seat in seats]
        is_outdated = asked.code == "stale-ply" and asked.message.get("number", last) < last
        if not is_outdated and not any(asked.code in codes for codes in may):
            self.scene.violation(f"{player.name}: {asked.message} was refused: {asked.code}, and never only for {may}")

    def _compare_commands(self, game: Game, log: Log) -> None:
        """Check that each event is what its player asked for, and that the log's order could be the real one: an event
        comes before every command that was sent after its acknowledgement, and took effect in between."""
        seats = [player.seat for player in game.players if player.seat is not None]
        if len(seats) != len(set(seats)):
            self.scene.violation(f"{game.name}: its players sit in seats {seats}")
        asked = {
            f"{seat}:{name}": (player, one)
            for player in game.players
            for name, one in player.asked.items()
            for seat in range(8)
        }
        latest, of, before = 0.0, "", 0.0
        for event in log.events:
            since, before = before, event.came or 0.0
            if (event.client_id or "") not in asked:
                continue
            player, one = asked[event.client_id or ""]
            if not _fits(one.message, event, player.seat):
                self.scene.violation(f"{player.name} in seat {player.seat}: {one.message} became {event}")
            if event.at < one.first or (one.answered is not None and one.answered < event.at):
                self.scene.violation(f"{game.name}: {event} was not committed between question and answer")
            jumped = self.scene.clocks.jumped or event.came is None
            if not jumped and not min(one.first, since) - 0.01 <= (event.came or 0.0) <= event.at + 0.01:
                self.scene.violation(f"{game.name}: {event} is dated {event.came}, and was asked at {one.first}")
            if one.answered is not None and one.answered < latest:
                self.scene.violation(f"{game.name}: {event} comes after {of}, which was asked when it was answered")
            if one.first > latest:
                latest, of = one.first, str(event)

    def _compare_clocks(self, game: Game, log: Log) -> None:
        """A clock runs while its table is served, neither longer nor shorter. A flag is dated before it falls."""
        for number, event in enumerate(log.events[1:], 1):
            since, table = log.events[number - 1].came, log.tables[number]
            clock = table.clock
            if since is None or event.came is None or clock is None or clock.running is None:
                continue
            stood = (clock.since - clock.at) / 1000  # for a vacation
            since += stood
            counted = (event.data["at"] - clock.since - event.data.get("lost", 0)) / 1000
            counted = max(0.0, counted) if stood else counted
            if since >= event.came:
                continue
            most = self._served(log, since, event.at if event.kind == "flag" else event.came)
            least = 0.0
            if event.kind == "resumed" and table.kinds[clock.running] != "engine" and not stood:
                least = self._served(log, since, event.came, surely=True) - SLACK
            # Another process takes commands until it learns that the owner is gone.
            if not least <= counted <= most + (0.1 if event.kind in ("flag", "resumed") else LATE):
                ran = f"the clock of seat {clock.running} ran for {counted:.2f} s since {since:.2f} s"
                self.scene.violation(f"{game.name}: until {event} {ran}, and not for {least:.2f} to {most:.2f} s")

    def _served(self, log: Log, since: float, until: float, surely: bool = False) -> float:
        """For how many of the seconds from ``since`` to ``until`` the table was served: its owner ran, or, where it had
        none or that one was stopping, any process did. ``surely``: its owner alone counts, while it answered."""
        cuts = sorted({since, until, *(at for at, _ in log.owners), *self.scene.changes})
        cuts = [at for at in cuts if since <= at <= until]
        total = 0.0
        for start, end in pairwise(cuts):
            middle = (start + end) / 2
            owner = log.owners[bisect_right([at for at, _ in log.owners], middle) - 1][1]
            serving = self.scene.serving(middle)
            process = self.runs.get(owner or 0)
            served = process in serving and (not surely or self.scene.answers(process, middle))
            if not surely:
                served = served or bool(serving and (owner is None or self.scene.is_leaving(process, middle)))
            total += (end - start) * served
        return total if surely else total + self.scene.unnoticed(since, until)


def _fits(message: Mapping[str, Any], event: Event, seat: int | None) -> bool:
    """Whether an event is what the player in that ``seat`` asked for."""
    kind, data, asked = event.kind, event.data, message["type"]
    if asked == "answer":
        follows = "over" if message["what"] == "draw" else message["what"]
        what = data.get("what", message["what"])
        return what == message["what"] and kind in (("agreed", follows) if message["yes"] else ("declined",))
    if asked == "draw" and kind in ("over", "declined"):  # the others had offered one, or an engine answers at once
        return True
    if asked in ("draw", "adjourn", "continue", "rematch") and kind in ("agreed", asked):  # so had they
        return bool(data.get("what", asked) == asked)
    if asked == "takeback" and message.get("ply", data["ply"]) not in (None, data["ply"]):
        return False
    if asked == "act":
        return (kind, data["seat"], data["ply"], data["action"]) == ("action", seat, message["ply"], message["action"])
    what = kind if kind == asked else data.get("what") if kind == "offer" else None
    return bool(what == asked and data["seat"] == seat)
