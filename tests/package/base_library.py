"""A program that needs NumPy, Numba, platformdirs and typing-extensions alone: it plays, batches, draws, records and
steps an environment. Its arguments are names of modules that may not be imported."""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec


class Refused(MetaPathFinder):
    """Refuses modules as if they were not installed."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


def main() -> None:
    sys.meta_path.insert(0, Refused(sys.argv[1:]))

    import tercet
    from tercet import environments
    from tercet.batch import Batch
    from tercet.engines import Limits, engine
    from tercet.environments.play import Play
    from tercet.pictures import drawing as draw

    for name in tercet.games():
        game = tercet.game(name)
        position = game.start(1)
        actions: list[tercet.Action] = []
        while not position.is_over and len(actions) < 20:
            actions.append(position.legal_actions[0])
            position = position.play(actions[-1])
        assert draw.svg(position).startswith("<svg")
        record = tercet.Record.from_actions(game, game.start(1), actions)
        assert tercet.read(record.write())[0].write() == record.write()
        assert engine("random", game, seed=1).think(game.start(1), Limits()).action is not None

        batch = Batch(name, games=4, seed=1)
        batch.step(batch.random_actions())
        assert batch.plies.tolist() == [1, 1, 1, 1]

        play = Play(game)
        play.begin(1)
        observation, mask = play.describe(play.mover)
        assert observation.shape == play.shape
        play.act(int(mask.argmax()))
        assert play.plies == 1
    try:
        environments.aec("sanqi")
    except tercet.TercetError as error:
        assert "pip install 'tercet[rl]'" in str(error), error  # noqa: PT017  (no pytest here)
    else:
        raise AssertionError("PettingZoo is installed")
    print(*sorted({name.partition(".")[0] for name in sys.modules}))


if __name__ == "__main__":
    main()
