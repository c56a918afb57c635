"""The contract suite finds the fault in games that break one promise each, and none where there is none."""

from typing import Any

import pytest

from tercet import testing
from tests.support import heap, heap_kernels


def play(**exchanged: Any) -> None:
    testing.play_in_step(heap.heap("compiled", **exchanged), heap.heap("interpreted", **exchanged), seed=1)


def test_a_game_without_a_fault_passes() -> None:
    play()
    game = heap.heap()
    testing.check_observation(game, game.start())


@pytest.mark.parametrize("scores", [heap_kernels.half_each, heap_kernels.scores_left_alone])
def test_scores_must_be_zeros_while_the_game_goes_on(scores: Any) -> None:
    with pytest.raises(AssertionError, match="the game goes on at ply 0"):
        play(scores=scores)


@pytest.mark.parametrize("sample", [heap_kernels.first_legal, heap_kernels.never_last, heap_kernels.favours_first])
def test_a_sampler_must_draw_all_legal_actions_alike(sample: Any) -> None:
    with pytest.raises(AssertionError, match="sample does not draw uniformly"):
        play(sample=sample)


def test_an_observation_must_write_every_entry() -> None:
    game = heap.heap(observe=heap_kernels.writes_ones)
    with pytest.raises(AssertionError):
        testing.check_observation(game, game.start())
