"""Networks that evaluate positions, learnt from self-play (``pip install 'tercet[train,data]'``).

``Training`` is a run: rounds of self-play, learning, and a match that decides whether the new network is kept.
``learning`` is what PyTorch does, ``model`` the network as PyTorch sees it, ``report`` the page of curves. Reading and
playing with networks is `tercet.engines.nets` and needs no PyTorch.
"""

from tercet.errors import TercetError, needs_extra

try:
    import pyarrow  # noqa: F401
except ImportError:
    raise TercetError(needs_extra("Training", "train")) from None

from tercet.training.run import Training, TrainingError, TrainingProgress

__all__ = ["Training", "TrainingError", "TrainingProgress"]
