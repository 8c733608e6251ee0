"""The options of training and encoding: between Python's values and the texts of the library's one list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core

#: Every option of the library by its name: type, default, bounds and sentence, as in docs/options.md.
OPTIONS: dict[str, _core.Option] = {o["name"]: o for o in _core.training_options() + _core.encoder_options()}


def parsed(name: str, text: str) -> Any:
    """The value that a text of the library stands for."""
    kind = OPTIONS[name]["type"]
    if kind == "integer":
        return int(text)
    if kind == "number":
        return float(text)
    if kind == "numbers":
        return tuple(float(x) for x in text.split(","))
    if kind == "flag":
        return text == "true"
    return text


def text_of(name: str, value: Any) -> str:
    """A value as the library reads it, to the last bit. Bounds are the library's business."""
    kind = OPTIONS[name]["type"]

    def wrong(expected: str) -> TypeError:
        return TypeError(f"{name} = {value!r}: expected {expected}")

    if kind == "flag":
        if not isinstance(value, (bool, np.bool_)):
            raise wrong("True or False")
        return "true" if value else "false"
    if kind == "integer":
        if not isinstance(value, Integral) or isinstance(value, bool):
            raise wrong("a whole number")
        return str(int(value))
    if kind == "number":
        if not isinstance(value, Real) or isinstance(value, bool):
            raise wrong("a number")
        return repr(float(value))
    if kind == "numbers":
        if isinstance(value, Real) and not isinstance(value, bool):
            value = (value,)
        numbers = isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str)
        if not numbers or not all(isinstance(x, Real) and not isinstance(x, bool) for x in value):
            raise wrong("a sequence of numbers")
        if len(value) == 0:
            raise ValueError(f"{name} = {value!r}: expected at least one number")
        return ",".join(repr(float(x)) for x in value)
    if not isinstance(value, str):
        raise wrong("one of " + ", ".join(repr(choice) for choice in kind.split("|")))
    return value


def seed_of(random_state: Any) -> int:
    """None is the library's own seed, a number is the seed, and a generator draws one."""
    if random_state is None:
        return int(OPTIONS["seed"]["default"])
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        seed = int(random_state)
        if not 0 <= seed < 2**64:
            raise ValueError(f"random_state = {seed}: expected 0 <= random_state < 2**64")
        return seed
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    return int(check_random_state(random_state).randint(2**31 - 1))


def texts_of(params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and text of each parameter that is an option."""
    return [(name, text_of(name, value)) for name, value in params.items() if name in OPTIONS]
