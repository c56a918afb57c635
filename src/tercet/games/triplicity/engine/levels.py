"""What each of the ten levels of Triplicity's engine sees."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.games.triplicity.engine.kernels.memory import BEST_REPLY


@dataclass(frozen=True)
class SearchSettings:
    """How much a level sees. ``depth`` actions ahead and ``nodes`` at most (None: as far as time allows), then up to
    ``calm`` captures; of the first actions it overlooks so large a share of the quiet ones (``overlooks``, see
    :mod:`tercet.core.attention`). Positions worth the same give or take
    ``noise`` are the same to it. ``mode`` is how it thinks of its enemies, ``wide`` how many quiet actions it looks at
    for each one left, ``late`` from which one on less deeply, ``margin`` how many points a quiet action is trusted to
    bring. ``drawn`` is how many points less than its share a draw is worth to it, ``table`` the logarithm of how many
    positions it remembers; ``endings`` whether it knows the solved ones; ``wary`` whether it thinks of both enemies
    where its last king is in danger (see ``kernels.alphabeta``)."""

    depth: int | None = None
    nodes: int | None = None
    calm: int = 6
    overlooks: float = 0.0
    noise: int = 7
    mode: int = BEST_REPLY
    wide: int = 40
    late: int = 24
    margin: int = 150
    drawn: int = 300
    table: int = 18
    endings: bool = False
    wary: bool = False


# Wanting more than a draw was measured to win for who looks ahead little, and not for who looks ahead far.
LEVELS: dict[int, SearchSettings] = {
    1: SearchSettings(depth=1, calm=0, overlooks=0.9, noise=255, table=8),
    2: SearchSettings(depth=1, calm=0, overlooks=0.62, noise=255, table=8),
    3: SearchSettings(depth=1, calm=0, overlooks=0.37, noise=200, table=8),
    4: SearchSettings(depth=1, calm=1, overlooks=0.49, noise=200, table=8),
    5: SearchSettings(depth=1, calm=1, overlooks=0.3, noise=127, table=8),
    6: SearchSettings(depth=1, calm=1, overlooks=0.04, noise=15, table=8),
    7: SearchSettings(depth=2, calm=2, overlooks=0.12, noise=47, table=12),
    8: SearchSettings(depth=3, nodes=2_000, calm=4, noise=15, table=14, endings=True),
    9: SearchSettings(nodes=8_000, drawn=0, table=16, endings=True),
    10: SearchSettings(drawn=0, endings=True, wary=True),
}
