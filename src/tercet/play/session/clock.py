"""Clocks at a table as values: nothing here reads the time, it is an argument. All times are whole milliseconds.

Whatever the kind of clock, a seat has one number: how long it is until its flag falls if it keeps deciding. Main time
and all periods of Japanese byo-yomi are one such sum; where each turn has its own time, it is filled up after the turn.
A turn may be several actions; an increment is given, and a period or a turn's time renewed, when the turn is over.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.core.rules import plain, replaced
from tercet.errors import OptionError

SECOND, MINUTE, DAY = 1000, 60_000, 86_400_000
LAG = 500  # the most milliseconds of a turn that are given back because they were spent on the line
LAG_A_GAME = 10_000  # and of a whole game, at most; or a tenth of what TYPICAL_TURNS may take, if that is less
TYPICAL_TURNS = 20

# By kind: the fields it has, each with its least and most, whether whole numbers only, and milliseconds in one of it.
_Field = tuple[str, float, float, bool, int]
KINDS: Mapping[str, tuple[_Field, ...]] = {
    "fischer": (("minutes", 0.05, 1440, False, MINUTE), ("increment", 0, 3600, False, SECOND)),
    "byoyomi": (("minutes", 0, 1440, False, MINUTE), ("periods", 1, 50, True, 1), ("seconds", 1, 3600, False, SECOND)),
    "move": (("minutes", 10, 1440, True, MINUTE),),
    "turn": (("seconds", 1, 86_400, False, SECOND),),
    "correspondence": (("days", 1, 60, True, DAY),),
}


@dataclass(frozen=True)
class TimeControl:
    """A limit of the players' time. ``given`` holds the fields of its ``kind`` with their values:

    - ``fischer``: ``minutes`` in all, and an ``increment`` of seconds after each turn;
    - ``byoyomi``: ``minutes``, then ``periods`` of so many ``seconds``, each lost only when it runs out;
    - ``move``: ``minutes`` for each turn, ten or a multiple;
    - ``turn``: ``seconds`` for each turn;
    - ``correspondence``: ``days`` for each turn.
    """

    kind: str
    given: tuple[tuple[str, float], ...]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> TimeControl:
        """Read ``{"kind": ..., field: number, ...}``. Raise OptionError, which names the invalid field."""
        kind = data.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            raise OptionError("clock.kind", f"The kind of clock must be one of {', '.join(KINDS)}.")
        fields = KINDS[kind]
        for name in data:
            if name != "kind" and name not in {known for known, *_ in fields}:
                raise OptionError(f"clock.{name!s:.20}", f"A clock of kind {kind} has no field {name!s:.20}.")
        given = []
        for name, least, most, whole, _ in fields:
            value = plain(data.get(name))
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise OptionError(f"clock.{name}", f"The clock's {name} must be a number from {least} to {most}.")
            if whole and value != int(value):
                raise OptionError(f"clock.{name}", f"The clock's {name} must be a whole number.")
            given.append((name, value))
        if kind == "move" and given[0][1] % 10:
            raise OptionError("clock.minutes", "The minutes of this clock must be ten or a multiple of ten.")
        return cls(kind, tuple(given))

    def data(self) -> dict[str, Any]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {"kind": self.kind, **dict(self.given)}

    def __str__(self) -> str:
        return f"{self.kind} {' '.join(f'{name}={value:g}' for name, value in self.given)}"

    def _amount(self, name: str) -> int:
        values = dict(self.given)
        scale = next(unit for known, _, _, _, unit in KINDS[self.kind] if known == name)
        return round(values[name] * scale)

    @functools.cached_property
    def increment(self) -> int:
        """Milliseconds that a seat gains when its turn is over."""
        return self._amount("increment") if self.kind == "fischer" else 0

    @functools.cached_property
    def period(self) -> int:
        """Length of a period of byo-yomi in milliseconds, 0 where there are none."""
        return self._amount("seconds") if self.kind == "byoyomi" else 0

    @functools.cached_property
    def periods(self) -> int:
        """Periods of byo-yomi at the start."""
        return self._amount("periods") if self.kind == "byoyomi" else 0

    @functools.cached_property
    def initial(self) -> int:
        """Milliseconds that a seat has at the start, all periods among them."""
        first = KINDS[self.kind][0][0]
        return self._amount(first) + self.periods * self.period

    @functools.cached_property
    def lag_quota(self) -> int:
        """Return the most that is given back to a seat in a whole game because it was spent on the line."""
        turns = TYPICAL_TURNS if self.kind in ("move", "turn", "correspondence") else 1
        return min(LAG_A_GAME, (turns * self.initial + TYPICAL_TURNS * self.increment) // 10)

    def renewed(self, left: int) -> int:
        """Return the time left after a turn is over or given up, without increments: the current period is restored,
        and so is the time of a turn."""
        if self.kind == "fischer":
            return left
        if self.kind == "byoyomi":
            if left >= self.periods * self.period:
                return left
            return -(-left // self.period) * self.period
        return self.initial


@dataclass(frozen=True)
class Clock:
    """The clocks of a table as they stood at the time ``at``: ``left`` until each flag falls; ``running`` is the seat
    whose clock runs, None while none does; ``lag`` what each was last given back for the line, ``lag_of_turn`` what in
    its present turn, however often that was begun, and ``lag_of_game`` what in all; ``used`` is how long each has
    thought in the whole game, taken back turns among it. The clock of a seat on vacation stands still until its entry
    in ``away``, which is empty while none ever was."""

    control: TimeControl
    left: tuple[int, ...]
    running: int | None = None
    at: int = 0
    lag: tuple[int, ...] = ()
    lag_of_turn: tuple[int, ...] = ()
    lag_of_game: tuple[int, ...] = ()
    used: tuple[int, ...] = ()
    away: tuple[int, ...] = ()

    @classmethod
    def start(cls, control: TimeControl, seats: int) -> Clock:
        """Full clocks, none running."""
        none = (0,) * seats
        return cls(control, (control.initial,) * seats, lag=none, lag_of_turn=none, lag_of_game=none, used=none)

    @property
    def deadline(self) -> int | None:
        """Return when the flag of the deciding seat will fall, or None while no clock runs."""
        return None if self.running is None else self._runs_from(self.running) + self.left[self.running]

    def _runs_from(self, seat: int) -> int:
        """Return since when the clock of ``seat`` has run, or from when on it will."""
        return max(self.at, self.away[seat]) if self.away else self.at

    def is_away(self, seat: int, now: int) -> bool:
        """Return whether the clock of ``seat`` stands still for a vacation."""
        return bool(self.away) and self.away[seat] > now

    def vacation(self, seat: int, until: int) -> Clock:
        """Return the clocks with that of ``seat`` standing still until then."""
        return replaced(self, away=_changed(self.away or (0,) * len(self.left), seat, until))

    def timed_out(self, now: int) -> int | None:
        """Return the seat whose flag has fallen by ``now``, if one has."""
        deadline = self.deadline
        return self.running if deadline is not None and now >= deadline else None

    def lag_left(self, seat: int) -> int:
        """Return how much lag may still be given back to ``seat`` in this turn."""
        return max(0, min(LAG - self.lag_of_turn[seat], self.control.lag_quota - self.lag_of_game[seat]))

    def advanced(self, now: int, lost: int = 0, lag: int | None = None) -> Clock:
        """Return the clocks at ``now``. A time before the last one is the last one: nothing runs backwards.

        Time that was ``lost`` since then (the server was down) counts for no player. The ``lag`` of the connection is
        given back. The writer of an event bounds it by :meth:`lag_left` first, so that a log keeps its meaning if the
        bounds change.
        """
        now = max(now, self.at)
        if self.running is None:
            return replaced(self, at=now)
        ran = max(0, now - self._runs_from(self.running) - max(0, lost))
        given = min(max(0, lag or 0), ran)
        used = _changed(self.used, self.running, self.used[self.running] + ran - given)
        later = self._with(self.running, max(0, self.left[self.running] - (ran - given)), at=now, used=used)
        return later if lag is None else later._given_back(self.running, given)

    def _given_back(self, seat: int, given: int) -> Clock:
        return replaced(
            self,
            lag=_changed(self.lag, seat, given),
            lag_of_turn=_changed(self.lag_of_turn, seat, self.lag_of_turn[seat] + given),
            lag_of_game=_changed(self.lag_of_game, seat, self.lag_of_game[seat] + given),
        )

    def running_for(self, seat: int | None) -> Clock:
        """Return the clocks with that of ``seat`` running."""
        return replaced(self, running=seat)

    def turn_over(self, seat: int) -> Clock:
        """After a turn of ``seat``: its increment given, its period or its turn's time renewed."""
        lags = tuple(0 if number == seat else given for number, given in enumerate(self.lag_of_turn))
        return self._with(seat, self.control.renewed(self.left[seat]) + self.control.increment, lag_of_turn=lags)

    def turn_undone(self) -> Clock:
        """Return the clocks after a takeback: periods and turns' times restart; other used time stays used."""
        left = tuple(self.control.renewed(left) for left in self.left)
        return replaced(self, left=left, lag_of_turn=(0,) * len(left))

    def retracted(self, then: Clock, seat: int) -> Clock:
        """After a retraction by ``seat`` of all turns since the clocks stood as they did ``then``: the others get back
        what they used in turns that are undone with it, while the time that ``seat`` used stays used."""
        spent = self.used[seat] - then.used[seat]
        return replaced(self, left=_changed(then.left, seat, max(0, then.left[seat] - spent)))

    def _with(self, seat: int, left: int, **more: Any) -> Clock:
        return replaced(self, left=_changed(self.left, seat, left), **more)

    def shown(self, now: int) -> dict[str, Any]:
        """Return the clocks at ``now`` as clients are sent them: ``left`` of the main time, or of the present period
        once that is gone, with the ``periods`` still there (the present one among them; null for other kinds)."""
        clock = self.advanced(now)
        control = self.control
        left, periods = list(clock.left), None
        if control.period:
            reserve = control.periods * control.period
            periods = [min(control.periods, -(-value // control.period)) for value in clock.left]
            left = [
                value - reserve if value > reserve else value - max(0, have - 1) * control.period
                for value, have in zip(clock.left, periods, strict=True)
            ]
        return {
            "kind": control.kind,
            "control": control.data(),
            "running": clock.running,
            "left": left,
            "periods": periods,
            "at": clock.at,
            "lag": list(clock.lag),
            "away": list(clock.away),
        }


def _changed(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
