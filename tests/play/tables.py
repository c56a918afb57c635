"""Tables and clocks for tests of sessions."""

from typing import Any

from tercet.play.session import Seat, Session, TableSettings

PERSON, OPEN = Seat("person"), Seat("open")
BLITZ = {"kind": "fischer", "minutes": 1, "increment": 2}
JAPANESE = {"kind": "byoyomi", "minutes": 1, "periods": 3, "seconds": 10}
EGG = {"kind": "turn", "seconds": 180}
ALMOST = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"  # Red on d3 completes the circle
OPTIONS: dict[str, dict[str, Any]] = {
    "sanqi": {"side": 4}, "triplicity": {}, "sparklies": {"board": "hex3", "players": 3}
}  # fmt: skip


def table(*seats: Seat, game: str = "sanqi", options: dict[str, Any] | None = None, **changes: Any) -> Session:
    people = seats or (PERSON,) * (2 if game == "sanqi" else 3)
    return Session.open(TableSettings(game, OPTIONS[game] if options is None else options, people, **changes))


def several_actions(**changes: Any) -> Session:
    """Return a table at which the turn b3=R, c3=B, b2=B, b3=B, c2=B can be played."""
    text = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
    return table(PERSON, PERSON, game="sparklies", options={"board": "4x4"}, position=text, **changes)
