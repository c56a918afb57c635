"""The modules' names before version 0.3. They work until version 0.4 and warn."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

FOLDERS = {
    "core": "abilities boards definition execution figures game playout presentation proofs rules texts view",
    "answers": "translation",
    "engines": "politics trials",
    "learning": "lessons puzzles",
    "pictures": "draw printing",
    "play": "ratings session tournaments",
    "training": "data",
}
MOVED = {old: f"tercet.{folder}.{old}" for folder, names in FOLDERS.items() for old in names.split()}
MOVED |= {
    "attention": "tercet.core.view",
    "draw": "tercet.pictures.drawing",
    "hints": "tercet.core.presentation",
    "proofs.claims": "tercet.core.proofs",
    "sequences": "tercet.core.figures",
    "session.events": "tercet.play.session.session",
    "session.settings": "tercet.play.session.state",
    "session.validation": "tercet.play.session.commands",
    "translation.catalogue": "tercet.answers.translation",
    "translation.messages": "tercet.answers.translation",
}


def new_name(module: str) -> str | None:
    """Return the name that ``module`` has today, or None if it has not moved."""
    package, _, rest = module.partition(".")
    first, dot, below = rest.partition(".")
    if package != "tercet" or first not in MOVED:
        return None
    return MOVED.get(rest) or MOVED[first] + dot + below


class OldNames(MetaPathFinder, Loader):
    """Imports a module that has moved under its old name too: the same module, not a second one."""

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if new_name(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        new = new_name(module.__name__)
        assert new is not None
        warn(module.__name__, new)
        sys.modules[module.__name__] = found = import_module(new)
        if not hasattr(found, "__path__"):
            found.__path__ = []  # Python asks for the modules of a package, as which it may have been known


def warn(old: str, new: str) -> None:
    warnings.warn(f"{old} is {new} since version 0.3; the old name goes with 0.4.", DeprecationWarning, stacklevel=3)


def install() -> None:
    """Make the old names importable. ``tercet.game`` is a function: an import of the old module may not replace it."""
    sys.meta_path.insert(0, OldNames())
    old = ModuleType("tercet.game")

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        warn("tercet.game", MOVED["game"])
        return getattr(import_module(MOVED["game"]), name)

    vars(old)["__getattr__"] = attribute
    sys.modules["tercet.game"] = old
