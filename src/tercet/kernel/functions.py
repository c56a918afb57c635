"""Functions of C as Python calls them. Importing this imports ctypes, which a browser spares."""

from __future__ import annotations

import ctypes
from typing import Any

NO_ARGUMENTS, FASTCALL = 0x04, 0x80  # how it is called; FASTCALL: the address of an array of objects, and their number


class Method(ctypes.Structure):
    """Python's description of a function of C (``PyMethodDef``)."""

    _fields_ = (("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


new_function: Any = ctypes.pythonapi.PyCFunction_NewEx
new_function.argtypes = (ctypes.POINTER(Method), ctypes.py_object, ctypes.c_void_p)
new_function.restype = ctypes.py_object
_kept: list[Method] = []  # what the functions refer to


def blank_maker(kind: type) -> Any:
    """Return what ``object.__new__(kind)`` calls for a class of Python's, as a function without arguments: it takes the
    class, and a number that is 0 then."""
    call = ctypes.cast(ctypes.pythonapi.PyType_GenericAlloc, ctypes.c_void_p)
    _kept.append(Method(b"blank", call, NO_ARGUMENTS, None))
    return new_function(ctypes.byref(_kept[-1]), kind, None)
