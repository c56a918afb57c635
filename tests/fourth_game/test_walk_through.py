"""``docs/adding-a-game.md`` shows the game as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).with_name("crossway")
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
SHOWN = re.findall(r'```(?:python|toml) title="([^"]+)"\n(.*?)```', PAGE, re.DOTALL)


def test_something_is_shown() -> None:
    assert len(SHOWN) >= 8


@pytest.mark.parametrize(("name", "code"), [shown for shown in SHOWN if shown[0] != "tests"])
def test_the_code_is_the_packages(name: str, code: str) -> None:
    path = PACKAGE / name if name == "pyproject.toml" else PACKAGE / "src" / "tercet_crossway" / name
    assert code in path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("installed")
def test_the_contract_as_shown() -> None:
    code = next(code for name, code in SHOWN if name == "tests")
    exec("import random\nfrom tercet import testing\n" + code, {})
