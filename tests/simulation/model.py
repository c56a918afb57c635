"""A model beside the server: what stands at a table after each event of its log, by few rules of its own.

It knows nothing of the program but the rules of the games. It is fed with the rows of a log, refuses one that cannot
follow, and says what any message and any stored row must then say. It has clocks for each turn and of Fischer's kind.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tercet

BREAK = 60 * 86_400_000  # milliseconds that a break lasts at most
LAG = 500  # milliseconds of a turn that may be given back for the line
DAY_MS = 86_400_000
LEAST_TURNS = 4  # of a rated game of two that counts


class ImpossibleError(Exception):
    """An event that cannot follow where it stands in the log."""


def need(holds: object, why: str) -> None:
    """Raise ImpossibleError unless it holds."""
    if not holds:
        raise ImpossibleError(why)


@dataclass(frozen=True)
class Move:
    """An action that stands: who made it, and whether a turn began with it."""

    seat: int
    text: str
    begins: bool


@dataclass(frozen=True)
class Offer:
    """What a seat proposes, of a takeback with the ``ply``; ``agreed`` are those who have said yes."""

    seat: int
    what: str
    ply: int | None = None
    agreed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Clock:
    """What each seat has left, and has used in the whole game, when it was ``at``: all in milliseconds."""

    initial: int
    renews: bool  # each turn has time of its own
    increment: int
    left: tuple[int, ...]
    used: tuple[int, ...]
    at: int = 0
    running: int | None = None
    away: tuple[int, ...] = ()  # until when each stands still for a vacation

    @classmethod
    def of(cls, control: Mapping[str, Any] | None, seats: int) -> Clock | None:
        """Full clocks; None where there are none, or none that the model knows."""
        unit = {"turn": ("seconds", 1000), "correspondence": ("days", DAY_MS), "fischer": ("minutes", 60_000)}
        if control is None or control["kind"] not in unit:
            return None
        name, scale = unit[control["kind"]]
        initial = round(control[name] * scale)
        increment = round(1000 * control.get("increment", 0))
        return cls(initial, control["kind"] != "fischer", increment, (initial,) * seats, (0,) * seats)

    @property
    def since(self) -> int:
        """Since when the clock that runs has run, or from when on it will."""
        return max(self.at, self.away[self.running]) if self.away and self.running is not None else self.at

    def vacation(self, seat: int, until: int) -> Clock:
        """With the clock of ``seat`` standing still until then."""
        away = self.away or (0,) * len(self.left)
        return replace(self, away=(*away[:seat], until, *away[seat + 1 :]))

    def later(self, data: Mapping[str, Any]) -> Clock:
        """After the time until an event of this ``data``."""
        at, lost, lag = data["at"], data.get("lost", 0), data.get("lag", 0)
        need(at >= self.at, f"the time {at} comes before {self.at}")
        if self.running is None:
            return replace(self, at=at)
        need(0 <= lost <= at - self.at, f"{lost} ms were lost of {at - self.at}")
        need(0 <= lag <= LAG, f"{lag} ms were spent on the line")
        ran = max(0, at - self.since - lost - lag)
        return replace(self._with(self.running, max(0, self.left[self.running] - ran), ran), at=at)

    def _with(self, seat: int, left: int, ran: int = 0) -> Clock:
        used = (*self.used[:seat], self.used[seat] + ran, *self.used[seat + 1 :])
        return replace(self, left=(*self.left[:seat], left, *self.left[seat + 1 :]), used=used)

    def turn_over(self, seat: int) -> Clock:
        return self._with(seat, self.initial if self.renews else self.left[seat] + self.increment)

    def turn_undone(self) -> Clock:
        return replace(self, left=(self.initial,) * len(self.left)) if self.renews else self

    def retracted(self, then: Clock, seat: int) -> Clock:
        """After a takeback of one's own: the others have what they had ``then``."""
        spent = self.used[seat] - then.used[seat]
        return replace(self, left=then.left)._with(seat, max(0, then.left[seat] - spent))


@dataclass(frozen=True)
class Table:
    """A table after so many events. ``kinds`` says who is in each seat, ``clocks`` how they stood after each ply."""

    setup: Mapping[str, Any]
    start: Any
    position: Any
    kinds: tuple[str, ...]
    number: int = 0
    moves: tuple[Move, ...] = ()
    offers: tuple[Offer, ...] = ()
    declined: frozenset[tuple[int, str]] = frozenset()
    resigned: tuple[tuple[int, int], ...] = ()  # the ply, and who
    flagged: frozenset[int] = frozenset()
    absent: frozenset[int] = frozenset()
    aborted: bool = False
    adjourned: bool = False
    rematch: str | None = None
    drawn: bool = False
    retracted: tuple[int, ...] = ()
    clock: Clock | None = None
    clocks: tuple[Clock, ...] = ()
    started: bool = False

    @classmethod
    def of(cls, setup: Mapping[str, Any]) -> Table:
        start = tercet.game(setup["game"], **setup["options"]).start(setup["seed"])
        kinds = tuple(seat["kind"] for seat in setup["seats"])
        clock = Clock.of(setup["clock"], len(kinds))
        return cls(setup, start, start, kinds, clock=clock, clocks=() if clock is None else (clock,))

    @property
    def plays_on(self) -> bool:
        return self.start.game.definition.resignation is not None

    @property
    def over(self) -> bool:
        return self.aborted or self.drawn or self.position.is_over or (bool(self.resigned) and not self.plays_on)

    @property
    def waiting(self) -> list[int]:
        return [seat for seat, kind in enumerate(self.kinds) if kind in ("open", "bot")]

    @property
    def mover(self) -> int | None:
        mover: int | None = None if self.over or self.waiting or self.adjourned else self.position.mover
        return mover

    @property
    def lost(self) -> set[int]:
        return {seat for _, seat in self.resigned}

    @property
    def deadline(self) -> int | None:
        """When a flag falls, or a break ends."""
        clock = self.clock
        if clock is not None and self.adjourned:
            return clock.at + BREAK
        return None if clock is None or clock.running is None else clock.since + clock.left[clock.running]

    @property
    def turns(self) -> list[int]:
        """Whose turn each was; actions of one seat that follow each other are one."""
        seats = [move.seat for move in self.moves]
        return [seat for at, seat in enumerate(seats) if not at or seats[at - 1] != seat]

    @property
    def is_short(self) -> bool:
        """Whether the game ended too early to be rated."""
        return self.over and not self.aborted and len(self.turns) < LEAST_TURNS

    def plays(self, seat: int) -> bool:
        return seat not in self.lost and self.position.may_resign(seat)

    def awaited(self, offer: Offer) -> list[int]:
        others = (seat for seat, kind in enumerate(self.kinds) if kind == "person" and seat != offer.seat)
        return [seat for seat in others if seat not in offer.agreed and (offer.what == "rematch" or self.plays(seat))]

    def last_turn(self, seat: int) -> int | None:
        """The ply at which the last turn of ``seat`` began; None if it had none."""
        last = max((ply for ply, move in enumerate(self.moves) if move.seat == seat), default=None)
        while last is not None and not self.moves[last].begins:
            last -= 1
        return last

    @property
    def scores(self) -> tuple[float, ...] | None:
        if not self.over or self.aborted:
            return None
        if self.position.outcome is not None:
            return tuple(self.position.outcome.scores)
        seats = range(len(self.kinds))
        sharing = [seat for seat in seats if (self.plays(seat) if self.drawn else seat not in self.lost)]
        return tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in seats)

    @functools.cached_property
    def shown(self) -> dict[str, Any]:
        offers = [({"seat": one.seat, "what": one.what, "ply": one.ply}, one) for one in self.offers]
        names = ("number", "mover", "over", "aborted", "waiting", "abortable", "adjourned", "rematch")
        plain: dict[str, Any] = {name: getattr(self, name) for name in names} | {"replaced": []}
        plain["adjourned"] = self.adjourned and not self.over
        takebacks = {"takebackRule": self.setup["takebacks"], "takebacks": self.setup["takebacks"] != "off"}
        lost = {"resigned": sorted(self.lost), "flagged": sorted(self.flagged), "left": sorted(self.absent)}
        return {**plain, **takebacks, **lost} | {
            "ply": len(self.moves),
            "offers": [{**offer, "awaited": self.awaited(one)} for offer, one in offers],
            "begun": not self.waiting,
            "playsOn": self.plays_on,
            "out": [] if self.over else [seat for seat in range(len(self.kinds)) if not self.plays(seat)],
        }

    @property
    def abortable(self) -> bool:
        """Whether the game may still be aborted: no second turn has begun, and none was taken back."""
        return not self.over and not self.retracted and not any(move.begins for move in self.moves[1:])

    def refuses(self, message: Mapping[str, Any], seat: int | None) -> set[str]:
        """Return the codes with which a ``message`` from that ``seat`` may be refused now; none if it may not."""
        kind, named = message["type"], message.get("seat", seat)
        what, ended = message.get("what", kind), {"over"} if self.over else set[str]()
        offer = next((one for one in self.offers if one.what == what), None)
        if kind == "say":
            codes = {"bad-message"} if not message["text"].strip() else set()
            codes |= {"not-your-seat"} if message.get("seat", seat) != seat else set()
            if message["room"] == "players":
                return codes | ({"not-your-seat"} if seat is None else set())
            return codes | ({"not-possible"} if seat is not None and not self.over else set())
        if seat is None:
            return {"not-your-seat", "not-possible"} if kind == "claim" else {"not-your-seat"}
        ended |= {"not-begun"} if self.waiting and kind != "abort" else set()
        ended |= {"adjourned"} if self.adjourned and kind in ("act", "takeback", "claim") else set()
        ended |= {"stale-ply"} if message.get("at", len(self.moves)) not in (None, len(self.moves)) else set()
        if kind == "act":
            return ended | self._refuses_action(message, seat)
        if kind == "takeback":
            return ended | ({"not-possible"} if self._refuses_takeback(message, seat, offer) else set())
        if what == "rematch" and (not self.over or self.waiting or self.rematch is not None):
            return {"not-possible", *(["not-your-seat"] if named != seat else [])}
        ended -= {"over", "not-begun"} if what == "rematch" else set()
        if kind == "answer":
            return ended | ({"not-possible"} if offer is None else self._refuses_answer(offer, message, seat))
        if kind == "claim":
            return ended | ({"bad-message"} if named >= len(self.kinds) else {"not-possible"})
        ended |= {"not-your-seat"} if named != seat and kind != "abort" else set()
        impossible = not self.abortable if kind == "abort" else what != "rematch" and not self.plays(named)
        if kind not in ("abort", "resign"):
            impossible |= (seat, what) in self.declined or (offer is not None and seat not in self.awaited(offer))
        impossible |= what in ("adjourn", "continue") and self.adjourned != (what == "continue")
        return ended | ({"not-possible"} if impossible else set())

    def _refuses_action(self, message: Mapping[str, Any], seat: int) -> set[str]:
        codes = {"stale-ply"} if message["ply"] != len(self.moves) else set[str]()
        if self.mover != seat:
            return codes | {"not-your-turn"}
        try:
            self.position.play(message["action"])
        except tercet.TercetError:
            return codes | {"illegal-action"}
        return codes

    def _refuses_takeback(self, message: Mapping[str, Any], seat: int, offer: Offer | None) -> bool:
        """Whether a takeback is impossible while the game goes on."""
        asked, last = message.get("ply"), self.last_turn(seat)
        ply = last if asked is None else asked
        if ply is None or not max((at for at, _ in self.resigned), default=0) <= ply < len(self.moves):
            return True
        if self.mover == seat and self._is_of_open_turn(ply):
            return False
        if self.setup["takebacks"] == "own":
            used = self.retracted.count(seat) >= self.start.game.definition.retractions
            return used or ply != last or self.clock is not None or not self.plays(seat)
        return self.setup["takebacks"] == "off" or offer is not None or (seat, "takeback") in self.declined

    def _refuses_answer(self, offer: Offer, message: Mapping[str, Any], seat: int) -> set[str]:
        may = seat in self.awaited(offer) or (offer.seat == seat and not message["yes"])
        return set() if may else {"not-your-turn"}

    def differs(self, state: Mapping[str, Any]) -> str:
        """What a client's ``state`` says wrongly; empty where it is right."""
        for name, value in self.shown.items():
            if state[name] != value:
                return f"{name} is {state[name]}, not {value}"
        if state["view"]["position"] != str(self.position):
            return f"the position is {state['view']['position']}, not {self.position}"
        if [one["kind"] for one in state["seats"]] != list(self.kinds):
            return f"in the seats are {[one['kind'] for one in state['seats']]}, not {self.kinds}"
        if "moves" in state and [one["text"] for one in state["moves"]] != [one.text for one in self.moves]:
            return "the moves are others"
        if self.clock is None or state["clock"] is None:
            return "" if self.clock is None else "the clocks are missing"
        shown, clock = state["clock"], self.clock
        left = list(clock.left)
        if clock.running is not None:
            left[clock.running] = max(0, left[clock.running] - max(0, shown["at"] - clock.since))
        if shown["away"] != list(clock.away):
            return f"the vacations end {shown['away']}, not {clock.away}"
        if shown["running"] != clock.running or shown["left"] != left:
            return f"the clocks are {shown['left']} ({shown['running']} runs), not {left} ({clock.running} runs)"
        return ""

    def after(self, number: int, kind: str, data: Mapping[str, Any]) -> Table:
        """After an event; ImpossibleError where it cannot be."""
        need(number == self.number + 1, f"event {number} follows event {self.number}")
        happens = getattr(self, f"_{kind}", None)
        need(happens is not None, f"nothing is known of {kind}")
        later_on = kind in ("takeback", "rematch") or data.get("what") == "rematch"
        need(not self.over or later_on, f"{kind} after the end")
        assert happens is not None
        if self.deadline is not None and kind not in ("flag", "resumed"):
            need(data["at"] < self.deadline, f"{kind} at {data['at']} after the flag at {self.deadline}")
        later: Table = replace(happens(data), number=number)
        if self.clock is None:
            return later
        clock = self.clock.later(data)
        clocks = self.clocks
        if kind == "action":
            if later.over or later.position.mover != data["seat"] or not later.position.turn_is_open:
                clock = clock.turn_over(data["seat"])
            clocks = (*clocks, clock)
        elif kind == "takeback":
            ply = data["ply"]
            if data.get("own"):
                clock = clock.retracted(clocks[ply], data["seat"])
                clocks = (*clocks[:ply], clock)
            elif not self._is_of_open_turn(ply):
                clock = clock.turn_undone()
                clocks = (*clocks[:ply], clock)
            clocks = clocks[: ply + 1]
        elif kind == "vacation":
            clock = clock.vacation(data["seat"], data["until"])
        elif later.position.mover != self.position.mover:
            clocks = (*clocks[:-1], clock)
        return replace(later, clock=replace(clock, running=later.mover if later.started else None), clocks=clocks)

    def _is_of_open_turn(self, ply: int) -> bool:
        undone = self.moves[ply:]
        return (
            self.position.turn_is_open
            and all(move.seat == self.position.mover for move in undone)
            and not any(move.begins for move in undone[1:])
        )

    def _begun(self) -> None:
        need(not self.waiting, "a seat is open")

    def _sit(self, data: Mapping[str, Any]) -> Table:
        need(data["seat"] in self.waiting, "the seat is taken")
        return replace(self, kinds=_put(self.kinds, data["seat"], "person"))

    def _stand(self, data: Mapping[str, Any]) -> Table:
        need(self.waiting and self.kinds[data["seat"]] == "person", "this seat cannot be left")
        return replace(self, kinds=_put(self.kinds, data["seat"], self.setup["seats"][data["seat"]]["kind"]))

    def _lots(self, data: Mapping[str, Any]) -> Table:
        order = data["seats"]
        need(not self.waiting and not self.moves and sorted(order) == list(range(len(self.kinds))), "these are no lots")
        return replace(self, kinds=tuple(self.kinds[order.index(seat)] for seat in range(len(order))))

    def _link(self, data: Mapping[str, Any]) -> Table:
        need(self.kinds[data["seat"]] == "person", "the seat has no link")
        return self

    def _action(self, data: Mapping[str, Any]) -> Table:
        self._begun()
        seat = data["seat"]
        need(data["ply"] == len(self.moves), f"action {data['ply']} is the {len(self.moves)}th")
        need(seat == self.mover, f"it is the turn of {self.mover}, not of {seat}")
        last = self.moves[-1] if self.moves else None
        begins = last is None or last.seat != seat or not self.position.turn_is_open
        need("lag" not in data or begins, "time on the line is given back in the midst of a turn")
        try:
            position = self.position.play(data["action"])
        except tercet.TercetError as error:
            raise ImpossibleError(str(error)) from None
        offers = tuple(one for one in self.offers if one.what == "draw" and one.seat == seat)
        moves = (*self.moves, Move(seat, data["action"], begins))
        return replace(self, position=position, moves=moves, offers=offers, declined=frozenset(), started=True)

    def _takeback(self, data: Mapping[str, Any]) -> Table:
        self._begun()
        ply, seat = data["ply"], data["seat"]
        need(0 <= ply < len(self.moves) and not self.adjourned, f"there is no ply {ply}")
        need(ply >= max((at for at, _ in self.resigned), default=0), "a resignation was taken back")
        if data.get("own"):
            need(self.setup["takebacks"] == "own" and ply == self.last_turn(seat), "that takes another's turn back")
            need(self.retracted.count(seat) < self.start.game.definition.retractions, "that is one too many")
        elif not self._is_of_open_turn(ply):
            offer = next((one for one in self.offers if one.what == "takeback"), Offer(seat, "takeback", ply))
            need(offer.ply == ply and offer.seat == seat and not self.awaited(offer), "no player has allowed that")
            need(self.setup["takebacks"] == "consent", "the table has no such takebacks")
        need(not self.over or not (self.drawn or self.aborted or self.rematch), "a takeback after the end")
        others = [other for other in self.awaited(Offer(seat, "takeback", ply)) if self.over]
        need(not others and (self.plays_on or not self.resigned), "a takeback after the end")
        position, resigned = self.start, list(self.resigned)
        for at, move in enumerate((*self.moves[:ply], None)):
            while resigned and resigned[0][0] == at:
                position = position.resign(resigned.pop(0)[1])
            position = position if move is None else position.play(move.text)
        retracted = (*self.retracted, *([seat] if data.get("own") else []))
        back = replace(self, position=position, moves=self.moves[:ply], retracted=retracted)
        return replace(back, offers=(), declined=frozenset())

    def _resign(self, data: Mapping[str, Any]) -> Table:
        self._begun()
        seat = data["seat"]
        need(self.plays(seat), "who resigns does not play")
        position = self.position.resign(seat) if self.plays_on else self.position
        resigned = (*self.resigned, (len(self.moves), seat))
        return replace(self, position=position, resigned=resigned, offers=(), declined=frozenset())

    def _flag(self, data: Mapping[str, Any]) -> Table:
        need(self.clock is not None and self.clock.running == data["seat"], "the clock of another runs")
        need(data["at"] == self.deadline, f"the flag falls at {data['at']}, not {self.deadline}")
        return replace(self._resign(data), flagged=self.flagged | {data["seat"]})

    def _claim(self, data: Mapping[str, Any]) -> Table:
        need(data["what"] == "win" and data["by"] is None, "no player is away for long enough in this world")
        return replace(self._resign(data), absent=self.absent | {data["seat"]})

    def _offer(self, data: Mapping[str, Any]) -> Table:
        self._begun()
        seat, what = data["seat"], data["what"]
        need(all(one.what != what for one in self.offers), "it has been offered")
        may = self.over and self.rematch is None if what == "rematch" else self.plays(seat)
        may = may and (what in ("draw", "rematch") or self.adjourned == (what == "continue"))
        need((seat, what) not in self.declined and may, "it may not be offered")
        return replace(self, offers=(*self.offers, Offer(seat, what, data.get("ply"))))

    def _open(self, what: str) -> Offer:
        found = next((one for one in self.offers if one.what == what), None)
        need(found is not None, f"there is no offer of a {what}")
        assert found is not None
        return found

    def _agreed(self, data: Mapping[str, Any]) -> Table:
        offer, seats = self._open(data["what"]), data["seats"]
        need(seats and set(seats) <= set(self.awaited(offer)), f"no open offer awaits the yes of {seats}")
        agreed = replace(offer, agreed=offer.agreed | set(seats))
        return replace(self, offers=tuple(agreed if one is offer else one for one in self.offers))

    def _declined(self, data: Mapping[str, Any]) -> Table:
        offer, seat = self._open(data["what"]), data["seat"]
        need(seat == offer.seat or seat in self.awaited(offer) or self.kinds[seat] == "engine", "no offer awaits that")
        left = tuple(one for one in self.offers if one is not offer)
        declined = self.declined | ({(offer.seat, offer.what)} if offer.what != "continue" else set())
        return replace(self, offers=left, declined=declined)

    def _agreed_to(self, what: str) -> None:
        """All have agreed to that, or no one had to."""
        open_ = [one for one in self.offers if one.what == what]
        alone = [Offer(seat, what) for seat, kind in enumerate(self.kinds) if kind == "person"]
        need(any(not self.awaited(one) for one in open_ or alone), f"no {what} was agreed")

    def _adjourn(self, _: Mapping[str, Any]) -> Table:
        self._agreed_to("adjourn")
        need(not self.adjourned and not self.waiting, "it cannot be adjourned")
        return replace(self, adjourned=True, offers=(), declined=frozenset())

    def _continue(self, _: Mapping[str, Any]) -> Table:
        self._agreed_to("continue")
        need(self.adjourned, "it is not adjourned")
        return replace(self, adjourned=False, offers=(), declined=frozenset())

    def _rematch(self, data: Mapping[str, Any]) -> Table:
        self._agreed_to("rematch")
        need(self.over and not self.waiting and self.rematch is None, "it is not the time for a rematch")
        return replace(self, rematch=data["id"], offers=())

    def _over(self, data: Mapping[str, Any]) -> Table:
        need(data["reason"] == "agreement" and not self.awaited(self._open("draw")), "no draw was agreed")
        known = self.start.game.definition.agreement is not None
        position = self.position.agree_draw() if known else self.position
        return replace(self, position=position, drawn=True, offers=(), declined=frozenset())

    def _abort(self, data: Mapping[str, Any]) -> Table:
        if "reason" in data:
            need(self.waiting, "a game that has begun was aborted")
        else:
            need(self.abortable and self.kinds[data["seat"]] == "person", "the second turn has begun")
        return replace(self, aborted=True, offers=())

    def _vacation(self, data: Mapping[str, Any]) -> Table:
        self._begun()
        seat, until, clock = data["seat"], data["until"], self.clock
        need(clock is not None and clock.renews and self.plays(seat), "no clock stands still for a vacation")
        before = clock.away[seat] if clock is not None and clock.away else 0
        need(max(before, data["at"]) != max(until, data["at"]), "that changes nothing")
        return self

    def _resumed(self, data: Mapping[str, Any]) -> Table:
        need(self.clock is not None and self.clock.running is not None and data["lost"] > 0, "no clock runs")
        return self


def _put(kinds: tuple[str, ...], seat: int, kind: str) -> tuple[str, ...]:
    return (*kinds[:seat], kind, *kinds[seat + 1 :])


def read_log(setup: Mapping[str, Any], rows: Sequence[tuple[int, str, Mapping[str, Any]]]) -> list[Table]:
    """The table before its first event and after each; ImpossibleError where one cannot follow."""
    tables = [Table.of(setup)]
    for number, kind, data in rows:
        tables.append(tables[-1].after(number, kind, data))
    return tables
