"""Networks that evaluate positions, learnt from self-play (``pip install 'tercet[train,data]'``).

``Training`` is a run: rounds of self-play, learning, and a match that decides whether the new network is kept.
``learning`` is what PyTorch does, ``model`` the network as PyTorch sees it, ``report`` the page of curves, ``data`` the
games and positions as Parquet. Reading and playing with networks is `tercet.engines.nets` and needs no PyTorch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.training.run import Training, TrainingError, TrainingProgress

__all__ = ["Training", "TrainingError", "TrainingProgress"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tercet.errors import TercetError, needs_extra

    try:
        from tercet.training import run
    except (ModuleNotFoundError, TercetError) as error:  # PyArrow is missing
        raise TercetError(needs_extra("Training", "train")) from error
    return getattr(run, name)
