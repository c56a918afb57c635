"""Which arms differ: the chance to call equal arms different is held over all pairs, and over all claims of a study."""

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from tercet.core.figures import ALPHA, Estimate, judge_all
from tercet.laboratory import Arm, Stop, Study, players, run_study
from tercet.laboratory.answers import with_claims
from tercet.laboratory.metrics import Figure
from tercet.laboratory.reporting import answer, html_report
from tercet.laboratory.verdicts import differing, directions

SMALL = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")


def drawn(chance: np.random.Generator, means: list[float], studies: int, games: int, alike: float) -> Any:
    """Return wins and losses by study, arm and game. A part ``alike`` of the games has one seed in all arms."""
    own = chance.random((studies, len(means), games), np.float32)
    shared = chance.random((studies, 1, games), np.float32)
    luck = np.where(chance.random((studies, 1, games)) < alike, shared, own)
    return (luck < np.array(means, np.float32)[:, None]).astype(np.int8)


def bound(studies: int) -> float:
    return float(ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / studies))


MORE = ((10, 4000), (25, 1000))


@pytest.mark.parametrize("alike", [0.0, 0.7], ids=["independent", "seeds shared"])
@pytest.mark.parametrize("unequal", [False, True], ids=["equal", "some unequal"])
@pytest.mark.parametrize(
    ("arms", "studies"),
    [(2, 2000), (10, 800), (25, 300), *(pytest.param(*more, marks=pytest.mark.thorough) for more in MORE)],
)
def test_equal_arms_differ_in_at_most_one_study_of_twenty(arms: int, studies: int, unequal: bool, alike: float) -> None:
    """The rule of before, by which the largest lower end exceeds the smallest upper one, erred in 14 % of studies with
    ten equal arms and in 48 % with 25."""
    means = [0.5] * arms
    if unequal:
        means = [0.8] if arms == 2 else [0.2, 0.8]
        means += [0.5] * (arms - len(means))
    values = drawn(np.random.default_rng(arms), means, studies, 240, alike)
    pairs, wrong = list(combinations(range(arms), 2)), np.zeros(studies, bool)
    for one, other in pairs:
        if means[one] == means[other]:
            wrong |= directions(values[:, one] - values[:, other], ALPHA / len(pairs)) != 0
    assert wrong.mean() <= bound(studies)


@pytest.mark.parametrize(("arms", "games"), [(2, 120), (10, 240), (25, 240)])
def test_arms_that_differ_much_are_said_to_differ(arms: int, games: int) -> None:
    means = [0.8] + [0.4] * (arms - 1)
    values = drawn(np.random.default_rng(1), means, 1, games, 0.5)[0]
    found = differing(values.tolist(), bounded=True)
    assert {(0, other) for other in range(1, arms)} <= set(found)


def test_it_is_the_procedure_of_a_comparison() -> None:
    """The verdict over all pairs is what `judge_all`, which `tercet lab compare` uses, says of them as figures."""
    chance = random.Random(4)
    said = set()
    for _ in range(12):
        means = [chance.choice((0.3, 0.5, 0.8)) for _ in range(3)]
        arms = [[float(chance.random() < mean) for _ in range(60)] for mean in means]
        both = {f"{one} {other}": zip(arms[one], arms[other], strict=True) for one, other in combinations(range(3), 2)}
        pairs = {name: [a - b for a, b in values] for name, values in both.items()}
        judged = {one.figure: one.verdict for one in judge_all(pairs, 1e-9)}
        expected = {
            tuple(map(int, name.split()))[:: 1 if verdict == "higher" else -1]
            for name, verdict in judged.items()
            if verdict in ("higher", "lower")
        }
        assert set(differing(arms, bounded=True)) == expected
        said.add(len(expected))
    assert len(said) > 1


def test_numbers_without_bounds_are_compared_by_which_is_higher() -> None:
    chance = np.random.default_rng(2)
    short, long = chance.normal(12, 3, 200), chance.normal(16, 3, 200)
    assert differing([short.tolist(), long.tolist()], bounded=False) == [(1, 0)]
    narrow, broad = chance.normal(12, 3, (2000, 200)), chance.normal(12, 9, (2000, 200))  # equally often higher
    assert (directions(np.sign(narrow - broad)) != 0).mean() <= bound(2000)


def test_the_headline_and_the_report_name_what_differs() -> None:
    ahead = replace(SMALL, options={"board": "3x3", "handicap": "white.4"}, name="white.4")
    arms = (SMALL, ahead, replace(SMALL, seed=2, name="again"))
    study = Study("small", "Who wins?", arms, ("share", "turns"), Stop(games=96, figures=("share.White",)))
    results = run_study(study)
    assert answer(results).startswith("White's share of the points differs between 2 of 3 pairs of arms: 3x3: ")
    page = html_report(results, "tercet lab run small")
    assert "white.4 above 3x3; white.4 above again." in page
    assert "a confidence sequence, by betting" in page
    equal = run_study(replace(study, arms=(arms[0], arms[2])))
    assert "White's share of the points does not differ measurably between arms: " in answer(equal)
    wide = replace(SMALL, options={"board": "4x3"}, name="4x3")
    turns = run_study(replace(study, arms=(SMALL, wide), stop=Stop(games=48, figures=("turns",))))
    assert answer(turns).startswith("Turns differs between arms: 3x3: ")


@pytest.mark.parametrize("arms", [2, 10, 25])
def test_no_claim_of_a_study_is_false_but_in_one_study_of_twenty(arms: int) -> None:
    """Equal arms, each of which a sentence compares with the first."""
    chance = np.random.default_rng(arms)
    claims = {f"c{n}": [(["{a%d | turns} above {a0 | turns}" % n], "false")] for n in range(1, arms)}  # noqa: UP031
    template = " ".join(f"{{{name}}}" for name in claims)
    studies, wrong = 400, 0
    for means in chance.normal(10, 0.5, (studies, arms)):
        estimates = (Estimate(mean, mean - 0.98, mean + 0.98, 100) for mean in means)
        found = {(f"a{n}", "turns"): Figure("turns", "turns", one) for n, one in enumerate(estimates)}
        wrong += "false" in with_claims(template, found, claims)
    assert wrong / studies <= bound(studies)
