"""Steps of pgx's games for a second of processor time, on the CPU: for benchmarks/batch.py, by a Python that has them.

    PYTHON benchmarks/batch_pgx.py hex 1024 5

Random legal actions, automatic reset, `vmap` and `jit`; one line of JSON with the rate of each round.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

STEPS = 60  # in one compiled loop


def looped(name: str, games: int, steps: int) -> Callable[[], int]:
    """Return what plays ``steps`` in each of so many ``games``, compiled already, and says how many steps that was."""
    environment: Any = pgx.make(name)
    step = jax.vmap(auto_reset(environment.step, environment.init))

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, for_actions, for_resets = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(for_actions, logits, axis=-1)
        state = step(state, actions, jax.random.split(for_resets, games))
        return (state, key), state.observation.sum()  # the observation is made, not optimised away

    loop = jax.jit(lambda state, key: jax.lax.scan(one, (state, key), None, length=steps))
    carry = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.PRNGKey(0), games)), jax.random.PRNGKey(1)

    def run() -> int:
        nonlocal carry
        carry, _ = jax.block_until_ready(loop(*carry))
        return games * steps

    run()
    return run


def main(name: str, games: int, rounds: int) -> None:
    """Measure ``rounds`` rounds."""
    run = looped(name, games, STEPS)
    rates = []
    for _ in range(rounds):
        begun = time.process_time()
        rates.append(run() / (time.process_time() - begun))
    print(json.dumps(rates))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
