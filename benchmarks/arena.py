"""An arena of clients who play at random, on a server of its own: how many games, and how long somebody whose game is
over waits for the next table.

python -m benchmarks.arena [--people 8] [--minutes 1] [--game sanqi] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics

from tests.support.tournament_players import SANQI, SPARKLIES, TRIPLICITY, TercetProcess, finish, gather


def main() -> None:
    """Play one and print what came of it."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--people", type=int, default=8)
    asked.add_argument("--minutes", type=float, default=1.0)
    asked.add_argument("--game", choices=("sanqi", "sparklies", "triplicity"), default="sanqi")
    asked.add_argument("--json", action="store_true")
    given = asked.parse_args()
    plan = {"sanqi": SANQI, "sparklies": SPARKLIES, "triplicity": TRIPLICITY}[given.game]
    server = TercetProcess()
    try:
        players = gather(server, given.people, 12 if given.game == "triplicity" else 1000)
        tournament = players[0].announce(form="arena", minutes=given.minutes, **plan)
        for player in players:
            player.do(tournament, "join")
        players[0].do(tournament, "begin")
        told = finish(players, tournament, 60 * given.minutes + 60)
    finally:
        server.close()
    waited = [seconds for player in players for seconds in player.waited]
    found = {
        "people": given.people,
        "games": sum(pairing["result"] is not None for pairing in told["pairings"]),
        "wait_p50_s": round(statistics.median(waited), 2) if waited else None,
        "wait_max_s": round(max(waited), 2) if waited else None,
    }
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
