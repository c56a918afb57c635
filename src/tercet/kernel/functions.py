"""Functions of C as Python calls them."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

NO_ARGUMENTS, FASTCALL = 0x04, 0x80  # how it is called; FASTCALL: the address of an array of objects, and their number
T = TypeVar("T")


class Method(ctypes.Structure):
    """Python's description of a function of C (``PyMethodDef``)."""

    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


new_function: Any = ctypes.pythonapi.PyCFunction_NewEx
new_function.argtypes = (ctypes.POINTER(Method), ctypes.py_object, ctypes.c_void_p)
new_function.restype = ctypes.py_object
_kept: list[Method] = []  # what the functions refer to


def blank_maker(kind: type[T]) -> Callable[[], T]:
    """Return a function that makes an object of a class of Python's, with nothing in it, twice as fast as
    ``object.__new__(kind)``. It is what that calls in CPython: it takes the class, and a number that is 0."""
    if sys.implementation.name != "cpython" or sys.platform == "emscripten":
        return functools.partial(object.__new__, kind)
    call = ctypes.cast(ctypes.pythonapi.PyType_GenericAlloc, ctypes.c_void_p)
    _kept.append(Method(b"blank", call, NO_ARGUMENTS, None))
    made: Callable[[], T] = new_function(ctypes.byref(_kept[-1]), kind, None)
    return made
