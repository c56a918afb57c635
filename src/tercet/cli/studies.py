"""Commands about what a rule does to a game: ``tercet stats`` and ``tercet lab``."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tercet.cli.app import OPEN, Json, On, Seed, Words, app, game_of, print_answer, progress_bar, split
from tercet.core.game import Game
from tercet.core.variants import files
from tercet.errors import OptionError
from tercet.games import names
from tercet.record import read_file

if TYPE_CHECKING:
    from tercet.laboratory import Figure, GameRow, Results, Study, StudyProgress


@app.command(context_settings=OPEN)
def stats(
    words: Words = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 100,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plays every seat: random (if left out), level:1 to level:10, mcts. Give it once for "
            "each seat to have several engines take turns in the seats."
        ),
    ] = None,
    movetime: Annotated[float | None, typer.Option(min=0.001, help="Seconds a turn.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Nodes a turn.")] = None,
    seed: Seed = 1,
    on: On = "local",
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes; the figures do not depend on it.")] = 1,
    json: Json = False,
    records: Annotated[
        list[Path] | None, typer.Option(help="Count the games in this record file instead, with the seconds of turns.")
    ] = None,
) -> None:
    """Play many games and print the figures that a game's designers ask for, as `tercet stats GAME`."""
    from tercet.laboratory import Arm, players, summary

    positional, options = split(words)
    if len(positional) != 1 or positional[0] not in names():
        raise OptionError("words", f"Name one game of {', '.join(names())}, as in `tercet stats {names()[0]}`.")
    game = game_of(positional[0], options)
    if records:
        _of_records(game, records, json)
        return
    engines = engine or ["random"]
    arm = Arm(game.name, dict(game.options), players(*engines, nodes=nodes, movetime=movetime), seed)
    rows: list[GameRow] = []
    with progress_bar("games", arm.whole(games)) as update:
        for part in arm.parts(arm.whole(games), on=on, workers=workers):
            rows += part
            update(advance=len(part))
    found = summary(game, sorted(rows, key=lambda row: row.number), engines)
    said = ", ".join(engines)
    _print(game, found, {"engine": said, "seed": seed}, f"by {said}", json)


def _of_records(game: Game, files: Sequence[Path], json: bool) -> None:
    from statistics import fmean, median

    from tercet.laboratory import summary

    rows, seconds, left_out = count_records(game, files)
    if not rows:
        why = f"No game of {game.name} {game.option_text(True)} in the records ended on the board."
        raise OptionError("records", why)
    if left_out:
        print(f"tercet: {left_out} other games in the records have other rules or did not end.", file=sys.stderr)
    times = {"mean": fmean(seconds), "median": median(seconds), "most": max(seconds)} if seconds else None
    _print(game, summary(game, rows), {"seconds": times}, "from records", json)
    if times and not json:
        shown = ", ".join(f"{name} {value:.1f}" for name, value in times.items())
        print(f"  {'seconds a turn':<20} {shown}, {len(seconds)} turns")


def count_records(game: Game, files: Sequence[Path]) -> tuple[list[GameRow], list[float], int]:
    """Return the rows of the games of ``game`` in record ``files`` that ended on the board, the seconds of all turns
    that the records tell of (header ``Seconds``), and how many games were left out."""
    from tercet.laboratory import play_record

    rows: list[GameRow] = []
    seconds: list[float] = []
    count = 0
    for file in files:
        for record in read_file(file):
            count += 1
            if record.game != game:
                continue
            seconds += [float(word) for word in record.headers.get("Seconds", "").split() if word[:1].isdigit()]
            row = play_record(record, len(rows))
            if row is not None:
                rows.append(row)
    return rows, seconds, count - len(rows)


def _print(game: Game, found: dict[str, Any], about: dict[str, Any], source: str, json: bool) -> None:
    """Print a summary."""
    from tercet.laboratory import report

    options = game.option_text(True)
    title = f"{found['games']} games of {game.name} {options} {source}".replace("  ", " ")
    lines = [title, *(f"  {line}" for line in report(game, found))]
    print_answer(json, {"game": game.name, "options": options} | about | found, lines)


lab = typer.Typer(help="Run studies, which measure what a rule does to a game.", no_args_is_help=True)
app.add_typer(lab, name="lab")

StudyName = Annotated[
    str, typer.Argument(help="A study file, or a study that `tercet lab list` lists.", metavar="STUDY")
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Processes; by default one for each core. The figures do not depend on it."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "--output", "-o", help="A folder for the games; a second run continues there.")
]
Games = Annotated[int | None, typer.Option(min=1, help="The most games of each arm, instead of the study's number.")]


@lab.command()
def run(
    study: StudyName,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "--output", "-o", help="The folder, by default NAME-study; a second run continues there."
        ),
    ] = None,
    games: Games = None,
    width: Annotated[
        float | None,
        typer.Option(min=1e-6, help="Stop an arm when its intervals are this narrow, instead of the study's width."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="Stop after so many minutes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="A seed instead of the study's, for other games.")] = None,
    on: On = "local",
    workers: Workers = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Play again the games in the folder that other engines played.")
    ] = False,
    json: Json = False,
) -> None:
    """Play the games of a study until its intervals are as narrow as asked, and write report.html and figures.csv."""
    import shlex

    from tercet.laboratory import run_study, study_of
    from tercet.laboratory.reporting import answer, how_made, html_report, ladder_of, table
    from tercet.laboratory.storing import replace as replace_file

    chosen = _bounded(study_of(study), games, width, minutes, seed)
    given = {"games": games, "width": width, "minutes": minutes, "seed": seed}
    asked = [f"--{key}={value}" for key, value in given.items() if value is not None]
    was = chosen.made
    command = str(was.get("command", "")) if not asked else ""
    command = command or shlex.join(["tercet", "lab", "run", study, *asked])
    chosen = replace(chosen, made=dict(was) | {"command": command})
    if was and was.get("code") != (now := how_made(chosen)["code"]):
        then = ", ".join(was.get("code", ["other code"]))
        print(
            f"tercet: {study} was made by {then}. This is {', '.join(now)}, which may play otherwise: Tercet, or a "
            "file with a rule, is not the same.",
            file=sys.stderr,
        )
    folder = out or Path(f"{chosen.name}-study")
    with _progress(json) as tell:
        results = run_study(chosen, folder, on=on, workers=workers, report=tell, afresh=afresh)
    for name in {arm.game for arm in chosen.arms} & files().keys():  # with which figures.csv can be repeated
        replace_file(folder / f"{name}.py", files()[name].read_bytes())
    replace_file(folder / "figures.csv", table(results).encode())
    replace_file(folder / "report.html", html_report(results, command).encode())
    lines = [answer(results)]
    for arm in results.arms:
        lines.append(f"{arm.arm.name}: {len(arm.rows)} games, ended by {arm.stopped}")
        lines += [f"  {figure.name:<28} {figure}" for figure in (arm.null if arm.arm.is_null else arm.figures)]
    lines += [f"Elo, {rung}: {said}" for rung, _, said in (ladder_of(results) if chosen.ladder else ())]
    print_answer(json, _plain(results), [*lines, f"Report: {folder / 'report.html'}"])


@lab.command()
def compare(
    study: StudyName,
    a: Annotated[str, typer.Argument(help="An arm of the study, by its name.", metavar="A")],
    b: Annotated[str, typer.Argument(help="Another arm, or a number.", metavar="B")],
    figure: Annotated[list[str], typer.Option(help="The figure to compare, such as share.White; repeatable.")],
    margin: Annotated[
        float, typer.Option(min=0.0001, max=0.9999, help="The smallest difference that matters; fix it beforehand.")
    ] = 0.05,
    out: Out = None,
    games: Games = None,
    on: On = "local",
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Print whether A is higher, lower or equivalent to B. You may look at the verdict after every step, because its
    intervals hold at all times."""
    from tercet.laboratory import compare as compare_arms
    from tercet.laboratory import study_of

    chosen = study_of(study)
    with _progress(json) as tell:
        found = compare_arms(chosen, a, b, figure, margin, out, games=games, on=on, workers=workers, report=tell)
    lines = []
    for one in found.verdicts:
        said = {
            "higher": f"{a} is higher than {b}",
            "lower": f"{a} is lower than {b}",
            "equivalent": f"{a} and {b} are equivalent within {margin:g}",
            "inconclusive": f"inconclusive after {one.games} games",
        }[one.verdict]
        difference = f"{one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})"
        evidence = f"{one.games} games of each, evidence against equality {one.evidence:.3g}"
        lines.append(f"{one.figure}: {said}: difference {difference}, {evidence}")
    print_answer(json, asdict(found), lines)


@lab.command()
def search(
    study: StudyName,
    out: Out = None,
    games: Games = None,
    on: On = "local",
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Find the arms of a study that reach its goals, by successive halving, or the best rules of each kind of game in
    its space of options (MAP-Elites)."""
    import shlex

    from tercet.laboratory import study_of
    from tercet.laboratory.reporting import cell_words, search_report
    from tercet.laboratory.searching import search as search_study
    from tercet.laboratory.storing import replace as replace_file

    chosen = _bounded(study_of(study), games, None, None, None)
    with _progress(json) as tell:
        found = search_study(chosen, out, on=on, workers=workers, report=tell)
    if out is not None:
        words = ["tercet", "lab", "search", study, *([] if games is None else [f"--games={games}"]), "--out=again"]
        replace_file(out / "search.html", search_report(chosen, found, shlex.join(words)).encode())
    data, lines = [], []
    wanted = [*chosen.atlas, *(goal.figure for goal in chosen.goals)]
    for one in found:
        about = {"arm": one.arm.name, "games": one.games, "dropped": one.dropped, "proved": one.proved}
        data.append(
            about
            | {
                "outside": one.outside,
                "best": one.is_best,
                "kind": cell_words(chosen, one.cell),
                "figures": _estimates(one.figures),
            }
        )
        said = ", ".join(f"{figure.name} {figure}" for figure in one.figures if figure.name in wanted)
        kind = f"{cell_words(chosen, one.cell)}: " if one.cell else ""
        lines.append(f"{'*' if one.is_best else ' '} {kind}{one.arm.name}: {one.state} after {one.games} games: {said}")
    lines.append("* the nearest to the goals of its kind" if chosen.atlas else "* no other arm is nearer to every goal")
    print_answer(json, data, lines if out is None else [*lines, f"Report: {out / 'search.html'}"])


@lab.command()
def teaming(
    records: Annotated[list[Path], typer.Argument(help="Record files of games for three, with the players' names.")],
    judge: Annotated[str, typer.Option(help="The engine that judges moves; better none of the players.")] = "level:9",
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for each of its thoughts.")] = 300,
    json: Json = False,
) -> None:
    """Print for each two players how much their moves favour each other, beyond what their strength explains."""
    from itertools import takewhile

    from tercet.engines import Limits, engine
    from tercet.engines.politics import shifts
    from tercet.laboratory.teaming import JudgedGame, suspicions
    from tercet.record.tokens import is_token
    from tercet.record.tree import in_force

    every = [record for file in records for record in read_file(file)]
    named = [(record, tuple(record.headers.get(seat, "") for seat in record.game.players)) for record in every]
    known = [(record, names) for record, names in named if len(set(filter(None, names))) == 3]
    if not known:
        raise OptionError("records", "No game in the records names three players.")
    games: list[JudgedGame] = []
    with progress_bar("games", len(known)) as update:
        for record, names in known:
            thinker = engine(judge, record.game, seed=1)
            played = (node.action_text or "" for node in in_force(record.last)[1:])
            actions = takewhile(lambda text: not is_token(text), played)  # who resigns is out
            try:
                games.append((names, shifts(record.start, actions, thinker, Limits(nodes=nodes))))
            finally:
                thinker.close()
            update(advance=1)
    evidence = suspicions(games)
    lines = [
        f"{'*' if one.suspected else ' '} {' and '.join(one.players)}: {one.games} games, "
        f"favour {one.favour:+.2f} a game, probability {one.probability:.3g}"
        for one in evidence
    ]
    left_out = len(every) - len(known)
    if left_out:
        lines.append(f"{left_out} game{' was' if left_out == 1 else 's were'} left out, without three names.")
    lines.append("* suspected: of players who favour no one at most 1 % are")
    print_answer(json, [asdict(one) for one in evidence], lines)


@lab.command("list")
def list_studies(json: Json = False) -> None:
    """List the studies that come with the games, with what they have found."""
    from tercet.laboratory import shipped_studies, study_of
    from tercet.laboratory.study import published_studies

    found: dict[str, dict[str, Any]] = {name: {"question": study_of(name).question} for name in shipped_studies()}
    for study in published_studies():
        found[study.name] |= {"answer": study.answer, "cannot": study.cannot, "games": study.games}
    lines = []
    for name, one in found.items():
        answer = textwrap.indent(textwrap.fill(one.get("answer", "Not played yet."), 96), "    ")
        lines.append(f"{name}: {one['question']}\n{answer}\n")
    print_answer(json, found, lines)


def _bounded(study: Study, games: int | None, width: float | None, minutes: float | None, seed: int | None) -> Study:
    """Return the study with another budget or seed where one is given."""
    given = {"games": games, "width": width, "minutes": minutes}
    stop = replace(study.stop, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    arms = study.arms if seed is None else tuple(replace(arm, seed=seed) for arm in study.arms)
    return replace(study, stop=stop, arms=arms)


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[StudyProgress], None]]:
    """Report on stderr what is expected, then the progress; on a terminal in one line."""
    from rich.console import Console

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


def _span(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _plain(results: Results) -> dict[str, Any]:
    from tercet.laboratory.reporting import answer

    arms = []
    for one in results.arms:
        known = {"name": one.arm.name, "games": len(one.rows), "stopped": one.stopped, "is_null": one.arm.is_null}
        arms.append(known | {"figures": _estimates(one.figures), "null": _estimates(one.null)})
    return {"study": results.study.name, "answer": answer(results), "arms": arms}


def _estimates(figures: Iterable[Figure]) -> dict[str, Any]:
    return {figure.name: figure.estimate.as_dict() for figure in figures}
