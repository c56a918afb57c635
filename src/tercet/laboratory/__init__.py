"""The laboratory: many games from one seed, what is counted in each, and what the counts mean.

>>> from tercet.laboratory import Study
>>> rows = Study("sparklies", {"board": "3x3"}, ("random", "random")).run(20)
>>> len(rows), sum(rows[0].scores)
(20, 1.0)
"""

from tercet.laboratory.counting import play_record
from tercet.laboratory.playing import GameRow, LaboratoryError, Study
from tercet.laboratory.summary import report, summary

__all__ = ["GameRow", "LaboratoryError", "Study", "play_record", "report", "summary"]
