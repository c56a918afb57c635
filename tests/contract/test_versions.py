"""The version of a game's rules, and of its planes, rises whenever they change: ``versions.txt`` holds fingerprints.

    python -m tests.contract.test_versions      # adds fingerprints of new options and positions, and of new versions

A fingerprint of rules covers the legal actions, positions and results of some random games under a set of
options, and the lines of a file of perft counts; one of planes what those games show to a network.
"""

import hashlib
import random
import re
from pathlib import Path

import numpy as np
import pytest

import tercet
from tests.contract.test_contract import option_sets
from tests.contract.test_perft_files import FILES, lines_of

KEPT = Path(__file__).with_name("versions.txt")
GAMES, PLIES, SEEN_PLIES = 2, 60, 12


def fingerprints(name: str) -> dict[str, str]:
    """The fingerprints of today, by what they are of: version, then options or a perft file with its lines."""
    definition = tercet.game(name).definition
    found = {}
    for options in option_sets(name):
        game = tercet.game(name, **options)
        rules, planes = hashlib.sha256(), hashlib.sha256()
        for seed in range(GAMES):
            position, chance = game.start(seed), random.Random(seed)
            for ply in range(PLIES):
                ids = np.asarray(position.legal_actions.ids).tolist()
                rules.update(f"{position} {position.mover} {ids} {position.scores}\n".encode())
                if ply < SEEN_PLIES:
                    for player in range(len(game.players)):
                        planes.update(position.observe(player).tobytes())
                if position.outcome is not None:
                    rules.update(position.outcome.reason.encode())
                    break
                position = position.play(ids[int(chance.random() * len(ids))])
        words = " ".join(f"{key}={value}" for key, value in options.items())
        found[f"{name} rules {definition.rules_version} {words}".strip()] = rules.hexdigest()[:16]
        found[f"{name} planes {definition.planes_version} {words}".strip()] = planes.hexdigest()[:16]
    return found | {
        f"{name} rules {definition.rules_version} {path.name} lines={len(lines)}": digest(lines)
        for path in FILES
        if path.parent.parent.name == name
        for lines in [lines_of(path)]
    }


def digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def kept() -> dict[str, str]:
    lines = [line for line in KEPT.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {what: found for line in lines for what, _, found in (part.rpartition(" ") for part in line.split(" | "))}


def changed(name: str, today: dict[str, str]) -> list[str]:
    """What is otherwise than when it was kept, under the same version; a perft file may have more lines than then."""
    found = []
    for what, then in kept().items():
        if what.split()[0] != name or what.split()[2] != str(
            getattr(tercet.game(name).definition, f"{what.split()[1]}_version")
        ):
            continue
        file, _, count = what.rpartition(" lines=")
        if file:
            path = next(path for path in FILES if path.name == file.split()[-1] and path.parent.parent.name == name)
            today = today | {what: digest(lines_of(path)[: int(count)])}
        if today.get(what, then) != then:
            found.append(what)
    return found


@pytest.mark.parametrize("name", tercet.games())
def test_rules_and_planes_change_only_with_their_version(name: str) -> None:
    today = fingerprints(name)
    assert changed(name, today) == [], "Give rules_version or planes_version of the definition the next number."
    assert set(today) <= set(kept()), "Run python -m tests.contract.test_versions to keep what is new."


def main() -> None:
    """Write the fingerprints of today, unless something changed under the same version."""
    today = {name: fingerprints(name) for name in tercet.games()}
    if found := [what for name in today for what in changed(name, today[name])] if KEPT.exists() else []:
        raise SystemExit("\n".join(["These changed, so their version must rise:", *found]))
    head = "# Fingerprints of the games: see test_versions.py, which writes this file.\n"
    text = "\n".join(f"{what} {found}" for one in today.values() for what, found in one.items())
    KEPT.write_text(head + re.sub(r"\n(?=\w+ planes)", " | ", text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
