"""The parameters are the options of the library's one list: the same names, defaults and bounds."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from conftest import friedman

import sconet
from sconet import OPTIONS, RVFLRegressor, SCNRegressor, _core
from sconet._options import parsed, seed_of, text_of

ESTIMATORS = [SCNRegressor, RVFLRegressor]
PYTHON_ONLY = {"valid_fraction": 0.0, "intervals": True, "explain": True, "progress": False, "keep_interrupted": False}


def parameters(cls: type) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(cls).parameters)


def belongs_to(option: dict[str, str], cls: type) -> bool:
    """By the words of the list itself: 'RMPI-SCN: base of the demand' is of one method."""
    methods = re.match(r"([A-Za-z-]+(?:(?:, | and )[A-Za-z-]+)*): ", option["sentence"])
    if not methods or not re.search(r"SCN|RVFL|MLP|auto", methods.group(1)):
        return True
    mine = ("RVFL", "IRVFL") if cls is RVFLRegressor else ("auto", "RMPI-SCN", "SCN-III", "SCN-I")
    return any(method in mine for method in re.split(r", | and ", methods.group(1)))


# Options that search among candidates, and of several outputs' supervisor: RVFL draws nodes and judges none.
OF_A_SEARCH = {"candidates", "scales", "criterion", "when_exhausted", "nodes_per_step"}


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_names_and_defaults_are_those_of_the_list(cls: type) -> None:
    expected = {}
    for option in _core.training_options() + _core.encoder_options():
        if not belongs_to(option, cls) or (cls is RVFLRegressor and option["name"] in OF_A_SEARCH):
            continue
        name = option["name"]
        expected[name] = parsed(name, option["default"])
    assert expected.pop("seed") == seed_of(None)
    expected["random_state"] = None
    expected.update(PYTHON_ONLY)
    if cls is RVFLRegressor:
        expected["method"] = "rvfl"
    assert {name: p.default for name, p in parameters(cls).items()} == expected
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters(cls).values())


def bounds_of(option: dict[str, str]) -> list[tuple[str, float]]:
    """The bounds as (side, value): from '0 < r < 1' that r must be above 0 and below 1."""
    name, number = re.escape(option["name"]), r"(-?[\d.e+-]+)"
    found = []
    if low := re.search(rf"{number} (<=?) {name}\b", option["bounds"]):
        found.append(("below" + low.group(2), float(low.group(1))))
    if high := re.search(rf"\b{name} (<=?) {number}", option["bounds"]):
        found.append(("above" + high.group(1), float(high.group(2))))
    return found


def beyond(side: str, bound: float, integer: bool) -> float:
    step = 1 if integer else max(abs(bound), 1) * 1e-3
    if side == "below<=":
        return bound - step
    if side == "above<=":
        return bound + step
    return bound  # a bound that is itself not allowed


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_bounds_are_those_of_the_list(cls: type) -> None:
    X, y = friedman(20)
    tried = 0
    for name in parameters(cls):
        option = OPTIONS.get(name)
        if option is None or option["type"] not in ("integer", "number", "numbers"):
            continue
        assert bool(option["bounds"]) == bool(bounds_of(option)), option
        for side, bound in bounds_of(option):
            value = beyond(side, bound, option["type"] == "integer")
            value = int(value) if option["type"] == "integer" else value
            with pytest.raises(ValueError, match=rf"option {name}.*expected"):
                cls(method=cls._methods[-1], **{name: [value] if option["type"] == "numbers" else value}).fit(X, y)
            tried += 1
    assert tried > 10


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_choices_are_those_of_the_list(cls: type) -> None:
    X, y = friedman(20)
    for name in parameters(cls):
        option = OPTIONS.get(name)
        if option is None or "|" not in option["type"]:
            continue
        with pytest.raises(ValueError, match=name):
            cls(**{name: "nonsense"}).fit(X, y)
        if name not in ("method", "isa"):
            for choice in option["type"].split("|"):
                method = {"method": cls._methods[-1]} if cls is RVFLRegressor else {"method": "rmpi"}
                cls(**{**method, name: choice}, max_nodes=2, candidates=5).fit(X, y) if cls is SCNRegressor else cls(
                    **{**method, name: choice}, max_nodes=2
                ).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_nodes", 3.5), ("max_nodes", "many"), ("ridge", "0.1"), ("intercept", 1), ("method", 3), ("scales", "1,2"),
     ("scales", [1, "2"]), ("valid_fraction", "half"), ("progress", 1), ("intervals", None)],
)  # fmt: skip
def test_a_wrong_type_is_a_type_error_or_names_the_choices(name: str, value: object) -> None:
    X, y = friedman(20)
    with pytest.raises((TypeError, ValueError), match=f"{name} = "):
        SCNRegressor(**{"method": "rmpi", name: value}).fit(X, y)


def test_auto_ignores_what_it_settles_itself_and_says_so() -> None:
    X, y = friedman(30)
    with pytest.warns(UserWarning, match="ridge is ignored: the method auto settles this itself; name a method"):
        with_ridge = SCNRegressor(effort="quick", ridge=0.1).fit(X, y)
    assert with_ridge.to_bytes() == SCNRegressor(effort="quick").fit(X, y).to_bytes()
    with pytest.raises(ValueError, match="option ridge = -1: expected 0 <= ridge"):
        SCNRegressor(ridge=-1).fit(X, y)


def test_methods_are_told_where_they_are() -> None:
    X, y = friedman(20)
    with pytest.raises(ValueError, match="RVFLRegressor has rvfl"):
        SCNRegressor(method="rvfl").fit(X, y)
    with pytest.raises(ValueError, match="SCNRegressor has auto"):
        RVFLRegressor(method="rmpi").fit(X, y)


def test_values_go_to_text_and_back_to_the_bit() -> None:
    for value in (0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 1e-10):
        assert parsed("ridge", text_of("ridge", value)) == value
    assert parsed("scales", text_of("scales", np.array([0.1, 1 / 3]))) == (0.1, 1 / 3)
    assert text_of("scales", 2) == "2.0"
    for option in OPTIONS.values():
        value = parsed(option["name"], option["default"])
        assert parsed(option["name"], text_of(option["name"], value)) == value


def test_settings_have_every_option_as_used() -> None:
    X, y = friedman(40)
    model = SCNRegressor(method="rmpi", max_nodes=4, ridge=1 / 3, scales=[0.5, 1.5], random_state=7, clip=True).fit(
        X, y
    )
    assert set(OPTIONS) | {"valid_fraction"} == set(model.settings_)
    assert model.settings_["ridge"] == 1 / 3
    assert model.settings_["scales"] == (0.5, 1.5)
    assert model.settings_["seed"] == 7
    assert model.settings_["clip"] is True
    assert model.settings_["scaling"] == "unit"  # what auto stands for


def test_random_state() -> None:
    X, y = friedman(60)

    def bytes_of(random_state: object) -> bytes:
        return SCNRegressor(method="rmpi", max_nodes=3, random_state=random_state).fit(X, y).to_bytes()

    assert bytes_of(None) == bytes_of(1) == bytes_of(np.int64(1))
    assert bytes_of(2) != bytes_of(1)
    assert bytes_of(np.random.RandomState(5)) == bytes_of(np.random.RandomState(5))
    assert bytes_of(np.random.default_rng(5)) == bytes_of(np.random.default_rng(5))
    assert bytes_of(2**64 - 1) != bytes_of(0)
    for bad in (-1, 2**64, "x", 1.5):
        with pytest.raises(ValueError, match="random_state|cannot be used to seed"):
            bytes_of(bad)


def test_the_documentation_of_a_class_has_every_parameter() -> None:
    for cls in ESTIMATORS:
        for name in parameters(cls):
            assert re.search(rf"\b{name}\b.* : |\b{name}\b.*:", cls.__doc__), name
        assert "{options}" not in cls.__doc__
    assert sconet.__version__ == _core.__version__
