"""Play the studies that come with the games, ship their results, and write the published figures into the pages.

    python tools/studies.py                      # all of them; each says first how long it will take
    python tools/studies.py sparklies/duel       # some
    python tools/studies.py tutorial             # the commands of docs/laboratory.md
    python tools/studies.py --pages              # play nothing; write the pages, and the answers in the shipped
                                                 # reports, from the results that are there

Games are kept in dist/studies, so that a run that was stopped goes on; those that other engines played are played
again. The page of the tutorial has its study, the commands and what they print. This program also writes two kinds of
blocks in the pages of docs. Between ``<!-- study sparklies/duel -->`` and ``<!-- end of study -->`` stands the answer
of that study; between ``<!-- table sparklies/handicap share.White: handicap by board -->`` and ``<!-- end of table
-->`` a figure of all arms of its grid, with the values of one option down and those of the other across.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

from tercet.cli import main as tercet
from tercet.laboratory import LaboratoryError, run_study, shipped_studies, study_of
from tercet.laboratory.answers import read_figures, used, words
from tercet.laboratory.reporting import html_report, table
from tercet.laboratory.study import PublishedStudy, publish, published_studies

ROOT = Path(__file__).parents[1]
GAMES = ROOT / "dist" / "studies"
BLOCK = re.compile(r"(<!-- study (\S+) -->\n).*?(<!-- end of study -->)", re.DOTALL)
TABLE = re.compile(r"(<!-- table (\S+) (\S+): (\w+) by (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
TUTORIAL = ROOT / "docs" / "laboratory.md"
TUTORIAL_STUDY = re.compile(r"Write `(\w+\.toml)`:\n\n```toml\n(.*?)```", re.DOTALL)
TUTORIAL_RUN = re.compile(
    r"(```sh\n(tercet lab \w+ \w+\.toml .*?)\n```\n\n```text\n)(Expected: .*?\n)?(.*?)(```)", re.DOTALL
)
SHOWN_FIGURES = 3  # of each arm in the tutorial


def pages() -> dict[Path, str]:
    """Return the pages that have blocks, as they should be; LaboratoryError where the results of a study lack an arm
    or a figure."""
    published = {study.name: study for study in published_studies()}

    @cache
    def study(name: str) -> PublishedStudy:
        wanted, found = study_of(name), published[name].found if name in published else {}
        arms = {arm for arm, _ in found}
        lacking = [arm.name for arm in wanted.arms if arm.name not in arms]
        places = [(arm or wanted.arms[0].name, figure) for arm, figure in used(wanted.answer, wanted.claims)]
        lacking += [" | ".join(place) for place in dict.fromkeys(places) if place[0] in arms and place not in found]
        if lacking or not published[name].answer:  # the second if the game of an optional arm was not installed
            lack = "; ".join(lacking) or "optional arms, whose games must be installed"
            raise LaboratoryError(f"The results of {name} lack: {lack}. Play the study with "
                                  f"`python tools/studies.py {name}`.")  # fmt: skip
        return published[name]

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}{answer_block(study(match[2]))}\n{match[3]}"

    def grid(match: re.Match[str]) -> str:
        return f"{match[1]}{grid_table(study(match[2]), match[3], match[4], match[5])}\n{match[6]}"

    found = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if BLOCK.search(text) or TABLE.search(text):
            found[path] = TABLE.sub(grid, BLOCK.sub(block, text))
    return found


def reword(study: PublishedStudy) -> None:
    """Write the answer, and what an engine cannot tell, into the shipped report of a study."""
    page = study.html().decode()
    said = {r"(<p class='answer'>).*?(</p>)": study.answer,
            r"(<p><b>What an engine cannot tell\.</b> ).*?(</p>)": study.cannot}  # fmt: skip
    for pattern, text in said.items():
        page = re.sub(pattern, rf"\g<1>{escape(text)}\g<2>", page, count=1)
    if page != study.html().decode():
        publish(shipped_studies()[study.name], page, study.figures.read_text(encoding="utf-8"))


def answer_block(study: PublishedStudy) -> str:
    """Return the answer of a study for a page."""
    cannot = f"\n\n*What an engine cannot tell:* {study.cannot}" if study.cannot else ""
    return f"{study.answer}{cannot}\n\n{study.games:,} games: `tercet lab run {study.name}`"


def grid_table(study: PublishedStudy, figure: str, down: str, across: str) -> str:
    """Return a figure of each arm of a grid as a table: the option ``down`` in the rows, ``across`` in the columns."""
    cells = {}
    found, games = read_figures(study.figures)
    for (arm, name), one in found.items():
        parts = (option.rpartition("=") for option in arm.split(", "))
        chosen = {option or "players": value for option, _, value in parts}
        if name == figure and down in chosen and across in chosen:
            cells[chosen[down], chosen[across]] = words(one)
            each = games[arm]
    columns = list(dict.fromkeys(column for _, column in cells))
    lines = [[down, *columns], ["---"] * (len(columns) + 1)]
    lines += [
        [row or "none", *(cells[row, column] for column in columns)] for row in dict.fromkeys(row for row, _ in cells)
    ]
    shown = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{shown}\n\n{each:,} games each: `tercet lab run {study.name}`"


def tutorial(page: str, workers: int | None = None) -> str:
    """Return the page of the tutorial with what its commands print, run one after the other in a folder of their own.
    How long they are expected to take stays as it is."""
    study = TUTORIAL_STUDY.search(page)
    if study is None:
        raise LaboratoryError("The tutorial shows no study.")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(study[1]).write_text(study[2], encoding="utf-8")
        return TUTORIAL_RUN.sub(
            lambda match: f"{match[1]}{match[3] or ''}{_printed(match[2], workers)}{match[5]}", page
        )


def _printed(command: str, workers: int | None) -> str:
    """Return what a command prints, with the first figures of each arm alone and without null arms."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            tercet([*shlex.split(command)[1:], *([] if workers is None else [f"--workers={workers}"])])
        except SystemExit as ended:
            if ended.code:
                raise
    shown: list[str] = []
    figures = 0
    for line in out.getvalue().splitlines():
        figures = figures + 1 if line.startswith("  ") else 0
        if figures <= SHOWN_FIGURES:
            shown.append(line)
        elif figures == SHOWN_FIGURES + 1:
            shown.append("  ...")
    return "".join(f"{line}\n" for line in shown)


def stale() -> list[str]:
    """Return the pages whose blocks say something else than the shipped results."""
    return [str(path.relative_to(ROOT)) for path, text in pages().items() if path.read_text(encoding="utf-8") != text]


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, and write."""
    parser = argparse.ArgumentParser(description="Play the shipped studies and publish their results.")
    parser.add_argument("studies", nargs="*", help="as game/name, or tutorial; all if none is named")
    parser.add_argument("--pages", action="store_true", help="play nothing; write the pages")
    parser.add_argument("--workers", type=int, help="processes, one a core if left out")
    given = parser.parse_args(arguments)
    shipped = shipped_studies()
    if unknown := set(given.studies) - {*shipped, "tutorial"}:
        parser.error(f"There is no shipped study {', '.join(unknown)}. Choose from {', '.join(shipped)}.")
    for name, path in shipped.items():
        if given.pages or name not in (given.studies or shipped):
            continue
        command = shlex.join(["tercet", "lab", "run", name])
        study = replace(study_of(name), made={"command": command})
        results = run_study(study, GAMES / name, workers=given.workers, afresh=True)
        publish(path, html_report(results, command), table(results))
        print(f"{name}: {sum(len(arm.rows) for arm in results.arms)} games")
    if not given.pages and "tutorial" in (given.studies or ["tutorial"]):
        TUTORIAL.write_text(tutorial(TUTORIAL.read_text(encoding="utf-8"), given.workers), encoding="utf-8")
    try:
        made = pages()
    except LaboratoryError as error:
        sys.exit(str(error))
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    for study in published_studies():
        reword(study)


if __name__ == "__main__":
    main()
