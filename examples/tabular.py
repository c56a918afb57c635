"""Tabular learning through OpenSpiel: a table of action values for a small board, learnt by playing against itself.

    pip install 'tercet[rl]'
    python examples/tabular.py                # half a minute
    python examples/tabular.py --games 200    # a look

Every action moves its entry of the table towards the result of the game for whoever played it (Monte-Carlo control with
a decaying share of random actions). Nothing here knows the game: any other with OpenSpiel's interface would do.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

import pyspiel

from tercet import environments

Table = defaultdict[str, dict[int, float]]


def choose(table: Table, state: pyspiel.State, explore: float, chance: random.Random) -> int:
    """The best action that the table knows here, or a random one."""
    actions = state.legal_actions()
    known = table.get(str(state))
    if not known or chance.random() < explore:
        return chance.choice(actions)
    return max(actions, key=lambda action: (known.get(action, 0.0), chance.random()))


def learn(game: pyspiel.Game, games: int, chance: random.Random, rate: float = 0.2) -> Table:
    """Play ``games`` games; the table of each state's action values for its mover."""
    table: Table = defaultdict(dict)
    for number in range(games):
        state = game.new_initial_state()
        path: list[tuple[str, int, int]] = []
        while not state.is_terminal():
            action = choose(table, state, 1.0 - 0.9 * number / games, chance)
            path.append((str(state), state.current_player(), action))
            state.apply_action(action)
        returns = state.returns()
        for text, player, action in path:
            value = table[text].get(action, 0.0)
            table[text][action] = value + rate * (returns[player] - value)
    return table


def against_random(game: pyspiel.Game, table: Table, games: int, chance: random.Random) -> float:
    """The mean return of the table's player, in every seat in turn, against random play."""
    total = 0.0
    for number in range(games):
        seat = number % game.num_players()
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == seat
            state.apply_action(choose(table, state, 0.0 if mine else 1.0, chance))
        total += state.returns()[seat]
    return total / games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="sparklies")
    parser.add_argument("--option", action="append", default=[], help="name=value, repeatable")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    options = dict(word.split("=", 1) for word in asked.option) or (
        {"board": "3x3"} if asked.game == "sparklies" else {}
    )
    game = environments.openspiel(asked.game, **options)
    chance = random.Random(asked.seed)
    before = against_random(game, defaultdict(dict), 400, chance)
    table = learn(game, asked.games, chance)
    after = against_random(game, table, 400, chance)
    print(f"{game}: {len(table)} states seen in {asked.games} games")
    print(f"mean return against random play: {before:+.2f} before, {after:+.2f} after")


if __name__ == "__main__":
    main()
