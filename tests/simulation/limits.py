"""A visitor who asks for tables and tournaments at the documented limits. Requests beyond them must be refused."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

Wish = dict[str, Any]
ASKED = 8  # in a seed
MAX_TOURNAMENTS = 5  # of a person that are not over
CLOCKS: dict[str, dict[str, tuple[float, float, float]]] = {  # the least and the most, and how far beyond is asked
    "fischer": {"minutes": (0.05, 1440, 0.01), "increment": (0, 3600, 1)},
    "byoyomi": {"minutes": (0, 1440, 1), "periods": (1, 50, 1), "seconds": (1, 3600, 0.5)},
    "move": {"minutes": (10, 1440, 10)},
    "turn": {"seconds": (1, 86_400, 0.5)},
    "correspondence": {"days": (1, 60, 1)},
}
ABSENCE: dict[str, tuple[float, float, float]] = {"after": (30, 60 * 86_400, 1), "level": (1, 10, 1)}
TURN = {"kind": "turn", "seconds": 60}
FORMS: dict[str, tuple[list[Wish], list[Wish]]] = {  # what a tournament may be, and may not
    "round-robin": ([{"cycles": 4}], [{"cycles": 5}, {"rounds": 3}]),
    "swiss": ([{"rounds": 40}, {"rounds": 1}], [{"rounds": 0}, {"rounds": 41}, {"cycles": 2}, {"minutes": 5}]),
    "arena": ([{"minutes": 0.2}], [{}, {"minutes": 5, "hours": 2}, {"minutes": 5, "rounds": 2}]),
    "best-margin": ([{}, {"rounds": 2}, {"days": 1}], [{"days": 1, "rounds": 2}, {"cycles": 2}]),
    "no-form": ([], [{}]),
}
ME, FRIEND, OPEN, ENGINE = {"kind": "me"}, {"kind": "friend"}, {"kind": "open"}, {"kind": "engine", "level": 1}
RATED = {"rated": True, "seats": [ME, OPEN]}
TABLES: tuple[list[Wish], list[Wish]] = (
    [{**RATED, "takebacks": "off"}, {"seats": [ENGINE, ENGINE], "clock": None}, {"watch": "private"}],
    [
        *({**RATED, **more} for more in ({"clock": None}, {"takebacks": "own"}, {"seats": [ME, ENGINE]})),
        *({"seats": seats} for seats in ([ME], [ENGINE, ENGINE], [ME, OPEN, OPEN])),
        *({"watch": "private", "seats": [ME, OPEN]}, {"options": {"side": 1}}, {"position": "nonsense"}),
    ],
)


async def sit_and_leave(scene: Scene, opener: str, guest: str) -> None:
    """A player takes a seat and leaves it. Other seats they may not leave, and the opener none."""
    body = {"game": "triplicity", "seats": [ME, OPEN, OPEN], "watch": "link"}
    table = (await scene.until_answered("table to leave", "/api/tables", body, opener, (201,)))["id"]
    asked = [(guest, "POST", 1, ""), (guest, "DELETE", 2, "not-your-seat"), (opener, "DELETE", 0, "not-allowed")]
    asked += [(guest, "POST", 2, "not-allowed"), (guest, "DELETE", 1, ""), (guest, "POST", 2, "")]
    asked += [(guest, "POST", 8, "bad-message"), (guest, "POST", 0, "taken"), (guest, "DELETE", 2, "")]
    for number, (cookie, method, seat, code) in enumerate(asked):
        path, answers = f"/api/tables/{table}/seats/{seat}", (200, 201, 400, 403, 409, 422)
        told = await scene.until_answered(f"to leave {number}", path, {}, cookie, answers, method)
        if told.get("error", {}).get("code", "") != code:
            scene.violation(f"{method} of seat {seat} is answered {told}, not {code or 'granted'}")


async def try_limits(scene: Scene, cookie: str) -> None:
    """Ask for some things, one after another, and not for many tournaments."""
    random = scene.world.random("limits")
    for number in range(ASKED):
        path = "/api/tournaments" if random.random() < 0.4 and number < 5 else "/api/tables"
        wish, fits = _cup(random) if path == "/api/tournaments" else _table(random)
        told = await scene.until_answered(f"limits {number}", path, wish, cookie, (201, 400, 422))
        if told.get("error", {}).get("code") == "too-many":  # each try whose answer was lost may have opened one
            asked = "SELECT count(*) FROM tournaments WHERE creator = ?"
            (opened,) = scene.disk.observer.execute(asked, (cookie[-24:],)).fetchone()
            fits = opened < MAX_TOURNAMENTS
        if ("error" in told) == fits:
            scene.violation(f"{wish} to {path} was answered {told}")
        elif fits and path == "/api/tables" and wish["clock"]:
            asked = "SELECT speed FROM tables WHERE id = ?"
            (speed,) = scene.disk.observer.execute(asked, (told["id"],)).fetchone()
            if speed != _speed(wish["clock"]):
                scene.violation(f"a game with the clock {wish['clock']} is {speed}")


def _cup(random: Random) -> tuple[Wish, bool]:
    form = random.choice(list(FORMS))
    fits = random.random() < 0.5 and bool(FORMS[form][0])
    game = {"game": "sparklies", "options": {"board": "5x5"}} if form == "best-margin" else {"game": "sanqi"}
    return {"name": "a cup", "form": form, **game, "clock": TURN, **random.choice(FORMS[form][not fits])}, fits


def _table(random: Random) -> tuple[Wish, bool]:
    """A table, mostly with some number at its limit or just beyond, and whether it is allowed."""
    table = {"game": "sanqi", "options": {"side": 4}, "seats": [ME, FRIEND], "clock": TURN}
    if random.random() < 0.3:
        fits = random.random() < 0.5
        return {**table, **random.choice(TABLES[not fits])}, fits
    kind = random.choice(list(CLOCKS))
    fields = {name: random.choice(limits[:2]) for name, limits in CLOCKS[kind].items()}
    gone: dict[str, float] = {"after": 60, "level": 5}
    limits, values = random.choice(((CLOCKS[kind], fields), (CLOCKS[kind], fields), (ABSENCE, gone)))
    name, (least, most, step) = random.choice(list(limits.items()))
    values[name] = random.choice((least, most, least - step, most + step))
    return {**table, "clock": {"kind": kind, **fields}, "gone": {**gone, "then": ["win"]}}, least <= values[
        name
    ] <= most


def _speed(clock: Wish) -> str:
    """By the seconds that a player is likely to use."""
    main, turn, kind = 60 * clock.get("minutes", 0), clock.get("seconds", 0) / 2, clock["kind"]
    seconds = main * 40 / 2 if kind == "move" else main + 40 * (turn + clock.get("increment", 0))
    quick = "blitz" if seconds < 8 * 60 else "rapid" if seconds < 25 * 60 else "classical"
    return kind if kind == "correspondence" else quick
