"""Making the games known to other libraries' own registries."""

from __future__ import annotations

from importlib.util import find_spec

from tercet.games import names

__all__ = ["register_all"]

HERE = "tercet.environments"


def register_all() -> None:
    """Register every game with the libraries that are installed; a second time changes nothing."""
    if find_spec("pettingzoo"):
        import pettingzoo

        for name in names():
            if f"tercet/{name}-v0" not in pettingzoo.aec_registry:
                pettingzoo.register("aec", id=f"tercet/{name}-v0", entry_point=f"{HERE}:aec", kwargs={"game": name})
    if find_spec("gymnasium"):
        import gymnasium

        for name in names():
            if f"tercet/{name}-v0" not in gymnasium.registry:
                gymnasium.register(
                    id=f"tercet/{name}-v0", entry_point=f"{HERE}:gymnasium", vector_entry_point=f"{HERE}:vector",
                    kwargs={"game": name}, order_enforce=True, disable_env_checker=True,
                )  # fmt: skip
    if find_spec("pyspiel"):
        import tercet.environments.openspiel_game  # noqa: F401  (its import registers them)
