"""The cheapest way to put people into pairs: a perfect matching of least cost in any graph.

Edmonds' blossom algorithm in its primal-dual form, with exact whole numbers of any size: costs may be several criteria
packed into one number. Vertices of the search are 1 to n, blossoms come after them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

FREE, OUTER, INNER = -1, 0, 1  # what a vertex is in the forest of alternating paths


def cheapest_pairs(count: int, costs: Mapping[tuple[int, int], int]) -> list[tuple[int, int]] | None:
    """Pairs ``(a, b)``, ``a < b``, of the numbers below ``count``, each in one pair, with the least sum of costs.

    ``costs`` has what a pair costs (0 or more); a pair that is not in it cannot be. None where that leaves a
    number alone. ValueError for a negative cost or a number out of range.
    """
    if any(not 0 <= a < b < count or cost < 0 for (a, b), cost in costs.items()):
        raise ValueError("Costs must be of pairs (a, b) with a < b < count, and not negative.")
    if count % 2:
        return None
    # As a matching of greatest weight; so much is added to each pair that one pair more is worth any cost.
    much = sum(costs.values()) + 1
    weights = {(a + 1, b + 1): much - cost for (a, b), cost in costs.items()}
    mates = _Search(count, weights).run()
    if any(not mates[vertex] for vertex in range(1, count + 1)):
        return None
    return [(a - 1, mates[a] - 1) for a in range(1, count + 1) if a < mates[a]]


class _Search:
    """The search for a matching of greatest weight. ``edge[u][v]`` are the two true ends of the best edge between the
    vertices or blossoms u and v; ``top[u]`` is the outermost blossom around u; ``ring[b]`` the odd ring of what is in
    blossom b, its base first; ``via[b][x]`` the member of the ring of b that has the true vertex x in it."""

    def __init__(self, count: int, weights: Mapping[tuple[int, int], int]) -> None:
        size = count + count // 2 + 2
        self.count = count
        self.used = count
        self.weight: list[dict[int, int]] = [{} for _ in range(count + 1)]
        self.edge: list[dict[int, tuple[int, int]]] = [{} for _ in range(size)]
        for (a, b), weight in weights.items():
            self.weight[a][b] = self.weight[b][a] = 2 * weight
            self.edge[a][b] = (a, b)
            self.edge[b][a] = (b, a)
        highest = max(weights.values(), default=0)
        self.dual = [highest if 0 < vertex <= count else 0 for vertex in range(size)]
        self.mate = [0] * size
        self.top = [vertex if vertex <= count else 0 for vertex in range(size)]
        self.kind = [FREE] * size
        self.parent = [0] * size
        self.tightest = [0] * size
        self.ring: list[list[int]] = [[] for _ in range(size)]
        self.via: list[dict[int, int]] = [{vertex: vertex} if 0 < vertex <= count else {} for vertex in range(size)]
        self.seen = [0] * size
        self.stamp = 0
        self.queue: deque[int] = deque()

    def run(self) -> list[int]:
        """Return the true mate of each vertex, 0 where it has none."""
        while self._phase():
            pass
        return self.mate

    def _slack(self, edge: tuple[int, int]) -> int:
        a, b = edge
        return self.dual[a] + self.dual[b] - self.weight[a][b]

    def _note_slack(self, vertex: int, target: int) -> None:
        known = self.tightest[target]
        edge = self.edge[vertex][target]
        if not known or self._slack(edge) < self._slack(self.edge[known][target]):
            self.tightest[target] = vertex

    def _find_slack(self, target: int) -> None:
        self.tightest[target] = 0
        for vertex in self.edge[target]:
            if vertex <= self.count and self.top[vertex] != target and self.kind[self.top[vertex]] == OUTER:
                self._note_slack(vertex, target)

    def _enqueue(self, thing: int) -> None:
        if thing <= self.count:
            self.queue.append(thing)
        else:
            for member in self.ring[thing]:
                self._enqueue(member)

    def _set_top(self, thing: int, top: int) -> None:
        self.top[thing] = top
        if thing > self.count:
            for member in self.ring[thing]:
                self._set_top(member, top)

    def _even_place(self, blossom: int, member: int) -> int:
        """Return the place of ``member`` in the ring, after turning it round so that the number of steps is even."""
        ring = self.ring[blossom]
        place = ring.index(member)
        if place % 2:
            ring[1:] = ring[:0:-1]
            place = len(ring) - place
        return place

    def _marry(self, thing: int, other: int) -> None:
        a, b = self.edge[thing][other]
        self.mate[thing] = b
        if thing > self.count:
            member = self.via[thing][a]
            place = self._even_place(thing, member)
            ring = self.ring[thing]
            for number in range(place):
                self._marry(ring[number], ring[number ^ 1])
            self._marry(member, other)
            self.ring[thing] = ring[place:] + ring[:place]

    def _augment(self, thing: int, other: int) -> None:
        while True:
            former = self.top[self.mate[thing]]
            self._marry(thing, other)
            if not former:
                return
            above = self.top[self.parent[former]]
            self._marry(former, above)
            thing, other = above, former

    def _meeting(self, one: int, other: int) -> int:
        """Return where the paths of both to their roots meet, or 0 if the roots differ."""
        self.stamp += 1
        while one or other:
            if one:
                if self.seen[one] == self.stamp:
                    return one
                self.seen[one] = self.stamp
                one = self.top[self.mate[one]]
                if one:
                    one = self.top[self.parent[one]]
            one, other = other, one
        return 0

    def _shrink(self, one: int, base: int, other: int) -> None:
        """Make a blossom of the ring that closes between ``one`` and ``other``."""
        blossom = self.count + 1
        while blossom <= self.used and self.top[blossom]:
            blossom += 1
        self.used = max(self.used, blossom)
        self.dual[blossom], self.kind[blossom], self.mate[blossom] = 0, OUTER, self.mate[base]
        halves = []
        for end in (one, other):
            half = []
            while end != base:
                inner = self.top[self.mate[end]]
                half += [end, inner]
                self._enqueue(inner)
                end = self.top[self.parent[inner]]
            halves.append(half)
        ring = self.ring[blossom] = [base, *reversed(halves[0]), *halves[1]]
        self._set_top(blossom, blossom)
        for neighbour in self.edge[blossom]:
            self.edge[neighbour].pop(blossom, None)
        edges: dict[int, tuple[int, int]] = {}
        self.via[blossom] = {}
        for member in ring:
            for neighbour, edge in tuple(self.edge[member].items()):
                if neighbour != blossom and (
                    neighbour not in edges or self._slack(edge) < self._slack(edges[neighbour])
                ):
                    edges[neighbour] = edge
                    self.edge[neighbour][blossom] = (edge[1], edge[0])
            for vertex in self.via[member]:
                self.via[blossom][vertex] = member
        self.edge[blossom] = edges
        self._find_slack(blossom)

    def _open(self, blossom: int) -> None:
        """Open an inner blossom whose dual has fallen to zero."""
        for member in self.ring[blossom]:
            self._set_top(member, member)
        entered = self.via[blossom][self.edge[blossom][self.parent[blossom]][0]]
        place = self._even_place(blossom, entered)
        ring = self.ring[blossom]
        for number in range(0, place, 2):
            inner, outer = ring[number], ring[number + 1]
            self.parent[inner] = self.edge[outer][inner][0]
            self.kind[inner], self.kind[outer] = INNER, OUTER
            self.tightest[inner] = 0
            self._find_slack(outer)
            self._enqueue(outer)
        self.kind[entered], self.parent[entered] = INNER, self.parent[blossom]
        for member in ring[place + 1 :]:
            self.kind[member] = FREE
            self._find_slack(member)
        self.top[blossom] = 0

    def _take(self, edge: tuple[int, int]) -> bool:
        """Follow an edge without slack from an outer vertex; whether a way to augment was found."""
        one, other = self.top[edge[0]], self.top[edge[1]]
        if self.kind[other] == FREE:
            self.parent[other], self.kind[other] = edge[0], INNER
            beyond = self.top[self.mate[other]]
            self.tightest[other] = self.tightest[beyond] = 0
            self.kind[beyond] = OUTER
            self._enqueue(beyond)
        elif self.kind[other] == OUTER:
            base = self._meeting(one, other)
            if not base:
                self._augment(one, other)
                self._augment(other, one)
                return True
            self._shrink(one, base, other)
        return False

    def _phase(self) -> bool:
        """Make the matching larger by one; whether that could be done."""
        self.queue.clear()
        for thing in range(1, self.used + 1):
            self.kind[thing], self.tightest[thing] = FREE, 0
        for thing in range(1, self.used + 1):
            if self.top[thing] == thing and not self.mate[thing]:
                self.parent[thing], self.kind[thing] = 0, OUTER
                self._enqueue(thing)
        if not self.queue:
            return False
        while True:
            while self.queue:
                vertex = self.queue.popleft()
                top = self.top[vertex]
                if self.kind[top] == INNER:
                    continue
                for other in self.weight[vertex]:
                    if self.top[vertex] == self.top[other]:
                        continue
                    edge = (vertex, other)
                    if self._slack(edge):
                        self._note_slack(vertex, self.top[other])
                    elif self._take(edge):
                        return True
            if not self._adjust():
                return False
            for thing in range(1, self.used + 1):
                near = self.tightest[thing]
                if self.top[thing] == thing and near and self.top[near] != thing:
                    edge = self.edge[near][thing]
                    if not self._slack(edge) and self._take(edge):
                        return True
            for blossom in range(self.count + 1, self.used + 1):
                if self.top[blossom] == blossom and self.kind[blossom] == INNER and not self.dual[blossom]:
                    self._open(blossom)

    def _adjust(self) -> bool:
        """Change the duals until an edge loses its slack or a blossom its dual; False where the matching is best."""
        steps = []
        for thing in range(1, self.used + 1):
            if self.top[thing] != thing:
                continue
            if thing > self.count and self.kind[thing] == INNER:
                steps.append(self.dual[thing] // 2)
            if self.tightest[thing] and self.kind[thing] != INNER:
                slack = self._slack(self.edge[self.tightest[thing]][thing])
                steps.append(slack if self.kind[thing] == FREE else slack // 2)
        outer = [vertex for vertex in range(1, self.count + 1) if self.kind[self.top[vertex]] == OUTER]
        least = min(self.dual[vertex] for vertex in outer)
        step = min(steps, default=least)
        if least <= step:
            return False
        for vertex in range(1, self.count + 1):
            kind = self.kind[self.top[vertex]]
            if kind != FREE:
                self.dual[vertex] += -step if kind == OUTER else step
        for blossom in range(self.count + 1, self.used + 1):
            if self.top[blossom] == blossom and self.kind[blossom] != FREE:
                self.dual[blossom] += 2 * step if self.kind[blossom] == OUTER else -2 * step
        return True
