"""Calls that must be refused."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

Error = TypeVar("Error", bound=Exception)


def refuses(error: type[Error], why: str | None, call: Callable[..., Any], *given: Any, **more: Any) -> Error:
    """Check that the call raises ``error``, in whose text the pattern ``why`` is found; return the error."""
    __tracebackhide__ = True
    with pytest.raises(error, match=why) as caught:
        call(*given, **more)
    return caught.value
