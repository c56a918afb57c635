"""Who comes to the server for more than a table: the entrants of a tournament, and people who try puzzles."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any

import tercet
from tercet.answers.puzzles import all_puzzles
from tests.simulation.plan import GAMES, Cup
from tests.simulation.players import Game, Player

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

__all__ = ["Solver", "play_cup", "puzzles"]

MINUTES = 0.2  # of an arena
LOOKS = 1.0  # seconds between two looks at a tournament


@functools.cache
def puzzles() -> dict[str, dict[str, Any]]:
    """Four puzzles of one turn, each with a ``wrong_action``."""
    found: dict[str, dict[str, Any]] = {}
    for ident, puzzle in sorted(all_puzzles().items()):
        if puzzle["turns"] == 1 and puzzle["game"] == "sanqi" and len(found) < 4:
            legal = [str(action) for action in tercet.parse(puzzle["position"]).legal_actions]
            wrong = next((text for text in legal if text not in puzzle["right"]), None)
            if wrong is not None:
                found[ident] = {**puzzle, "wrong_action": wrong}
    return found


class Solver:
    """A person with an account who tries puzzles. ``tried`` says of each puzzle whether it was solved, ``changes`` how
    often the server said that it changed the rating."""

    def __init__(self, scene: Scene, number: int, person: str, cookie: str) -> None:
        self.scene = scene
        self.name = f"solver {number}"
        self.person = person
        self.cookie = cookie
        self.random = scene.world.random(self.name)
        self.tried: dict[str, bool] = {}
        self.changes: dict[str, int] = {}

    async def solve(self) -> None:
        """Try some puzzles, each until it is decided, now and then twice at once."""
        listed = list(puzzles().values())
        for puzzle in self.random.sample(listed, 3):
            right = self.random.random() < 0.5
            action = next(iter(puzzle["right"])) if right else puzzle["wrong_action"]
            self.tried[puzzle["id"]] = right
            tries = 1 if self.random.random() < 0.6 else 2
            await asyncio.gather(*(self._try(puzzle["id"], action, right) for _ in range(tries)))
            if not self.scene.quiet:
                await asyncio.sleep(self.random.uniform(0.0, 3.0))
        for ident, right in self.tried.items():  # what was decided stays
            puzzle = puzzles()[ident]
            if self.random.random() < 0.3:
                await self._try(ident, next(iter(puzzle["right"])) if right else puzzle["wrong_action"], right)

    async def _try(self, ident: str, action: str, right: bool) -> None:
        name = f"{self.name} at {ident} {self.random.random():.6f}"
        body = {"moves": [], "actions": [action]}
        told = await self.scene.until_answered(name, f"/api/puzzles/{ident}/try", body, self.cookie, (200,))
        self.scene.count("tries at puzzles")
        if told.get("state") != ("right" if right else "wrong"):
            self.scene.violation(f"{name}: {action} was answered {told}")
        self.changes[ident] = self.changes.get(ident, 0) + (told.get("change") is not None)


async def play_cup(scene: Scene, cup: Cup, cookies: list[str]) -> None:
    """A tournament: it is announced, its entrants come, and play until it is over."""
    name, options, _ = GAMES[cup.table.game]
    body: dict[str, Any] = {
        "name": "a cup",
        "form": cup.form,
        "game": name,
        "options": options,
        "clock": {"kind": "turn", "seconds": cup.table.turn},
        "rated": cup.table.rated,
    }
    if cup.form == "arena":
        body["minutes"] = MINUTES
    told = await scene.until_answered("cup opening", "/api/tournaments", body, cookies[0], (201,))
    address = f"/api/tournaments/{told['id']}"
    refused = (200, 400, 409, 403)  # what has been done already
    await asyncio.gather(
        *(
            scene.until_answered(f"cup entrant {number}", f"{address}/join", {}, cookie, refused)
            for number, cookie in enumerate(cookies)
        )
    )
    await scene.until_answered("cup beginning", f"{address}/begin", {}, cookies[0], refused)
    games: dict[str, Game] = {}
    await asyncio.gather(*(_enter(scene, cup, games, number, address, cookie) for number, cookie in enumerate(cookies)))


async def _enter(scene: Scene, cup: Cup, games: dict[str, Game], number: int, address: str, cookie: str) -> None:
    """One entrant: plays wherever the tournament says."""
    plays: dict[str, asyncio.Task[None]] = {}
    looks, state, handle = 0, "", f"player{number}"
    while state != "over":
        looks += 1
        told = await scene.until_answered(f"cup look {number}.{looks}", address, None, cookie, (200,))
        state = told["state"]
        mine = [one["table"] for one in told["pairings"] if any(who["handle"] == handle for who in one["people"])]
        for table in mine:  # those of an arena that is over too: both players see such a game through
            if table is None or table in plays:
                continue
            if table not in games:
                games[table] = Game(f"game {len(games)}", cup.table, table)
                scene.games.append(games[table])
            game = games[table]
            player = Player(scene, game, len(game.players), None, cookie)
            game.players.append(player)
            plays[table] = asyncio.get_running_loop().create_task(player.play())
        await asyncio.sleep(LOOKS)
    for play in plays.values():
        await play
