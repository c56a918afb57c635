"""Running a study: steps of games on any number of processes, until the figures are as narrow as asked.

An arm's games are played in *steps* of whole blocks. After each step, in their order, the study looks whether the arm
has games enough. Steps that were played beyond that are kept but not counted, so that the figures depend on the
study alone and not on how many processes played, which was quicker, or how often the run was stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.laboratory.metrics import Figure, figures, null_figures
from tercet.laboratory.playing import Arm, GameRow
from tercet.laboratory.study import Stop, Study
from tercet.workers import Workers

if TYPE_CHECKING:
    from tercet.laboratory.storing import StudyFolder

SPARE_FACTOR = 1.1  # how many more games an interval is expected to need than its width says
LEAST_STEPS = 2  # an interval of fewer is not looked at


@dataclass(frozen=True)
class StudyProgress:
    """How far a run has come: the ``games`` played, how many are ``expected`` in all, and the ``seconds`` that are
    expected to be left (None before the first step of each arm is there)."""

    games: int
    expected: int
    seconds: float | None


@dataclass(frozen=True)
class ArmResult:
    """What an arm gave: its ``rows`` in the order of the games, the ``figures`` of the study's metrics, its ``null``
    study, and why it stopped: ``"width"``, ``"games"`` or ``"minutes"``."""

    arm: Arm
    rows: tuple[GameRow, ...]
    figures: tuple[Figure, ...]
    null: tuple[Figure, ...]
    stopped: str

    def figure(self, name: str) -> Figure | None:
        """Return the figure of that name, or None."""
        return next((figure for figure in self.figures if figure.name == name), None)


@dataclass(frozen=True)
class Results:
    """What a study gave, arm by arm; the null arms are the last."""

    study: Study
    arms: tuple[ArmResult, ...]
    seconds: float = 0.0


def _play_step(task: tuple[Arm, int]) -> tuple[list[GameRow], float]:
    """Play a step in a worker process; return its rows and the processor time that it took."""
    arm, step = task
    began = time.process_time()
    rows = arm.play(step * arm.step, arm.step)
    return rows, time.process_time() - began


def enough(stop: Stop, arm: Arm, metrics: Sequence[str], rows: Sequence[GameRow]) -> tuple[bool, float]:
    """Return whether every figure that ``stop`` names is as narrow as asked, and how many times too wide the widest
    is."""
    if stop.width is None:
        return False, math.inf
    watched = list(dict.fromkeys(name.partition(".")[0] for name in stop.figures))
    chosen = [
        figure
        for figure in figures([name for name in metrics if name in watched], rows, arm)
        if any(figure.name == name or figure.name.startswith(f"{name}.") for name in stop.figures)
    ]
    widest = max((figure.width for figure in chosen), default=math.inf)
    return widest <= stop.width, widest / stop.width


@dataclass
class Bench:
    """The games of a study that were played so far, by arm and step, and the ``workers`` that play more. With a
    ``store`` they are kept in its folder, and what is there is not played again. Nothing begins after ``deadline`` (a
    value of ``time.monotonic``)."""

    workers: Workers
    store: StudyFolder | None = None
    deadline: float = math.inf
    report: Callable[[StudyProgress], None] | None = None
    _rows: dict[tuple[str, int], list[GameRow]] = field(default_factory=dict)
    _seconds: dict[str, list[float]] = field(default_factory=dict)
    _waiting: dict[str, int] = field(default_factory=dict)

    def load(self, arms: Sequence[Arm]) -> None:
        """Read what the store has of these arms."""
        if self.store is None:
            return
        from tercet.laboratory.storing import read_rows

        for arm in arms:
            for step, path in self.store.steps(arm).items():
                rows = read_rows(path)
                if [row.number for row in rows] == list(range(step * arm.step, (step + 1) * arm.step)):
                    self._rows[arm.name, step] = rows

    def steps(self, arm: Arm) -> int:
        """Return how many steps of an arm there are without a gap."""
        found = 0
        while (arm.name, found) in self._rows:
            found += 1
        return found

    def rows(self, arm: Arm, steps: int) -> list[GameRow]:
        """Return the rows of the first ``steps`` of an arm."""
        return [row for step in range(steps) for row in self._rows[arm.name, step]]

    @property
    def games(self) -> int:
        """Return how many games there are."""
        return sum(len(rows) for rows in self._rows.values())

    def is_late(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() >= self.deadline

    def fill(self, arms: Sequence[Arm], wanted: Mapping[str, int]) -> bool:
        """Play what is missing of the first ``wanted`` steps of each arm, by name; False where the time was over before
        all were there."""
        tasks = [
            (arm, step) for arm in arms for step in range(wanted.get(arm.name, 0)) if (arm.name, step) not in self._rows
        ]
        tasks.sort(key=lambda task: task[1])  # the first steps of all arms first: they say how long the rest takes
        if not tasks:
            return True
        if self.is_late():
            return False
        for index, (rows, seconds) in self.workers.run(_play_step, tasks):
            arm, step = tasks[index]
            if self.store is not None:
                self.store.write(arm, step, rows)
            self._rows[arm.name, step] = rows
            self._seconds.setdefault(arm.name, []).append(seconds)
            self.tell(arms)
            if self.is_late():
                break
        return all((arm.name, step) in self._rows for arm, step in tasks)

    def expect(self, arm: Arm, steps: int) -> None:
        """Say how many steps of an arm are expected in all."""
        self._waiting[arm.name] = steps

    def tell(self, arms: Sequence[Arm]) -> None:
        """Report how far the run has come."""
        if self.report is None:
            return
        left, known = 0.0, True
        expected = 0
        for arm in arms:
            steps = max(self._waiting.get(arm.name, 0), self.steps(arm))
            expected += steps * arm.step
            times = self._seconds.get(arm.name)
            if times:
                left += (steps - self.steps(arm)) * sum(times) / len(times)
            elif steps > self.steps(arm):
                known = False
        self.report(StudyProgress(self.games, expected, left / self.workers.count if known else None))


def run_study(
    study: Study,
    folder: str | Path | None = None,
    *,
    on: str = "local",
    workers: int | None = 1,
    report: Callable[[StudyProgress], None] | None = None,
    afresh: bool = False,
) -> Results:
    """Play a study's games and return what they give.

    With a ``folder`` the games are kept there as Parquet, step by step, and a second run goes on where the first was
    stopped; it may ask for more games or narrower intervals, but not for other games. Games that another version of the
    engines played are refused, or played again if ``afresh``. ``on`` and ``workers`` are those of
    :func:`tercet.workers.run_tasks` and change no figure. ``report`` hears how far it has come.
    """
    began = time.monotonic()
    study.check()
    store = None
    if folder is not None:
        from tercet.laboratory.storing import StudyFolder

        store = StudyFolder(Path(folder), afresh)
    minutes = study.stop.minutes
    deadline = math.inf if minutes is None else began + 60 * minutes
    with Workers(on, workers) as crew:
        arms = _run(study, Bench(crew, store, deadline, report))
    return Results(study, arms, time.monotonic() - began)


def _run(study: Study, bench: Bench) -> tuple[ArmResult, ...]:
    """Play until each arm has games enough, or the time is over."""
    arms = study.all_arms
    bench.load(arms)
    counted: dict[str, tuple[int, str]] = {}  # steps that count, and why the arm stopped there
    looked: dict[str, int] = {}
    while True:
        wanted: dict[str, int] = {}
        for arm in arms:
            if arm.name not in counted:
                found, steps = _look(study, arm, bench, looked)
                if found is not None:
                    counted[arm.name] = found
                else:
                    wanted[arm.name] = steps
        for arm in arms:
            bench.expect(arm, counted[arm.name][0] if arm.name in counted else wanted[arm.name])
        if not wanted:
            break
        if not bench.fill(arms, _rounds(study, wanted, bench, arms)):
            for arm in arms:
                found, _ = _look(study, arm, bench, looked) if arm.name not in counted else (counted[arm.name], 0)
                counted[arm.name] = found or (bench.steps(arm), "minutes")
            break
    bench.tell(arms)
    results = []
    for arm in arms:
        steps, why = counted[arm.name]
        rows = bench.rows(arm, steps)
        results.append(
            ArmResult(arm, tuple(rows), tuple(figures(study.metrics, rows, arm)) if rows else (),
                      tuple(null_figures(rows, arm)) if rows else (), why)
        )  # fmt: skip
    return tuple(results)


def _look(study: Study, arm: Arm, bench: Bench, looked: dict[str, int]) -> tuple[tuple[int, str] | None, int]:
    """Return at which step an arm has games enough and why, or None and how many steps it is expected to need."""
    most = -(-study.stop.games // arm.step)
    there = bench.steps(arm)
    excess = math.inf
    if arm.is_null or study.stop.width is None:
        # A null study has as many games as the budget gives it: an interval that stops itself certifies nothing more.
        return ((most, "games"), 0) if there >= most else (None, most)
    for steps in range(max(looked.get(arm.name, 0) + 1, LEAST_STEPS), min(there, most) + 1):
        narrow, excess = enough(study.stop, arm, study.metrics, bench.rows(arm, steps))
        if narrow:
            return (steps, "width"), 0
    looked[arm.name] = max(looked.get(arm.name, 0), min(there, most))
    if there >= most:
        return (most, "games"), 0
    need = math.ceil(SPARE_FACTOR * there * excess**2) if math.isfinite(excess) else most
    return None, min(most, max(there + 1, need, LEAST_STEPS))


def _rounds(study: Study, wanted: Mapping[str, int], bench: Bench, arms: Sequence[Arm]) -> dict[str, int]:
    """Return how many steps of each arm to play before the next look: all of them where no width can end an arm early,
    so that the processes are kept to the end. Else the first few of each at first, then at most three times as many as
    there are, so that little is played beyond what counts."""
    if study.stop.width is None:
        return dict(wanted)
    return {
        arm.name: min(wanted[arm.name], max(3 * bench.steps(arm), LEAST_STEPS)) for arm in arms if arm.name in wanted
    }
