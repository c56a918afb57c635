"""Tournaments as values: pairings, results, standings. People are known by any text. Nothing here reads the time: the
caller passes it, in milliseconds.

``tournament.join(person)`` and the other commands answer with the events that they cause, or with a
:class:`TournamentError`; they change nothing. ``tournament.after(event)`` is the tournament after an event. So a log
of events is the whole truth: ``Tournament.replay(form, log)`` gives back exactly the tournament that wrote it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tercet.play.tournaments.form import BEST_MARGIN, FORM_TITLES, FORMS, MOST_ROUNDS, Form, TournamentError, check_form
from tercet.play.tournaments.pairing import pair_free, pair_round
from tercet.play.tournaments.results import (
    TIEBREAKS,
    Entrant,
    Pairing,
    Past,
    Result,
    Standing,
    TournamentEvent,
    forfeited,
    look_back,
    standings,
)
from tercet.play.tournaments.roundrobin import play_off_places, play_off_round, qualified, schedule

__all__ = [
    "BEST_MARGIN",
    "FORMS",
    "FORM_TITLES",
    "MOST_ROUNDS",
    "TIEBREAKS",
    "Entrant",
    "Form",
    "Pairing",
    "Result",
    "Standing",
    "Tournament",
    "TournamentError",
    "TournamentEvent",
    "check_form",
    "forfeited",
    "schedule",
]

HOUR = 3_600_000
Found = list[TournamentEvent]


@dataclass(frozen=True)
class Tournament:
    """A tournament at one moment. ``state`` is ``waiting``, ``running`` or ``over``; ``round`` the one that is being
    played, ``rounds`` how many there are before a play-off, ``since`` when the present one was paired; ``ends`` when
    the time of an arena is up; ``called_off`` why it did not come to its end."""

    form: Form
    state: str = "waiting"
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    round: int = 0
    rounds: int = 0
    since: int = 0
    ends: int | None = None
    called_off: str | None = None

    @classmethod
    def replay(cls, form: Form, log: Iterable[TournamentEvent]) -> Tournament:
        """Return the tournament that wrote ``log``."""
        return functools.reduce(cls.after, log, cls(form))

    # What is asked of it ---------------------------------------------------------------------------------------------

    def join(self, person: str) -> Found:
        """Return the event that ``person`` takes part, or again; TournamentError says why not, as in the others."""
        known = self.entrant(person)
        if self.state == "over":
            raise TournamentError("over", "tournament", "The tournament is over.")
        if known is not None and known.active:
            raise TournamentError("not-possible", "person", "You already take part in this tournament.")
        if self.state == "running":
            if self.round > self.rounds > 0 or (known is None and self.form.all_play_all):
                raise TournamentError("not-possible", "tournament", "The tournament has already begun.")
            if not self.form.is_open and self.round >= self.rounds:
                raise TournamentError("not-possible", "tournament", "The last round of the tournament has begun.")
        if known is None and len(self.entrants) >= self.form.most_entrants:
            why = f"The tournament is full: it has {self.form.most_entrants} players."
            raise TournamentError("not-possible", "tournament", why)
        return [TournamentEvent("joined", {"person": person})]

    def leave(self, person: str) -> Found:
        """Return the event that ``person`` is no longer paired. A game in progress goes on."""
        known = self.entrant(person)
        if known is None or not known.active:
            raise TournamentError("not-found", "person", "You do not take part in this tournament.")
        if self.state == "over":
            raise TournamentError("over", "tournament", "The tournament is over.")
        return [TournamentEvent("left", {"person": person})]

    def begin(self, now: int, order: Sequence[str] = ()) -> Found:
        """Return the event that the tournament begins. ``order`` are entrants in the order of their strength, as far as
        it is known; the others follow as they came."""
        if self.state != "waiting":
            raise TournamentError("not-possible", "tournament", "The tournament has already begun.")
        count = len(self.entrants)
        if count < self.form.seats:
            why = f"The tournament needs {self.form.seats} players, not {count}."
            raise TournamentError("not-possible", "entrants", why)
        people = [entrant.id for entrant in self.entrants]
        ranked = list(dict.fromkeys([*(person for person in order if person in people), *people]))
        ends = None if self.form.seconds is None else now + 1000 * self.form.seconds
        data = {"at": now, "order": ranked, "rounds": self._rounds(count), "ends": ends}
        return [TournamentEvent("begun", data)]

    def call_off(self, why: str) -> Found:
        """Return the event that the tournament is over as it stands, and ``why``. What is played now does not count."""
        if self.state == "over":
            raise TournamentError("over", "tournament", "The tournament is over.")
        return [TournamentEvent("over", {"why": why})]

    def report(self, number: int, result: Result) -> Found:
        """Return the event of a pairing's result; none where it is known already, or the tournament is over."""
        pairing = next((each for each in self.pairings if each.number == number), None)
        if pairing is None:
            raise TournamentError("not-found", "number", f"There is no pairing {number}.")
        if len(result.scores) != len(pairing.people):
            why = f"A result must have {len(pairing.people)} scores, one for each seat."
            raise TournamentError("bad-option", "scores", why)
        if pairing.result is not None or self.state != "running":
            return []
        return [TournamentEvent("result", {"number": number, **result.data()})]

    def advance(self, now: int) -> Found:
        """Return the events due at ``now`` (milliseconds): a new round, pairings of an arena, the end; none while games
        are waited for."""
        if self.state != "running":
            return []
        if self.ends is not None and now < self.ends:
            return self._arena(now)
        if self.form.is_open and (self.form.kind == "arena" or not self.pairings):
            return [TournamentEvent("over", {})]
        waiting = any(pairing.result is None for pairing in self.pairings)
        hours = self.form.hours
        if waiting and (self.round >= self.rounds or hours is None or now < self.since + hours * HOUR):
            return []
        tables = self._next_round()
        if not tables:
            return [] if waiting else [TournamentEvent("over", {})]
        return self._paired(self.round + 1, tables, now)

    # What became of it -----------------------------------------------------------------------------------------------

    def after(self, event: TournamentEvent) -> Tournament:
        """Return the tournament after ``event``."""
        data = event.data
        if event.kind == "joined" and self.entrant(data["person"]) is not None:
            return self._active(data["person"], True)
        if event.kind == "joined":
            return replace(self, entrants=(*self.entrants, Entrant(data["person"], len(self.entrants) + 1)))
        if event.kind == "left":
            if self.state == "waiting":
                kept = (entrant for entrant in self.entrants if entrant.id != data["person"])
                return replace(self, entrants=tuple(replace(each, number=n) for n, each in enumerate(kept, 1)))
            return self._active(data["person"], False)
        if event.kind == "begun":
            known = {entrant.id: entrant for entrant in self.entrants}
            entrants = tuple(replace(known[person], number=number) for number, person in enumerate(data["order"], 1))
            begun = replace(self, state="running", entrants=entrants)
            return replace(begun, rounds=data["rounds"], since=data["at"], ends=data["ends"])
        if event.kind == "paired":
            made = Pairing(data["number"], data["round"], tuple(data["people"]))
            return replace(self, pairings=(*self.pairings, made), round=data["round"], since=data["at"])
        if event.kind == "result":
            result, number = Result.read(data), data["number"]
            pairings = (replace(one, result=result) if one.number == number else one for one in self.pairings)
            return replace(self, pairings=tuple(pairings))
        if event.kind == "over":
            return replace(self, state="over", called_off=data.get("why"))
        raise TournamentError("bad-option", "event", f"There is no event of kind {event.kind!r}.")

    def _active(self, person: str, active: bool) -> Tournament:
        entrants = (replace(each, active=active) if each.id == person else each for each in self.entrants)
        return replace(self, entrants=tuple(entrants))

    # What it shows ---------------------------------------------------------------------------------------------------

    def entrant(self, person: str) -> Entrant | None:
        """Return the entrant with that id."""
        return next((entrant for entrant in self.entrants if entrant.id == person), None)

    @property
    def standings(self) -> list[Standing]:
        """Everybody's line, the best first."""
        return self._standings(self.play_off_places())

    def _standings(self, places: Mapping[str, int]) -> list[Standing]:
        known = [each for each in self.pairings if each.result is not None and not self.is_play_off(each.round)]
        return standings(self.form, self.entrants, known, self.round, places)

    def is_play_off(self, number: int) -> bool:
        """Return whether that round belongs to the play-off."""
        return self.form.by_margin and number > self.rounds

    def playing(self) -> dict[str, int]:
        """Return who plays now, and the number of the pairing (the latest if rounds overlap)."""
        return {person: each.number for each in self.pairings if each.result is None for person in each.people}

    # Rounds ----------------------------------------------------------------------------------------------------------

    def _rounds(self, count: int) -> int:
        form = self.form
        if form.is_open:
            return int(form.by_margin)  # all that is played before a play-off is one round
        if form.all_play_all:
            return len(schedule(count, form.seats, form.cycles))
        usual = min(math.ceil(math.log2(count)) + 1, -(-count // 2))  # no two need meet again, nor anyone sit out twice
        if form.seats > 2:
            return form.rounds or usual
        return min(form.rounds or usual, count if count % 2 else count - 1)

    def _next_round(self) -> list[tuple[str, ...]]:
        number = self.round + 1
        if number > self.rounds:
            if not self.form.by_margin:
                return []
            best, seats = self._qualified(), self.form.seats
            return play_off_round(number - self.rounds, seats, best, self._played_off(), self._pasts())
        if self.form.all_play_all:
            people = {entrant.number: entrant.id for entrant in self.entrants}
            tables = schedule(len(people), self.form.seats, self.form.cycles)[number - 1]
            named = [tuple(people[one + 1] for one in table) for table in tables]
            seated = {person for table in named for person in table}
            return named + [(person,) for person in people.values() if person not in seated]
        active = {entrant.id for entrant in self.entrants if entrant.active}
        ranked = [line.person for line in self._standings({}) if line.person in active]
        if self.round == 0:
            ranked = [entrant.id for entrant in self.entrants if entrant.active]
        if len(ranked) < self.form.seats:
            return []
        return pair_round(self.form.seats, ranked, self._pasts(), self.form.seed + number)

    def _pasts(self) -> dict[str, Past]:
        return look_back(self.form.kind, (entrant.id for entrant in self.entrants), self.pairings)

    def _arena(self, now: int) -> Found:
        playing = self.playing()
        free = [line.person for line in self.standings if line.active and line.person not in playing]
        if len(free) < self.form.seats:
            return []
        return self._paired(1, pair_free(self.form.seats, free, self._pasts(), bool(playing), now), now)

    def _paired(self, number: int, tables: Sequence[tuple[str, ...]], now: int) -> Found:
        """Return the events for these tables; after a bye or a departure the result follows at once."""
        found: Found = []
        away = {entrant.id for entrant in self.entrants if not entrant.active}
        for count, people in enumerate(tables, len(self.pairings) + 1):
            pairing = {"round": number, "number": count, "people": list(people), "at": now}
            found.append(TournamentEvent("paired", pairing))
            result = None
            if len(people) == 1:
                score = 0.0 if self.form.all_play_all else 1 / (self.form.seats - 1)
                result = Result((score,), at=now)
            elif away & set(people):
                result = forfeited(people, away, now)
            if result is not None:
                found.append(TournamentEvent("result", {"number": count, **result.data()}))
        return found

    # Play-off --------------------------------------------------------------------------------------------------------

    def _played_off(self) -> list[Pairing]:
        return [pairing for pairing in self.pairings if self.is_play_off(pairing.round)]

    def _qualified(self) -> list[str]:
        """Return who play off, best first."""
        shown = {person for pairing in self._played_off() for person in pairing.people}
        still = {entrant.id for entrant in self.entrants if entrant.active} | shown
        return qualified(self.form.seats, [line.person for line in self._standings({}) if line.person in still])

    def play_off_places(self) -> dict[str, int]:
        """Return the place of each who has played off, from 1, as far as it is settled."""
        played = self._played_off()
        return play_off_places(self.form.seats, self._qualified(), played) if played else {}
