"""Sequential tests of matches over blocks of games, and normalized Elo.

Games of a block are from one opening, with every seating once, so that they are not independent but blocks are. The
test is the generalized sequential probability ratio test of Michel Van den Bergh, as fishtest uses it over pairs:
*Normalized Elo* and *Comments on Normalized Elo* (normalized_elo.pdf and normalized_elo_practical.pdf at
https://www.cantate.be/Fishtest), sections 4.1 and 4.2 of the latter.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["NELO", "Normalized", "SequentialTest", "normalized_elo"]

NELO = 800 / math.log(10)  # normalized Elo of one standard deviation of a game
Z95 = 1.959964
PRIOR_COUNT = 1e-3  # of a block, where a result that there may be has not been seen
Distribution = list[tuple[float, float]]  # (result, probability)


@dataclass(frozen=True)
class Normalized:
    """A difference in normalized Elo (:data:`NELO` times the mean score of a game above one half, in standard
    deviations of a game) with its 95 % interval; infinite where all blocks went alike."""

    difference: float
    low: float
    high: float


def _moments(distribution: Distribution) -> tuple[float, float]:
    mean = sum(share * value for value, share in distribution)
    return mean, sum(share * (value - mean) ** 2 for value, share in distribution)


def normalized_elo(blocks: Sequence[float], games: int) -> Normalized:
    """Return the normalized Elo difference that these mean scores of blocks of ``games`` games mean (from 0 to 1). Its
    interval is that of a t-value whose deviation is estimated too."""
    if not blocks:
        return Normalized(0.0, -math.inf, math.inf)
    seen: Distribution = [(value, count / len(blocks)) for value, count in Counter(blocks).items()]
    mean, variance = _moments(seen)
    if variance < 1e-12:
        far = 0.0 if abs(mean - 0.5) < 1e-12 else math.copysign(math.inf, mean - 0.5)
        return Normalized(far, -math.inf, math.inf)
    deviation = math.sqrt(variance)
    t = (mean - 0.5) / deviation
    skew = sum(share * (value - mean) ** 3 for value, share in seen) / deviation**3
    peak = sum(share * (value - mean) ** 4 for value, share in seen) / variance**2
    error = math.sqrt(max(0.0, 1 - t * skew + t * t * (peak - 1) / 4) / len(blocks))
    scale = NELO / math.sqrt(games)
    return Normalized(scale * t, scale * (t - Z95 * error), scale * (t + Z95 * error))


def _root(values: Distribution) -> float:
    """Return the x for which the sum of p a / (1 + x a) over ``values`` (a, p) is 0; it falls between the poles."""
    low, high = -1 / max(a for a, _ in values) + 1e-9, -1 / min(a for a, _ in values) - 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        if sum(p * a / (1 + middle * a) for a, p in values) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _tilted(seen: Distribution, t: float) -> list[float]:
    """Probabilities of the results in ``seen`` that rise or fall by a constant factor, with a mean ``t`` standard
    deviations above one half."""
    low, high = -200.0, 200.0
    shares: list[float] = []
    for _ in range(60):
        middle = (low + high) / 2
        weights = [math.exp(middle * (value - (middle > 0))) for value, _ in seen]
        shares = [weight / sum(weights) for weight in weights]
        mean, variance = _moments([(value, share) for (value, _), share in zip(seen, shares, strict=True)])
        if mean - 0.5 < t * math.sqrt(variance):
            low = middle
        else:
            high = middle
    return shares


def _likeliest(seen: Distribution, t: float) -> list[float]:
    """Return the probabilities of the results in ``seen`` that make it likeliest among the distributions whose mean is
    ``t`` standard deviations above one half."""
    shares = _tilted(seen, t)
    for _ in range(50):
        mean, variance = _moments([(value, share) for (value, _), share in zip(seen, shares, strict=True)])
        deviation = math.sqrt(variance)
        moved = [
            (value - 0.5 - t * deviation * (1 + ((mean - value) / deviation) ** 2) / 2, share) for value, share in seen
        ]
        x = _root(moved)
        before, shares = shares, [share / (1 + x * a) for a, share in moved]
        if max(abs(new - old) for new, old in zip(shares, before, strict=True)) < 1e-12:
            break
    return shares


@dataclass(frozen=True)
class SequentialTest:
    """Is the difference ``high`` normalized Elo, or is it ``low``? ``alpha`` is the risk of taking it for ``high``
    where it is ``low``, ``beta`` the other one. ``games`` is the size of a block."""

    low: float
    high: float
    games: int = 2
    alpha: float = 0.05
    beta: float = 0.05

    def bounds(self) -> tuple[float, float]:
        """Return where the ratio decides for ``low``, and where for ``high``."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, blocks: Iterable[float]) -> float:
        """Return the logarithm of how much likelier ``high`` is than ``low`` after these mean scores of blocks."""
        counts = dict.fromkeys((0.0, 0.25, 0.5, 0.75, 1.0) if self.games == 2 else (0.0, 0.5, 1.0), PRIOR_COUNT)
        for block, count in Counter(blocks).items():
            counts[block] = float(count)
        total = sum(counts.values())
        if total < 1:
            return 0.0
        seen = [(value, count / total) for value, count in sorted(counts.items())]
        scale = math.sqrt(self.games) / NELO
        worse, better = (_likeliest(seen, scale * elo) for elo in (self.low, self.high))
        return total * sum(
            share * math.log(high / low) for (_, share), low, high in zip(seen, worse, better, strict=True)
        )

    def decided(self, blocks: Iterable[float]) -> str | None:
        """Return ``"high"``, ``"low"`` or, while more has to be played, None."""
        low, high = self.bounds()
        ratio = self.ratio(blocks)
        return "high" if ratio >= high else "low" if ratio <= low else None
