"""Getting the engines ready: it is known whether that takes long, and it is told how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Game, kernel
from tercet.engines import LEVELS, Preparation, is_warm, prepare, preparing
from tercet.kernel import progress


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game whose engines were never made ready, as far as anybody has noted."""
    made = tercet.game("sanqi", side=4)
    made.start()
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path))
    monkeypatch.setattr(preparing, "_prepared", set())
    return made


def test_what_was_prepared_is_warm(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel.cache_directory().mkdir()
    assert not is_warm(game)
    told: list[Preparation] = []
    prepare(game, told.append)
    assert is_warm(game)
    assert [known.step for known in told if not known.name] == list(range(len(LEVELS) + 1))
    assert all(known.steps == len(LEVELS) for known in told)
    monkeypatch.setattr(preparing, "_prepared", set())
    assert is_warm(game), "another process knows it from the cache directory"
    monkeypatch.setattr(preparing, "version", lambda _: "another")
    assert not is_warm(game), "what was compiled by another Numba is of no use"


def test_without_a_cache_directory_only_this_process_is_warm(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(game)
    assert is_warm(game)
    monkeypatch.setattr(preparing, "_prepared", set())
    assert not is_warm(game)


def test_each_compiled_function_is_told(game: Game, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    class Compiling:
        def think(self, *_: Any) -> None:
            progress.begin_compile("sanqi.search")

    monkeypatch.setattr(preparing, "level", lambda *_, **__: Compiling())
    told: list[Preparation] = []
    assert prepare(game, told.append) == len(LEVELS)
    assert [known.compiled for known in told if known.name == "sanqi.search"] == list(range(1, len(LEVELS) + 1))
    assert capfd.readouterr().err == ""
    heard: list[str] = []
    monkeypatch.setattr(progress, "_listener", heard.append)
    prepare(game)
    assert heard == ["sanqi.search"] * len(LEVELS)
    assert progress._listener.__self__ is heard  # type: ignore[attr-defined]


def test_interpreted_games_need_nothing() -> None:
    assert is_warm(tercet.game("sanqi", execution="interpreted"))
