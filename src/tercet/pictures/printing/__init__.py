"""A game to print and play: rules on one page, a board of any size, and parts to cut out, as one PDF.

Needs the extra ``print``. The pages are drawn from the same data as every other drawing (:mod:`tercet.core.view`); what
there is to cut out, a game declares as :class:`~tercet.core.view.PrintSheet`.

>>> import tercet
>>> from tercet.pictures.printing import pdf
>>> pdf(tercet.game("sanqi", side=4), paper="letter")[:5]  # doctest: +SKIP
b'%PDF-'
"""

from tercet.pictures.printing.pages import MAX_PAGES, PAPERS, pdf

__all__ = ["MAX_PAGES", "PAPERS", "pdf"]
