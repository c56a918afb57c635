"""Reading positions: batches of NumPy arrays, Polars, DuckDB, PyTorch tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from tercet.core.game import Game
from tercet.errors import optional
from tercet.training.data.schema import DataError, game_of, metadata_of, parquet_errors, parts, positions_schema


class Dataset:
    """Decisions of one game in one Parquet file or in the parts of a folder.

    ``game`` is the game with its options, ``metadata`` what the files say of how they came to be, ``files`` their
    paths; ``len()`` counts decisions.
    """

    def __init__(self, path: str | Path) -> None:
        source = Path(path)
        nested = source / "positions"
        if nested.is_dir():
            source = nested
        self.files = [str(file) for file in parts(source).values()] if source.is_dir() else [str(source)]
        if not self.files:
            raise DataError(f"{source} has no parts of a dataset.")
        wanted: Any = None
        for file in self.files:
            with parquet_errors(file):
                schema = pq.read_schema(file)
                said = metadata_of(schema, "positions", file)
                signature = said["rules_hash"]
                if wanted is None:
                    self.metadata: dict[str, Any] = said
                    self.game: Game = game_of(said["game"], said["options"], signature, file)
                    wanted = positions_schema(self.game)
            if signature != self.metadata["rules_hash"]:
                raise DataError(f"{file} was written under other rules than {self.files[0]}.")
            if not schema.equals(wanted):
                raise DataError(f"{file} does not have the columns of schema version {said['schema']}.")
        self._source = pads.dataset(self.files, format="parquet")

    def __len__(self) -> int:
        return int(self._source.count_rows())

    def arrow(self) -> Any:
        """Return the files as a ``pyarrow.dataset.Dataset``."""
        return self._source

    def polars(self) -> Any:
        """Return the files as a ``polars.LazyFrame``; rows and legal bits are of type Array."""
        return optional("polars", "Dataset.polars").scan_parquet(self.files)

    def duckdb(self, connection: Any = None) -> Any:
        """Return the files as a DuckDB relation (of ``connection``, else of DuckDB's own)."""
        return (connection or optional("duckdb", "Dataset.duckdb")).read_parquet(self.files)

    def batches(
        self, size: int = 1024, *, columns: Sequence[str] | None = None, shuffle: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield ``size`` decisions at a time (the last may be fewer) as arrays by column.

        ``row`` is int64 (n, row_size), ``legal`` bool (n, actions), ``policy`` float32 (n, actions). ``values`` and
        ``estimates`` are float32 (n, players), NaN where unknown. ``game``, ``seed``, ``ply``, ``mover`` and
        ``action`` are (n,). With ``shuffle`` (a seed) parts come in random order, and decisions in random order
        within a part. DataError for a column that does not exist.
        """
        if size < 1:
            raise DataError(f"A batch must have at least one decision, not {size}.")
        wanted = tuple(columns) if columns is not None else COLUMNS
        for name in wanted:
            if name not in COLUMNS:
                raise DataError(f"There is no column {name!r}. Choose from {', '.join(COLUMNS)}.")
        stored = [column for name in wanted for column in (_POLICY if name == "policy" else (name,))]
        chance = np.random.default_rng(shuffle)
        fragments = list(self._source.get_fragments())
        if shuffle is not None:
            chance.shuffle(fragments)
        left: dict[str, Any] | None = None
        for fragment in fragments:
            with parquet_errors(fragment.path):
                table = fragment.to_table(columns=stored)
            if shuffle is not None:
                table = table.take(pa.array(chance.permutation(len(table))))
            arrays = {name: self._array(table, name) for name in wanted}
            if left is not None:
                arrays = {name: np.concatenate([left[name], array]) for name, array in arrays.items()}
            count = len(arrays[wanted[0]]) if wanted else 0
            whole = count - count % size
            for first in range(0, whole, size):
                yield {name: array[first : first + size] for name, array in arrays.items()}
            left = {name: array[whole:] for name, array in arrays.items()}
        if left is not None and wanted and len(left[wanted[0]]):
            yield left

    def _array(self, table: Any, name: str) -> Any:
        rules, players = self.game.rules, len(self.game.players)
        if name == "policy":
            policy = np.zeros((len(table), rules.actions), np.float32)
            actions = table["policy_actions"].combine_chunks()
            lengths = np.diff(actions.offsets.to_numpy())
            weights = table["policy_weights"].combine_chunks().flatten().to_numpy()
            policy[np.repeat(np.arange(len(table)), lengths), actions.flatten().to_numpy()] = weights
            return policy
        column = table[name].combine_chunks()
        if name == "row":
            return column.flatten().to_numpy().reshape(-1, rules.row_size)
        if name == "legal":
            bits = column.flatten().to_numpy().reshape(-1, -(-rules.actions // 8))
            return np.unpackbits(bits, axis=1, bitorder="little", count=rules.actions).view(np.bool_)
        if name in ("values", "estimates"):
            values = np.full((len(table), players), np.nan, np.float32)
            values[column.is_valid().to_numpy(zero_copy_only=False)] = column.flatten().to_numpy().reshape(-1, players)
            return values
        return column.to_numpy()

    def observations(self, rows: Any, movers: Any) -> Any:
        """Planes for a network, float32 (n, planes, cells), of ``rows`` (n, row_size) for the players ``movers``."""
        planes, cells = len(self.game.rules.planes), len(self.game.board)
        out = np.empty((len(rows), planes * cells), np.float32)
        observe, data = self.game.kernels.observe, self.game.data
        if self.game.execution != "compiled":
            raise DataError("Only compiled kernels make observations. Unset TERCET_EXECUTION=interpreted.")
        for index, (row, mover) in enumerate(zip(rows, movers, strict=True)):
            observe(data, np.ascontiguousarray(row), int(mover), out[index])
        return out.reshape(-1, planes, cells)

    def torch(self, size: int = 1024, *, shuffle: int | None = None) -> Any:
        """Return an iterable data set for ``torch.utils.data.DataLoader(..., batch_size=None)``: dictionaries of
        tensors with ``observation`` (n, planes, cells), ``legal``, ``policy``, ``values`` and ``mover``. Its workers
        share the batches between them."""
        torch, torch_data = (optional(name, "Dataset.torch") for name in ("torch", "torch.utils.data"))

        def tensors(_: Any) -> Iterator[dict[str, Any]]:
            worker = torch_data.get_worker_info()
            number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
            columns = ("row", "mover", "legal", "policy", "values")
            for index, batch in enumerate(self.batches(size, columns=columns, shuffle=shuffle)):
                if index % workers == number:
                    batch["observation"] = self.observations(batch.pop("row"), batch["mover"])
                    yield {name: torch.from_numpy(array.copy()) for name, array in batch.items()}

        return type("Positions", (torch_data.IterableDataset,), {"__iter__": tensors})()


_POLICY = ("policy_actions", "policy_weights")
COLUMNS = ("game", "seed", "ply", "mover", "row", "legal", "action", "policy", "values", "estimates")


def open_dataset(path: str | Path) -> Dataset:
    """Return the decisions in a Parquet file, in a folder of parts, or in a folder that ``tercet selfplay`` wrote.
    DataError where it holds none, or where the rules have changed since."""
    return Dataset(path)
