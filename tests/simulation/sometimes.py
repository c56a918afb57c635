"""What must happen now and then in the simulated world, or it proves little: refusals, retries, changes of leases, time
given back, copies, catching up, conflicts, late events. Each is a line of the program, quoted once;
``python -m tests.simulation.sometimes SEEDS`` counts in how many seeds each is reached, the rarest first."""

import ast
import contextlib
import functools
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.simulation.command import apart, run

SOURCE = Path(__file__).parents[2] / "src" / "tercet"
SESSION, TABLE, STATE = "play/session/commands.py", "server/tables/table.py", "server/tables/state.py"
VACATIONS, ANALYSES = "server/tables/vacations.py", "server/store/analyses.py"
NOTICES, NOT_ALLOWED = "server/people/notices.py", 'raise ApiError("not-allowed", "analysis", "'
STORE, LEASE, REGISTRY = "server/store/database.py", "server/store/lease.py", "server/tables/registry.py"
# What happens: the file, the function, and how the line begins that runs then (or each of several).
PLACES = {
    "refused: the game is over": (SESSION, "must_not_be_over", 'raise SessionError("over"'),
    "refused: a seat is still open": (SESSION, "must_be_playing", 'raise SessionError("not-begun"'),
    "refused: the offer is gone": (SESSION, "answer", 'raise SessionError("not-possible", "what"'),
    "refused: the seat is taken": (SESSION, "_take_seat", 'raise SessionError("taken"'),
    "refused: the turn is over": (SESSION, "_play_action", 'raise SessionError("stale-ply"'),
    "refused: the process must stop": (STATE, "run_to_end", 'raise SessionError("unavailable"'),
    "refused: a command waited too long": (TABLE, "_submit", 'raise SessionError("unavailable"'),
    "retry: a command waits for a table's owner": (TABLE, "_submit", "await asyncio.sleep(pause)"),
    "retry: a write without an answer": (TABLE, "_see_what_was_written", "await asyncio.sleep(0.2)"),
    "retry: writes that failed together, alone": (STORE, "_write_all", "results.append(error)"),
    "retry: a write alone failed": (STORE, "_write_all", "return [error]"),
    "conflict: another process wrote first": (TABLE, "_see_what_was_written", "if await self.catch_up():"),
    "conflict: another process owns the table first": (TABLE, "_own", "if self.id not in taken:"),
    "copy: of what was done": (STATE, "acknowledged", "return self.acks[one]"),
    "copy: of what was refused": (STATE, "acknowledged", "raise self._refused[one]"),
    "copy: of what is being done": (TABLE, "_submit", "return number"),
    "copy: the write had no answer, but was done": (TABLE, "_commit", "return self.session.number if number is None"),
    "copy: of a line of chat": ("server/tables/chat.py", "say", "return known"),
    "catching up: after a write of another process": (TABLE, "catch_up", "await self._take_over("),
    "catching up: word of an event was lost": (TABLE, "_hear_events", "await self.catch_up()"),
    "catching up: a client gets what it missed": (STATE, "_greet", "client.tell(*await self.host.compute("),
    "catching up: a table is older than its log": (REGISTRY, "_follow", "self.spawn(table.refresh())"),
    "lease: a process stood still, and goes on anew": (LEASE, "beat", "return await self._begin_again(began, slept)"),
    "lease: a beat took too long": (LEASE, "beat", "return await self._begin_again(answered, False)"),
    "lease: the database does not answer": (LEASE, "beat", "self._unanswered = self._unanswered or began"),
    "lease: a process that is held for dead": (REGISTRY, "_send_elsewhere", "for table in self.tables"),
    "lease: tables of a dead process are taken over": (REGISTRY, "_take_over", "for first in range(0, len(theirs)"),
    "lease: a process that is not sure takes none": (REGISTRY, "_take_from", "return"),
    "time given back: no process served the table": (STATE, "time_lost", "longest = max(longest, now - max("),
    "time given back: its process stood still": (STATE, "time_lost", "longest = max(longest, round(1000 * lease"),
    "time given back: to an engine": (STATE, "time_lost", "return now - clock.at"),
    "late: a command after the flag": (TABLE, "_may_act", "await self._check_time(came)"),
    "late: an owner that may be dead judges no flag": (TABLE, "_may_act", "return False"),
    "late: the alarm rings for an earlier turn": (TABLE, "_ring", "self.set_alarm()"),
    "late: a flag falls by itself": (TABLE, "_judge_flag", "await self._check_time(self.host.now())"),
    "vacation: refused while it lasts": (VACATIONS, "take", 'raise ApiError("not-possible", "days", "You are'),
    "vacation: refused, too few days are left": (VACATIONS, "take", 'raise ApiError("not-possible", "days", f"You'),
    "vacation: it has ended already": (VACATIONS, "take", "return before"),
    "vacation: a table learns of it": (VACATIONS, "_tell", "return session.vacation("),
    "analysis: private, or unknown": (ANALYSES, "find", "raise UNKNOWN"),
    "analysis: refused, only editors change": (ANALYSES, "find", f"{NOT_ALLOWED}Only the owner and"),
    "analysis: closed to who plays there": ("server/api/analyses.py", "_check_open", 'raise ApiError("not-possible"'),
    "analysis: what is removed is gone already": (ANALYSES, "with_changes", "break"),
    "notice: a player is there by now": (NOTICES, "_tell", "return"),
    "notice: a later one takes its place": (NOTICES, "tell", "before.cancel()"),
    "notice: it is tried again": (NOTICES, "_push", 'LOG.info("a push service'),
    "notice: a device is gone": (NOTICES, "_push", "await self.changed(row.person_id)"),
    "notice: a day is left": ("server/tables/reminders.py", "_remind", "self.notices.tell(notice, done)"),
    "notice: none during a vacation": ("server/tables/reminders.py", "is_true", "return False  # until"),
    "late: a device's move comes after another": ("server/tables/engine_seats.py", "take", "return"),
}


def lines_of(file: str, function: str, begins: str) -> list[int]:
    """The numbers of the lines in the ``function`` of a ``file`` that begin so."""
    text = (SOURCE / file).read_text(encoding="utf-8")
    lines = text.splitlines()
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            numbers = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found += [number for number in numbers if lines[number - 1].strip().startswith(begins)]
    return found


@functools.cache
def _names() -> dict[tuple[str, int], str]:
    """What happens at which line of which file."""
    return {(str(SOURCE / place[0]), line): name for name, place in PLACES.items() for line in lines_of(*place)}


@functools.cache
def _is_watched(code: CodeType) -> bool:
    return any((code.co_filename, line) in _names() for _, _, line in code.co_lines() if line is not None)


@contextlib.contextmanager
def watched() -> Iterator[set[str]]:
    """The names of all of PLACES that are reached while this lasts. Only their functions are traced line by line."""
    names, reached = _names(), set[str]()

    def at_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line" and (name := names.get((frame.f_code.co_filename, frame.f_lineno))) is not None:
            reached.add(name)
        return at_line

    def at_call(frame: FrameType, _event: str, _: Any) -> Any:
        return at_line if _is_watched(frame.f_code) else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        yield reached
    finally:
        sys.settrace(before)


def _reached(seed: int) -> set[str]:
    with watched() as names:
        run(seed, tidies=False)
    return names


def count(seeds: range, workers: int) -> Counter[str]:
    """In how many of the ``seeds`` each of PLACES is reached."""
    times = Counter(dict.fromkeys(PLACES, 0))
    for names in apart([functools.partial(_reached, seed) for seed in seeds], workers):
        times.update(names)
    return times


def main(seeds: int) -> None:
    """Print the table; exit with 1 where something was never reached."""
    times = count(range(1, seeds + 1), os.cpu_count() or 1)
    for name in sorted(times, key=lambda name: times[name]):
        print(f"{times[name]:5}  {name}")
    sys.exit(not all(times.values()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
