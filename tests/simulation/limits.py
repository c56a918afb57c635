"""Somebody who asks for tables and tournaments at the limits of what the documentation allows, and a little beyond:
each is opened exactly if it is within them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

ASKED = 8  # in a seed
CLOCKS: dict[str, dict[str, tuple[float, float, float]]] = {  # the least and the most, and the next beyond
    "fischer": {"minutes": (0.05, 1440, 0.01), "increment": (0, 3600, 1)},
    "byoyomi": {"minutes": (0, 1440, 1), "periods": (1, 50, 1), "seconds": (1, 3600, 0.5)},
    "move": {"minutes": (10, 1440, 10)},
    "turn": {"seconds": (1, 86_400, 0.5)},
    "correspondence": {"days": (1, 60, 1)},
}
ABSENCE = {"after": (30, 60 * 86_400, 1), "level": (1, 10, 1)}
FORMS: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("round-robin", {"cycles": 4}, True),
    ("round-robin", {"cycles": 5}, False),
    ("round-robin", {"rounds": 3}, False),
    ("swiss", {"rounds": 40}, True),
    ("swiss", {"rounds": 1}, True),
    ("swiss", {"rounds": 0}, False),
    ("swiss", {"rounds": 41}, False),
    ("swiss", {"cycles": 2}, False),
    ("swiss", {"minutes": 5}, False),
    ("arena", {}, False),
    ("arena", {"minutes": 0.2}, True),
    ("arena", {"minutes": 5, "hours": 2}, False),
    ("arena", {"minutes": 5, "rounds": 2}, False),
    ("best-margin", {}, True),
    ("best-margin", {"rounds": 2}, True),
    ("best-margin", {"days": 1}, True),
    ("best-margin", {"days": 1, "rounds": 2}, False),
    ("best-margin", {"cycles": 2}, False),
    ("no-form", {}, False),
)


FRIEND, OPEN, ENGINE = {"kind": "friend"}, {"kind": "open"}, {"kind": "engine", "level": 1}
TABLES: tuple[tuple[dict[str, Any], bool], ...] = (  # what a table is asked to be, and whether it may be that
    ({"rated": True, "seats": [{"kind": "me"}, OPEN], "clock": None}, False),
    ({"rated": True, "seats": [{"kind": "me"}, ENGINE]}, False),
    ({"rated": True, "seats": [{"kind": "me"}, OPEN], "takebacks": "own"}, False),
    ({"rated": True, "seats": [{"kind": "me"}, OPEN], "takebacks": "off"}, True),
    ({"seats": [{"kind": "me"}, OPEN, OPEN]}, False),
    ({"seats": [{"kind": "me"}]}, False),
    ({"seats": [ENGINE, ENGINE]}, False),
    ({"seats": [ENGINE, ENGINE], "clock": None}, True),
    ({"watch": "private"}, True),
    ({"watch": "private", "seats": [{"kind": "me"}, OPEN]}, False),
    ({"options": {"side": 1}}, False),
    ({"position": "nonsense"}, False),
)


async def try_limits(scene: Scene, cookie: str) -> None:
    """Ask for some things, one after another, at most two that are granted of tournaments."""
    random, opened = scene.world.random("limits"), 0
    for number in range(ASKED):
        if random.random() < 0.4 and opened < 2:
            form, more, fits = random.choice(FORMS)
            game = {"game": "sparklies", "options": {"board": "5x5"}} if form == "best-margin" else {"game": "sanqi"}
            path, clock = "/api/tournaments", {"kind": "turn", "seconds": 60}
            wish = {"name": f"cup {number}", "form": form, **game, "clock": clock, **more}
            opened += fits
        else:
            path, (wish, fits) = "/api/tables", _table(random)
        told = await scene.until_answered(f"limits {number}", path, wish, cookie, (201, 400, 422))
        if ("error" in told) == fits:
            scene.violation(f"{wish} to {path} was answered {told}")
        elif fits and path == "/api/tables":
            asked = "SELECT speed FROM tables WHERE id = ?"
            (speed,) = scene.disk.observer.execute(asked, (told["id"],)).fetchone()
            if wish["clock"] and speed != _speed(wish["clock"]):
                scene.violation(f"a game with the clock {wish['clock']} is {speed}")


def _table(random: Any) -> tuple[dict[str, Any], bool]:
    """A table with some number at its limit or just beyond, and whether it is allowed."""
    kind = random.choice(list(CLOCKS))
    if random.random() < 0.3:
        more, fits = random.choice(TABLES)
        clock = {"kind": "turn", "seconds": 60}
        return {
            "game": "sanqi",
            "options": {"side": 4},
            "seats": [{"kind": "me"}, FRIEND],
            "clock": clock,
            **more,
        }, fits
    fields = {name: random.choice(limits[:2]) for name, limits in CLOCKS[kind].items()}
    gone = {"after": 60, "level": 5}
    limits, values = random.choice(((CLOCKS[kind], fields), (CLOCKS[kind], fields), (ABSENCE, gone)))
    name, (least, most, step) = random.choice(list(limits.items()))
    values[name] = random.choice((least, most, least - step, most + step))
    wish = {
        "game": "sanqi",
        "options": {"side": 4},
        "seats": [{"kind": "me"}, FRIEND],
        "clock": {"kind": kind, **fields},
        "gone": {**gone, "then": ["win"]},
    }
    return wish, least <= values[name] <= most


def _speed(clock: dict[str, Any]) -> str:
    """By the time that a player is likely to use: all in seconds."""
    if clock["kind"] == "correspondence":
        return "correspondence"
    turns, given = 40, 60 * clock.get("minutes", 0)
    seconds = {
        "fischer": given + turns * clock.get("increment", 0),
        "byoyomi": given + turns * clock.get("seconds", 0) / 2,
        "move": given * turns / 2,
        "turn": turns * clock.get("seconds", 0) / 2,
    }[clock["kind"]]
    return "blitz" if seconds < 8 * 60 else "rapid" if seconds < 25 * 60 else "classical"
