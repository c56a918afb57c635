"""The settings of all limits: what one address, or one person (a guest, an account or a bot), may ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace

from tercet.errors import OptionError


@dataclass(frozen=True)
class ServerLimits:
    """Limits of a server; None switches a rate off. Processes that hear from each other count together."""

    tables_per_minute: int | None = 60
    requests_per_minute: int | None = 1200  # of an address
    requests_per_person: int | None = 900  # a minute; a bot is a person
    files_per_minute: int | None = 6000  # of an address: the page, its parts, and what else is none of the API's
    guests_per_minute: int | None = 60  # of an address that something is kept of
    visits_per_minute: int | None = 240  # sockets that a network opens; so many at once, too
    signups_per_hour: int | None = 10  # of an address, the refused ones too
    signins_per_minute: int | None = 10  # of an address, and of a handle
    reports_per_hour: int | None = 20  # of a person
    letters_per_hour: int | None = 5  # of e-mail, to an account and to an address
    messages_per_second: int | None = 30
    frames_per_second: int | None = 120  # of a socket; each started kilobyte of a long one counts, too
    lines_per_minute: int | None = 20  # of a person's chat at tables, or messages to friends
    engine_seconds_per_minute: int | None = 60  # of a person; a network has four times as much, of these and the next
    cpu_seconds_per_minute: int | None = 10
    bytes_per_minute: int | None = 10_000_000
    rows_per_minute: int | None = 600
    queued_per_person: int | None = 16  # requests that wait in each queue; all have four times that
    body: int = 400_000  # bytes of a request
    message: int = 64_000  # bytes of a socket message
    sockets_per_address: int = 200
    connections_per_address: int = 400  # unless it is a trusted proxy's
    waiting_per_network: int | None = 60  # tables that wait for players
    analyses: int = 4  # at once
    analyses_each: int = 2  # of one person's
    analysis_seconds: float = 120.0

    @classmethod
    def read(cls, text: str) -> ServerLimits:
        """As ``text`` says (``TERCET_BOUNDS``): ``name=number`` or, for a rate, ``name=none``, separated by spaces or
        commas. OptionError names what makes no sense."""
        given: dict[str, float | None] = {}
        known = {one.name: one for one in fields(cls)}
        for word in text.replace(",", " ").split():
            name, _, value = word.partition("=")
            where = f"TERCET_BOUNDS {name[:40]}"
            if name not in known:
                raise OptionError(where, f"The limit must be one of {', '.join(known)}.")
            number = re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", value, re.ASCII)
            if value == "none" and "None" in str(known[name].type):
                given[name] = None
            elif number is None or float(value) <= 0 or (number[1] and known[name].type != "float"):
                raise OptionError(where, f"The limit must be a number above 0, not {value[:20]!r}.")
            else:
                given[name] = float(value) if known[name].type == "float" else int(value)
        return replace(cls(), **given)  # type: ignore[arg-type]
