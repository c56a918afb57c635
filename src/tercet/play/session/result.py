"""The result of a game at a table: by the rules, by resignation, time, absence or agreement."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.core.game import Outcome
from tercet.play.session.state import State

__all__ = ["GameResult", "result_of"]


@dataclass(frozen=True)
class GameResult:
    """The ``outcome`` of a finished game, and as ``says`` a sentence for a person."""

    outcome: Outcome
    says: str


def result_of(state: State) -> GameResult | None:
    """Return how the game ended, or None if it goes on or was aborted."""
    if not state.is_over or state.aborted:
        return None
    outcome = state.position.outcome
    if outcome is not None:
        says = str(state.game.definition.view.scene(state.position).result)
        return GameResult(outcome, says or f"The game is over: {outcome.reason}.")
    if state.agreed_draw:
        sharing = tuple(seat for seat in range(len(state.seats)) if state.in_game(seat))
        return GameResult(_shared(state, sharing, "agreement"), "Draw by agreement.")
    return _given_up(state)


def _shared(state: State, sharing: tuple[int, ...], reason: str) -> Outcome:
    """Return the point shared equally."""
    scores = tuple(1 / len(sharing) if seat in sharing else 0.0 for seat in range(len(state.seats)))
    return Outcome(scores, sharing, reason)


def _given_up(state: State) -> GameResult:
    """Give the point to those who have not lost at the table; several share it, whatever stood on the board."""
    players = state.game.players
    loser = state.resigned[-1][1]
    others = tuple(seat for seat in range(len(players)) if seat not in state.resigned_seats)
    if loser in state.timed_out:
        reason, says = "time", f"{players[loser]} ran out of time"
    elif loser in state.absent:
        reason, says = "absence", f"{players[loser]} left the game"
    else:
        reason, says = "resignation", f"{players[loser]} resigned"
    if len(others) == 1:
        says += f". {players[others[0]]} wins"
    elif others:
        says += f". {' and '.join(players[seat] for seat in others)} share the point"
    return GameResult(_shared(state, others, reason), f"{says}.")
