"""Entrants of a tournament, and people who challenge each other, try puzzles, take lessons or seek a pairing."""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import orjson

import tercet
from tercet.answers.puzzles import all_puzzles
from tercet.learning.lessons import first_game_of
from tests.simulation.network import ClosedError, LineLostError, Socket, Stream
from tests.simulation.pairings import MINUTES
from tests.simulation.plan import GAMES, Cup, Table
from tests.simulation.players import SILENCE, Game, Player

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

LOOKS = 1.0  # seconds between two looks at a tournament
LESSONS = ("placing", "winning")


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
        """Try some puzzles, each until it is decided, now and then twice at once, or ask for the solution. One more is
        tried in a run, where it does not count."""
        listed = list(puzzles().values())
        for puzzle in self.random.sample(listed, 3):
            right = self.random.random() < 0.5
            action = next(iter(puzzle["right"])) if right else puzzle["wrong_action"]
            self.tried[puzzle["id"]] = right
            tries = 1 if self.random.random() < 0.6 else 2
            chosen = "" if not right and self.random.random() < 0.3 else action
            await asyncio.gather(*(self._try(puzzle["id"], chosen, right) for _ in range(tries)))
            if not self.scene.quiet:
                await asyncio.sleep(self.random.uniform(0.0, 3.0))
        for ident, right in self.tried.items():  # what was decided stays
            puzzle = puzzles()[ident]
            if self.random.random() < 0.3:
                await self._try(ident, next(iter(puzzle["right"])) if right else puzzle["wrong_action"], right)
        asked = f"{self.name} run", "/api/puzzles/run?game=sanqi"
        if not (await self.scene.until_answered(*asked, None, self.cookie, (200,)))["puzzles"]:
            self.scene.violation(f"{self.name} got no puzzles for a run")
        more = next(puzzle for puzzle in listed if puzzle["id"] not in self.tried)
        await self._try(more["id"], more["wrong_action"], right=False, run=True)
        if self.changes.pop(more["id"]):
            self.scene.violation(f"{self.name}: a try in a run changed the rating")

        told = await self.scene.until_answered(f"{self.name} standing", "/api/puzzles", None, self.cookie, (200,))
        standing = next(one["standing"] for one in told["games"] if one["game"] == "sanqi")
        results = list(self.tried.values())[::-1]
        streak = results.index(False) if False in results else len(results)
        if (standing["tried"], standing["streak"]) != (len(results), streak):
            self.scene.violation(f"{self.name}, whose tries were {self.tried}, stands at {standing}")

    async def _try(self, ident: str, action: str, right: bool, run: bool = False) -> None:
        """Send an action, or ask for the solution if it is empty."""
        name = f"{self.name} at {ident} {self.random.random():.6f}"
        what, body = ("try", {"moves": [], "actions": [action], "run": run}) if action else ("solution", {"run": run})
        told = await self.scene.until_answered(name, f"/api/puzzles/{ident}/{what}", body, self.cookie, (200,))
        self.scene.count("tries at puzzles" if action else "solutions shown")
        if told.get("state") != ("right" if right else "wrong"):
            self.scene.violation(f"{name}: {action} was answered {told}")
        self.changes[ident] = self.changes.get(ident, 0) + (told.get("change") is not None)


class Learner:
    """A person with an account who plays the guided first game and takes lessons. ``done`` are those lessons of which
    the server was told that they are done."""

    def __init__(self, scene: Scene, person: str, cookie: str) -> None:
        self.scene = scene
        self.person = person
        self.cookie = cookie
        self.random = scene.world.random("learner")
        self.done: set[str] = set()

    async def learn(self) -> None:
        """Ask what the first game shows, then go through lessons, as one browser tells it late and out of order."""
        position, moves, ideas = first_steps()
        asks, answers = self.scene.until_answered, []
        for number in (0, len(moves), 0):
            body: Any = {"position": position, "moves": moves[:number]}
            answers.append(await asks(f"first game {number}", "/api/first-game", body, None, (200,)))
        if answers[0] != answers[2] or any(answer.get("all") != ideas for answer in answers):
            self.scene.violation(f"the first game showed {answers}")
        told = [{"game": "sanqi", "lesson": lesson, "steps": 1, "done": False} for lesson in LESSONS]
        told += [{**one, "done": True} for one in told]
        self.random.shuffle(told)
        for number, one in enumerate(told):
            body = {"lessons": [{**one, "at": self.random.randrange(2**40)}]}
            await self.scene.until_answered(f"lesson {number}", "/api/me/lessons", body, self.cookie, (200,))
            if one["done"]:
                self.done.add(str(one["lesson"]))
            if not self.scene.quiet:
                await asyncio.sleep(self.random.uniform(0.0, 2.0))


@functools.cache
def first_steps() -> tuple[str, list[str], int]:
    """Where a guided first game begins, how it goes on, and how many ideas it has."""
    position = start = tercet.game("sparklies", board="5x5").start()
    moves: list[str] = []
    while len(moves) < 2:
        action = position.legal_actions[0]
        moves.append(str(action))
        position = position.play(action)
    found = first_game_of("sparklies")
    assert found is not None
    return str(start), moves, len(found.ideas)


class Seeker:
    """A player of quick pairing, who sometimes cancels and asks again, at any process. ``requests`` counts how often;
    ``announced`` are the tables that the server has named."""

    def __init__(self, scene: Scene, number: int, person: str, cookie: str) -> None:
        self.scene = scene
        self.name = f"seeker {number}"
        self.person = person
        self.cookie = cookie
        self.random = scene.world.random(self.name)
        self.requests = 0
        self.announced: list[str] = []

    async def seek(self) -> None:
        await asyncio.sleep(self.random.uniform(0.0, 3.0))
        while not (self.announced or self.sits() or self._is_left_over()):
            process = self.random.choice(self.scene.processes)
            if not process.is_up:
                await asyncio.sleep(0.1)
                continue
            self.requests += 1
            body = {"game": "sanqi", "time": "5+3"}
            line = Stream(process, f"{self.name} {self.requests}", "/api/pairing", body, {"cookie": self.cookie})
            try:
                await self._wait(line)
            except (LineLostError, ClosedError, TimeoutError):
                pass
            finally:
                line.leave()
            await asyncio.sleep(self.random.uniform(0.05, 1.0))

    async def _wait(self, line: Stream) -> None:
        while True:
            scene = self.scene
            quits = not scene.quiet and self.random.random() < 0.3
            said = await line.hear(self.random.uniform(0.0, 3.0) if quits else SILENCE)
            scene.tell(f"{line.process.name} to {line.name}: {said}")
            if said["type"] == "paired":
                scene.count("people paired")
                self.announced.append(said["table"])
                return
            if said["type"] == "replaced":
                return

    def _is_left_over(self) -> bool:
        """Whether everybody else has a game: who asks again while they are being paired may have two."""
        others = [one.sits() for one in self.scene.seekers if one is not self]
        return all(others) and any(len(tables) > 1 for tables in others)

    def sits(self) -> list[str]:
        """The tables that pairing has opened for this person."""
        asked = (
            "SELECT table_id FROM seats JOIN tables ON tables.id = table_id "
            "WHERE person_id = ? AND creator IS NULL ORDER BY table_id"
        )
        return [table for (table,) in self.scene.disk.observer.execute(asked, (self.person,))]


async def challenge(scene: Scene, number: int, cookies: tuple[str, str]) -> None:
    """A person challenges another one, and may withdraw; the other hears of it by news alone, and plays or declines."""
    random = scene.world.random(f"challenge {number}")
    long, rated = random.randint(2, 6), scene.plan.rated
    table = Table(1, 7, max(long, 5 * rated), random.choice((0.1, 0.5)), random.choice((0.0, 0.02)), rated=rated)
    game = Game(f"challenge {number}", table)
    name, options, _ = GAMES[table.game]
    body: dict[str, Any] = {"game": name, "options": options, "clock": {"kind": "turn", "seconds": table.turn}}
    body |= {"seats": [{"kind": "me"}, {"kind": "open"}], "watch": "link", "rated": rated}
    game.id = (await scene.until_answered(f"{game.name} opening", "/api/tables", body, cookies[0], (201,)))["id"]
    scene.games.append(game)
    game.players.append(Player(scene, game, 0, None, cookies[0]))
    game.players[0].withdraws = random.random() < 0.3
    hears = asyncio.get_running_loop().create_task(_hear_of_challenge(scene, game, cookies[1]))
    body = {"table": game.id, "handle": f"player{11 + 2 * number}"}
    await asyncio.sleep(random.uniform(0.0, 3.0))
    await scene.until_answered(game.name, "/api/challenges", body, cookies[0], (201,))
    await asyncio.gather(game.players[0].play(), _answer(scene, game, cookies[1], hears, random.random() < 0.6))


async def _answer(scene: Scene, game: Game, cookie: str, hears: asyncio.Task[Any], accepts: bool) -> None:
    """The one who is challenged ``hears`` of it, then plays or declines. A challenge that was withdrawn is on no
    list, and cannot be accepted."""
    asks = functools.partial(scene.until_answered, cookie=cookie)
    challenger = game.players[0]
    found = await hears
    accepted = False
    if found is not None and accepts:
        path = f"/api/tables/{game.id}/seats/{found['seat']}"
        told = await asks(f"{game.name} accepted", path, {}, good=(201, 200, 409))
        accepted = "token" in told or "seat" in told
        if not (accepted or challenger.withdraws):
            scene.violation(f"{game.name}: when it was accepted, the server answered {told}")
    if accepted:
        player = Player(scene, game, 1, None, cookie)
        game.players.append(player)
        await player.play()
    elif found is None or accepts:
        if found is None and not (challenger.withdraws or scene.plan.faults):
            scene.violation(f"{game.name}: the challenged player never heard of the challenge")
        scene.count("challenges withdrawn")
        told = await asks(f"{game.name} withdrawn", "/api/me/challenges", None, good=(200,))
        if told["challenges"] and challenger.is_over:
            scene.violation(f"{game.name} was withdrawn, and is still shown: {told}")
    else:
        told = await asks(f"{game.name} declined", f"/api/me/challenges/{game.id}", None, good=(200,), method="DELETE")
        if told.get("challenges") != []:
            scene.violation(f"{game.name}: when it was declined, the server answered {told}")


async def _hear_of_challenge(scene: Scene, game: Game, cookie: str) -> Any:
    """The challenge, for which one listens before it is sent; None where it was withdrawn before. The server is asked
    for it only when it says that there is news."""
    looks = itertools.count(1)

    async def look(_heard: dict[str, Any], _opened: float | None) -> Any:
        name = f"{game.name} look {next(looks)}"
        told = await scene.until_answered(name, "/api/me/challenges", None, cookie, (200,))
        return told["challenges"][0] if told["challenges"] else None

    over = lambda: game.players[0].is_over  # noqa: E731
    return await follow_news(scene, f"{game.name} news", "/api/me/live", cookie, look, over, 2 * game.plan.breaks)


async def follow_news(
    scene: Scene,
    name: str,
    path: str,
    cookie: str,
    look: Callable[[dict[str, Any], float | None], Awaitable[Any]],
    is_over: Callable[[], bool],
    breaks: float = 0.0,
) -> Any:
    """Listen at a ``path`` and ``look`` at whatever is news, until that finds something, which is returned, or all is
    over. With the first news of a line it is told when that was opened."""
    random = scene.world.random(name)
    lines = 0
    while not is_over():
        process = random.choice(scene.processes)
        if not process.is_up:
            await asyncio.sleep(0.1)
            continue
        lines += 1
        socket = Socket(process, f"{name} {lines}", path, {"cookie": cookie})
        opened: float | None = scene.world.now
        pinged = False
        try:
            while True:
                try:
                    heard = orjson.loads(await socket.hear(SILENCE / 2))
                    pinged = False
                except TimeoutError:
                    if pinged or is_over():
                        break
                    pinged = True
                    socket.say('{"type":"ping"}')
                    continue
                if heard["type"] not in ("pong", "error"):
                    found = await look(heard, opened)
                    opened = None
                    if found:
                        return found
                if not scene.quiet and random.random() < breaks:
                    break
        except (LineLostError, ClosedError):
            pass
        finally:
            socket.leave()
        await asyncio.sleep(random.uniform(0.02, 0.3) if opened is None else random.uniform(0.2, 1.0))
    return None


async def play_cup(scene: Scene, cup: Cup, cookies: list[str]) -> None:
    """A tournament: it is announced, its entrants come, and play until it is over."""
    name, options, _ = GAMES[cup.table.game]
    body: dict[str, Any] = {"game": name, "options": options, "clock": {"kind": "turn", "seconds": cup.table.turn}}
    body |= {"name": "a cup", "form": cup.form, "rated": cup.table.rated, "prize": "a prize"}
    body["id"] = "a-secret-of-the-organiser"
    body["wait"] = 60 if cup.missing is None else 5
    if cup.form == "arena":
        body["minutes"] = MINUTES
    told = await scene.until_answered("cup opening", "/api/tournaments", body, cookies[0], (201,))
    address = f"/api/tournaments/{told['id']}"
    refused = (200, 400, 409, 403)  # what has been done already
    named = [(f"cup entrant {number}", cookie) for number, cookie in enumerate(cookies)]
    await asyncio.gather(*(scene.until_answered(name, f"{address}/join", {}, who, refused) for name, who in named))
    await scene.until_answered("cup beginning", f"{address}/begin", {}, cookies[0], refused)
    games: dict[str, Game] = {}
    entrants = [_enter(scene, cup, games, number, address, cookie) for number, cookie in enumerate(cookies)]
    await asyncio.gather(*entrants, _call_off(scene, cup, address, cookies[0]), _leave(scene, cup, address, cookies))


async def _leave(scene: Scene, cup: Cup, address: str, cookies: list[str]) -> None:
    """One entrant leaves, and joins again where that is possible."""
    if cup.restless is None:
        return
    random, refused = scene.world.random("restless"), (200, 404, 409)
    for what in ("leave", "join")[: random.choice((1, 2, 2))]:
        await asyncio.sleep(random.uniform(0.0, 5.0))
        told = await scene.until_answered(f"cup {what}", f"{address}/{what}", {}, cookies[cup.restless], refused)
        if "error" not in told and told["you"]["active"] != (what == "join"):
            scene.violation(f"after {what} an entrant is {told['you']}")


async def _call_off(scene: Scene, cup: Cup, address: str, cookie: str) -> None:
    """The organiser calls it off, unless it is over by then: what was answered so stays so."""
    if cup.off is None:
        return
    await asyncio.sleep(cup.off)
    told = await scene.until_answered("cup calling off", f"{address}/call-off", {}, cookie, (200, 409))
    if "error" in told:
        return
    scene.count("tournaments called off")
    if (told["state"], told["calledOff"]) != ("over", "organiser"):
        scene.violation(f"a tournament that was called off is {told['state']}, {told['calledOff']}")


async def _enter(scene: Scene, cup: Cup, games: dict[str, Game], number: int, address: str, cookie: str) -> None:
    """One entrant: plays wherever the tournament says."""
    plays: dict[str, asyncio.Task[None]] = {}
    looks, state, handle = 0, "", f"player{number}"
    while state != "over":
        looks += 1
        before = scene.observer.counts.pairings
        told = await scene.until_answered(f"cup look {number}.{looks}", address, None, cookie, (200,))
        state = told["state"]
        scene.observer.counts.compare_page(told, number, before)
        mine = [one["table"] for one in told["pairings"] if any(who["handle"] == handle for who in one["people"])]
        for table in mine:  # those of an arena that is over too: both players see such a game through
            if table is None or table in plays or number == cup.missing:
                continue
            if table not in games:
                games[table] = Game(f"game {len(games)}", cup.table, table)
                scene.games.append(games[table])
            game = games[table]
            player = Player(scene, game, len(game.players), None, cookie)
            game.players.append(player)
            plays[table] = asyncio.get_running_loop().create_task(player.play())
        await asyncio.sleep(LOOKS)
    for game in games.values():  # it is played on as an ordinary one, for which a person may wait in vain
        for player in game.players:
            player.withdraws = player.withdraws or cup.missing is not None
    for play in plays.values():
        await play
