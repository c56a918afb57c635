"""What the studies that come with the games have found: their results are shipped beside their files."""

from __future__ import annotations

import gzip
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tercet.laboratory.answers import Found, fill, read_claims, read_figures
from tercet.laboratory.study import shipped_studies


@dataclass(frozen=True)
class PublishedStudy:
    """A shipped study with its results: its ``name`` (``game/study``), its ``question``, the ``answer`` that its
    ``games`` games gave, and what an engine ``cannot`` tell. ``report`` and ``figures`` are its files."""

    name: str
    question: str
    answer: str
    cannot: str
    games: int
    report: Path
    figures: Path

    @property
    def found(self) -> Found:
        """Its figures."""
        return read_figures(self.figures)[0]

    def html(self) -> bytes:
        """Return the report, a page that needs nothing else."""
        return gzip.decompress(self.report.read_bytes())


def result_files(study: Path) -> tuple[Path, Path]:
    """Return where the report and the figures of the study in that file are shipped."""
    folder = study.parent / "results"
    return folder / f"{study.stem}.html.gz", folder / f"{study.stem}.csv"


def publish(study: Path, html: str, csv: str) -> None:
    """Write the results of a shipped study beside its file."""
    report, figures = result_files(study)
    report.parent.mkdir(exist_ok=True)
    report.write_bytes(gzip.compress(html.encode(), 9, mtime=0))
    figures.write_text(csv, encoding="utf-8")


def published_studies() -> list[PublishedStudy]:
    """Return the shipped studies that have results, game by game. No game is made for it and no engine."""
    found = []
    for name, path in shipped_studies().items():
        report, figures = result_files(path)
        if not figures.is_file():
            continue
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        estimates, games = read_figures(figures)
        answer = fill(" ".join(data.get("answer", "").split()), estimates, read_claims(data.get("claim", {}))) or ""
        cannot = " ".join(data.get("cannot", "").split())
        found.append(
            PublishedStudy(name, data["question"].strip(), answer, cannot, sum(games.values()), report, figures)
        )
    return found
