"""What the addresses answer that need no other people: those of a server, and of the backend in the browser."""

from __future__ import annotations

import functools
import re
from typing import Any

from tercet.answers.wire import TypedDict, game_data, learning, my_games, table_messages
from tercet.core.view import Findings


class Wrong(TypedDict):
    """The answer to a request that was refused."""

    error: game_data.ErrorData


ANSWERS: dict[str, Any] = {
    "GET /api/games": list[game_data.GameData],
    "GET /api/rules/{game}": game_data.RulesData,
    "GET /api/presets/{game}": list[game_data.PresetPicture],
    "POST /api/preview": game_data.Preview,
    "POST /api/analyse": game_data.Analysed,
    "POST /api/position": game_data.Reached,
    "POST /api/explore": Findings,
    "POST /api/why": game_data.Legality,
    "POST /api/politics": game_data.Politics,
    "POST /api/dial": game_data.DialLots,
    "POST /api/dial/compare": game_data.DialComparison,
    "POST /api/record": game_data.RecordData,
    "POST /api/record/write": game_data.WrittenRecord,
    "GET /api/lessons": list[learning.GameLessons],
    "GET /api/lessons/{game}/{lesson}": learning.LessonData,
    "POST /api/lessons/{game}/{lesson}/{step}/try": learning.TryAnswer,
    "GET /api/lessons/{game}/{lesson}/{step}/solution": learning.StepSolution,
    "POST /api/advice": learning.AdviceData,
    "POST /api/first-game": learning.FirstGameData,
    "GET /api/puzzles": learning.PuzzleThemes,
    "GET /api/puzzles/daily": learning.PuzzleData,
    "GET /api/puzzles/days": learning.PuzzleDays,
    "GET /api/puzzles/run": learning.PuzzleRun,
    "GET /api/puzzles/next": learning.PuzzleData,
    "GET /api/puzzles/history": learning.PuzzleHistory,
    "GET /api/puzzles/{ident}": learning.PuzzleData,
    "POST /api/puzzles/{ident}/try": learning.PuzzleAnswer,
    "POST /api/puzzles/{ident}/solution": learning.PuzzleAnswer,
    "GET /api/tables/{table_id}": table_messages.Snapshot,
    "GET /api/tables/{table_id}/at/{ply}": table_messages.PastPosition,
    "POST /api/tables/{table_id}/hint": table_messages.HintData,
    "GET /api/me/tables": my_games.MyTables,
    "GET /api/me/games": my_games.GamesResponse,
}
# Those of the backend in the browser alone, over the games stored there.
DEVICE_ANSWERS: dict[str, Any] = {
    "GET /api/me/played": my_games.PlayedStarts,
    "POST /api/me/played": my_games.Continuations,
    "POST /api/me/records": my_games.KeptGames,
}


@functools.cache
def _matched() -> list[tuple[re.Pattern[str], Any]]:
    answers = {**ANSWERS, **DEVICE_ANSWERS}
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", address)), kind) for address, kind in answers.items()]


def answer_type(method: str, path: str) -> Any:
    """Return the type of what an address answers; None where it is none of these."""
    asked = f"{method} {path}"
    return next((kind for pattern, kind in _matched() if pattern.fullmatch(asked)), None)
