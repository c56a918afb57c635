"""Comments on a game that anybody can check: what happened besides the move, which wins at once were missed, left or
threatened, and who leads.

Nothing here judges: every sentence follows from the rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from tercet.core.game import Action, Position
from tercet.record.tree import Node, Record

NAMED = 3  # actions that are listed by name, before only their number is given
FEW = 10  # a threat is noted where at most one answer of so many stops it: some answers nearly always lose at once


def annotate(record: Record) -> None:
    """Comment on each action of the main line, behind what stands there already.

    In a game for two whose turns are single actions, actions that win at once, and answers to them, are also tried out.
    """
    position = record.start
    tries = len(position.game.players) == 2 and position.game.definition.turn_is_open is None
    leader = _leader(position)
    for node in record.main():
        before, after = position, node.position
        position = after
        if node.action_text is None or node.action_text not in before.legal_actions:
            continue  # a resignation, an offer or a retraction
        said = [event.says for event in before.transition(node.action_text).events[1:]]
        if tries:
            said += _about_wins(before, node)
        if not after.turn_is_open:
            now = _leader(after)
            if now is not None and now != leader:
                said.append(_about_lead(after, now))
                leader = now
        node.comment = " ".join([node.comment, *said]).strip()


def _has_won(position: Position, player: int | None) -> bool:
    outcome = position.outcome
    return outcome is not None and outcome.winners == (player,)


def _wins(position: Position) -> list[Action]:
    """Return the actions that win for the mover at once."""
    return [action for action in position.legal_actions if _has_won(position.play(action), position.mover)]


def _about_wins(before: Position, node: Node) -> list[str]:
    """Wins at once: those that the mover missed, those left to the other, and the mover's threats."""
    after = node.position
    said = []
    missed = _wins(before)
    if missed and node.action_text not in [str(action) for action in missed]:
        said.append(f"Misses a win at once: {_list(missed)}.")
    if after.is_over or after.mover == before.mover:
        return said
    left = _wins(after)
    if left:
        return [*said, f"Leaves a win at once: {_list(left)}."]
    mover, other = (after.game.players[player or 0] for player in (before.mover, after.mover))
    answers = after.legal_actions
    safe = [answer for answer in answers if not _wins_next(after, answer, before.mover)]
    if not safe:
        said.append(f"Whatever {other} answers, {mover} wins on the next turn.")
    elif FEW * len(safe) <= len(answers):
        which = f": {_list(safe)}" if len(safe) <= NAMED else ""
        verb = "keeps" if len(safe) == 1 else "keep"
        said.append(f"Of {len(answers)} answers {len(safe)} {verb} {mover} from winning at once{which}.")
    return said


def _wins_next(position: Position, answer: Action, player: int | None) -> bool:
    """Return whether ``player`` can win at once after ``answer``."""
    following = position.play(answer)
    if following.is_over or following.mover != player:
        return _has_won(following, player)
    return bool(_wins(following))


def _list(actions: Sequence[Action]) -> str:
    named = ", ".join(str(action) for action in actions[:NAMED])
    return named if len(actions) <= NAMED else f"{named} and {len(actions) - NAMED} more"


def _leader(position: Position) -> int | None:
    """Return the player who alone has the most by the game's tally, or None."""
    tally = position.tally
    return None if tally is None or tally.count(max(tally)) > 1 else tally.index(max(tally))


def _about_lead(position: Position, leader: int) -> str:
    game, tally = position.game, position.tally or ()
    title = game.definition.tally.title if game.definition.tally is not None else ""
    counts = ", ".join(f"{name} {count:g}" for name, count in zip(game.players, tally, strict=True))
    return f"{game.players[leader]} now leads in {title}: {counts}."
