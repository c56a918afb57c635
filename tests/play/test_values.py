"""Values that differ from others in a few fields."""

from dataclasses import replace

from tercet.play.session import Seat, Session, TableSettings
from tercet.play.session.clock import replaced


def test_a_session_with_other_fields_is_as_the_library_makes_it() -> None:
    session = Session.open(TableSettings("sanqi", {"side": 4}, (Seat("person"), Seat("person"))))
    assert session.mover == 0  # which it keeps
    made = replaced(session, adjourned=True, number=7)
    assert made == replace(session, adjourned=True, number=7)
    assert type(made) is Session
    assert made.mover is None
    assert (session.mover, session.number) == (0, 0)
