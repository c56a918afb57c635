"""What a module was called before version 0.3 still imports it, and warns."""

import importlib
import pickle
import subprocess
import sys

import pytest

import tercet
from tercet.core.old_names import MOVED

# Modules deeper inside that other packages imported, and names that pickles of version 0.2 hold.
INSIDE = ("session.clock", "abilities.kernels", "data.schema")
OPTIONAL = {"data", "data.schema"}  # need PyArrow


def new_name(old: str) -> str:
    first, dot, below = old.partition(".")
    return MOVED.get(old) or MOVED[first] + dot + below


@pytest.mark.parametrize("old", [name for name in (*MOVED, *INSIDE) if name != "game"])
def test_an_old_name_is_the_same_module(old: str) -> None:
    sys.modules.pop(f"tercet.{old}", None)
    parent = importlib.import_module(new_name(old.rpartition(".")[0]) if "." in old else "tercet")
    before = vars(parent).get(old.rpartition(".")[2])
    with pytest.warns(DeprecationWarning, match=new_name(old)):
        module = importlib.import_module(f"tercet.{old}")
    assert module is importlib.import_module(new_name(old))
    assert before in (None, module), "the import of an old name replaced what its package calls so today"


def test_the_old_module_game_leaves_the_function() -> None:
    with pytest.warns(DeprecationWarning, match=r"tercet\.core\.game"):
        from tercet.game import Position  # type: ignore[attr-defined,import-not-found,unused-ignore]
    assert Position is tercet.Position  # type: ignore[comparison-overlap,unused-ignore]
    assert tercet.game("sanqi", side=4).name == "sanqi"


def test_a_pickle_of_an_old_module_is_read() -> None:
    claims = importlib.import_module("tercet.core.boards")
    text = pickle.dumps(claims.Board, protocol=0).replace(b"tercet.core.boards", b"tercet.boards")
    sys.modules.pop("tercet.boards", None)
    with pytest.warns(DeprecationWarning, match="boards"):
        assert pickle.loads(text) is claims.Board


def test_nothing_of_tercet_uses_an_old_name() -> None:
    program = "import warnings; warnings.simplefilter('error'); import tercet.server.app; from tercet.cli import app"
    program += "; app.all_commands()"
    subprocess.run([sys.executable, "-c", program], check=True)
