"""Monte-Carlo tree search as an engine: limits, threads, reports; the search itself is in ``engines.kernels``."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.core.abilities.engine import WinProver
from tercet.core.game import Action, Game, Position
from tercet.core.rules import whole
from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought, even_shares, read_seed
from tercet.engines.kernels.tree import EVEN
from tercet.engines.nets import Net
from tercet.engines.tree import Child, Settings, Tree

REPORT_SECONDS = 0.25  # seconds between reports
SLICE_SECONDS = 0.02  # seconds of search between looks at the clock and at `stop`
CHUNK = 32  # simulations before the first such look
PV_LENGTH = 12  # actions of a line
PV_EFFORT = 150  # how hard to look for the next actions of a forced win.
PROOF_EFFORT = 32  # actions that the proof search may try at a node of the tree when it is visited again
# What a network says of a position varies less than a random game's result: less has to be repeated.
NET_EXPLORATION, NET_URGENCY = 0.2, 0.4
PROOF_SHARE = 0.25  # of the time, at most, to look for a win by force before the search.
LINE_SHARE = 0.1  # of the time, at most, to see how the loser holds out longest.
PROOF_TRIES = 10  # actions that the prover may try for each simulation
ENDLESS_PROOF_SECONDS = 4.0  # the time, in seconds, that shares are of when there is no limit


def networked(settings: Settings) -> Settings:
    """Return ``settings`` for a search whose positions are evaluated by a network."""
    return replace(settings, exploration=NET_EXPLORATION, first_play_urgency=NET_URGENCY)


class MctsEngine(Engine):
    """Monte-Carlo tree search (UCT) that proves wins and losses where it can, and keeps its tree between moves.

    ``nodes`` and ``movetime`` (seconds) are used when the limits name nothing; ``nodes`` also bounds it when the limits
    name only a time, if ``capped``. ``threads`` trees are searched side by side and their counts added up. With one
    thread, a seed and a limit of nodes, the same sequence of positions gives the same actions.

    Making it loads, or compiles, what it needs for ``game``, so that thinking keeps to its time from the first action
    on; thinking about a position of another game does so then. If the game has a prover and ``proving``, wins by force
    are looked for before the search and, unless ``settings`` say otherwise, within it. ``net`` evaluates positions that
    the search comes to; without one they are played out.
    """

    def __init__(
        self,
        game: Game,
        *,
        name: str = "mcts",
        seed: int | None = None,
        threads: int = 1,
        nodes: int | None = None,
        movetime: float | None = None,
        capped: bool = False,
        reuse: bool = True,
        proving: bool = True,
        settings: Settings | None = None,
        net: Net | None = None,
    ) -> None:
        if (workers := whole(threads, 1)) is None:
            raise EngineError(f"threads must be a whole number, at least 1, not {threads!r:.40}.")
        seed, nodes = read_seed(seed), Limits(movetime, nodes).nodes  # EngineError where they make no sense
        self.name = name
        self.game = game
        if settings is None:
            settings = Settings(proof_effort=PROOF_EFFORT if proving else 0)
            if net is not None:
                settings = networked(settings)
        self.settings = settings
        self.net = net
        self.options: dict[str, Any] = {
            "seed": seed, "threads": workers, "nodes": nodes, "movetime": movetime, "reuse": reuse
        }  # fmt: skip
        self._capped = capped
        self._seed = random.SystemRandom().getrandbits(60) if seed is None else seed
        self._trees: list[Tree] = []
        self._proving = proving and self.settings.informed
        self._prover: WinProver | None = None
        self._lock = threading.Lock()
        self._mover = 0  # in the position thought about last
        self._make_ready()

    def _make_ready(self) -> None:
        """Make what is needed to think about `self.game`."""
        numbers = range(self.options["threads"])
        self._trees = [Tree(self.game, self.settings, self._seed_of(number), self.net) for number in numbers]
        make_prover = self.game.definition.engine.make_prover
        self._prover = None
        if make_prover is not None and self._proving:
            self._prover = make_prover(self.game)
            self._prover.prove(self.game.start(), tries=1)  # compiles, or loads what was compiled

    def _begin(self, seed: int | None) -> None:
        """Forget the trees; random numbers begin again from the seed."""
        if seed is not None:
            self._seed = seed
        for number, tree in enumerate(self._trees):
            tree.seed = self._seed_of(number)
            tree.reset(None)
        if self._prover is not None:
            self._prover.forget()

    def _choose(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        with self._lock:
            if position.game != self.game:
                self.game = position.game
                self._make_ready()
            return self._think(position, limits, stop, on_info)

    def visits(self) -> dict[int, int]:
        """Return how often the last search went into each of the root's actions; none where the root is proven."""
        with self._lock:
            if any(tree.proof for tree in self._trees):
                return {}
            return {child.action: child.visits for child in self._ranked(self._trees, 0) if child.visits}

    def pruned_visits(self) -> dict[int, int]:
        """Return `visits` without those that only explored. Each action but the most visited keeps only the visits that
        leave its upper confidence bound below that of the most visited one. Actions left with one visit are left
        out."""
        with self._lock:
            if any(tree.proof for tree in self._trees):
                return {}
            player = self._mover
            return pruned(self._ranked(self._trees, player), player, self.settings.exploration)

    def _seed_of(self, tree: int) -> int:
        return (self._seed + 7919 * tree) % (1 << 61)

    def _move_to(self, position: Position) -> list[Tree]:
        """Return the trees, begun at ``position``."""
        for tree in self._trees:
            if not (self.options["reuse"] and tree.move_to(position)):
                tree.begin(position)
        return self._trees

    def _budget(self, limits: Limits) -> tuple[float | None, int | None]:
        seconds, nodes = limits.movetime, limits.nodes
        if limits.infinite:
            return None, None
        if seconds is None and nodes is None:
            nodes = self.options["nodes"]
            if limits.depth is None or nodes is None:
                seconds = self.options["movetime"]
            if seconds is None and nodes is None:
                seconds = 1.0
        elif self._capped and self.options["nodes"] is not None:
            nodes = min(nodes or self.options["nodes"], self.options["nodes"])
        return seconds, nodes

    def _think(self, position: Position, limits: Limits, stop: threading.Event, on_info: OnInfo | None) -> Thought:
        seconds, nodes = self._budget(limits)
        settings = self.settings
        if limits.depth is not None:
            settings = replace(settings, max_depth=max(1, min(limits.depth, settings.max_depth)))
        began = time.perf_counter()
        trees = self._move_to(position)
        self._mover = position.mover or 0
        for tree in trees:
            tree.settings = settings
        turns, texts = self._win(position, seconds, nodes, stop)
        if turns:
            line = Line(_winner(len(self.game.players), position.mover or 0), texts, f"win in {turns}")
            info = Info(2 * turns - 1, 1, 0, time.perf_counter() - began, (line,))
            if on_info:
                on_info(info)
            return Thought(position.action(texts[0]), info)
        if len(position.legal_actions) == 1 and not limits.infinite and on_info is None:
            action = position.legal_actions[0]
            return Thought(action, Info(1, 0, 0, 0.0, (Line(even_shares(self.game), (str(action),)),)))
        done = self._search(position, trees, limits, (seconds, nodes), began, stop, on_info)
        info = self._info(position, trees, done, began, limits.multipv)
        if not info.lines or info.lines[0].note == "loses":
            thought = self._longest_defence(position, trees, info)
            if on_info:
                on_info(thought.info)
            return thought
        if on_info:
            on_info(info)
        return Thought(position.action(info.lines[0].pv[0]), info)

    def _search(
        self,
        position: Position,
        trees: Sequence[Tree],
        limits: Limits,
        budget: tuple[float | None, int | None],
        began: float,
        stop: threading.Event,
        on_info: OnInfo | None,
    ) -> int:
        """Search within a ``budget`` of seconds since ``began`` and of simulations; returns how many were made."""
        seconds, nodes = budget
        # What follows is one function since all threads count in the same `done` and end each other's work by `halt`.
        done = [0] * len(trees)
        halt = threading.Event()

        def work(index: int, share: int | None) -> None:
            tree = trees[index]
            chunk = CHUNK
            while True:  # at least once, so that there is something to choose from
                started = time.perf_counter()
                if share is not None:
                    chunk = min(chunk, share - done[index])
                made = tree.search(chunk)
                done[index] += made
                if tree.proof or made < chunk:
                    halt.set()
                    return
                now = time.perf_counter()
                if stop.is_set() or halt.is_set() or (share is not None and done[index] >= share):
                    return
                chunk = max(1, min(4 * chunk, int(chunk * SLICE_SECONDS / max(now - started, 1e-6))))
                if seconds is not None:
                    if now - began >= seconds:
                        return
                    chunk = max(1, min(chunk, int(chunk * (began + seconds - now) / SLICE_SECONDS) + 1))
                if index == 0 and on_info and time.perf_counter() - reported[0] >= REPORT_SECONDS:
                    reported[0] = time.perf_counter()
                    on_info(self._info(position, trees, sum(done), began, limits.multipv))

        reported = [began]
        share = None if nodes is None else -(-nodes // len(trees))
        others = [threading.Thread(target=work, args=(index, share), daemon=True) for index in range(1, len(trees))]
        for thread in others:
            thread.start()
        work(0, share)
        for thread in others:
            thread.join()
        return sum(done)

    def _lines_of(self, position: Position, actions: list[Action], limits: Limits, stop: threading.Event) -> list[Line]:
        """Search for the best of ``actions`` apart from the tree; where the root is lost, all of them lose."""
        with self._lock:
            tree, player, began = self._trees[0], position.mover or 0, time.perf_counter()
            if tree.proof not in (0, EVEN, 1 + player):
                lost = _winner(len(self.game.players), tree.proof - 1)
                return [Line(lost, (str(action),), "loses") for action in actions[: limits.multipv]]
            seconds, nodes = self._budget(limits)
            random.Random(self._seed).shuffle(actions)
            worth = set(tree.worth_trying(position))
            actions.sort(key=lambda action: (not self._wins(position, action), action.id not in worth))
            with tree.aside(position, [action.id for action in actions]):
                left = 1 << 60 if nodes is None else nodes
                while left > 0 and tree.unprove(player):
                    left -= tree.search(min(CHUNK, left))
                    tried = list(tree.children())
                    late = stop.is_set() or (seconds is not None and time.perf_counter() - began >= seconds)
                    if late or sum(child.proof == 1 + player for child in tried) >= limits.multipv:
                        break
                for action in actions[len(list(tree.children())) : limits.multipv]:  # tried in their order
                    tree.unprove(player)
                    tree.search_action(action.id, 1)
                return list(self._info(position, [tree], 0, began, limits.multipv).lines)

    def _win(
        self, position: Position, seconds: float | None, nodes: int | None, stop: threading.Event
    ) -> tuple[int, tuple[str, ...]]:
        """Return in how many turns the mover is seen to win by force before any search, and how; (0, ()) if not."""
        prover = self._prover
        effort = self._trees[0].settings.root_effort if prover is None else 0
        turns, sure = self._trees[0].certain(position, effort)
        if turns:
            return turns, self._forced(position, self._trees[0], sure)
        if prover is None:
            return 0, ()
        share, tries = self._proof_budget(seconds, nodes, PROOF_SHARE, PROOF_TRIES)
        win = prover.prove(position, share, tries, stop.is_set)
        if win is None:
            return 0, ()
        share, _ = self._proof_budget(seconds, nodes, LINE_SHARE, 0)
        return win.turns, tuple(position.notate(prover.line(position, win, PV_LENGTH, share)))

    def _proof_budget(
        self, seconds: float | None, nodes: int | None, share: float, tries: int
    ) -> tuple[float | None, int | None]:
        """Seconds and actions tried that the prover may take out of those of the search."""
        if seconds is None and nodes is None:
            return ENDLESS_PROOF_SECONDS * share, None
        return None if seconds is None else share * seconds, None if nodes is None else tries * nodes

    def _forced(self, position: Position, tree: Tree, first: int) -> tuple[str, ...]:
        """Return the forced win that begins with ``first``, against the longest defence, as far as it is soon found."""
        winner = position.mover
        number = first
        texts: list[str] = []
        while not position.is_over and len(texts) < PV_LENGTH:
            if position.mover == winner:
                if texts:
                    turns, number = tree.certain(position, PV_EFFORT)
                    if not turns:
                        break
            else:
                ways = [(tree.certain(position.play(way), PV_EFFORT)[0], way) for way in tree.worth_trying(position)]
                if not ways or min(ways)[0] == 0:
                    break
                number = max(ways)[1]
            action = Action(number, position)
            texts.append(str(action))
            position = position.play(action)
        return tuple(texts)

    def _longest_defence(self, position: Position, trees: Sequence[Tree], info: Info) -> Thought:
        """Return the action that loses latest, as far as is seen soon, where every action tried loses by force."""
        visits = {child.action: child.visits for child in self._ranked(trees, position.mover or 0)}
        actions = trees[0].worth_trying(position) or [action.id for action in position.legal_actions]

        def lasting(action: int) -> tuple[int, int]:
            after = position.play(action)
            turns = 0 if after.is_over else trees[0].certain(after, PV_EFFORT)[0]
            return (turns or 1000, visits.get(action, 0))

        action = Action(max(actions, key=lasting), position)
        known = {line.pv[0]: line for line in info.lines}
        line = known.pop(str(action), None) or Line(even_shares(self.game), (str(action),))
        if len(self.game.players) == 2:
            line = replace(line, scores=_winner(2, 1 - (position.mover or 0)))
        lines = (replace(line, note="loses"), *known.values())
        return Thought(action, replace(info, lines=lines))

    def _wins(self, position: Position, action: Action) -> bool:
        scores = position.play(action).scores
        return scores is not None and scores[position.mover or 0] == 1

    def _ranked(self, trees: Sequence[Tree], player: int) -> list[Child]:
        """Return the root's actions over all trees, best first for ``player``: proven wins, then by visits,
        losses last."""
        merged: dict[int, Child] = {}
        for tree in trees:
            for child in tree.children():
                known = merged.get(child.action)
                if known is None:
                    merged[child.action] = child
                    continue
                visits = known.visits + child.visits
                shares = zip(known.scores, child.scores, strict=True)
                scores = tuple((known.visits * a + child.visits * b) / max(visits, 1) for a, b in shares)
                proof = known.proof or child.proof
                if proof:
                    scores = known.scores if known.proof else child.scores
                merged[child.action] = replace(known, visits=visits, scores=scores, proof=proof)

        def rank(child: Child) -> tuple[int, int, float]:
            sure = 0 if child.proof in (0, EVEN) else 1 if child.proof == 1 + player else -1
            return (sure, child.visits, self._preference(child, player))

        return sorted(merged.values(), key=rank, reverse=True)

    def _preference(self, child: Child, player: int) -> float:
        """Return the value by which ``player`` chooses among the root's actions of equal visits."""
        return child.scores[player]

    def _info(self, position: Position, trees: Sequence[Tree], done: int, began: float, multipv: int) -> Info:
        seconds = time.perf_counter() - began
        player = position.mover or 0
        lines = []
        for child in self._ranked(trees, player)[: max(1, multipv)]:
            pv = self._variation(position, trees[0], child)
            note = ""
            if 0 < child.proof < EVEN:
                note = "wins" if child.proof == 1 + player else "loses"
            elif child.proof == EVEN:
                note = "draws"
            lines.append(Line(child.scores, pv, note))
        return Info(trees[0].deepest, done, int(done / max(seconds, 1e-6)), seconds, tuple(lines))

    def _variation(self, position: Position, tree: Tree, child: Child) -> tuple[str, ...]:
        """Notation of the most visited way on after ``child``; in a proven tree, the way that proves it."""
        texts: list[str] = []
        action = Action(child.action, position)
        nodes = {known.action: known.node for known in tree.children()}
        node = nodes.get(child.action)
        while True:
            texts.append(str(action))
            position = position.play(action)
            if node is None or position.is_over or len(texts) >= PV_LENGTH:
                return tuple(texts)
            player = position.mover or 0
            best = max(
                tree.children(node),
                key=lambda known: (0 < known.proof == 1 + player, not 0 < known.proof < EVEN, known.visits),
                default=None,
            )
            if best is None or best.visits == 0:
                return tuple(texts)
            action, node = Action(best.action, position), best.node


def pruned(children: Sequence[Child], player: int, exploration: float) -> dict[int, int]:
    """Return the visits of the root's ``children``, by action, without those that exploration alone caused. ``player``
    moves at the root. Each child but the most visited keeps only the visits that leave its upper bound below that
    child's; a child that would keep one visit keeps none."""
    visited = [child for child in children if child.visits]
    if not visited:
        return {}
    spread = exploration * math.sqrt(math.log(sum(child.visits for child in visited) + 1))
    best = max(visited, key=lambda child: child.visits)
    most = best.scores[player] + spread / math.sqrt(best.visits)
    found = {}
    for child in visited:
        left, gap = child.visits, most - child.scores[player]
        if child is not best and gap > 0:
            left = min(left, math.ceil((spread / gap) ** 2))
        if left > 1 or child is best:
            found[child.action] = left
    return found


def _winner(players: int, winner: int) -> tuple[float, ...]:
    return tuple(1.0 if player == winner else 0.0 for player in range(players))
