"""The laboratory: what does this rule do to the game? Many games from their own seeds, what is measured in each, and
what the figures mean.

An :class:`Arm` is games of one kind between players; a :class:`Study` is a question with arms, metrics and a budget,
which `run_study` answers and `compare` settles. `docs/laboratory.md` defines every metric.

>>> from tercet.laboratory import Arm, players
>>> rows = Arm("sparklies", {"board": "3x3"}, players("random", "random")).run(20)
>>> len(rows), sum(rows[0].scores)
(20, 1.0)
"""

from tercet.core.figures import ConfidenceSequence, Verdict
from tercet.laboratory.metrics import METRICS, Figure, figures, report, summary
from tercet.laboratory.playing import Arm, GameRow, LaboratoryError, Player, play_record, players
from tercet.laboratory.running import ArmResult, Comparison, Results, StudyProgress, compare, run_study
from tercet.laboratory.study import Stop, Study, StudyError, read_study, shipped_studies, study_of

__all__ = [
    "METRICS",
    "Arm",
    "ArmResult",
    "Comparison",
    "ConfidenceSequence",
    "Figure",
    "GameRow",
    "LaboratoryError",
    "Player",
    "Results",
    "Stop",
    "Study",
    "StudyError",
    "StudyProgress",
    "Verdict",
    "compare",
    "figures",
    "play_record",
    "players",
    "read_study",
    "report",
    "run_study",
    "shipped_studies",
    "study_of",
    "summary",
]
