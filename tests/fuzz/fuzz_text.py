"""Coverage-guided fuzzing of everything that reads text, with atheris (``pip install atheris``; not part of the tests):

    python tests/fuzz/fuzz_text.py position corpus/ -max_total_time=600

Targets: position, action, record, ugi. Only typed errors may come out, and what was read must be written back the same.
Kernels run interpreted, so that the fuzzer sees into them.
"""

from __future__ import annotations

import os
import sys

os.environ["TERCET_EXECUTION"] = "interpreted"

import atheris

with atheris.instrument_imports(include=["tercet"]):
    import tercet
    from tercet import record
    from tercet.engines import ugi

    for _name in tercet.games():  # their modules are loaded on demand: now, so that the fuzzer sees into them
        tercet.game(_name)

POSITIONS = [tercet.game("sanqi", side=4).start().play("Rd4").play("Yd5")]
POSITIONS += [tercet.game(name).start(seed=1) for name in tercet.games() if name != "sanqi"]


def position(text: str) -> None:
    try:
        read = tercet.parse(text)
    except tercet.TercetError:
        return
    assert tercet.parse(str(read)) == read


def action(text: str) -> None:
    for here in POSITIONS:
        try:
            found = here.action(text)
        except tercet.TercetError:
            continue
        assert here.action(str(found)) == found


def records(text: str) -> None:
    for lenient in (False, True):
        try:
            read = record.read(text, lenient=lenient)
        except tercet.TercetError:
            continue
        for one in read:
            assert record.read(one.write())[0].write() == one.write()


def protocol(text: str) -> None:
    kept = [line for line in text.splitlines() if not line.strip().startswith(("go", "perft", "quit"))]
    said: list[str] = []
    ugi.Ugi([*kept, "isready"], said.append).run()
    assert said[-1] == "readyok"


TARGETS = {"position": position, "action": action, "record": records, "ugi": protocol}


def main() -> None:
    target = TARGETS[sys.argv[1]]

    def one(data: bytes) -> None:
        target(data.decode("utf-8", "replace"))

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
