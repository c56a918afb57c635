"""``tercet lab``: studies, from the question to the report."""

from __future__ import annotations

import contextlib
import json as json_module
import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from tercet.laboratory import Results, Study, StudyProgress, compare, run_study, shipped_studies, study_of
from tercet.laboratory.reporting import answer, html_report, ladder_of, search_report, table
from tercet.laboratory.running import search
from tercet.laboratory.study import published_studies


def _span(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[StudyProgress], None]]:
    """Report on stderr what is expected, then the progress; on a terminal in one line."""
    console = Console(stderr=True, highlight=False)
    first = True

    def tell(progress: StudyProgress) -> None:
        nonlocal first
        if quiet or progress.seconds is None or progress.games >= progress.expected:
            return
        if first:
            first = False
            console.print(f"Expected: about {progress.expected} games, {_span(progress.seconds)} more.")
        elif console.is_terminal:
            line = f"{progress.games} of about {progress.expected} games, {_span(progress.seconds)} left"
            console.print(f"{line:<70}", end="\r")

    yield tell


def _bounded(study: Study, games: int | None, width: float | None, minutes: float | None, seed: int | None) -> Study:
    """Return the study with another budget or seed where one is given."""
    given = {"games": games, "width": width, "minutes": minutes}
    stop = replace(study.stop, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    arms = study.arms if seed is None else tuple(replace(arm, seed=seed) for arm in study.arms)
    return replace(study, stop=stop, arms=arms)


def run(
    name: str,
    out: Path | None,
    games: int | None,
    width: float | None,
    minutes: float | None,
    seed: int | None,
    on: str,
    workers: int | None,
    afresh: bool,
    json: bool,
) -> None:
    """Run a study into a folder, and write its report."""
    from tercet.laboratory.storing import replace as replace_file

    study = _bounded(study_of(name), games, width, minutes, seed)
    folder = out or Path(f"{study.name}-study")
    with _progress(json) as tell:
        results = run_study(study, folder, on=on, workers=workers, report=tell, afresh=afresh)
    given = {"games": games, "width": width, "minutes": minutes, "seed": seed}
    words = ["tercet", "lab", "run", name, *(f"--{key}={value}" for key, value in given.items() if value is not None)]
    replace_file(folder / "figures.csv", table(results).encode())
    replace_file(folder / "report.html", html_report(results, shlex.join(words)).encode())
    if json:
        print(json_module.dumps(_plain(results)))
        return
    print(answer(results))
    for arm in results.arms:
        print(f"{arm.arm.name}: {len(arm.rows)} games, ended by {arm.stopped}")
        for figure in arm.null if arm.arm.is_null else arm.figures:
            print(f"  {figure.name:<28} {figure}")
    for rung, _, words_ in ladder_of(results) if study.ladder else ():
        print(f"Elo, {rung}: {words_}")
    print(f"Report: {folder / 'report.html'}")


def _plain(results: Results) -> dict[str, Any]:
    return {
        "study": results.study.name,
        "answer": answer(results),
        "arms": [
            {
                "name": arm.arm.name,
                "games": len(arm.rows),
                "stopped": arm.stopped,
                "is_null": arm.arm.is_null,
                "figures": {figure.name: figure.estimate.as_dict() for figure in arm.figures},
                "null": {figure.name: figure.estimate.as_dict() for figure in arm.null},
            }
            for arm in results.arms
        ],
    }


def compare_arms(
    name: str,
    a: str,
    b: str,
    figures: Sequence[str],
    margin: float,
    out: Path | None,
    games: int | None,
    on: str,
    workers: int | None,
    json: bool,
) -> None:
    """Compare two arms of a study, or an arm with a number, and print the verdicts."""
    study = study_of(name)
    with _progress(json) as tell:
        found = compare(study, a, b, figures, margin, out, games=games, on=on, workers=workers, report=tell)
    if json:
        print(json_module.dumps(asdict(found)))
        return
    for one in found.verdicts:
        said = {
            "higher": f"{a} is higher than {b}",
            "lower": f"{a} is lower than {b}",
            "equivalent": f"{a} and {b} are equivalent within {margin:g}",
            "inconclusive": f"inconclusive after {one.games} games",
        }[one.verdict]
        print(
            f"{one.figure}: {said}: difference {one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f}), "
            f"{one.games} games of each, evidence against equality {one.evidence:.3g}"
        )


def search_options(name: str, out: Path | None, games: int | None, on: str, workers: int | None, json: bool) -> None:
    """Search the arms of a study for those that reach its goals, and print them, the best first."""
    from tercet.laboratory.storing import replace as replace_file

    study = _bounded(study_of(name), games, None, None, None)
    with _progress(json) as tell:
        found = search(study, out, on=on, workers=workers, report=tell)
    if out is not None:
        words = ["tercet", "lab", "search", name, *([] if games is None else [f"--games={games}"])]
        replace_file(out / "search.html", search_report(study, found, shlex.join(words)).encode())
    if json:
        print(json_module.dumps([
            {
                "arm": one.arm.name, "games": one.games, "dropped": one.dropped, "proved": one.proved,
                "outside": one.outside, "best": one.is_best,
                "figures": {figure.name: figure.estimate.as_dict() for figure in one.figures},
            }
            for one in found
        ]))  # fmt: skip
        return
    wanted = [goal.figure for goal in study.goals]
    for one in found:
        said = ", ".join(f"{figure.name} {figure}" for figure in one.figures if figure.name in wanted)
        print(f"{'*' if one.is_best else ' '} {one.arm.name}: {one.state} after {one.games} games: {said}")
    print("* no other arm is nearer to every goal")
    if out is not None:
        print(f"Report: {out / 'search.html'}")


def list_studies(json: bool) -> None:
    """Print the studies that come with the games, with what they have found."""
    found: dict[str, dict[str, Any]] = {name: {"question": study_of(name).question} for name in shipped_studies()}
    for study in published_studies():
        found[study.name] |= {"answer": study.answer, "cannot": study.cannot, "games": study.games}
    if json:
        print(json_module.dumps(found))
        return
    for name, one in found.items():
        answer = textwrap.indent(textwrap.fill(one.get("answer", "Not played yet."), 96), "    ")
        print(f"{name}: {one['question']}\n{answer}\n")
