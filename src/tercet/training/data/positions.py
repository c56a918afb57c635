"""Decisions: what a player saw, could do and did, as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from tercet.core.game import Game, Position
from tercet.record import Node, Record, is_token
from tercet.record.tree import seed_of
from tercet.training.data.schema import DataError, positions_schema


@dataclass(frozen=True)
class Decision:
    """One action of a game.

    ``number`` and ``seed`` are the game's, and ``ply`` counts its actions from 0. ``policy`` divides 1 among the
    actions that the engine preferred. ``values`` are the players' shares of the point at the end (None if the game
    did not end), and ``estimates`` the shares that the engine expected (None if unknown).
    """

    position: Position
    action: int
    number: int = 0
    seed: int = 0
    ply: int = 0
    policy: Mapping[int, float] | None = None
    values: Sequence[float] | None = None
    estimates: Sequence[float] | None = None


def positions_table(game: Game, decisions: Iterable[Decision], metadata: Mapping[str, Any] | None = None) -> Any:
    """Return an Arrow table of decisions of one game; DataError where one is of another."""
    chosen = list(decisions)
    schema = positions_schema(game, metadata)
    rules = game.rules
    rows = np.zeros((len(chosen), rules.row_size), np.int64)
    legal = np.zeros((len(chosen), rules.actions), np.bool_)
    policies: list[Mapping[int, float]] = []
    for place, decision in enumerate(chosen):
        position = decision.position
        if position.game != game:
            raise DataError(f"All positions must be of {game!r}, but one is of {position.game!r}.")
        rows[place] = position.row
        legal[place, np.asarray(position.legal_actions.ids)] = True
        if not legal[place, decision.action]:
            raise DataError(f"Game {decision.number}: action {decision.action} is not legal at ply {decision.ply}.")
        policies.append(decision.policy or {decision.action: 1.0})
    bits = np.packbits(legal, axis=1, bitorder="little")
    columns = {
        "game": [decision.number for decision in chosen],
        "seed": [decision.seed for decision in chosen],
        "ply": [decision.ply for decision in chosen],
        "mover": [decision.position.mover for decision in chosen],
        "row": pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rules.row_size),
        "legal": pa.FixedSizeListArray.from_arrays(pa.array(bits.reshape(-1)), bits.shape[1]),
        "action": [decision.action for decision in chosen],
        "policy_actions": [list(policy) for policy in policies],
        "policy_weights": [list(policy.values()) for policy in policies],
        "values": [None if decision.values is None else list(decision.values) for decision in chosen],
        "estimates": [None if decision.estimates is None else list(decision.estimates) for decision in chosen],
    }
    return pa.Table.from_arrays(
        [
            column if isinstance(column, pa.Array) else pa.array(column, field.type)
            for field in schema
            for column in [columns[field.name]]
        ],
        schema=schema,
    )


def values_of(record: Record) -> tuple[float, ...] | None:
    """Return the players' shares in the end, by the board or by the header Result; None where neither says."""
    if record.result == "*":
        return None
    return tuple(float(Fraction(share)) for share in record.result.split("-"))


def decisions_of(record: Record, number: int = 0) -> list[Decision]:
    """Return the decisions that stand on a record's main line. What was taken back is left out; resignations, offers
    and agreements are no actions of the game and leave no decision, and the position after them is what it is."""
    stands: list[Node] = [record.root]
    for node in record.main():
        if node.action_text is not None and node.action_text.startswith("retract"):
            while stands[-1].position is not node.position:
                stands.pop()
        elif not (node.action_text or "").startswith("draw?"):
            stands.append(node)
    seed = seed_of(record.headers.get("Seed", "0"))
    values = values_of(record)
    found: list[Decision] = []
    for before, node in pairwise(stands):
        if not is_token(node.action_text):
            action = int(before.position.action(node.action_text or ""))
            found.append(Decision(before.position, action, number, seed, len(found), values=values))
    return found
