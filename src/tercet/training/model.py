"""The network of ``tercet.engines.kernels.net`` in PyTorch: with numbers to learn, and with its integers.

While it learns, weights are rounded as they will be stored and sums shifted as the kernels shift them, but gradients
pass as if they were not, so that what is learnt is what will play.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from tercet.definition import NetParts
from tercet.engines.kernels import net as layout

__all__ = ["NetModel", "Seen", "integer_shares"]

SCALE = 64  # of weights of features, looks and hidden units
OUTPUT_SCALE = layout.WHOLE_POINT
PLAYERS = 2


class Seen:
    """Positions of one game as networks see them, int64: ``features`` of all sites one after the other, where each
    site's begin in ``starts`` (positions * sites), ``inputs`` (positions, inputs), ``movers`` (positions)."""

    def __init__(self, pairs: list[Any], inputs: Any, movers: Any, sites: int) -> None:
        counts = np.zeros(len(pairs) * sites, np.int64)
        features = []
        for place, found in enumerate(pairs):
            features.append(found[np.argsort(found[:, 0].astype(np.int16), kind="stable"), 1])
            counts[place * sites : (place + 1) * sites] = np.bincount(found[:, 0], minlength=sites)
        self.features = torch.from_numpy(np.concatenate(features).astype(np.int64))
        self.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(counts)[:-1]]))
        self.inputs = torch.from_numpy(np.asarray(inputs, np.int64))
        self.movers = torch.from_numpy(np.asarray(movers, np.int64))
        self.sites = sites

    def __len__(self) -> int:
        return len(self.movers)


def _rounded(values: Any, scale: float, most: float) -> Any:
    """``values`` at multiples of 1 / ``scale`` up to ``most`` / ``scale``, with the gradient that they had."""
    bounded = values.clamp(-most / scale, most / scale)
    return bounded + (torch.round(bounded * scale) / scale - bounded).detach()


def _shifted(values: Any, scale: float) -> Any:
    """``values`` at the next lower multiples of 1 / ``scale``, with the gradient that they had."""
    return values + (torch.floor(values * scale) / scale - values).detach()


class NetModel:
    """Weights to learn, of a game's ``parts``, drawn by ``seed``."""

    def __init__(self, parts: NetParts, seed: int) -> None:
        chance = torch.Generator().manual_seed(seed)
        size = layout.WIDTH + parts.inputs

        def drawn(*shape: int, spread: float) -> Any:
            return nn.Parameter(spread * torch.randn(*shape, generator=chance))

        def zeros(*shape: int) -> Any:
            return nn.Parameter(torch.zeros(*shape))

        self.parts = parts
        self.features = drawn(parts.features, layout.WIDTH, spread=0.1)
        self.hidden = drawn(PLAYERS, layout.HIDDEN, size, spread=size**-0.5)
        self.hidden_bias = zeros(PLAYERS, layout.HIDDEN)
        self.output = drawn(PLAYERS, layout.HIDDEN, spread=layout.HIDDEN**-0.5)
        self.output_bias = zeros(PLAYERS)
        self.actions = drawn(PLAYERS, layout.WIDTH, spread=0.1)
        self.replies = drawn(PLAYERS, layout.WIDTH, spread=0.1)  # learnt from only: no file holds them
        self.most = {"features": 32767 // parts.most_at_site, "hidden": 1900, "output": 32767, "actions": 32767}

    def parameters(self) -> list[Any]:
        """What is to learn."""
        return [self.features, self.hidden, self.hidden_bias, self.output, self.output_bias, self.actions, self.replies]

    def __call__(self, seen: Seen) -> tuple[Any, Any]:
        """Logits: (positions,) of the mover's share, (positions, sites) of what to do."""
        return self.with_replies(seen)[:2]

    def with_replies(self, seen: Seen) -> tuple[Any, Any, Any]:
        """The same, and logits (positions, sites) of what the next to move then does: a question that networks do not
        answer, but learn something from."""
        count = len(seen)
        weights = _rounded(self.features, SCALE, self.most["features"])
        looks = functional.embedding_bag(seen.features, weights, seen.starts, mode="sum")
        looks = looks.clamp(0, layout.CAP / SCALE).view(count, seen.sites, layout.WIDTH)
        sums = _shifted(looks.sum(1) / (1 << layout.SUM_SHIFT), SCALE).clamp(max=layout.MOST_SUM / SCALE)
        inputs = torch.cat([sums, seen.inputs / SCALE], 1)
        hidden = torch.einsum("bi,bhi->bh", inputs, _rounded(self.hidden, SCALE, self.most["hidden"])[seen.movers])
        bias = _rounded(self.hidden_bias, SCALE * SCALE, 1 << 30)[seen.movers]
        hidden = _shifted(hidden + bias, SCALE).clamp(0, layout.MOST_HIDDEN / SCALE)
        output = _rounded(self.output, SCALE, self.most["output"])[seen.movers]
        share = (hidden * output).sum(1) + self.output_bias[seen.movers]
        actions = _rounded(self.actions, SCALE, self.most["actions"])[seen.movers]
        replies = torch.einsum("bsi,bi->bs", looks, self.replies[seen.movers])
        return share, torch.einsum("bsi,bi->bs", looks, actions), replies

    def weights(self) -> dict[str, Any]:
        """The arrays of integers that `tercet.engines.nets.write_net` takes."""

        def integers(values: Any, scale: float, most: int, kind: str) -> Any:
            found = torch.round(values.detach().clamp(-most / scale, most / scale) * scale)
            return found.numpy().astype(np.int64).astype(kind)

        bias = torch.round(self.output_bias.detach() * OUTPUT_SCALE / (layout.MOST_HIDDEN + 1)).numpy()
        output = integers(self.output, SCALE, self.most["output"], "int16")
        places = np.arange(layout.TABLE) - layout.TABLE // 2
        shares = layout.WHOLE_POINT / (1 + np.exp(-places * (1 << layout.TABLE_SHIFT) / OUTPUT_SCALE))
        return {
            "features": integers(self.features, SCALE, self.most["features"], "int16").reshape(-1),
            "hidden": integers(self.hidden, SCALE, self.most["hidden"], "int16").reshape(-1),
            "hidden_bias": integers(self.hidden_bias, SCALE * SCALE, 1 << 30, "int32").reshape(-1),
            "output": np.concatenate([output, bias.astype(np.int16)[:, None]], 1).reshape(-1),
            "actions": integers(self.actions, SCALE, self.most["actions"], "int16").reshape(-1),
            "shares": np.round(shares).astype(np.int16),
        }


def integer_shares(weights: Mapping[str, Any], seen: Seen) -> tuple[Any, Any]:
    """What the kernels compute, by PyTorch's integers: the mover's share of WHOLE_POINT for each position, and what
    `rank_actions` writes for each site. For comparison: no float takes part."""
    arrays = {name: torch.from_numpy(np.asarray(values, np.int64)) for name, values in weights.items()}
    features = arrays["features"].view(-1, layout.WIDTH)
    sites = torch.zeros(len(seen.features), dtype=torch.int64)
    sites[seen.starts[1:]] += 1
    looks = torch.zeros(len(seen) * seen.sites, layout.WIDTH, dtype=torch.int64)
    looks.index_add_(0, torch.cumsum(sites, 0), features[seen.features])
    looks = looks.clamp(0, layout.CAP).view(len(seen), seen.sites, layout.WIDTH)
    sums = (looks.sum(1) >> layout.SUM_SHIFT).clamp(max=layout.MOST_SUM)
    inputs = torch.cat([sums, seen.inputs], 1)
    hidden = arrays["hidden"].view(PLAYERS, layout.HIDDEN, -1)[seen.movers]
    values = (hidden * inputs[:, None, :]).sum(2) + arrays["hidden_bias"].view(PLAYERS, -1)[seen.movers]
    values = (values >> layout.HIDDEN_SHIFT).clamp(0, layout.MOST_HIDDEN)
    output = arrays["output"].view(PLAYERS, -1)[seen.movers]
    total = (values * output[:, :-1]).sum(1) + (layout.MOST_HIDDEN + 1) * output[:, -1]
    places = ((total >> layout.TABLE_SHIFT) + layout.TABLE // 2).clamp(0, layout.TABLE - 1)
    ranks = (looks * arrays["actions"].view(PLAYERS, 1, layout.WIDTH)[seen.movers]).sum(2)
    return arrays["shares"][places], ranks
