"""Tournaments with live followers, each read at most once a second."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tercet.answers.translation.messages import Translator
from tercet.server.tables.broadcast import Written, written_fields
from tercet.server.tables.registry import TableRegistry
from tercet.server.tournaments.messages import described
from tercet.server.tournaments.storage import StoredTournament
from tercet.server.wire.tournaments import TournamentResponse

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
