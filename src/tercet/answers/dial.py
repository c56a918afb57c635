"""The dial: thousands of games of two sets of options, and what changes between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Annotated, Any

from tercet.answers.addresses import address
from tercet.answers.errors import AnswerError
from tercet.answers.fields import GameField, Limit, Options
from tercet.answers.starts import start_of
from tercet.answers.wire import game_data
from tercet.answers.wire.client_messages import MAX_NUMBER
from tercet.core.figures import judge_all
from tercet.core.game import Game
from tercet.engines.trials import play_trials

RANDOM_GAMES, LEVEL_GAMES = 16, 4  # of one lot
MAX_LOTS = 32  # of one request, of random games
MAX_LEVEL = 5

# Means of a lot's games: the players' shares of the point, then draws, then actions.
Lot = Annotated[Sequence[float], Limit(12, 3)]
Lots = Annotated[Sequence[Lot], Limit(4000)]


@address("POST /api/dial", game_data.DialLots, apart=lambda **_: True, queue="playing")
def played(
    game: GameField,
    options: Options | None = None,
    level: Annotated[int, Limit(MAX_LEVEL, 0)] = 0,
    seed: Annotated[int, Limit(MAX_NUMBER, 0)] = 1,
    first: Annotated[int, Limit(1_000_000, 0)] = 0,
    lots: Annotated[int, Limit(MAX_LOTS, 1)] = 1,
) -> dict[str, Any]:
    """Play ``lots`` lots of games from number ``first`` on: at random, or each player at a ``level``. Return the
    players and, for each lot, the means of its games."""
    if level and lots > 1:
        raise AnswerError("bad-message", "lots", "The field lots must be from 1 to 1.")
    made = start_of(game, options, None, None).game
    games = LEVEL_GAMES if level else RANDOM_GAMES
    return {
        "players": list(made.players),
        "games": games,
        "lots": [_lot(made, level, seed, range(lot * games, (lot + 1) * games)) for lot in range(first, first + lots)],
    }


@address("POST /api/dial/compare", game_data.DialComparison, apart=lambda **_: True, queue="playing")
def compared(
    usual: Lots,
    changed: Lots,
    games: Annotated[int, Limit(1000, 1)],
    margin: Annotated[float, Limit(above=0, below=1)] = 0.02,
) -> dict[str, Any]:
    """Compare lots of ``games`` games each, first with first and so on. Return the number of games of each set of
    options and, figure by figure, both means, the difference with an interval that holds at all times, and the verdict
    (see `judge_differences`): whether the difference lies within the ``margin``. Game lengths have only means."""
    count, widths = min(len(usual), len(changed)), {len(lot) for lot in (*usual, *changed)}
    if not count or len(widths) != 1 or min(widths) < 3:
        why = "Both sets of options need lots of games, with the same number of players."
        raise AnswerError("bad-message", "changed", why)
    if not all(0 <= value <= 1 for lot in (*usual, *changed) for value in lot[:-1]):
        raise AnswerError("bad-message", "usual", "Shares of points and of draws must be from 0 to 1.")
    seats = min(widths) - 2
    columns = range(0 if seats != 2 else 1, seats + 1)  # of two players, the second gets what the first lacks
    pairs = list(zip(changed, usual, strict=False))
    differences = {str(column): [one[column] - other[column] for one, other in pairs] for column in columns}
    verdicts = {int(one.figure): one for one in judge_all(differences, margin, whole=True)}
    if seats == 2:
        second = verdicts[1]
        opposite = {"higher": "lower", "lower": "higher"}.get(second.verdict, second.verdict)
        turned = replace(second, verdict=opposite, difference=-second.difference)
        verdicts[0] = replace(turned, low=-second.high, high=-second.low)
    figures = []
    for column in range(seats + 2):
        before, after = (fmean(lot[column] for lot in lots[:count]) for lots in (usual, changed))
        one = verdicts.get(column)
        low, high, verdict = (round(one.low, 4), round(one.high, 4), one.verdict) if one else (None, None, None)
        means = {"usual": round(before, 4), "changed": round(after, 4)}
        figures.append({**means, "low": low, "high": high, "verdict": verdict})
    return {"games": count * games, "shares": figures[:seats], "draws": figures[seats], "actions": figures[seats + 1]}


def _lot(game: Game, level: int, seed: int, numbers: Sequence[int]) -> list[float]:
    trials = play_trials(game, level, seed, numbers)
    shares = [fmean(each) for each in zip(*(trial.shares for trial in trials), strict=True)]
    draws = fmean(max(trial.shares) < 1 for trial in trials) if len(shares) > 1 else 0.0
    return [round(value, 4) for value in (*shares, draws, fmean(trial.actions for trial in trials))]
