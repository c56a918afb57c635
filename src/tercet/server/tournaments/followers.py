"""Tournaments with live followers, each read at most once a second."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from fractions import Fraction
from typing import Any

from tercet.answers.translation.messages import Translator
from tercet.play.tournaments import FORM_TITLES, FORMS, TIEBREAKS, Pairing
from tercet.server.lobby.waiting_tables import words_of
from tercet.server.people.identity import Person
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.state import Written, written_fields
from tercet.server.tournaments.storage import Name, StoredTournament
from tercet.server.wire import TournamentResponse

Data = dict[str, Any]
MAX_PAIRINGS = 400  # in an answer, the latest; the standings count all
UNKNOWN = Name("?", None, "guest")


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), 3)


def head(kept: StoredTournament, entrants: int) -> Data:
    """Return a line of the list."""
    plan, tournament = kept.plan, kept.tournament
    title, option_text, _ = words_of(plan.game, plan.options)
    return {
        "id": kept.id,
        "name": kept.name,
        "form": kept.form.kind,
        "formTitle": FORM_TITLES[kept.form.kind],
        "game": plan.game,
        "title": title,
        "options": dict(plan.options),
        "optionText": option_text,
        "clock": dict(plan.clock),
        "rated": plan.rated,
        "prize": plan.prize,
        "state": tournament.state,
        "round": tournament.round,
        "rounds": tournament.rounds or kept.form.rounds or None,
        "minutes": None if kept.form.seconds is None else kept.form.seconds / 60,
        "entrants": entrants,
        "most": kept.form.most_entrants,
        "creator": kept.creator_name,
        "created": _milliseconds(kept.created),
        "begins": _milliseconds(kept.begins),
        "expires": _milliseconds(kept.expires),
        "ends": tournament.ends,
        "calledOff": tournament.called_off,
    }


def _person(kept: StoredTournament, person: str) -> Data:
    name = kept.names.get(person, UNKNOWN)
    return {"handle": name.handle, "name": name.name, "kind": name.kind}


def _pairing(kept: StoredTournament, pairing: Pairing) -> Data:
    result = pairing.result
    return {
        "number": pairing.number,
        "round": pairing.round,
        "playOff": kept.tournament.is_play_off(pairing.round),
        "bye": pairing.is_bye,
        "table": kept.tables.get(pairing.number),
        "people": [_person(kept, person) for person in pairing.people],
        "result": None
        if result is None
        else {
            "scores": list(result.scores),
            "margins": None if result.margins is None else list(result.margins),
            "forfeits": list(result.forfeits),
        },
    }


def described(kept: StoredTournament) -> Data:
    """Return the data that is the same for all clients."""
    tournament = kept.tournament
    lines = tournament.standings
    shown = list(lines[0].tiebreaks) if lines else []
    busy = tournament.playing() if tournament.state == "running" else {}
    _, _, players = words_of(kept.plan.game, kept.plan.options)
    return {
        **head(kept, len(tournament.entrants)),
        "about": FORMS[kept.form.kind],
        "players": list(players),
        "cycles": kept.form.cycles,
        "hours": kept.form.hours,
        "wait": kept.plan.wait,
        "since": tournament.since or None,
        "tiebreaks": [{"id": name, "title": TIEBREAKS[name][0], "words": TIEBREAKS[name][1]} for name in shown],
        "standings": [
            {
                "rank": line.rank,
                **_person(kept, line.person),
                "points": _number(line.points),
                "tiebreaks": [_number(value) for value in line.tiebreaks.values()],
                "games": line.games,
                "active": line.active,
                "playing": kept.tables.get(busy.get(line.person, 0)),
            }
            for line in lines
        ],
        "pairings": [_pairing(kept, pairing) for pairing in tournament.pairings[-MAX_PAIRINGS:]],
    }


def rights(kept: StoredTournament, person: Person | None) -> list[str]:
    """Return what a person may do about the tournament now: ``begin`` it, ``call-off``, ``take-over``. An entrant or a
    moderator takes over a tournament whose organiser is gone."""
    if person is None or kept.tournament.state == "over":
        return []
    entrant, organises = kept.tournament.entrant(person.id), person.id == kept.creator
    moderates = person.kind == "staff"
    may = {
        "begin": organises and kept.tournament.state == "waiting",
        "call-off": organises or moderates,
        "take-over": kept.creator_gone and (moderates or (entrant is not None and entrant.active)),
    }
    return [what for what, allowed in may.items() if allowed]


def your_part(kept: StoredTournament, asker: Person | None) -> Data:
    """Return a person's own data: whether they take part, what they may do about it, and their tables: the latest, and
    all if a round did not wait for the one before."""
    person = None if asker is None else asker.id
    entrant = None if person is None else kept.tournament.entrant(person)
    running = kept.tournament.state == "running"
    tables = [
        kept.tables[pairing.number]
        for pairing in kept.tournament.pairings
        if running and pairing.result is None and person in pairing.people and pairing.number in kept.tables
    ]
    return {
        "you": None if entrant is None or person is None else {**_person(kept, person), "active": entrant.active},
        "yours": person is not None and person == kept.creator,
        "may": rights(kept, asker),
        "yourTable": tables[-1] if tables else None,
        "yourTables": tables,
    }


PUSH_SECONDS = 1.0  # between two pushes
Load = Callable[[str], Awaitable[StoredTournament]]


class Followed:
    """One tournament for its followers in this process."""

    def __init__(self, registry: TableRegistry, load: Callable[[], Awaitable[StoredTournament]]) -> None:
        self.count = 0
        self._hub = registry
        self._load = load
        self._lock = asyncio.Lock()
        self._found: tuple[StoredTournament, dict[str, Any]] | None = None
        self._written: dict[str, dict[str, Written]] = {}  # what all who read a language share
        self._at = 0.0

    async def read(self, language: str) -> tuple[StoredTournament, dict[str, Written]]:
        """Return the tournament, and the fields of its data that all followers share who read a language."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._found is None or now - self._at >= 0.9 * PUSH_SECONDS:
                kept = await self._load()
                if self._found is None or kept != self._found[0]:
                    self._found, self._written = (kept, await self._hub.compute(lambda: described(kept))), {}
                self._at = now
            kept, shown = self._found
            if language not in self._written:
                self._written[language] = await self._hub.compute(lambda: _in_language(shown, language))
            return kept, self._written[language]


def _in_language(shown: dict[str, Any], language: str) -> dict[str, Written]:
    return written_fields(shown if language == "en" else Translator(language).value(shown, TournamentResponse))


class FollowedTournaments:
    """All that are followed in one process."""

    def __init__(self, registry: TableRegistry, load: Load) -> None:
        self._hub = registry
        self._load = load
        self._known: dict[str, Followed] = {}

    @contextlib.asynccontextmanager
    async def following(self, tournament_id: str) -> AsyncIterator[Followed]:
        """Follow it for as long as this lasts."""
        followed = self._known.get(tournament_id)
        if followed is None:
            followed = self._known[tournament_id] = Followed(self._hub, lambda: self._load(tournament_id))
        followed.count += 1
        try:
            yield followed
        finally:
            followed.count -= 1
            if not followed.count:
                self._known.pop(tournament_id, None)
