"""Puts small bugs back into a copy of the checkout, one at a time, and says which command notices each.

    python tools/bugs.py                # all bugs of tools/bugs.toml
    python tools/bugs.py chance sanqi   # those of the files whose path has one of these words
    python tools/bugs.py --check        # only whether each bug can still be put back

A bug is tried with the tests that its entry names: first those of `make test`, then those of the other commands. So
a bug that is missed may still be noticed by other tests; `--whole` runs all of `make test` for it. The copy needs what
is not in Git, the built page and node_modules, and takes them from this checkout.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

# What most tests import and no bug changes, here for all the processes that run them.
import fastapi  # noqa: F401
import httpx  # noqa: F401
import hypothesis  # noqa: F401
import numba  # noqa: F401
import pytest
import schemathesis.pytest  # noqa: F401
import sqlalchemy  # noqa: F401
import uvicorn  # noqa: F401

ROOT = Path(__file__).parent.parent
MARKS = ["thorough", "page", "online", "wasm"]  # of the tests of other commands of CI: `make test-thorough`


def bugs(words: list[str]) -> list[dict[str, Any]]:
    """Return the bugs whose file has one of ``words`` in its path, or all of them."""
    known = tomllib.loads((ROOT / "tools/bugs.toml").read_text("utf-8"))["bug"]
    return [bug for bug in known if not words or any(word in bug["file"] for word in words)]


def with_bug(bug: dict[str, Any]) -> str:
    """Return the text of the bug's file with the bug; ValueError where ``old`` does not stand there exactly once."""
    text = (ROOT / bug["file"]).read_text("utf-8")
    if text.count(bug["old"]) != 1:
        raise ValueError(f"{bug['file']} has {text.count(bug['old'])} times: {bug['old']}")
    return text.replace(bug["old"], bug["new"])


def copy_checkout(folder: Path) -> None:
    """Copy what Git knows, link what was installed, and copy the page as it was built."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    page = Path("src/tercet/server/page")
    if (ROOT / page).exists():
        shutil.copytree(ROOT / page, folder / page)
    (folder / "web/node_modules").symlink_to((ROOT / "web/node_modules").resolve())


def run_tests(folder: Path, arguments: list[str]) -> None:
    """Run pytest in the checkout in ``folder``, in a process that ends with it."""
    os.chdir(folder)
    sys.path[:0] = [str(folder / "src"), str(folder)]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    os._exit(pytest.main(["-qx", "-p", "no:cacheprovider", *arguments]))


def notices(folder: Path, tests: list[str], mark: str) -> bool:
    """Return whether one of ``tests`` with ``mark`` fails in the checkout in ``folder``."""
    if tests[0].startswith("web/"):
        command = ["npx", "vitest", "run", *(test.removeprefix("web/") for test in tests)]
        return subprocess.run(command, cwd=folder / "web", capture_output=True, check=False).returncode != 0
    arguments = [*tests, *(["-m", f"{mark} and not long"] if mark else [])]
    process = multiprocessing.get_context("fork").Process(target=run_tests, args=(folder, arguments))
    process.start()
    process.join()
    if process.exitcode not in (0, 1, 2, 4, 5):  # 2 and 4: a module could not be imported; 5: no test has this mark
        raise RuntimeError(f"pytest {' '.join(arguments)} ended with {process.exitcode}")
    return process.exitcode in (1, 2, 4)


def noticed_by(folder: Path, bug: dict[str, Any], whole: bool) -> str:
    """Return the command that notices ``bug``, "" for none."""
    tests = bug["tests"].split()
    if tests[0].startswith("web/"):
        return "make check" if notices(folder, tests, "") else ""
    if notices(folder, tests, "") or (whole and notices(folder, ["tests"], "")):
        return "make test"
    if not notices(folder, tests, f"({' or '.join(MARKS)})"):
        return ""
    return next((f"make test-{mark}" for mark in MARKS if notices(folder, tests, mark)), "")


def main() -> None:
    """Try the bugs that the arguments ask for."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    chosen = [(bug, with_bug(bug)) for bug in bugs(words)]
    if "--check" in sys.argv:
        print(f"{len(chosen)} bugs can be put back")
        return
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_checkout(folder)
        for bug, text in chosen:
            (folder / bug["file"]).write_text(text, "utf-8")
            found = noticed_by(folder, bug, "--whole" in sys.argv)
            shutil.copy2(ROOT / bug["file"], folder / bug["file"])
            missed += not found
            print(f"{found or 'MISSED':<20} {bug['file']}: {bug['new'].splitlines()[0]}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} bugs were noticed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
