"""Learning a network from what engines did: each decision's result, the search's estimate and its visits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tercet.core.abilities.engine import NetParts
from tercet.engines.nets import action_sites, features_of, parts_of, taking_part
from tercet.training.data import Dataset, open_dataset
from tercet.training.data.dataset import COLUMNS
from tercet.training.model import SCALE, NetModel, Seen, integer_shares

HELD_OUT_EVERY = 10  # every tenth game is not learnt from, but measured with.
WARM_STEPS = 50  # in which the learning rate rises
LAST_RATE_SHARE = 0.02  # the share of the learning rate that is left in the end.
ACTION_WEIGHT = 0.1  # of the loss of actions beside that of shares
RESULT_WEIGHT = 0.5  # of a game's result beside the search's estimate
CHUNK_DECISIONS = 1024  # decisions whose actions are all in memory at a time


@dataclass(frozen=True)
class Samples:
    """The decisions of one variant: arrays as `Dataset.batches` gives them, of games that were not cut off; ``legal``
    and ``policy`` may be `Sparse`."""

    dataset: Dataset
    arrays: dict[str, Any]
    weights: Any = field(default=None)  # of each decision in the losses; None: all count the same

    def __len__(self) -> int:
        return len(self.arrays["mover"])

    @property
    def held_out(self) -> Any:
        """Return which decisions are of games that are only measured with."""
        return self.arrays["game"] % HELD_OUT_EVERY == 0


class Sparse:
    """An array (decisions, actions) that is nearly all zeros and too large to hold: indexed by decisions, it gives
    their rows as they were in ``chunks``, of type ``kind``."""

    def __init__(self, chunks: Iterable[Any], kind: Any) -> None:
        counts, actions, values = [], [], []
        self.width = 0
        for chunk in chunks:
            places = np.nonzero(chunk)
            counts.append(np.bincount(places[0], minlength=len(chunk)))
            actions.append(places[1].astype(np.int32))
            values.append(chunk[places].astype(kind))
            self.width = chunk.shape[1]
        self._starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        self._actions, self._values = np.concatenate(actions), np.concatenate(values)

    def __getitem__(self, places: Any) -> Any:
        found = np.zeros((len(places), self.width), self._values.dtype)
        for number, place in enumerate(places):
            here = slice(self._starts[place], self._starts[place + 1])
            found[number, self._actions[here]] = self._values[here]
        return found


@dataclass(frozen=True)
class Teaching:
    """The settings of learning besides results and policies.

    ``surprise`` (0 to 1) is the share of a decision's weight that follows from how far the policy that the search came
    to is from what the network ``prior``, weights as of `tercet.engines.nets`, foretells. ``reply`` weighs the loss of
    what the next to move did. ``searched_only``: decisions without estimates, made without a search, teach no policy.
    """

    surprise: float = 0.0
    prior: Mapping[str, Any] | None = None
    reply: float = 0.0
    searched_only: bool = False


DEFAULT_TEACHING = Teaching()


@dataclass(frozen=True)
class Epoch:
    """The state of learning after a pass over the data. It has the mean losses of shares and of actions, in nats, on
    the data learnt from and held out. ``right`` is how often the player whom the network prefers won, ``search_right``
    the same for the search that made the data."""

    epoch: int
    steps: int
    share_loss: float
    action_loss: float
    held_share_loss: float
    held_action_loss: float
    right: float
    search_right: float


def read_samples(folders: Sequence[Path]) -> list[Samples]:
    """Return the decisions in folders that self-play wrote; DataError where one is none."""
    found = []
    for folder in folders:
        dataset = open_dataset(folder)
        small = [name for name in COLUMNS if name not in ("legal", "policy")]
        batches = list(dataset.batches(1 << 20, columns=small))
        arrays: dict[str, Any] = {name: np.concatenate([batch[name] for batch in batches]) for name in small}
        ended = ~np.isnan(arrays["values"][:, 0])
        arrays = {name: array[ended] for name, array in arrays.items()}
        for name, kind in (("legal", np.bool_), ("policy", np.float32)):
            arrays[name] = Sparse(_kept(dataset, name, ended), kind)
        found.append(Samples(dataset, arrays))
    return found


def _kept(dataset: Dataset, name: str, kept: Any) -> Iterator[Any]:
    """Yield a column of decisions, those that are ``kept``, in chunks."""
    done = 0
    for batch in dataset.batches(CHUNK_DECISIONS, columns=[name]):
        yield batch[name][kept[done : done + len(batch[name])]]
        done += len(batch[name])


def learn(
    samples: Sequence[Samples],
    *,
    seed: int,
    epochs: int,
    batch: int,
    rate: float,
    teaching: Teaching = DEFAULT_TEACHING,
    on_epoch: Callable[[Epoch], object] = lambda _: None,
) -> tuple[dict[str, Any], list[Epoch]]:
    """Learn a network from nothing: its weights (for `tercet.engines.nets.write_net`) and how it went.

    Batches hold decisions of one variant each, in an order that follows from ``seed``, as all else does: on one machine
    the same samples give the same weights. ``rate`` is Adam's highest learning rate.
    """
    if teaching.surprise and teaching.prior is not None:
        samples = weighted(samples, teaching.prior, teaching.surprise)
    parts = parts_of(samples[0].dataset.game.definition)
    model = NetModel(parts, seed)
    chance = np.random.default_rng(seed)
    learnt = [np.flatnonzero(~each.held_out) for each in samples]
    held = [np.flatnonzero(each.held_out) for each in samples]
    steps = epochs * sum(max(1, len(places) // batch) for places in learnt)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    done, curve = 0, []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums in another order are other sums
    try:
        for number in range(epochs):
            losses = []
            for each, places in _batches(samples, learnt, batch, chance):
                for group in optimizer.param_groups:
                    group["lr"] = rate * _schedule(done, steps)
                share, action, reply = _losses(model, parts, each, places, teaching)
                optimizer.zero_grad()
                (share + ACTION_WEIGHT * action + teaching.reply * reply).backward()
                optimizer.step()
                losses.append([float(share.detach()), float(action.detach())])
                done += 1
            share_loss, action_loss = np.mean(losses, 0).tolist()
            curve.append(Epoch(number, done, share_loss, action_loss, *_measure(model, parts, samples, held)))
            on_epoch(curve[-1])
    finally:
        torch.set_num_threads(threads)
    return model.weights(), curve


def _schedule(step: int, steps: int) -> float:
    falling = LAST_RATE_SHARE + (1 - LAST_RATE_SHARE) * (1 + np.cos(np.pi * step / steps)) / 2
    return float(min(1.0, (step + 1) / WARM_STEPS) * falling)


def _batches(
    samples: Sequence[Samples], places: Sequence[Any], size: int, chance: Any
) -> Iterator[tuple[Samples, Any]]:
    """Yield all places of all samples once, in random order."""
    found = [
        (number, chunk)
        for number, here in enumerate(places)
        if len(here)
        for chunk in np.array_split(chance.permutation(here), max(1, len(here) // size))
    ]
    for place in chance.permutation(len(found)):
        number, chunk = found[place]
        yield samples[number], chunk


def see(parts: NetParts, samples: Samples, places: Any) -> Seen:
    """Return some decisions as networks see them."""
    game = samples.dataset.game
    rows, movers = np.ascontiguousarray(samples.arrays["row"][places]), samples.arrays["mover"][places]
    pairs, inputs = features_of(game, rows)
    return Seen(
        pairs, inputs, movers, parts.sites(game.rules), taking_part(game, rows, movers), action_sites(game)
    )  # fmt: skip


def _targets(parts: NetParts, samples: Samples, places: Any) -> tuple[Any, Any, Any]:
    """Return what to expect, the result, the search's estimate (NaN where nothing was searched): of the mover, or
    (decisions, heads) where heads are players."""
    arrays = samples.arrays
    movers = arrays["mover"][places]
    if parts.views is None:
        results, estimates = arrays["values"][places, movers], arrays["estimates"][places, movers]
    else:
        seats = (movers[:, None] + np.arange(parts.heads)) % parts.heads
        results, estimates = (arrays[name][places[:, None], seats] for name in ("values", "estimates"))
    mixed = RESULT_WEIGHT * results + (1 - RESULT_WEIGHT) * estimates
    return np.where(np.isnan(estimates), results, mixed).astype(np.float32), results, estimates


def _losses(model: NetModel, parts: NetParts, samples: Samples, places: Any, teaching: Teaching) -> tuple[Any, ...]:
    """Return the mean losses of shares, of actions and of replies."""
    shares, logits, replies = model.with_replies(see(parts, samples, places))
    share_loss, action_loss = _losses_of(parts, shares, logits, samples, places, teaching.searched_only)
    if not teaching.reply:
        return share_loss, action_loss, torch.zeros(())
    wanted = torch.from_numpy(replies_of(samples, places))
    reply_loss = -(wanted * torch.log_softmax(replies[:, : wanted.shape[1]], 1)).sum(1)
    return share_loss, action_loss, _mean(reply_loss, samples, places)


def replies_of(samples: Samples, places: Any) -> Any:
    """Return what was preferred one ply after each decision, float32 (places, actions); zeros after a game's last."""
    arrays = samples.arrays
    after = np.minimum(places + 1, len(samples) - 1)
    follows = (arrays["game"][after] == arrays["game"][places]) & (arrays["ply"][after] == arrays["ply"][places] + 1)
    return np.where(follows[:, None], arrays["policy"][after], np.float32(0))


def _losses_of(
    parts: NetParts, shares: Any, logits: Any, samples: Samples, places: Any, searched_only: bool = False
) -> tuple[Any, Any]:
    targets, _, estimates = _targets(parts, samples, places)
    wanted = torch.from_numpy(targets)
    if parts.views is None:
        share_loss = functional.binary_cross_entropy_with_logits(shares, wanted, reduction="none")
    else:
        share_loss = -(wanted * torch.log_softmax(shares, 1)).sum(1)
        estimates = estimates[:, 0]
    legal = torch.from_numpy(samples.arrays["legal"][places])
    policy = torch.from_numpy(samples.arrays["policy"][places])
    if searched_only:
        policy = policy * torch.from_numpy(~np.isnan(estimates))[:, None]
    actions = logits[:, : legal.shape[1]].masked_fill(~legal, -1e9)
    action_loss = -(policy * torch.log_softmax(actions, 1)).sum(1)
    return _mean(share_loss, samples, places), _mean(action_loss, samples, places)


def _mean(losses: Any, samples: Samples, places: Any) -> Any:
    """Return the mean of losses, weighted by decision."""
    if samples.weights is None:
        return losses.mean()
    return (losses * torch.from_numpy(samples.weights[places])).mean()


def weighted(samples: Sequence[Samples], prior: Mapping[str, Any], share: float) -> list[Samples]:
    """Return ``samples`` with weights: 1 - ``share``, and ``share`` divided by how surprising each decision is among
    all with a search. Their mean is 1; decisions without a search weigh 1."""
    found = [surprises(each, prior) for each in samples]
    known = np.concatenate(found)
    mean = float(np.nanmean(known)) if not np.isnan(known).all() else 0.0
    if mean <= 0:
        return list(samples)
    weights = [np.where(np.isnan(many), 1, 1 - share + share * many / mean).astype(np.float32) for many in found]
    return [Samples(each.dataset, each.arrays, many) for each, many in zip(samples, weights, strict=True)]


def surprises(samples: Samples, prior: Mapping[str, Any]) -> Any:
    """Return how far each decision's policy is from what the network ``prior`` foretells: the Kullback-Leibler
    divergence, in nats; NaN for decisions without a search."""
    parts = parts_of(samples.dataset.game.definition)
    found = np.full(len(samples), np.nan)
    for places in np.array_split(np.arange(len(samples)), max(1, len(samples) // 256)):
        _, ranks = integer_shares(parts, prior, see(parts, samples, places))
        policy = torch.from_numpy(samples.arrays["policy"][places]).double()
        legal = torch.from_numpy(samples.arrays["legal"][places])
        logits = (ranks[:, : legal.shape[1]].double() / SCALE**2).masked_fill(~legal, -1e9)
        entropy = torch.special.entr(policy).sum(1)
        found[places] = (-(policy * torch.log_softmax(logits, 1)).sum(1) - entropy).clamp(min=0).numpy()
    estimates = samples.arrays["estimates"][np.arange(len(samples)), samples.arrays["mover"]]
    return np.where(np.isnan(estimates), np.nan, found)


def _measure(
    model: NetModel, parts: NetParts, samples: Sequence[Samples], held: Sequence[Any]
) -> tuple[float, float, float, float]:
    """Losses of shares and actions on what is held out, how often the preferred side won, and the search's."""
    rows = [[0.0] * 6]
    with torch.no_grad():
        for each, places in zip(samples, held, strict=True):
            for chunk in np.array_split(places, max(1, len(places) // 256)) if len(places) else []:
                shares, logits = model(see(parts, each, chunk))
                losses = _losses_of(parts, shares, logits, each, chunk)
                _, results, estimates = _targets(parts, each, chunk)
                if parts.views is None:  # of two
                    agreed, agreeing = (shares.numpy() > 0) == (results > 0.5), (estimates > 0.5) == (results > 0.5)
                    known = ~np.isnan(estimates)
                else:
                    agreed, agreeing = (
                        results[np.arange(len(chunk)), given.argmax(1)] > 0.5 for given in (shares.numpy(), estimates)
                    )
                    known = ~np.isnan(estimates[:, 0])
                share, action = (len(chunk) * float(loss) for loss in losses)
                rows.append([share, action, agreed.sum(), len(chunk), agreeing[known].sum(), known.sum()])
    share, action, right, count, searched_right, searched = np.sum(rows, 0).tolist()
    count = max(count, 1)
    return share / count, action / count, right / count, searched_right / max(searched, 1)
