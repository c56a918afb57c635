"""The political meter, for three players: what each move cost its mover and what it moved between the others.

No published measure exists; docs/laboratory.md defines each figure. A game of three is described by *values*: for each
action of the mover the three shares of the point that follow from it. A judge estimates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.core.game import Action, Position
    from tercet.engines import Engine, Limits

NEAR = 0.02  # Moves that cost the mover at most so much are near-best.
HOPELESS = 0.02  # A mover whose best share is at most so much can no longer win.
HARM = 0.05  # A move that costs another player so much harms that player.
LINES = 12  # Actions that a judge values.

Shares = tuple[float, ...]


@dataclass(frozen=True)
class DecisionEffect:
    """What a decision did. ``cost`` is the share that the move cost its ``mover``. ``leader`` is which of the other two
    stood better if the mover had played the best move, and ``hit`` the share that the move took from that one
    for the third. ``spoil`` is how much of the point the mover could shift between the other two at no or almost no
    cost, ``hopeless`` whether the mover could no longer win. ``spite`` is the least that the mover must give up for
    each share taken from the leader (None where no action harms the leader). ``harms`` is whether the move harmed the
    leader (1), the third (-1) or neither (0), ``chance`` what that would be on the mean of all actions valued."""

    mover: int
    leader: int
    cost: float
    hit: float
    spoil: float
    hopeless: bool
    spite: float | None
    harms: int
    chance: float


def meter(mover: int, values: Mapping[Any, Shares], played: Any) -> DecisionEffect:
    """Return what ``played`` did at a decision of three, where each action leads to these ``values``."""
    best = max(shares[mover] for shares in values.values())
    second, third = (seat for seat in range(3) if seat != mover)
    tops = [shares for shares in values.values() if best - shares[mover] <= 1e-9]
    due = [fmean(shares[seat] for shares in tops) for seat in range(3)]
    leader, other = (second, third) if due[second] >= due[third] else (third, second)
    near = [shares for shares in values.values() if best - shares[mover] <= NEAR]
    between = [(shares[leader] - shares[other]) / 2 for shares in near]
    costs = [
        (best - shares[mover]) / (due[leader] - shares[leader])
        for shares in values.values()
        if due[leader] - shares[leader] >= HARM
    ]
    shares = values[played]

    def harmed(outcome: Shares) -> int:
        lost = [due[seat] - outcome[seat] for seat in (leader, other)]
        return 0 if max(lost) < HARM else 1 if lost[0] >= lost[1] else -1

    hit = ((shares[other] - due[other]) - (shares[leader] - due[leader])) / 2
    return DecisionEffect(
        mover,
        leader,
        round(best - shares[mover], 4),
        round(hit, 4),
        round(max(between) - min(between), 4),
        best <= HOPELESS,
        round(min(costs), 4) if costs else None,
        harmed(shares),
        round(fmean(harmed(outcome) for outcome in values.values()), 4),
    )


def expected(position: Position, judge: Engine, limits: Limits) -> Shares:
    """Return the shares of the point that ``judge`` expects from a position; where the game is over, the result."""
    outcome = position.outcome
    return judge.think(position, limits).info.lines[0].scores if outcome is None else outcome.scores


def decision_of(position: Position, action: Action, judge: Engine, limits: Limits) -> DecisionEffect:
    """Return what ``action`` does in the eyes of ``judge``, who values the best actions and this one."""
    lines = judge.think(position, replace(limits, multipv=LINES)).info.lines
    values = {position.action(line.pv[0]).id: line.scores for line in lines}
    if int(action) not in values:
        values[int(action)] = expected(position.play(action), judge, limits)
    return meter(position.mover or 0, values, int(action))


@dataclass(frozen=True)
class Shift:
    """What a decision of seat ``mover`` that was not the best shifted, as a share of the point: ``taken`` is what
    ``leader``, the better of the other two after the best move, lost by it to the third."""

    mover: int
    leader: int
    taken: float


def shifts(start: Position, actions: Iterable[Action | int | str], judge: Engine, limits: Limits) -> list[Shift]:
    """Return what the decisions of a game for three shifted in the eyes of ``judge``, until one of them is out."""
    position, made = start, list[Shift]()
    for given in actions:
        mover = position.mover
        if mover is None or not all(map(position.may_resign, range(3))):
            break
        action = position.action(given)
        if len(position.legal_actions) > 1:
            best = judge.think(position, limits).action
            if best.id != action.id:
                made.append(_shift_of(position, best, action, judge, limits))
        position = position.play(action)
    return made


def _shift_of(position: Position, best: Action, action: Action, judge: Engine, limits: Limits) -> Shift:
    mover = position.mover or 0
    second, third = (seat for seat in range(3) if seat != mover)
    due, made = (expected(position.play(one), judge, limits) for one in (best, action))
    leader, other = (second, third) if due[second] >= due[third] else (third, second)
    return Shift(mover, leader, ((made[other] - due[other]) - (made[leader] - due[leader])) / 2)


def is_kingmaking(decision: DecisionEffect) -> bool:
    """Return whether a mover who could no longer win decided something between the other two: their move shifted at
    least HARM of the point from one to the other."""
    return decision.hopeless and abs(decision.hit) >= HARM


def politics_of(decisions: Sequence[DecisionEffect]) -> dict[str, list[float]]:
    """Return the values that each figure of the meter has in a game: one for each decision that it looks at."""
    taxed = [decision for decision in decisions if decision.harms or decision.chance]
    return {
        "cost of moves": [decision.cost for decision in decisions],
        "spoiler power": [decision.spoil for decision in decisions if decision.hopeless],
        "hopeless decisions": [float(decision.hopeless) for decision in decisions],
        "cost of spite": [min(decision.spite, 10.0) for decision in decisions if decision.spite is not None],
        "leader tax": [decision.harms - decision.chance for decision in taxed],
    }
