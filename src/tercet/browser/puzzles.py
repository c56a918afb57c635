"""Puzzles on one device: which comes next, and how strong its person is. Results are kept in the page's storage."""

from __future__ import annotations

import contextlib
import datetime
import json
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import tercet
from tercet.answers import home, puzzles, trainer
from tercet.answers.addresses import answers
from tercet.answers.errors import AnswerError
from tercet.browser.tables import Storage
from tercet.play.ratings import Glicko, rate_two

KEY = "puzzles"
Loader = Callable[[], Awaitable[None]]


class LocalPuzzles:
    """The puzzles that come with the games, and the tries of one person. ``load_motifs`` loads the puzzles made for
    motifs, once they are needed (None: they are here)."""

    def __init__(self, storage: Storage, load_motifs: Loader | None = None) -> None:
        self._storage = storage
        self._load_motifs = load_motifs
        self._kept: dict[str, Any] | None = None

    async def _results(self) -> dict[str, Any]:
        """Return the ``tries`` by puzzle (the latest last) and the ``ratings`` by game."""
        if self._kept is None:
            text = await self._storage.get(KEY)
            self._kept = self._kept or ({"tries": {}, "ratings": {}} if text is None else json.loads(text))
        return self._kept

    async def _tries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the puzzles of this version that were tried, the latest first."""
        tries = (await self._results())["tries"]
        if not tries.keys() <= puzzles.all_puzzles().keys():
            with contextlib.suppress(AnswerError):
                await self._load()
        return [(ident, tries[ident]) for ident in reversed(tries) if ident in puzzles.all_puzzles()]

    async def _load(self) -> None:
        """Load the puzzles made for motifs. Raise AnswerError if that fails."""
        if self._load_motifs is None:
            return
        try:
            await self._load_motifs()
        except Exception:
            why = "The puzzles of the trainer could not be loaded. Check your connection and try again."
            raise AnswerError("unavailable", "puzzle", why) from None
        self._load_motifs = None
        puzzles.all_puzzles.cache_clear()
        trainer.all_motifs.cache_clear()

    @answers(home.themes)
    async def themes(self) -> dict[str, Any]:
        games = []
        for name in tercet.games():
            listed = [puzzle for puzzle in puzzles.all_puzzles().values() if puzzle["game"] == name]
            if not listed:
                continue
            counted = Counter(tag for puzzle in listed for tag in dict.fromkeys(puzzle["tags"]))
            ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
            ratings = [puzzle["rating"] for puzzle in listed]
            known = puzzles.themes_data(name, len(listed), min(ratings), max(ratings), ordered)
            games.append({**known, "standing": await self._standing(name)})
        return {"games": games}

    async def _standing(self, game: str) -> dict[str, Any]:
        right = [one["right"] for ident, one in await self._tries() if puzzles.known_puzzle(ident)["game"] == game]
        kept = (await self._results())["ratings"].get(game)
        return puzzles.standing_data(await self._rating(game), kept["tries"] if kept else 0, right)

    async def _rating(self, game: str) -> Glicko:
        kept = (await self._results())["ratings"].get(game)
        return puzzles.beginner_rating(game) if kept is None else Glicko.read(kept)

    @answers(home.daily)
    async def daily(self, game: str = "", day: datetime.date | None = None) -> dict[str, Any]:
        today = puzzles.today()
        return await self._puzzle(puzzles.daily_puzzle(game, day or today, today), day=day or today)

    @answers(home.days)
    async def days(self, month: datetime.date | None = None) -> dict[str, Any]:
        today, tries = puzzles.today(), (await self._results())["tries"]
        right = {ident: one["right"] for ident, one in tries.items()}
        return puzzles.month_data(puzzles.puzzle_days(month or today, today), right, today)

    @answers(home.puzzle)
    async def puzzle(self, ident: str) -> dict[str, Any]:
        if ident not in puzzles.all_puzzles():
            await self._load()
        return await self._puzzle(ident)

    async def _puzzle(self, ident: str, **known: Any) -> dict[str, Any]:
        """Return a puzzle to solve, with what is ``known`` besides."""
        settled = ident in (await self._results())["tries"]
        rating = puzzles.known_puzzle(ident)["rating"]
        return puzzles.puzzle_data(ident, rating=rating, tries=int(settled), settled=settled, **known)

    @answers(home.next_puzzle)
    async def following(
        self, game: str, tag: Sequence[str] = (), low: int = 0, high: int = home.MAX_RATING, repeat: bool = True
    ) -> dict[str, Any]:
        """One that was not tried is near the lower end of what the person's rating may be."""
        tries, now = (await self._results())["tries"], time.time()
        theirs = [puzzle for puzzle in puzzles.all_puzzles().values() if puzzle["game"] == game]
        rated = [puzzle for puzzle in theirs if low <= puzzle["rating"] <= high]
        fitting = [puzzle["id"] for puzzle in rated if set(tag) <= set(puzzle["tags"])]
        due = [ident for ident in fitting if ident in tries and (tries[ident]["due"] or now + 1) <= now]
        if due and repeat:
            return await self._puzzle(min(due, key=lambda ident: float(tries[ident]["due"])), again=True)
        rating = await self._rating(game)
        wanted, fresh = rating.rating - rating.deviation, [ident for ident in fitting if ident not in tries]
        fresh.sort(key=lambda ident: abs(float(puzzles.known_puzzle(ident)["rating"]) - wanted))
        if not fresh:
            raise AnswerError("not-found", "puzzle", "You have tried all puzzles of this kind.")
        return await self._puzzle(random.choice(fresh[: puzzles.NEAR_PUZZLES]))

    @answers(home.trainer)
    async def trainer(self, game: str = "") -> dict[str, Any]:
        await self._load()
        return trainer.trainer_data(game, (await self._results())["tries"], time.time())

    @answers(home.next_of_motif)
    async def next_of_motif(self, game: str = "") -> dict[str, Any]:
        await self._load()
        ratings = {name: await self._rating(name) for name in tercet.games()}
        wanted = {name: rating.rating - rating.deviation for name, rating in ratings.items()}
        ident, motif = trainer.following(game, (await self._results())["tries"], wanted, time.time())
        return await self._puzzle(ident, motif=motif)

    @answers(home.history)
    async def history(self) -> dict[str, Any]:
        tries = (await self._tries())[: puzzles.MAX_HISTORY_LINES]
        return {"tried": [puzzles.tried_data(ident, puzzles.known_puzzle(ident)["game"], one) for ident, one in tries]}

    @answers(home.try_puzzle)
    async def attempt(
        self,
        ident: str,
        actions: Sequence[str],
        moves: Sequence[str] = (),
        run: bool = False,
        motif: str | None = None,
    ) -> dict[str, Any]:
        return await self._decided(puzzles.puzzle_tried(ident, moves, actions), ident, run, motif)

    @answers(home.solve_puzzle)
    async def solution(self, ident: str, run: bool = False, motif: str | None = None) -> dict[str, Any]:
        return await self._decided(puzzles.puzzle_solution(ident), ident, run, motif)

    async def _decided(self, shown: dict[str, Any], ident: str, run: bool, motif: str | None) -> dict[str, Any]:
        trainer.check_motif(motif, ident)
        if shown["state"] in ("right", "wrong") and not run:
            shown["change"] = await self._conclude(puzzles.known_puzzle(ident), shown["state"] == "right", motif)
            shown["standing"] = await self._standing(shown["game"])
            if motif is not None:
                shown["motif"] = trainer.motif_data(motif, (await self._results())["tries"], time.time())
        return shown

    async def _conclude(self, puzzle: Mapping[str, Any], right: bool, motif: str | None) -> int | None:
        """Store a result. Return by how much it changes the rating; None if it was not the first."""
        results, now = await self._results(), time.time()
        known, kept = results["tries"].get(puzzle["id"]), results["ratings"].get(puzzle["game"])
        change = None
        if known is not None:
            counted = puzzles.tried_again(known["failures"], known["due"], right, now)
            if counted is None:
                return None
            known["failures"], known["due"] = counted
        else:
            before = await self._rating(puzzle["game"])
            days = 0.0 if kept is None else (now - kept["at"]) / puzzles.DAY_SECONDS
            free, _ = rate_two(before, puzzles.new_rating(puzzle), float(right), (days, 0.0))
            after = puzzles.after_try(before, free)
            tries = 1 if kept is None else kept["tries"] + 1
            results["ratings"][puzzle["game"]] = {**after.data(), "tries": tries, "at": now}
            due = puzzles.due_again(right, 1, now)
            tried = {"right": right, "at": now, "rating": after.rating, "failures": int(not right), "due": due}
            results["tries"][puzzle["id"]] = {**tried, "motif": motif}
            change = round(after.rating) - round(before.rating)
        await self._storage.put(KEY, json.dumps(results, separators=(",", ":")))
        return change
