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

from tercet.core.abilities.engine import NetParts
from tercet.engines.kernels import net as layout
from tercet.engines.nets import share_table

SCALE = 64  # of weights of features, activations and hidden units
OUTPUT_SCALE = layout.WHOLE_POINT
IMPOSSIBLE_LOGIT = -1e9  # the logit of what cannot be


class Seen:
    """Positions of one game as networks see them, int64: ``features`` of all sites one after the other, where each
    site's begin in ``starts`` (positions * sites), ``inputs`` (positions, inputs), ``movers`` (positions), and, bool,
    which heads' players can still have a share, ``present`` (positions, heads). ``actions`` (int64, as
    `nets.action_sites` gives them) are the sites of each action."""

    def __init__(self, pairs: list[Any], inputs: Any, movers: Any, sites: int, present: Any, actions: Any) -> None:
        counts = np.zeros(len(pairs) * sites, np.int64)
        features = []
        for index, found in enumerate(pairs):
            features.append(found[np.argsort(found[:, 0].astype(np.int16), kind="stable"), 1])
            counts[index * sites : (index + 1) * sites] = np.bincount(found[:, 0], minlength=sites)
        self.features = torch.from_numpy(np.concatenate(features).astype(np.int64))
        self.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(counts)[:-1]]))
        self.inputs = torch.from_numpy(np.asarray(inputs, np.int64))
        self.movers = torch.from_numpy(np.asarray(movers, np.int64))
        self.sites = sites
        self.present = torch.from_numpy(np.asarray(present, np.bool_))
        self.actions = torch.from_numpy(np.asarray(actions, np.int64))

    def of_actions(self, ranks: Any) -> Any:
        """Return ``ranks`` (positions, sites, kinds) of sites summed to those of actions (positions, actions)."""
        site, kind = self.actions[..., 0], self.actions[..., 1]
        none = ranks.new_zeros(len(self), 1)
        known = torch.cat([ranks.flatten(1), none], 1)
        places = torch.where(site < 0, known.shape[1] - 1, site * ranks.shape[2] + kind)
        return known[:, places].sum(2)

    def __len__(self) -> int:
        return len(self.movers)


def _rounded(values: Any, scale: float, most: float) -> Any:
    """Return ``values`` at multiples of 1 / ``scale`` up to ``most`` / ``scale``, with the gradient that they had."""
    bounded = values.clamp(-most / scale, most / scale)
    return bounded + (torch.round(bounded * scale) / scale - bounded).detach()


def _shifted(values: Any, scale: float) -> Any:
    """Return ``values`` at the next lower multiples of 1 / ``scale``, with the gradient that they had."""
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
        heads, kinds = parts.heads, parts.action_weights
        self.hidden = drawn(heads, layout.HIDDEN, size, spread=size**-0.5)
        self.hidden_bias = zeros(heads, layout.HIDDEN)
        self.output = drawn(heads, layout.HIDDEN, spread=layout.HIDDEN**-0.5)
        self.output_bias = zeros(heads)
        self.actions = drawn(kinds, layout.WIDTH, spread=0.1)
        self.replies = drawn(kinds, layout.WIDTH, spread=0.1)  # learnt from only: no file holds them
        self.most = {"features": 32767 // parts.most_at_site, "hidden": 1900, "output": 32767, "actions": 32767}

    def parameters(self) -> list[Any]:
        """Return the parameters to learn."""
        return [self.features, self.hidden, self.hidden_bias, self.output, self.output_bias, self.actions, self.replies]

    def __call__(self, seen: Seen) -> tuple[Any, Any]:
        """Logits: (positions,) of the mover's share, or (positions, heads) of all shares where heads are players;
        (positions, actions) of what to do."""
        return self.with_replies(seen)[:2]

    def with_replies(self, seen: Seen) -> tuple[Any, Any, Any]:
        """Return what calling the model returns, and the logits (positions, actions) of the reply. Networks in files do
        not answer that; they learn from the question."""
        count = len(seen)
        weights = _rounded(self.features, SCALE, self.most["features"])
        activations = functional.embedding_bag(seen.features, weights, seen.starts, mode="sum")
        activations = activations.clamp(0, layout.CAP / SCALE).view(count, seen.sites, layout.WIDTH)
        sums = _shifted(activations.sum(1) / (1 << layout.SUM_SHIFT), SCALE).clamp(max=layout.MOST_SUM / SCALE)
        inputs = torch.cat([sums, seen.inputs / SCALE], 1)
        weights = _rounded(self.hidden, SCALE, self.most["hidden"])
        bias = _rounded(self.hidden_bias, SCALE * SCALE, 1 << 30)
        output = _rounded(self.output, SCALE, self.most["output"])
        actions = _rounded(self.actions, SCALE, self.most["actions"])
        if self.parts.views is None:
            hidden = torch.einsum("bi,bhi->bh", inputs, weights[seen.movers]) + bias[seen.movers]
            hidden = _shifted(hidden, SCALE).clamp(0, layout.MOST_HIDDEN / SCALE)
            share = (hidden * output[seen.movers]).sum(1) + self.output_bias[seen.movers]
            replies = torch.einsum("bsi,bi->bs", activations, self.replies[seen.movers])
            return share, torch.einsum("bsi,bi->bs", activations, actions[seen.movers]), replies
        hidden = torch.einsum("bi,phi->bph", inputs, weights) + bias
        hidden = _shifted(hidden, SCALE).clamp(0, layout.MOST_HIDDEN / SCALE)
        shares = (hidden * output).sum(2) + self.output_bias
        shares = shares.masked_fill(~seen.present, IMPOSSIBLE_LOGIT)
        ranks, replies = (torch.einsum("bsi,ki->bsk", activations, each) for each in (actions, self.replies))
        return shares, seen.of_actions(ranks), seen.of_actions(replies)

    def weights(self) -> dict[str, Any]:
        """Return the arrays of integers that `tercet.engines.nets.write_net` takes."""

        def integers(values: Any, scale: float, most: int, kind: str) -> Any:
            found = torch.round(values.detach().clamp(-most / scale, most / scale) * scale)
            return found.numpy().astype(np.int64).astype(kind)

        bias = torch.round(self.output_bias.detach() * OUTPUT_SCALE / (layout.MOST_HIDDEN + 1)).numpy()
        output = integers(self.output, SCALE, self.most["output"], "int16")
        return {
            "features": integers(self.features, SCALE, self.most["features"], "int16").reshape(-1),
            "hidden": integers(self.hidden, SCALE, self.most["hidden"], "int16").reshape(-1),
            "hidden_bias": integers(self.hidden_bias, SCALE * SCALE, 1 << 30, "int32").reshape(-1),
            "output": np.concatenate([output, bias.astype(np.int16)[:, None]], 1).reshape(-1),
            "actions": integers(self.actions, SCALE, self.most["actions"], "int16").reshape(-1),
            "shares": share_table(self.parts),
        }


def integer_shares(parts: NetParts, weights: Mapping[str, Any], seen: Seen) -> tuple[Any, Any]:
    """Return what the kernels compute, by PyTorch's integers: everybody's share of WHOLE_POINT from the mover on
    (positions, heads), and what `rank_actions` writes for each action. For comparison: no float takes part."""
    arrays = {name: torch.from_numpy(np.asarray(values, np.int64)) for name, values in weights.items()}
    features = arrays["features"].view(-1, layout.WIDTH)
    counts = torch.diff(seen.starts, append=torch.tensor([len(seen.features)]))
    sites = torch.repeat_interleave(torch.arange(len(seen.starts)), counts)
    activations = torch.zeros(len(seen) * seen.sites, layout.WIDTH, dtype=torch.int64)
    activations.index_add_(0, sites, features[seen.features])
    activations = activations.clamp(0, layout.CAP).view(len(seen), seen.sites, layout.WIDTH)
    sums = (activations.sum(1) >> layout.SUM_SHIFT).clamp(max=layout.MOST_SUM)
    inputs = torch.cat([sums, seen.inputs], 1)
    hidden = arrays["hidden"].view(parts.heads, layout.HIDDEN, -1)
    values = (hidden * inputs[:, None, None, :]).sum(3) + arrays["hidden_bias"].view(parts.heads, -1)
    values = (values >> layout.HIDDEN_SHIFT).clamp(0, layout.MOST_HIDDEN)
    output = arrays["output"].view(parts.heads, -1)
    totals = (values * output[:, :-1]).sum(2) + (layout.MOST_HIDDEN + 1) * output[:, -1]
    actions = arrays["actions"].view(parts.action_weights, layout.WIDTH)
    if parts.views is None:
        mine = torch.arange(len(seen)), seen.movers
        places = ((totals[mine] >> layout.TABLE_SHIFT) + layout.TABLE // 2).clamp(0, layout.TABLE - 1)
        share = arrays["shares"][places]
        return torch.stack([share, layout.WHOLE_POINT - share], 1), (activations * actions[seen.movers][:, None]).sum(2)
    most = totals.masked_fill(~seen.present, torch.iinfo(torch.int64).min).max(1).values
    places = layout.TABLE - 1 + ((totals - most[:, None]) >> layout.TABLE_SHIFT)
    parted = arrays["shares"][places.clamp(0, layout.TABLE - 1)].masked_fill(~seen.present, 0)
    ranks = (activations[:, :, None] * actions).sum(3)
    return layout.WHOLE_POINT * parted // parted.sum(1, keepdim=True), seen.of_actions(ranks)
