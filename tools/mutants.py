"""Bugs made by a machine: one small change of the server's source at a time, and whether the simulated world sees it.

``python -m tools.mutants RESULTS.jsonl 600`` makes as many changes, evenly spread over all that can be made,
plays up to 40 seeds with each, and prints a table by folder; ``--survivors`` prints those that no seed saw. Each result
is a line of the file when it is known: a command that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import gc
import hashlib
import json
import multiprocessing
import os
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from tests.simulation.command import apart, run, warm

SOURCE = Path(__file__).parents[1] / "src" / "tercet"
FILES = (
    "play/session/*.py",
    "play/tournaments/*.py",
    "play/ratings.py",
    "server/store/*.py",
    "server/tables/*.py",
    "server/people/*.py",
    "server/lobby.py",
    "server/pairing.py",
    "server/tournaments.py",
)
SEEDS = 40  # from 1 on
SECONDS = 90  # of a processor that one change may take: a world that never ends is one that fails
TURNED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMMUTE = ("min", "max", "suppress")  # functions to which the order of their arguments is all the same
LOGGED = "only what is logged for operators"
# Changes that no one outside could notice, and why. At most a tenth of what is tried may be left out so.
EQUIVALENT = {
    "server/tables/clients.py Client.__init__ off by one 85": "each message goes through the queue, in the same order",
    "server/tables/table.py Table.join comparison turned 29": "a table looks once more for events that are not there",
    "server/people/identity.py People.holder comparison turned 40": "no two moments are the same to the microsecond",
    "play/tournaments/roundrobin.py seat_two comparison turned 34": "the line before says that the two are not equal",
}
# Parts in whose place the world has something else, by what their names begin with.
OUTSIDE = {
    "server/people/push.py ": "the world has a push service of its own",
    "server/store/pubsub.py RedisPubSub": "the world has a bus in place of Redis",
    "server/people/credentials.py Mailer": "the world sends no letters",
    "server/store/lease.py Lease._begin_shared_time": "only processes on PostgreSQL share a time",
    "server/store/lease.py Lease._follow": "only processes on PostgreSQL share a time",
    "server/store/lease.py Leases.shared_time": "only processes on PostgreSQL share a time",
    "server/store/lease.py Leases.correct": "only processes on PostgreSQL share a time",
    **{
        f"server/people/moderation.py {name}": "an operator calls it from a command line"
        for name in ("change_kind", "close_account", "delete_account", "handled", "hide", "reports", "reset", "unshare")
    },
    "server/store/logs.py Logs.cut": "an operator repairs with it what the world never damages",
    "server/store/logs.py Logs.damaged": "an operator repairs with it what the world never damages",
}
MOST_EQUIVALENT = 0.1


@dataclass(frozen=True)
class Mutant:
    """A change of a ``kind`` at the ``node``-th node of the outermost ``function`` that begins at ``first``."""

    file: str
    function: str
    first: int
    node: int
    kind: str
    line: int
    is_logged: bool = False  # it is a part of what is logged

    @property
    def equivalent(self) -> str:
        """Why it changes nothing; empty where it may."""
        place = f"{self.file} {self.function}"
        outside = next((why for name, why in OUTSIDE.items() if place.startswith(name)), "")
        return LOGGED if self.is_logged else outside or EQUIVALENT.get(f"{place} {self.kind} {self.node}", "")

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.file}:{self.line} {self.function} {self.kind} {self.node}"


def _kinds(node: ast.AST) -> Iterator[str]:
    """The changes that can be made of a node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in TURNED:
        yield "comparison turned"
    if isinstance(node, ast.If | ast.IfExp | ast.While) and "comparison turned" not in _kinds(node.test):
        yield "condition turned"
    if isinstance(node, ast.BoolOp):
        yield "and for or"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await):
        yield "await forgotten"
    names = ast.Name | ast.Tuple
    if (
        isinstance(node, ast.Raise | ast.AugAssign)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
        or (isinstance(node, ast.Assign) and not any(isinstance(one, names) for one in node.targets))
    ):
        yield "statement dropped"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "off by one"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield "plus for minus"
    if (
        isinstance(node, ast.Call)
        and len(node.args) > 1
        and ast.unparse(node.func).split(".")[-1] not in COMMUTE
        and not any(isinstance(one, ast.Starred) for one in node.args[:2])
    ):
        yield "arguments swapped"
    if isinstance(node, ast.AsyncWith) and "lock" in ast.unparse(node.items[0]):
        yield "lock not taken"
    if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Pass):
        yield "exception swallowed"


def _is_logging(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("LOG.")


def _change(node: Any, kind: str) -> ast.AST:
    """The node with that change."""
    if kind == "condition turned":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "comparison turned":
        node.ops = [TURNED[type(node.ops[0])]()]
    elif kind == "and for or":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif kind == "off by one":
        node.value += 1
    elif kind == "plus for minus":
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif kind == "arguments swapped":
        node.args[:2] = node.args[1::-1]
    elif kind == "lock not taken":
        return ast.If(ast.Constant(True), node.body, [])
    elif kind == "exception swallowed":
        node.body = [ast.Pass()]
    else:
        return ast.Pass()
    return node  # type: ignore[no-any-return]


class _Changes(ast.NodeTransformer):
    def __init__(self, node: ast.AST, kind: str) -> None:
        self.node = node
        self.kind = kind

    def visit(self, node: ast.AST) -> Any:
        return ast.copy_location(_change(node, self.kind), node) if node is self.node else self.generic_visit(node)


Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[str, int, str]  # of a function: its file, its first line, its name
Functions = dict[Place, list[FunctionType]]


def _functions(body: Sequence[ast.stmt], within: str = "") -> Iterator[tuple[str, Function]]:
    """The outermost functions, and those of classes, by their qualified names."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{within}{node.name}.")
        elif isinstance(node, Function):
            yield within + node.name, node


def _first_line(function: Function) -> int:
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _nodes(function: Function) -> list[ast.AST]:
    return [node for statement in function.body for node in ast.walk(statement)]


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text(encoding="utf-8"))


def all_mutants() -> list[Mutant]:
    """Every change that can be made, in a random order that is always the same."""
    found = []
    for pattern in FILES:
        for path in sorted(SOURCE.glob(pattern)):
            file = path.relative_to(SOURCE).as_posix()
            for name, function in _functions(_tree(file).body):
                nodes = _nodes(function)
                logged = {id(part) for node in nodes if _is_logging(node) for part in ast.walk(node)}
                for number, node in enumerate(nodes):
                    line = getattr(node, "lineno", function.lineno)
                    first = _first_line(function)
                    found += [
                        Mutant(file, name, first, number, kind, line, id(node) in logged) for kind in _kinds(node)
                    ]
    return sorted(found, key=lambda one: hashlib.sha256(one.name.encode()).digest())


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def changed(mutant: Mutant) -> CodeType:
    """The code of the function with that change."""
    tree = copy.deepcopy(_tree(mutant.file))
    function = next(
        one for name, one in _functions(tree.body) if (name, _first_line(one)) == (mutant.function, mutant.first)
    )
    node = _nodes(function)[mutant.node]
    function.body = [_Changes(node, mutant.kind).visit(one) for one in function.body]
    ast.fix_missing_locations(tree)
    module = compile(tree, str(SOURCE / mutant.file), "exec")
    return next(
        one for one in _codes(module) if _place(one) == (str(SOURCE / mutant.file), mutant.first, mutant.function)
    )


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def lines_of(mutant: Mutant) -> range:
    """The lines of which one must run, or the change changes nothing: for a condition those that hold it."""
    tree = _tree(mutant.file)
    function = next(
        one for name, one in _functions(tree.body) if (name, _first_line(one)) == (mutant.function, mutant.first)
    )
    node: Any = _nodes(function)[mutant.node]
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        node = node.test
    elif isinstance(node, ast.ExceptHandler | ast.AsyncWith):
        node = node.body[0]
    return range(node.lineno, node.end_lineno + 1)


def in_memory() -> Functions:
    """The functions of the program that have been imported. A world that has been played hides them."""
    found: Functions = defaultdict(list)
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(str(SOURCE)):
            found[_place(one.__code__)].append(one)
    return found


def apply(mutant: Mutant, functions: Sequence[FunctionType]) -> str:
    """Make the change, in all that has been imported. Return why it cannot be; empty where it was made."""
    try:
        code = changed(mutant)
    except (SyntaxError, StopIteration):
        return "it cannot be compiled"
    if not functions:
        return "it is not in memory"
    if code == functions[0].__code__:
        return "it changes nothing"
    for function in functions:
        if code.co_freevars != function.__code__.co_freevars:
            return "it has other names of its surroundings"
        function.__code__ = code
        assert function.__code__ == code
    return ""


Lines = dict[str, set[int]]  # of files


def _reached(seed: int) -> tuple[int, Lines, list[str]]:
    """The lines that a seed runs, and what it finds without any change: nothing."""
    lines: Lines = {str(path): set() for pattern in FILES for path in SOURCE.glob(pattern)}

    def at_line(frame: FrameType, *_: Any) -> Any:
        lines[frame.f_code.co_filename].add(frame.f_lineno)
        return at_line

    def at_call(frame: FrameType, *_: Any) -> Any:
        return at_line if frame.f_code.co_filename in lines else None

    before = sys.gettrace()
    sys.settrace(at_call)
    try:
        violations = run(seed, tidies=False).violations
    finally:
        sys.settrace(before)
    return seed, lines, violations


def _try(mutant: Mutant, functions: Sequence[FunctionType], seeds: Sequence[int], answer: Any) -> None:
    """Play seeds with the change until one fails, and tell what came of it."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    why = apply(mutant, functions)
    if why:
        answer.send({"state": "not applied", "why": why})
        return
    for played, seed in enumerate(seeds, 1):
        try:
            violations = run(seed, tidies=False).violations
        except BaseException as error:  # the world itself could not go on
            violations = [repr(error)]
        if violations:
            answer.send({"state": "killed", "seed": seed, "played": played, "why": violations[0][:300]})
            return
    answer.send({"state": "survived" if seeds else "not reached", "played": len(seeds)})


def try_all(
    mutants: Sequence[Mutant], known: Functions, reached: dict[int, Lines], workers: int
) -> Iterator[tuple[Mutant, Any]]:
    """What came of each, as soon as it is known. Each is played in a fork of this process."""
    fork = multiprocessing.get_context("fork")
    waiting, running = list(mutants)[::-1], dict[Any, tuple[Mutant, Any, float]]()
    while waiting or running:
        while waiting and len(running) < workers:
            mutant = waiting.pop()
            place = str(SOURCE / mutant.file), mutant.first, mutant.function
            file, must = str(SOURCE / mutant.file), lines_of(mutant)
            seeds = [seed for seed, lines in sorted(reached.items()) if not lines[file].isdisjoint(must)]
            ours, theirs = fork.Pipe(False)
            child = fork.Process(target=_try, args=(mutant, known[place], seeds, theirs))
            child.start()
            theirs.close()
            running[ours] = mutant, child, time.monotonic()
        answered: list[Any] = wait(list(running))
        for ours in answered:
            mutant, child, began = running.pop(ours)
            try:
                found = ours.recv()
            except EOFError:
                found = {"state": "killed", "why": f"it took more than {SECONDS} s, or ended the process"}
            child.join()
            yield mutant, {**found, "seconds": round(time.monotonic() - began, 1)}


def table(results: Sequence[dict[str, Any]]) -> str:
    """How many changes of each folder were seen, as a table."""
    states = ("killed", "survived", "equivalent", "not reached", "not applied")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in results:
        file = Path(one["file"])
        for folder in (str(file.parent) if len(file.parts) > 2 else str(file.with_suffix("")), "all"):
            counts[folder][one["state"]] += 1
    lines = [f"| folder | {' | '.join(states)} | killed of those reached |", f"| {' | '.join(7 * ['---'])} |"]
    for folder in sorted(counts, key=lambda one: (one == "all", one)):
        count = counts[folder]
        share = count["killed"] / max(1, count["killed"] + count["survived"])
        lines.append(f"| {folder} | {' | '.join(str(count[state]) for state in states)} | {share:.0%} |")
    return "\n".join(lines)


def main() -> None:
    """Try so many changes that are not in the file of results yet, and print the table of all that are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--survivors", action="store_true", help="print those that no seed saw")
    asked = parser.parse_args()
    results: Path = asked.results
    lines = results.read_text(encoding="utf-8").splitlines(keepends=True) if results.exists() else []
    known = {one["name"]: one for one in map(json.loads, (line for line in lines if line.endswith("\n")))}
    every = all_mutants()
    if sum(bool(one.equivalent) for one in every) > MOST_EQUIVALENT * len(every):
        sys.exit("More than a tenth of the changes are left out.")
    chosen = every[: asked.count]
    known |= {
        one.name: {"name": one.name, "file": one.file, "state": "equivalent", "why": one.equivalent, "seconds": 0.0}
        for one in chosen
        if one.equivalent
    }
    left = [mutant for mutant in chosen if mutant.name not in known]
    if left:
        plays: list[Callable[[], Any]] = [functools.partial(_reached, seed) for seed in range(1, 1 + asked.seeds)]
        functions = in_memory()
        warm()
        reached = {}
        for seed, lines_run, violations in apart(plays, asked.workers):
            if violations:
                sys.exit(f"seed {seed} fails without any change: {violations[0]}")
            reached[seed] = lines_run
        with results.open("a", encoding="utf-8") as file:
            if lines and not lines[-1].endswith("\n"):
                file.write("\n")
            for mutant, found in try_all(left, functions, reached, asked.workers):
                one = known[mutant.name] = {"name": mutant.name, "file": mutant.file, **found}
                file.write(json.dumps(one) + "\n")
                file.flush()
    shown = [known[mutant.name] for mutant in chosen]
    for one in shown if asked.survivors else ():
        if one["state"] in ("survived", "not reached"):
            print(f"{one['state']}: {one['name']}")
    print(table(shown))
    print(f"{sum(one['seconds'] for one in shown):.0f} s for {len(shown)} changes")


if __name__ == "__main__":
    main()
