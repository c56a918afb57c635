"""The report of a study: one HTML file that needs nothing else, and the figures as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from tercet import __version__
from tercet.core.figures import Estimate
from tercet.core.game import Position
from tercet.core.variants import files
from tercet.laboratory.answers import fill
from tercet.laboratory.metrics import METRICS, Figure, elo_of, summary
from tercet.laboratory.metrics import report as own_lines
from tercet.laboratory.playing import Arm, GameRow, LaboratoryError
from tercet.laboratory.running import ArmResult, Results
from tercet.laboratory.searching import Candidate
from tercet.laboratory.study import UNBOUNDED, Study, head
from tercet.laboratory.verdicts import block_values, differing, is_bounded
from tercet.pictures.drawing import element, svg
from tercet.record import Record

WIDTH, ROW, EDGE = 440, 38, 14  # narrow enough that a phone shows the words at a readable size
MAX_NAME = 42  # characters
MAX_PAIRS = 30  # of arms that are listed


def _ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers from ``low`` to ``high``."""
    raw = (high - low) / 5 or 1.0
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9) * step
    return [first + index * step for index in range(int((high - first) / step + 1e-9) + 1)]


def intervals(rows: Sequence[tuple[str, Estimate, str]], line: float | None = None, share: bool = False) -> str:
    """Return a picture of estimates with their intervals, one a row: its name, its words, and the estimate below them.
    ``line`` is marked (an even share); a ``share`` is shown in per cent."""
    ends = [value for _, one, _ in rows for value in (one.low, one.high, one.mean) if math.isfinite(value)]
    ends += [] if line is None else [line]
    low, high = min(ends), max(ends)
    room = (high - low) * 0.06 or 0.5
    low, high = (max(0.0, low - room), min(1.0, high + room)) if share else (low - room, high + room)
    bottom = ROW * len(rows) + 4

    def across(value: float) -> str:
        return f"{EDGE + (value - low) / (high - low) * (WIDTH - 2 * EDGE):.1f}"

    title = escape(", ".join(name for name, _, _ in rows))
    drawn = [f'<svg viewBox="0 0 {WIDTH} {bottom + 22}" role="img" class="plot"><title>{title}</title>']
    for tick in _ticks(low, high):
        label = f"{100 * tick:.3g} %" if share else f"{tick:.6g}"
        anchor = "end" if float(across(tick)) > WIDTH - 2 * EDGE else "middle"  # else the label would be cut off
        drawn.append(element("line", x1=across(tick), x2=across(tick), y1=2, y2=bottom, class_="grid"))
        drawn.append(element("text", label, x=across(tick), y=bottom + 15, text_anchor=anchor, class_="tick"))
    if line is not None:
        drawn.append(element("line", x1=across(line), x2=across(line), y1=2, y2=bottom, class_="par"))
    for number, (name, one, words) in enumerate(rows):
        y = ROW * number + 15
        fitting = name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
        drawn.append(element("text", escape(fitting), x=0, y=y, class_="over"))
        drawn.append(element("text", escape(words), x=WIDTH, y=y, text_anchor="end", class_="over"))
        if math.isfinite(one.low):
            drawn.append(element("line", x1=across(one.low), x2=across(one.high), y1=y + 11, y2=y + 11, class_="bar"))
        drawn.append(element("circle", cx=across(one.mean), cy=y + 11, r=4, class_="dot"))
    return "".join(drawn) + "</svg>"


def curve(series: Sequence[tuple[str, Sequence[float]]], label: str) -> str:
    """Return a picture of values from 0 to 1 over the turns of a game: a line for each player, in dashes of its own as
    well as in a colour."""
    height, left, right = 150, 38, 76
    longest = max(2, *(len(values) for _, values in series))
    drawn = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" class="plot"><title>{escape(label)}</title>']

    def place(turn: int, value: float) -> str:
        return f"{left + turn / (longest - 1) * (WIDTH - left - right):.1f},{10 + (1 - value) * (height - 40):.1f}"

    for tick in (0.0, 0.5, 1.0):
        y = 10 + (1 - tick) * (height - 40)
        drawn.append(element("line", x1=left, x2=WIDTH - right, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="grid"))
        words = f"{100 * tick:.0f} %"
        drawn.append(element("text", words, x=left - 6, y=f"{y + 4:.1f}", text_anchor="end", class_="tick"))
    for number, (name, values) in enumerate(series):
        line = " ".join(place(turn, value) for turn, value in enumerate(values))
        drawn.append(f'<polyline points="{line}" class="line s{number % 4}"/>')
        height_of_end = float(place(len(values) - 1, values[-1]).split(",")[1])
        drawn.append(f'<text x="{WIDTH - right + 6}" y="{height_of_end + 4:.1f}">{escape(name)}</text>')
    drawn.append(f'<text x="{left}" y="{height - 6}" class="tick">{escape(label)}</text>')
    return "".join(drawn) + "</svg>"


MAX_PICTURES = 16  # positions of a game that are shown
PICTURE_PIXELS = 300  # of a side


def record_of(arm: Arm, row: GameRow) -> Record:
    """Return the record of a game of an arm."""
    game = arm.made()
    seats = arm.engines if len(arm.engines) > 1 else arm.engines * len(game.players)
    headers = {player: seats[row.entrants[seat]] for seat, player in enumerate(game.players)}
    ahead = iter(row.ahead)
    start, _ = arm.begin(arm.start(game, row.number), lambda _position: next(ahead))
    return Record.from_actions(game, start, row.moves, {"Event": arm.name, "Round": str(row.number + 1)} | headers)


def how_made(study: Study) -> dict[str, Any]:
    """Return what, beside the study's text, a run of it depends on, by name: its seed and budget as they were asked
    for, the versions of Tercet and of the rules, and the code that played."""
    from tercet.laboratory.storing import made_by

    games = {arm.game: arm.made().definition.rules_version for arm in study.arms}
    asked = {"seed": study.arms[0].seed, "games": study.stop.games, "width": study.stop.width}
    made = {
        "study": study.name,
        "command": study.made.get("command", ""),
        **asked,
        "minutes": study.stop.minutes,
        "tercet": __version__,
        "rules": [f"{name} {version}" for name, version in games.items()],
        "code": sorted({made_by(arm.game, arm.engine_names) for arm in study.arms}),
    }
    return {name: value for name, value in made.items() if value not in (None, "")}


def table(results: Results) -> str:
    """Return the figures as CSV: one line for each figure of each arm. Before them stands the study, if it was read
    from a file, with how it was run, as comments."""
    out = io.StringIO(head(results.study, how_made(results.study)) if results.study.text else "")
    out.seek(0, io.SEEK_END)
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(["arm", "null", "figure", "unit", "mean", "low", "high", "values", "games", "stopped"])
    for arm in results.arms:
        for is_null, found in ((arm.arm.is_null, arm.figures), (True, arm.null)):
            for figure in found:
                one = figure.estimate
                lines.writerow([arm.arm.name, int(is_null), figure.name, figure.unit, one.mean, one.low, one.high,
                                one.count, len(arm.rows), arm.stopped])  # fmt: skip
    return out.getvalue()


def answer(results: Results) -> str:
    """Return what answers the question: the study's own sentence with its figures; where it has none, or a figure is
    missing, the first figure that the study watches, arm by arm, and whether it differs between arms: see
    :mod:`tercet.laboratory.verdicts`."""
    arms = [arm for arm in results.arms if not arm.arm.is_null and arm.figures]
    if not arms:
        return "No game was played."
    if results.study.answer:
        every = {(arm.arm.name, figure.name): figure for arm in arms for figure in arm.figures}
        filled = fill(results.study.answer, every, results.study.claims)
        if filled is not None:
            return filled
    watched = _watched(results)
    if not watched:
        return "No game has the figure that the study watches."
    said = "; ".join(f"{arm.arm.name}: {figure}" for arm, figure in watched)
    name = _title(watched[0][1].name)
    if len(watched) == 1:
        return f"{name} is {watched[0][1]} ({watched[0][0].arm.name})."
    pairs, of_all = _differing(watched), len(watched) * (len(watched) - 1) // 2
    if pairs is None:
        return f"{name}: {said}."
    differs = "differs between" if pairs else "does not differ measurably between"
    which = f"{len(pairs)} of {of_all} pairs of arms" if pairs and of_all > 1 else "arms"
    return f"{name} {differs} {which}: {said}."


def _watched(results: Results) -> list[tuple[ArmResult, Figure]]:
    """Return the first figure that the study watches, of each arm that has it."""
    arms = [arm for arm in results.arms if not arm.arm.is_null and arm.figures]
    name = results.study.stop.figures[0] if results.study.stop.figures else arms[0].figures[0].name
    watched: list[tuple[ArmResult, Figure]] = []
    for arm in arms:
        below = [figure for figure in arm.figures if figure.name.startswith(f"{name}.")]
        watched += [(arm, figure) for figure in [arm.figure(name), *below] if figure is not None][:1]
    return watched


def _differing(watched: Sequence[tuple[ArmResult, Figure]]) -> list[tuple[int, int]] | None:
    """Return which arms differ in their figure, as numbers in ``watched``, the higher one first; None where they cannot
    be compared game by game."""
    block = max(len(arm.arm.orders) for arm, _ in watched)
    try:
        values = [block_values(figure.name, arm.rows, arm.arm, block) for arm, figure in watched]
    except LaboratoryError:
        return None
    return differing(values, is_bounded(watched[0][1].name))


def _verdict(results: Results) -> str:
    """Return which arms differ in the figure that the study watches, and how that is decided."""
    watched = _watched(results)
    pairs = _differing(watched) if len(watched) > 1 else None
    if pairs is None:
        return ""
    listed = [f"{watched[high][0].arm.name} above {watched[low][0].arm.name}" for high, low in pairs]
    more = [f"and {len(listed) - MAX_PAIRS} pairs more"] if len(listed) > MAX_PAIRS else []
    name = watched[0][1].name
    compared = "the differences between" if is_bounded(name) else "which is higher of"
    return (
        f"<h3>Which arms differ</h3><p>{escape(_title(name))}: "
        f"{escape('; '.join([*listed[:MAX_PAIRS], *more]) or 'none, as far as these games tell')}.</p>"
        f"<p>The test is that of <code>tercet lab compare</code>: a confidence sequence, by betting, for {compared} "
        "games with the same seed. It covers all pairs of arms: the chance that any two equal arms are said to differ "
        "is at most 5 %, however often one looks.</p>"
    )


def _title(figure: str) -> str:
    metric, _, label = figure.partition(".")
    titles = {
        "share": f"{label}'s share of the points", "players": f"The share of {label}", "fired": f"Events “{label}”"
    }  # fmt: skip
    return titles.get(metric, (label or metric).replace("_", " ").capitalize())


def ladder_of(results: Results) -> list[tuple[str, Estimate, str]]:
    """Return the Elo difference of each rung of a ladder: of the first player of an arm against the others."""
    found = []
    for arm in results.arms:
        if arm.arm.is_null or len(arm.arm.players) < 2 or not arm.rows:
            continue
        seats = len(arm.arm.players)
        points = next((one for one in arm.figures if one.name == f"players.{arm.arm.players[0].name}"), None)
        if points is None:
            continue
        one = points.estimate
        mean, low, high = (elo_of(min(max(value, 0.001), 0.999), seats) for value in (one.mean, one.low, one.high))
        elo = Estimate(round(mean), round(low), round(high), one.count)
        found.append((arm.arm.name, elo, f"{mean:+.0f} ({low:+.0f} to {high:+.0f})"))
    return found


def _interesting(arm: ArmResult) -> list[tuple[str, GameRow]]:
    """Return the games of an arm that are worth a look, each with the reason."""
    rows = [row for row in arm.rows if row.moves]
    if not rows:
        return []
    middle = median(row.turns for row in rows)
    found = [
        ("The shortest game", min(rows, key=lambda row: row.turns)),
        ("A typical game", min(rows, key=lambda row: (abs(row.turns - middle), row.number))),
        ("The longest game", max(rows, key=lambda row: row.turns)),
    ]
    if any(row.judged for row in rows):
        drama = METRICS["drama"].values
        game = arm.arm.made()
        found.insert(0, ("The most dramatic game", max(rows, key=lambda row: drama(row, game, arm.arm).get("", 0.0))))
    if any(row.politics for row in rows):
        made = max(rows, key=lambda row: max((one.spoil for one in row.politics if one.hopeless), default=0.0))
        if any(one.hopeless and one.spoil > 0 for one in made.politics):
            found.insert(0, ("A game that a player without hope decided", made))
    seen: set[int] = set()
    return [(why, row) for why, row in found if not (row.number in seen or seen.add(row.number))]  # type: ignore[func-returns-value]


def _shown(arm: ArmResult, why: str, row: GameRow) -> str:
    """Return one game to click through."""
    record = record_of(arm.arm, row)
    ends: list[tuple[str, Position]] = [("Start", record.start)]
    said: list[str] = []
    position, turn = record.start, 0
    for text in record.moves():
        following = position.play(text)
        said.append(text)
        if not following.turn_is_open or following.is_over:
            turn += 1
            ends.append((f"{turn}. {' '.join(said)}", following))
            said = []
        position = following
    if len(ends) > MAX_PICTURES:
        last = len(ends) - 1
        ends = [ends[round(index * last / (MAX_PICTURES - 1))] for index in range(MAX_PICTURES)]
    pictures = "".join(
        f"<figure{'' if index == len(ends) - 1 else ' hidden'}>{svg(at, size=PICTURE_PIXELS)}"
        f"<figcaption>{escape(words[:120])}</figcaption></figure>"
        for index, (words, at) in enumerate(ends)
    )
    expected, players = "", record.game.players
    if row.judged:
        series = [(player, [shares[seat] for shares in row.judged]) for seat, player in enumerate(players)]
        expected = curve(series, "what the judge expects after each turn")
    if row.politics:
        series = [
            ("cost", [decision.cost for decision in row.politics]),
            ("power", [decision.spoil * decision.hopeless for decision in row.politics]),
        ]
        expected += curve(series, "at each decision: what the move cost, and the power of a player without hope")
    outcome = ", ".join(f"{player} {100 * score:.0f} %" for player, score in zip(players, row.scores, strict=True))
    return (
        f"<details><summary>{escape(why)}: game {row.number + 1}, {row.turns} turns, {escape(row.reason)} "
        f"({escape(outcome)})</summary><div class='film'><div class='keys'><button type='button' data-by='-1' "
        "aria-label='Back'>‹</button><button type='button' data-by='1' aria-label='On'>›</button></div>"
        f"{pictures}</div>{expected}<pre>{escape(record.write())}</pre></details>"
    )


def html_report(results: Results, command: str) -> str:
    """Return the report as one HTML page that loads nothing. ``command`` is what plays the same games again."""
    study = results.study
    arms = [arm for arm in results.arms if not arm.arm.is_null]
    parts = [f"<h1>{escape(study.question)}</h1>", f"<p class='answer'>{escape(answer(results))}</p>"]
    games, several = sum(len(arm.rows) for arm in results.arms), "s" if len(results.arms) > 1 else ""
    parts.append(
        f"<p>{games:,} games in {len(results.arms)} arm{several}. Each interval holds the true figure in 95 of 100 "
        "studies; engines are not people: a figure says what happens when players of that strength play so many "
        "games.</p>"
    )
    if study.cannot:
        parts.append(f"<p><b>What an engine cannot tell.</b> {escape(study.cannot)}</p>")
    if study.ladder and (rungs := ladder_of(results)):
        parts.append("<h2>Skill depth</h2><p>Each rung against the last, in Elo: what more thought is worth. In a game "
                     "without depth it is 0.</p>")  # fmt: skip
        parts.append(intervals(rungs, 0.0))
    parts.append("<h2>Figures</h2>")
    for name in study.metrics:
        rows = [
            (f"{arm.arm.name}{': ' if '.' in figure.name else ''}{figure.name.partition('.')[2]}", figure)
            for arm in arms
            for figure in arm.figures
            if figure.name.partition(".")[0] == name
        ]
        labels = list(dict.fromkeys(figure.name for _, figure in rows))
        rows.sort(key=lambda row: labels.index(row[1].name))  # what is compared stands together
        if not rows:
            continue
        metric = METRICS[name]
        seats = {len(arm.arm.made().players) for arm in arms}
        line = 1 / next(iter(seats)) if name in ("share", "players") and len(seats) == 1 else None
        title, means = name.replace("_", " ").capitalize(), metric.help[0].upper() + metric.help[1:]
        parts.append(f"<h3>{escape(title)}</h3><p>{escape(means)}.</p>")
        # What a game counts has many units: a plot for each figure.
        groups = [[row for row in rows if row[1].name == one] for one in labels] if name == "own" else [rows]
        for group in groups:
            drawn = [(label, figure.estimate, str(figure)) for label, figure in group]
            parts.append(intervals(drawn, line, metric.unit == "%"))
    parts.append(_verdict(results) + _null(results))
    own = [_own(arm) for arm in arms if arm.rows]
    if any(own):
        parts.append("<h2>What the game itself counts</h2>" + "".join(own))
    parts.append("<h2>Games to look at</h2>")
    for arm in arms:
        shown = "".join(_shown(arm, why, row) for why, row in _interesting(arm)[: 4 if len(arms) < 4 else 1])
        parts.append(f"<h3>{escape(arm.arm.name)}</h3>{shown}")
    return _page(study.question, [*parts, _measured(results, command)])


def _measured(results: Results, command: str) -> str:
    """Return how a study was measured: its arms, what all of them share, and how to play the same games again."""
    study, arms = results.study, [arm.arm for arm in results.arms]
    made = {arm.name: dict(arm.made().options) for arm in arms}
    shared = {
        name: value
        for name, value in made[arms[0].name].items()
        if all(name in one and one[name] == value for one in made.values())
    }
    lines = "".join(
        f"<tr><td>{escape(arm.arm.name)}</td><td>{escape(' against '.join(arm.arm.engines))}</td>"
        f"<td>{len(arm.rows)}</td><td>{_STOPPED[arm.stopped]}</td></tr>"
        for arm in results.arms
    )
    own = "".join(
        f"<details><summary>{escape(name)}.py</summary><pre>{escape(path.read_text(encoding='utf-8'))}</pre></details>"
        for name, path in files().items()
        if any(arm.game == name for arm in arms)
    )
    if any(arm.bare for arm in arms):
        own = f"<p>All engines know nothing of a game but its rules, so that the arms can be compared.</p>{own}"
    rules_files = [f"{name}.py" for name in files() if any(arm.game == name for arm in arms)]
    beside = f", and {' and '.join(rules_files)} beside it" if rules_files else " alone"
    rules = dict.fromkeys(f"{arm.game} (rules {arm.made().definition.rules_version})" for arm in arms)
    options = ", ".join(f"{name}={value}" for name, value in shared.items()) or "none"
    again = (
        f"<p>The head of figures.csv has the study, the seed and the versions. With it{beside}, this plays the same "
        "games on any number of processes and writes both files again, byte for byte:</p>"
        "<pre>tercet lab run figures.csv</pre>"
        f"<details><summary>The study</summary><pre>{escape(study.text)}</pre></details>"
    )
    late = "<p>A time limit ended some arms: another run may have more games or fewer.</p>"
    return (
        "<h2>How it was measured</h2><table><tr><th>Arm</th><th>Players</th><th>Games</th><th>Ended by</th></tr>"
        f"{lines}</table><p>{escape(', '.join(rules))}. Options of all arms: {escape(options)}. Seed {arms[0].seed}. "
        f"Tercet {__version__}.</p>{late * any(arm.stopped == 'minutes' for arm in results.arms)}"
        f"{own}<p>The command:</p><pre>{escape(command)}</pre>{again if study.text else ''}"
    )


def cell_words(study: Study, cell: Sequence[int]) -> str:
    """Return which kind of games a cell of the study's atlas has: ``turns 10 to 20, draws from 0.1``."""
    said = []
    for (name, ends), at in zip(study.atlas.items(), cell, strict=False):
        low, high = ends[at - 1] if at else None, ends[at] if at < len(ends) else None
        said.append(f"{name} " + (f"from {low:g}" if high is None else f"below {high:g}" if low is None
                                  else f"{low:g} to {high:g}"))  # fmt: skip
    return ", ".join(said)


def search_report(study: Study, found: Sequence[Candidate], command: str) -> str:
    """Return what a search found as one HTML page that loads nothing, with the Pareto front. ``command`` is what
    searches again."""
    best = [one.arm.name for one in found if one.is_best]
    if study.atlas:
        said = f"{len(best)} kinds of games were found among {len(found)} rules that were tried."
        means = "★: the nearest to the goals of its kind. It may miss one."
    else:
        said = f"No other arm is nearer to every goal than {'; '.join(best)}."
        means = "These arms (★) are the Pareto front."
    parts = [
        f"<h1>{escape(study.question)}</h1><p class='answer'>{escape(said)}</p><p>{means}</p>",
        "<p>The best of many arms looks better than it is: confirm it with another seed.</p>",
    ]
    for goal in study.goals:
        ends = [f"at least {goal.low:g}"] if goal.low > -UNBOUNDED else []
        ends += [f"at most {goal.high:g}"] if goal.high < UNBOUNDED else []
        parts.append(f"<h2>{escape(goal.figure)}</h2><p>Goal: {' and '.join(ends)}.</p>")
        shown = [(one, figure) for one in found for figure in one.figures if figure.name == goal.figure]
        rows = [(f"{'★ ' * one.is_best}{one.arm.name}", figure.estimate, str(figure)) for one, figure in shown]
        parts.append(intervals(rows, None, shown[0][1].unit == "%"))

    def line(tag: str, kind: str, *cells: str) -> str:
        every = (kind, *cells) if study.atlas else cells
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in every)}</tr>"

    lines = [line("th", "Kind", "Arm", "Games", "State")]
    for one in found:
        name = f"{'★ ' * one.is_best}{one.arm.name}"
        lines.append(line("td", cell_words(study, one.cell), name, str(one.games), one.state))
    parts.append(f"<h2>Arms</h2><table>{''.join(lines)}</table>"
                 f"<p>The same search again (Tercet {__version__}):</p><pre>{escape(command)}</pre>"
                 f"<details><summary>The study</summary><pre>{escape(study.text)}</pre></details>")  # fmt: skip
    return _page(study.question, parts)


def _page(title: str, parts: Sequence[str]) -> str:
    page = Path(__file__).with_name("report.html").read_text(encoding="utf-8")
    return page.replace("TITLE", escape(title)).replace("BODY", "\n".join(parts))


_STOPPED = {"width": "the interval is narrow enough", "games": "the budget of games", "minutes": "the budget of time"}


def _null(results: Results) -> str:
    drawn: list[tuple[str, Estimate, str]] = []
    missed = 0
    even: set[float] = set()
    for arm in results.arms:
        if len(arm.arm.players) > 1 and not arm.arm.is_null:
            continue
        for figure in arm.null[:-1]:  # the last follows from the others
            share = arm.arm.even_share
            even.add(share)
            missed += not figure.estimate.low <= share <= figure.estimate.high
            drawn.append((f"{arm.arm.name}: {figure.name}", figure.estimate, str(figure)))
    if not drawn:
        return ""
    said = (
        f"{len(drawn) - missed} of {len(drawn)} intervals hold an even share; one in twenty misses it by chance. "
        "Where more miss it, distrust the study."
    )
    return (
        "<h2>Null study</h2><p>An engine against itself, the entrants in every order of the seats: no entrant is "
        f"better, so what is found here is the error of the instrument. {said}</p>"
        + intervals(drawn, even.pop() if len(even) == 1 else None, True)
    )


def _own(arm: ArmResult) -> str:
    game, finished = arm.arm.made(), [row for row in arm.rows if row.counts]
    if game.definition.statistics is None or not finished:
        return ""
    lines = own_lines(game, summary(game, finished))
    return f"<details><summary>{escape(arm.arm.name)}</summary><pre>{escape(chr(10).join(lines))}</pre></details>"
