"""All that a seed stands for: the processes, the games, how people play, and what goes wrong when."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("sanqi", {"side": 4, "opening": "swap"}, 2),
    ("sanqi", {"side": 4}, 2),
    ("sparklies", {"board": "5x5"}, 2),
    ("triplicity", {}, 3),
)
DAY = 5  # seconds that a day of correspondence and of vacations has in this world
# What can go wrong, in words that a sentence can be made of. Each leaves the world able to recover.
KINDS = {
    "kill": "is killed, and its machine says so",
    "vanish": "is gone with its machine, which says nothing",
    "stop": "is told to stop",
    "suspend": "is suspended",
    "silent": "has lines that fall silent but stay open",
    "busy": "is busy computing and answers no one",
    "away": "has no database",
    "slow": "has a slow disk",
    "fail before": "is told that its commits fail, which they have",
    "fail after": "is told that its commits fail, which they have not",
    "power": "the power fails during a commit",
    "bus": "word between processes is lost",
    "clock": "the machine's clock is set",
}
# Moments at which it matters most that a process is gone: between what it has read and what it writes next. Each is
# known by a piece of the SQL that is executed then.
MOMENTS = {
    "counting": ("ORDER BY tables.ended, tables.id", "has read which games are to be counted"),
    "paired": ("INSERT INTO pairings", "has paired players, and no table is open yet"),
    "owns": ("UPDATE tables SET owner=", "has come to own a table"),
    "plays": ("INSERT INTO events", "has written what happened at a table"),
    "pairs": ("seeks JOIN people", "has read who waits to be paired"),
}
OWNER = -1  # in place of a process's number: the one that owns a table then
OF_ONE = ("kill", "vanish", "stop", "suspend", "busy", "away", "slow", "fail before", "fail after")


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong ``at`` a second: to the process of that number (:data:`OWNER`: to the one that owns a
    table then), or to what all share. It lasts, or the
    process is gone, for so many ``seconds``. With a ``moment`` (of :data:`MOMENTS`) it goes wrong when that first comes
    from then on, to the process for which it comes."""

    at: float
    kind: str
    process: int = 0
    seconds: float = 0.0
    moment: str = ""

    def __str__(self) -> str:
        who = "a table's owner " if self.process == OWNER else f"process {self.process} "
        who = who if self.kind in (*OF_ONE, "silent") else ""
        lasts = f" for {self.seconds:.1f} s" if self.seconds else ""
        if self.moment:
            return f"from {self.at:.2f} s on the first process that {MOMENTS[self.moment][1]} {KINDS[self.kind]}{lasts}"
        return f"at {self.at:.2f} s {who}{KINDS[self.kind]}{lasts}"


@dataclass(frozen=True)
class Table:
    """A table: its ``game`` (of :data:`GAMES`), its clock's seconds a turn (None: it has none), after how many actions
    its players give up, which seat an engine has, who sleeps, who watches, and whether it is rated and its seats are
    open to whoever comes first. ``thinks`` is for how many seconds players think at most, ``breaks`` how often a line
    breaks at a message, ``talks`` how often players say something where they could play. With ``devices``
    theirs can think for the engine. With ``guests`` those who take its open seats have no cookie yet. ``ahead`` is how
    often players set conditional moves while others think. A ``slow`` one is played by correspondence, by people who
    come and go. A ``listed`` one is shown to everybody. ``tries`` is how often its clients ask for what may be
    impossible, ``takebacks`` its rule, ``again`` whether its players like a rematch."""

    game: int
    turn: int | None
    long: int
    thinks: float
    breaks: float
    engine: int | None = None
    sleeper: int | None = None
    watchers: int = 0
    rated: bool = False
    opened: bool = False
    talks: float = 0.0
    devices: bool = False
    guests: bool = False
    ahead: float = 0.0
    slow: bool = False
    listed: bool = False
    tries: float = 0.0
    takebacks: str = "consent"
    again: bool = False

    @property
    def may_pause(self) -> bool:
        """Whether its players may adjourn: all are there to go on."""
        return self.tries > 0 and self.sleeper is None and not self.slow


@dataclass(frozen=True)
class Cup:
    """A tournament of this ``form`` and so many ``entrants``, whose games are all like ``table``. It may be called
    ``off`` so many seconds after its beginning. Entrant ``missing`` never comes to a game, and is waited for only five
    seconds then; who is ``restless`` leaves, and mostly joins again."""

    form: str
    entrants: int
    table: Table
    off: float | None = None
    missing: int | None = None
    restless: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether two sit at a table, and no play-off follows."""
        return GAMES[self.table.game][2] == 2 and self.form != "best-margin"


@dataclass(frozen=True)
class Plan:
    """All that happens, but for what the seed decides on the way: delays, and what people choose. Meanwhile ``solvers``
    try puzzles, ``challenges`` are sent (to ``rated`` games), ``learners`` take lessons, ``seekers`` wait to be paired,
    ``travellers`` among the players go on vacation, some have ``phones`` for notices, ``analysts`` share an analysis,
    and ``onlookers`` watch the list of games. ``testers`` try the limits of what may be opened."""

    seed: int
    processes: int
    tables: tuple[Table, ...]
    faults: tuple[Fault, ...]
    cup: Cup | None = None
    solvers: int = 0
    challenges: int = 0
    rated: bool = False
    learners: int = 0
    seekers: int = 0
    travellers: int = 0
    phones: int = 0
    analysts: int = 0
    onlookers: int = 0
    testers: int = 0

    @classmethod
    def of(cls, seed: int) -> Plan:
        rng = random.Random(f"plan {seed}")
        processes = rng.choice((1, 2, 2, 2, 3))
        rated = rng.random() < 0.5
        tables = tuple(_table(rng, rated) for _ in range(rng.choice((1, 1, 2, 2))))
        kinds = [*OF_ONE, "power", *(["bus"] if processes > 1 else ["clock"])]
        favourite = ["fail after", "power", *rng.sample(kinds, 2)]
        faults = []
        for _ in range(rng.choice((0, 2, 3, 4, 5, 6))):
            kind = rng.choice(favourite if rng.random() < 0.7 else kinds)
            faults.append(Fault(round(rng.uniform(0.3, 6.0), 2), kind, rng.randrange(processes), _seconds(rng, kind)))
        if any(table.sleeper is not None for table in tables) and rng.random() < 0.6:  # while a clock runs out
            kind = rng.choice(("suspend", "vanish", "kill", "away"))
            at, number = round(rng.uniform(1.0, 6.0), 2), rng.randrange(processes)
            faults.append(Fault(at, kind, number, round(rng.uniform(3.0, 8.0), 2)))
        faults.sort(key=lambda fault: fault.at)
        plan = cls(seed, processes, tables, tuple(faults))
        plan = plan._with_more(random.Random(f"more {seed}"))._with_visitors(random.Random(f"visitors {seed}"))
        plan = plan._with_trouble(random.Random(f"trouble {seed}"))._with_devices(random.Random(f"devices {seed}"))
        if plan.tables and rng.random() < 0.3:  # while people sit down
            failing = rng.choice(("fail before", "fail before", "fail after"))
            sits = Fault(round(rng.uniform(0.2, 0.5), 2), failing, rng.randrange(plan.processes), 0.4)
            plan = replace(plan, faults=(*plan.faults, sits))
        rng = random.Random(f"ahead {seed}")
        plan = replace(plan, tables=tuple(replace(one, ahead=rng.choice((0.0, 0.9))) for one in plan.tables))
        if any(one.ahead for one in plan.tables) and rng.random() < 0.6:  # as an answer may be due
            kill = Fault(round(rng.uniform(1.5, 4.0), 2), "kill", seconds=1.0, moment="plays")
            plan = replace(plan, faults=(*plan.faults, kill))
        plan = plan._with_days(random.Random(f"days {seed}"))
        rng = random.Random(f"lists {seed}")
        listed = [replace(one, listed=(one.opened or one.rated) and rng.random() < 0.7) for one in plan.tables]
        plan = replace(plan, tables=tuple(listed), onlookers=int(rng.random() < 0.5), testers=int(rng.random() < 0.3))
        plan = replace(plan, tables=tuple(_tried(random.Random(f"tries {seed}"), one) for one in plan.tables))
        plan = replace(plan, rated=plan.challenges > 0 and random.Random(f"rated {seed}").random() < 0.6)
        if plan.cup is None:
            return plan
        rng = random.Random(f"calling off {seed}")
        off = None if rng.random() > 0.3 else round(rng.uniform(0.0, 12.0), 2)
        rng = random.Random(f"entrants {seed}")
        entrants = rng.choice((plan.cup.entrants, 4, 5, 6))
        table = replace(plan.cup.table, long=min(plan.cup.table.long, rng.choice((2, 3, 4, 7))))
        missing, restless = (rng.choice((None, None, rng.randrange(entrants))) for _ in range(2))
        form, rng = plan.cup.form, random.Random(f"form {seed}")
        if rng.random() < 0.5:  # three at a table, or a play-off
            form = rng.choice(("round-robin", "swiss", "best-margin", "best-margin"))
            game, rated = (2, table.rated) if form == "best-margin" else (3, False)
            entrants, off = (min(entrants, 4) if form == "best-margin" else max(3, min(entrants, 5))), None
            missing, restless = (one if one is None else one % entrants for one in (missing, restless))
            table = replace(table, game=game, rated=rated, long=min(3, table.long))
        return replace(plan, cup=Cup(form, entrants, table, off, missing, restless))

    def _with_more(self, rng: random.Random) -> Plan:
        """The same with chat at some tables; now and then with a tournament in their place, or with puzzles."""
        tables = tuple(replace(table, talks=rng.choice((0.0, 0.1, 0.3))) for table in self.tables)
        plan = replace(self, tables=tables, solvers=rng.choice((0, 0, 0, 0, 0, 2)))
        if rng.random() > 0.2:
            return plan
        long, thinks, breaks = rng.randint(4, 7), rng.choice((0.1, 0.5)), rng.choice((0.0, 0.02))
        table = Table(1, 7, long, thinks, breaks, rated=rng.random() < 0.7)
        form = rng.choice(("round-robin", "swiss", "arena"))
        return replace(plan, tables=(), cup=Cup(form, rng.randint(2, 4), table))

    def _with_visitors(self, rng: random.Random) -> Plan:
        """The same with challenges and learners now and then, and with faults at moments that matter."""
        seekers = rng.choice((0, 0, 2, 4)) if self.cup is None else 0
        plan = replace(self, seekers=seekers, challenges=rng.choice((0, 1, 1)), learners=int(rng.random() < 0.1))
        if rng.random() < 0.3:
            kind, at = rng.choice(("stop", "stop", "kill")), round(rng.uniform(0.5, 4.0), 2)
            tables = tuple(replace(one, thinks=0.02) for one in plan.tables)  # the others have sent something by then
            plan = replace(plan, tables=tables, faults=(Fault(at, kind, seconds=1.0, moment="plays"), *plan.faults))
        moments = ["paired"] * (self.cup is not None) + ["counting"] * self.is_rated
        moments += ["owns"] * any(fault.kind in ("kill", "vanish", "suspend", "away") for fault in self.faults)
        moments += ["pairs"] * (2 * (seekers > 0))
        if self.processes == 1 or not moments or rng.random() > 0.6:
            return plan
        moment = rng.choice(moments)
        kind, seconds = rng.choice((("suspend", 7.0), ("suspend", 13.0), ("kill", 2.0)))
        if moment in ("pairs", "counting"):  # until another process has done it
            kind, seconds = "suspend", 2.0 if moment == "pairs" else 13.0
        at = 0.0 if moment != "owns" else min(one.at for one in self.faults) + 0.1
        fault = Fault(at, kind, seconds=round(seconds * rng.uniform(0.8, 1.1), 1), moment=moment)
        return replace(plan, faults=(fault, *plan.faults))

    def _with_trouble(self, rng: random.Random) -> Plan:
        """Return this plan, or sometimes one with few faults instead of all others: the process that owns a table is
        gone when a clock runs out; so is the next one, as soon as it owns the table; a process dies with the first
        answer at a table; the only process must stop while a clock runs, and waits for lines that have fallen silent;
        or it has a slow disk and must stop while players are quick."""
        at, chance = round(rng.uniform(2.0, 5.0), 2), rng.random()
        if chance < 0.2 and any(table.sleeper is not None for table in self.tables):
            tables = tuple(replace(table, thinks=0.3) for table in self.tables)
            gone = Fault(at, rng.choice(("vanish", "suspend")), OWNER, round(rng.uniform(5.0, 9.0), 1))
            return replace(self, tables=tables, faults=(gone,))
        if 0.2 <= chance < 0.3 and any(table.sleeper is not None for table in self.tables):
            tables = tuple(replace(table, thinks=0.3) for table in self.tables if table.sleeper is not None)[:1]
            both = Fault(at, "vanish", OWNER, 15.0), Fault(at + 0.1, "kill", seconds=15.0, moment="owns")
            return replace(self, processes=3, tables=tables, faults=both)
        if 0.3 <= chance < 0.4 and any(not table.rated for table in self.tables):
            tables = tuple(table for table in self.tables if not table.rated)
            return replace(self, processes=2, tables=tables, faults=(Fault(0.0, "kill", seconds=1.0, moment="plays"),))
        if 0.4 <= chance < 0.5 and any(table.sleeper is not None for table in self.tables):
            tables = tuple(replace(table, thinks=0.3) for table in self.tables)
            stops = Fault(round(at + rng.uniform(0.1, 1.5), 2), "stop", 0, 0.5)
            return replace(self, processes=1, tables=tables, faults=(Fault(at, "silent"), stops))
        if 0.5 <= chance < 0.6 and self.tables:
            tables = tuple(replace(table, thinks=0.1, long=18, sleeper=None) for table in (self.tables * 2)[:2])
            slow, stop = (Fault(round(when, 2), kind, 0, 4.0) for when, kind in ((at / 3, "slow"), (at / 2, "stop")))
            return replace(self, processes=1, tables=tables, faults=(slow, stop))
        return self

    def _with_devices(self, rng: random.Random) -> Plan:
        """The same, where devices mostly can think for an engine, and new guests mostly take open seats."""
        tables = tuple(replace(table, devices=table.engine is not None and rng.random() < 0.8) for table in self.tables)
        tables = tuple(replace(table, guests=table.opened and rng.random() < 0.7) for table in tables)
        return replace(self, tables=tables)

    def _with_days(self, rng: random.Random) -> Plan:
        """The same, where now and then all games are by correspondence, whose players have phones and go on vacation;
        and where three people sometimes share an analysis, some of them while they play a rated game."""
        plan = replace(self, analysts=3 * (rng.random() < (0.4 if any(one.rated for one in self.tables) else 0.1)))
        if rng.random() > 0.3 or not self.tables or any(one.engine is not None for one in self.tables):
            return plan
        tables = tuple(
            replace(one, slow=True, opened=not one.rated, guests=False, engine=None, devices=False, turn=turn)
            for one in self.tables[: rng.choice((1, 1, 2))]
            for turn in [None if one.turn is None else DAY * rng.choice((1, 1, 2))]
        )
        travellers = rng.choice((0, 1, 1, 2)) if any(one.turn for one in tables) else 0
        faults = self.faults if rng.random() < 0.4 else ()  # without faults, the checks are stricter
        return replace(plan, tables=tables, faults=faults, travellers=travellers, phones=3)

    @property
    def is_rated(self) -> bool:
        return (
            self.rated or any(table.rated for table in self.tables) or (self.cup is not None and self.cup.table.rated)
        )

    @property
    def has_days(self) -> bool:
        return bool(self.travellers or self.phones)

    def without(self, fault: Fault) -> Plan:
        return replace(self, faults=tuple(one for one in self.faults if one is not fault))

    def __str__(self) -> str:
        told = [f"seed {self.seed}: {self.processes} process{'es' if self.processes > 1 else ''}"]
        for number, table in enumerate(self.tables):
            name, options, _ = GAMES[table.game]
            traits = [f"{name} {' '.join(str(value) for value in options.values())}".strip()]
            traits.append(f"{table.turn} s a turn" if table.turn else "no clock")
            traits += ["its players come and go"] if table.slow else []
            traits += [f"an engine in seat {table.engine}"] if table.engine is not None else []
            traits += [f"seat {table.sleeper} sleeps"] if table.sleeper is not None else []
            traits += ["rated"] if table.rated else ["open seats"] if table.opened else []
            traits += ["guests take them"] if table.guests else []
            traits += [f"lines break at {table.breaks:.0%} of messages"] if table.breaks else []
            traits += ["its players talk"] if table.talks else []
            traits += ["devices think"] if table.devices else []
            traits += ["its players plan ahead"] if table.ahead else []
            told.append(f"  game {number}: {', '.join(traits)}")
        if self.cup is not None:
            rated = "rated " if self.cup.table.rated else ""
            off = "" if self.cup.off is None else f", called off after {self.cup.off} s"
            told.append(f"  a {rated}tournament ({self.cup.form}) of {self.cup.entrants} players{off}")
            told += [f"  player {self.cup.missing} never comes"] if self.cup.missing is not None else []
            told += [f"  player {self.cup.restless} leaves"] if self.cup.restless is not None else []
        others = ("solvers", "challenges", "learners", "seekers", "travellers", "phones", "analysts", "onlookers")
        told += [f"  {name}: {getattr(self, name)}" for name in others if getattr(self, name)]
        told += ["  challenges to rated games"] if self.rated else []
        told += [f"  {fault}" for fault in self.faults]
        return "\n".join(told)


def _table(rng: random.Random, may_be_rated: bool) -> Table:
    game = rng.choice((0, 0, 1, 2, 3))
    seats = GAMES[game][2]
    turn = rng.choice((None, 5, 7, 7))
    rated = may_be_rated and seats == 2 and turn is not None
    engine = rng.randrange(1, seats) if not rated and rng.random() < 0.25 else None
    sleeper = rng.randrange(seats) if turn is not None and rng.random() < 0.6 else None
    long, thinks, breaks = rng.randint(4, 11), rng.choice((0.1, 0.5, 1.0, 2.0)), rng.choice((0.0, 0.03, 0.06))
    watchers, opened = rng.choice((0, 0, 1)), not rated and rng.random() < 0.5
    return Table(game, turn, long, thinks, breaks, engine, sleeper, watchers, rated, opened)


def _tried(rng: random.Random, table: Table) -> Table:
    """The same, but mostly clients try things, some by other rules of takebacks, have a rematch, or a rated game."""
    unfit = GAMES[table.game][2] > 2 or not table.turn or table.engine is not None or table.opened or table.slow
    table = replace(table, rated=table.rated or (not unfit and rng.random() < 0.5))
    rules = ("consent", "own", "own", "off") if table.ahead else ("consent", "consent", "own", "off")
    rule = "consent" if table.rated else rng.choice(rules)
    again = rng.random() < (0.4 if table.rated else 0.2) and not (table.slow or table.devices)
    long = max(6, table.long) if table.rated else table.long  # or it would not count
    return replace(table, tries=rng.choice((0.0, 0.3, 0.5)), takebacks=rule, again=again, long=long)


def _seconds(rng: random.Random, kind: str) -> float:
    if kind in ("fail before", "fail after"):
        return round(rng.uniform(0.1, 3.0), 1)
    if kind == "clock":
        return round(rng.choice((-1, 1)) * rng.choice((2.0, 60.0, 4000.0)), 1)
    if kind in ("kill", "vanish", "stop", "power"):
        return round(rng.choice((0.05, rng.uniform(0.1, 2.0), rng.uniform(2.0, 7.0))), 2)
    if kind == "slow":
        return round(rng.uniform(1.0, 6.0), 1)
    return round(rng.choice((rng.uniform(0.2, 3.0), rng.uniform(3.0, 6.0), rng.uniform(5.0, 9.0))), 2)
