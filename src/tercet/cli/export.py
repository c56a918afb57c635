"""``tercet export``: records to Parquet and back."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from tercet.data import export_records
from tercet.data.records import PART_GAMES, write_records
from tercet.errors import OptionError

__all__ = ["run"]


def run(source: Path, out: Path, positions: bool, part_games: int | None, lenient: bool) -> None:
    """Write what ``source`` holds in the other form."""
    back = source.is_dir() or source.suffix == ".parquet"
    if back and (positions or lenient or part_games is not None):
        raise OptionError("export", "--positions, --lenient and --part-games need records that are written as Parquet.")
    count = 0
    if back:
        count = write_records(source, out)
    else:
        console = Console(stderr=True, highlight=False)
        with console.status("reading") as status:
            for count in export_records(
                source, out, positions=positions, part_games=part_games or PART_GAMES, lenient=lenient
            ):
                status.update(f"{count} games")
    print(f"{out}: {count} games")
