"""Making the games known to other libraries' own registries."""

from __future__ import annotations

from importlib.util import find_spec

from tercet.games import game_definition, names

HERE = "tercet.environments"


def _ids() -> list[tuple[str, str]]:
    """Return each game with a name of its environments: that of its version, and v0, by which they once went."""
    versions = ((name, game_definition(name).environment_version) for name in names())
    return [(name, f"tercet/{name}-v{number}") for name, version in versions for number in (0, version)]


def register_all() -> None:
    """Register every game with the libraries that are installed; a second time changes nothing."""
    if find_spec("pettingzoo"):
        import pettingzoo

        for name, called in _ids():
            if called not in pettingzoo.aec_registry:
                pettingzoo.register("aec", id=called, entry_point=f"{HERE}:aec", kwargs={"game": name})
    if find_spec("gymnasium"):
        import gymnasium

        for name, called in _ids():
            if called not in gymnasium.registry:
                gymnasium.register(
                    id=called, entry_point=f"{HERE}:gymnasium", vector_entry_point=f"{HERE}:vector",
                    kwargs={"game": name}, order_enforce=True, disable_env_checker=True,
                )  # fmt: skip
    if find_spec("pyspiel"):
        import tercet.environments.openspiel_game  # noqa: F401  (its import registers them)
