"""Games and positions as Parquet, read with PyArrow, Polars, DuckDB or PyTorch, and self-play that writes them.

Needs the extra ``data`` (``pip install 'tercet[data]'``). docs/reference/data.md describes every column.
"""

from tercet.errors import TercetError, needs_extra

try:
    import pyarrow  # noqa: F401
except ImportError:
    raise TercetError(needs_extra("Parquet", "pyarrow")) from None

from tercet.training.data.dataset import Dataset, open_dataset
from tercet.training.data.records import Decision, decisions_of, export_records, read_records
from tercet.training.data.schema import SCHEMA_VERSION, DataError, rules_hash
from tercet.training.data.selfplay import SelfPlay

__all__ = [
    "SCHEMA_VERSION",
    "DataError",
    "Dataset",
    "Decision",
    "SelfPlay",
    "decisions_of",
    "export_records",
    "open_dataset",
    "read_records",
    "rules_hash",
]
