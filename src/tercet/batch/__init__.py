"""Many games at once: N games of one kind as matrices, stepped together by compiled kernels, on all cores or a GPU.

>>> from tercet.batch import Batch
>>> batch = Batch("sanqi", games=8, seed=1, side=4)
>>> batch.observations.shape, batch.masks.shape
((8, 11, 37), (8, 111))
>>> batch.step(batch.random_actions())
>>> batch.plies.tolist()
[1, 1, 1, 1, 1, 1, 1, 1]
"""

from tercet.batch.batch import Batch, GameSnapshot

__all__ = ["Batch", "GameSnapshot"]
