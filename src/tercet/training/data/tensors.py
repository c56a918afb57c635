"""Positions as PyTorch tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol


class Batches(Protocol):
    """The interface of a data set (:class:`tercet.training.data.dataset.Dataset`)."""

    def batches(self, size: int, *, columns: tuple[str, ...], shuffle: int | None) -> Iterator[dict[str, Any]]: ...
    def observations(self, rows: Any, movers: Any) -> Any: ...


def iterable(dataset: Batches, torch_data: Any, size: int, shuffle: int | None) -> Any:
    """An ``IterableDataset`` over ``dataset``; each worker of a loader takes every so many-th batch."""
    import torch

    class Positions(torch_data.IterableDataset):  # type: ignore[misc]
        def __iter__(self) -> Iterator[dict[str, Any]]:
            worker = torch_data.get_worker_info()
            number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
            columns = ("row", "mover", "legal", "policy", "values")
            for place, batch in enumerate(dataset.batches(size, columns=columns, shuffle=shuffle)):
                if place % workers == number:
                    batch["observation"] = dataset.observations(batch.pop("row"), batch["mover"])
                    yield {name: torch.from_numpy(array.copy()) for name, array in batch.items()}

    return Positions()
