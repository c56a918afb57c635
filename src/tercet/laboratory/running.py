"""Running a study: steps of games on any number of processes, until the figures are as narrow as asked; comparing its
arms, and searching them for those that reach its goals.

An arm's games are played in *steps* of whole blocks. After each step, in their order, the study checks whether the arm
has games enough. Steps that were played beyond that are kept but not counted, so that the figures depend on the
study alone and not on how many processes played, which was quicker, or how often the run was stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tercet.core.figures import Verdict, judge_all
from tercet.laboratory.metrics import METRICS, Figure, figures, null_figures
from tercet.laboratory.playing import Arm, GameRow, LaboratoryError
from tercet.laboratory.study import Study
from tercet.laboratory.verdicts import block_values, is_bounded
from tercet.workers import Workers

if TYPE_CHECKING:
    from tercet.laboratory.storing import StudyFolder

SPARE_FACTOR = 1.1  # how many more games an interval is expected to need than its width says
LEAST_STEPS = 2  # an interval of fewer is not checked at


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


def _widest(study: Study, arm: Arm, rows: Sequence[GameRow]) -> float:
    """Return how wide the widest of the figures is that the study's stop names."""
    names = study.stop.figures
    watched = {name.partition(".")[0] for name in names}
    chosen = (
        figure.width
        for figure in figures([name for name in study.metrics if name in watched], rows, arm)
        if any(figure.name == name or figure.name.startswith(f"{name}.") for name in names)
    )
    return max(chosen, default=math.inf)


@dataclass
class StudyGames:
    """The games of a study that were played so far, by arm and step, and the ``workers`` that play more. With a
    ``store`` they are kept in its folder, and what is there is not played again. Nothing begins after ``deadline`` (a
    value of ``time.monotonic``). ``expected`` says how many steps of each arm there will be in all."""

    workers: Workers
    store: StudyFolder | None = None
    deadline: float = math.inf
    report: Callable[[StudyProgress], None] | None = None
    expected: dict[str, int] = field(default_factory=dict)
    _rows: dict[tuple[str, int], list[GameRow]] = field(default_factory=dict)
    _seconds: dict[str, list[float]] = field(default_factory=dict)

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

    def fill(self, arms: Sequence[Arm], wanted: Mapping[str, int]) -> bool:
        """Play what is missing of the first ``wanted`` steps of each arm, by name; False where the time was over."""
        every = [(arm, step) for arm in arms for step in range(wanted.get(arm.name, 0))]
        tasks = [(arm, step) for arm, step in every if (arm.name, step) not in self._rows]
        tasks.sort(key=lambda task: task[1])  # the first steps of all arms first: they say how long the rest takes
        if not tasks:
            return True
        if time.monotonic() >= self.deadline:
            return False
        for index, (rows, seconds) in self.workers.run(_play_step, tasks):
            arm, step = tasks[index]
            if self.store is not None:
                self.store.write(arm, step, rows)
            self._rows[arm.name, step] = rows
            self._seconds.setdefault(arm.name, []).append(seconds)
            self.tell(arms)
            if time.monotonic() >= self.deadline:
                break
        return all((arm.name, step) in self._rows for arm, step in tasks)

    def tell(self, arms: Sequence[Arm]) -> None:
        """Report how far the run has come."""
        if self.report is None:
            return
        left, known = 0.0, True
        expected = 0
        for arm in arms:
            steps = max(self.expected.get(arm.name, 0), self.steps(arm))
            expected += steps * arm.step
            times = self._seconds.get(arm.name)
            if times:
                left += (steps - self.steps(arm)) * sum(times) / len(times)
            elif steps > self.steps(arm):
                known = False
        games = sum(map(len, self._rows.values()))
        self.report(StudyProgress(games, expected, left / self.workers.count if known else None))


def open_store(folder: str | Path | None, afresh: bool = False) -> StudyFolder | None:
    """Return the store in ``folder``, if one is given: only it needs PyArrow."""
    if folder is None:
        return None
    from tercet.laboratory.storing import StudyFolder

    return StudyFolder(Path(folder), afresh)


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
    if study.space:
        raise LaboratoryError(f"{study.name} has a space. `tercet lab search` looks through it.")
    study.check()
    store, minutes = open_store(folder, afresh), study.stop.minutes
    deadline = math.inf if minutes is None else began + 60 * minutes
    with Workers(on, workers) as crew:
        arms = _run(study, StudyGames(crew, store, deadline, report))
    return Results(study, arms, time.monotonic() - began)


def _run(study: Study, played: StudyGames) -> tuple[ArmResult, ...]:
    """Play until each arm has games enough, or the time is over."""
    arms = study.all_arms
    played.load(arms)
    counted: dict[str, tuple[int, str]] = {}  # steps that count, and why the arm stopped there
    checked: dict[str, int] = {}
    is_late = False
    while len(counted) < len(arms):
        for arm in arms:
            if arm.name not in counted:
                steps, why = _enough_steps(study, arm, played, checked)
                if why or is_late:
                    counted[arm.name] = (steps, why) if why else (played.steps(arm), "minutes")
                if not is_late:
                    played.expected[arm.name] = steps
        is_late = not played.fill(arms, _next_steps(study, played, [arm for arm in arms if arm.name not in counted]))
    played.tell(arms)
    results = []
    for arm in arms:
        steps, why = counted[arm.name]
        rows = played.rows(arm, steps)
        found, null = (figures(study.metrics, rows, arm), null_figures(rows, arm)) if rows else ((), ())
        results.append(ArmResult(arm, tuple(rows), tuple(found), tuple(null), why))
    return tuple(results)


def _enough_steps(study: Study, arm: Arm, played: StudyGames, checked: dict[str, int]) -> tuple[int, str]:
    """Return at which step an arm has games enough and why, or how many steps it is expected to need and ``""``."""
    most, width = -(-study.stop.games // arm.step), study.stop.width
    there = played.steps(arm)
    widest = math.inf
    if arm.is_null or width is None:
        # A null study has as many games as the budget gives it: an interval that stops itself certifies nothing more.
        return most, "games" if there >= most else ""
    for steps in range(max(checked.get(arm.name, 0) + 1, LEAST_STEPS), min(there, most) + 1):
        widest = _widest(study, arm, played.rows(arm, steps))
        if widest <= width:
            return steps, "width"
    checked[arm.name] = max(checked.get(arm.name, 0), min(there, most))
    if there >= most:
        return most, "games"
    need = math.ceil(SPARE_FACTOR * there * (widest / width) ** 2) if math.isfinite(widest) else most
    return min(most, max(there + 1, need, LEAST_STEPS)), ""


def _next_steps(study: Study, played: StudyGames, arms: Sequence[Arm]) -> dict[str, int]:
    """Return how many steps of each arm to play before the next look: all of them where no width can end an arm early,
    so that the processes are kept to the end. Else the first few of each at first, then at most three times as many as
    there are, so that little is played beyond what counts."""
    wanted = {arm.name: played.expected[arm.name] for arm in arms}
    if study.stop.width is None:
        return wanted
    return {arm.name: min(wanted[arm.name], max(3 * played.steps(arm), LEAST_STEPS)) for arm in arms}


@dataclass(frozen=True)
class Comparison:
    """What comparing ``a`` with ``b`` (an arm's name, or a number) found, figure by figure."""

    a: str
    b: str
    margin: float
    verdicts: tuple[Verdict, ...]


def _values(figure: str, rows: Sequence[GameRow], arm: Arm, block: int) -> list[float]:
    """Return the values of a figure to bet on; where players take turns in the seats, the means of whole blocks."""
    if not is_bounded(figure):
        bounded = ", ".join(name for name, one in METRICS.items() if one.bounded)
        raise LaboratoryError(f"{figure!r} cannot be compared: a comparison needs a figure whose values lie between 0 "
                              f"and 1, of {bounded}")  # fmt: skip
    return block_values(figure, rows, arm, block)


def compare(
    study: Study,
    a: str,
    b: str,
    figures: Sequence[str],
    margin: float,
    folder: str | Path | None = None,
    *,
    games: int | None = None,
    on: str = "local",
    workers: int | None = 1,
    report: Callable[[StudyProgress], None] | None = None,
) -> Comparison:
    """Compare ``figures`` of arm ``a`` of a study with arm ``b``, or with the number that ``b`` is, game by game, until
    each has a verdict or ``games`` (the study's budget) are played.

    One may look at any time: intervals are confidence sequences (:class:`ConfidenceSequence`), not those of the study's
    report. Of several figures at once, "higher" and "lower" stand only where the e-BH procedure rejects equality, and
    "equivalent" is asked of an interval that allows for their number.
    """
    if not 0 < margin < 1:
        raise LaboratoryError(f"a margin must be between 0 and 1, not {margin:g}")
    first = study.arm(a)
    try:
        constant = float(b)
    except ValueError:
        constant = math.nan
    second = None if math.isfinite(constant) else study.arm(b)
    arms = [first] if second is None else [first, second]
    step = max(arm.step for arm in arms)
    block = max(len(arm.orders) for arm in arms)
    most = -(-(games or study.stop.games) // step)
    for arm in arms:
        arm.check()
    store = open_store(folder)
    with Workers(on, workers) as crew:
        played = StudyGames(crew, store, report=report)
        played.expected = {arm.name: most * step // arm.step for arm in arms}
        played.load(arms)
        steps = 1
        while True:
            played.fill(arms, {arm.name: steps * step // arm.step for arm in arms})
            rows = [played.rows(arm, steps * step // arm.step) for arm in arms]
            differences = {}
            for figure in figures:
                values = _values(figure, rows[0], first, block)
                others = [constant] * len(values) if second is None else _values(figure, rows[1], second, block)
                differences[figure] = [one - other for one, other in zip(values, others, strict=False)]
            verdicts = [replace(one, games=one.games * block) for one in judge_all(differences, margin, step // block)]
            if steps >= most or all(verdict.verdict != "inconclusive" for verdict in verdicts):
                break
            steps = min(most, 2 * steps)
    return Comparison(a, b, margin, tuple(verdicts))
