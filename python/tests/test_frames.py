"""pandas: columns by name, categories, missing values and the newer dtypes."""

from __future__ import annotations

import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from conftest import friedman

from sconet import SCNRegressor


def frame_of(n: int = 120) -> tuple[pd.DataFrame, pd.Series]:
    X, y = friedman(n)
    frame = pd.DataFrame(X, columns=["temp", "flow", "level", "load", "speed"])
    frame["grade"] = np.random.default_rng(1).choice(["A", "B", "C"], n)
    return frame, pd.Series(y + 3 * (frame["grade"] == "B"), name="yield")


def small(**options: object) -> SCNRegressor:
    return SCNRegressor(**{"method": "rmpi", "max_nodes": 12, **options})


@pytest.fixture(scope="module")
def model() -> SCNRegressor:
    return small().fit(*frame_of())


def test_names_are_learnt(model: SCNRegressor) -> None:
    frame, _ = frame_of()
    assert list(model.feature_names_in_) == list(frame.columns) and model.n_features_in_ == 6
    assert model.target_names_ == ["yield"]
    assert model.input_names_[-3:] == ["grade = A", "grade = B", "grade = C"]


def test_columns_in_another_order_are_matched(model: SCNRegressor) -> None:
    frame, y = frame_of()
    expected = model.predict(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(frame[frame.columns[::-1]]), expected)
        np.testing.assert_array_equal(model.encode(frame[frame.columns[::-1]]), model.encode(frame))
        assert model.score(frame[frame.columns[::-1]], y) == model.score(frame, y)


def test_other_columns_are_refused_with_the_difference(model: SCNRegressor) -> None:
    frame, _ = frame_of()
    head = "The feature names should match those that were passed during fit.\n"
    with pytest.raises(
        ValueError, match=re.escape(head + "Feature names seen at fit time, yet now missing:\n- flow\n")
    ):
        model.predict(frame.drop(columns="flow"))
    with pytest.raises(ValueError, match=re.escape(head + "Feature names unseen at fit time:\n- extra\n")):
        model.predict(frame.assign(extra=1))
    both = "Feature names unseen at fit time:\n- Flow\nFeature names seen at fit time, yet now missing:\n- flow\n"
    with pytest.raises(ValueError, match=re.escape(head + both)):
        model.predict(frame.rename(columns={"flow": "Flow"}))


def test_names_that_come_or_go_are_warned_of() -> None:
    frame, y = frame_of()
    numbers = frame.drop(columns="grade")
    named = small().fit(numbers, y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but SCNRegressor was fitted with"):
        np.testing.assert_array_equal(named.predict(numbers.to_numpy()), named.predict(numbers))
    plain = small().fit(numbers.to_numpy(), y)
    with pytest.warns(UserWarning, match="X has feature names, but SCNRegressor was fitted without feature names"):
        np.testing.assert_array_equal(plain.predict(numbers), plain.predict(numbers.to_numpy()))
    assert not hasattr(plain, "feature_names_in_")
    assert not hasattr(named.fit(numbers.to_numpy(), y), "feature_names_in_")  # fitted again without


def test_categories_in_every_dress_are_the_same_model() -> None:
    frame, y = frame_of()
    expected = small().fit(frame, y).to_bytes()
    dresses = {
        "category": frame.astype({"grade": "category"}),
        "string": frame.astype({"grade": "string"}),
        "ordered, with categories that do not occur": frame.assign(
            grade=pd.Categorical(frame["grade"], categories=["D", "C", "B", "A"], ordered=True)
        ),
    }
    for name, dressed in dresses.items():
        assert small().fit(dressed, y).to_bytes() == expected, name


def test_numbers_in_every_dress_are_the_same_model() -> None:
    frame, y = frame_of()
    frame["load"] = (frame["load"] * 10).round()
    expected = small().fit(frame, y).to_bytes()
    dresses = {
        "int64": frame.astype({"load": "int64"}),
        "Int64": frame.astype({"load": "Int64"}),
        "Float64": frame.astype({"load": "Float64", "temp": "Float64"}),
        "object": frame.astype({"load": object}),
        "decimals": frame.assign(load=[Decimal(int(x)) for x in frame["load"]]),
    }
    for name, dressed in dresses.items():
        assert small().fit(dressed, y).to_bytes() == expected, name
    flags = frame.assign(load=frame["load"] > 5)
    as_numbers = small().fit(flags.assign(load=flags["load"].astype(float)), y).to_bytes()
    for name in ("bool", "boolean", "object"):
        assert small().fit(flags.astype({"load": name}), y).to_bytes() == as_numbers, name


@pytest.mark.filterwarnings("ignore:training rows")
def test_missing_values_in_every_dress_are_the_same_model() -> None:
    frame, y = frame_of()
    frame["load"] = (frame["load"] * 10).round()
    gaps = frame.copy()
    gaps.loc[::9, "load"] = np.nan
    gaps.loc[::11, "grade"] = None
    expected = small().fit(gaps, y)
    assert "grade is missing" in expected.input_names_ or any("missing" in name for name in expected.input_names_)
    dresses = {
        "nullable": gaps.astype({"load": "Int64", "grade": "string"}),
        "category": gaps.astype({"grade": "category"}),
        "object": gaps.astype({"load": object}).where(gaps.notna(), None),
        "pd.NA": gaps.astype({"load": object}).where(gaps.notna(), pd.NA),
        "texts that mean missing in a file": gaps.fillna({"grade": "NA"}),
    }
    for name, dressed in dresses.items():
        assert small().fit(dressed, y).to_bytes() == expected.to_bytes(), name
        np.testing.assert_array_equal(expected.predict(dressed), expected.predict(gaps), err_msg=name)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        small(missing="refuse").fit(gaps, y)
    with pytest.raises(ValueError, match="Input X contains NaN.*'grade'"):
        small(missing="refuse").fit(gaps.assign(load=1.0 * np.arange(len(gaps))), y)


def test_unseen_categories_are_told_and_predicted(model: SCNRegressor) -> None:
    frame, _ = frame_of(10)
    with pytest.warns(UserWarning, match="column 'grade': 2 cells"):
        predicted = model.predict(frame.assign(grade=["D", "E"] + ["A"] * 8))
    assert np.isfinite(predicted).all()


def test_categories_that_are_numbers_stay_categories() -> None:
    frame, y = frame_of()
    frame["line"] = pd.Categorical((frame["temp"] * 3).astype(int))
    model = small().fit(frame, y)
    assert [name for name in model.input_names_ if name.startswith("line")] == ["line = 0", "line = 1", "line = 2"]
    np.testing.assert_array_equal(model.predict(frame.astype({"line": int})), model.predict(frame))


def test_a_frame_without_its_categories_is_refused(model: SCNRegressor) -> None:
    frame, _ = frame_of(10)
    with pytest.warns(UserWarning), pytest.raises(
        ValueError, match="trained on categories .'grade'.: pass a DataFrame"
    ):
        model.predict(np.zeros((3, 6)))
    with pytest.raises(ValueError, match="Column 'temp' holds text, but the model was trained on numbers there"):
        model.predict(frame.assign(temp="hot"))


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pd.date_range("2024-01-01", periods=120), TypeError, "Column 'new' is datetime64.*Turn it into numbers"),
        ([{"a": 1}] * 120, TypeError, "Column 'new' holds objects of type dict"),
        ([1, "a"] * 60, TypeError, "Column 'new' holds objects of type int, str.*the same in all rows"),
        ([1j] * 120, ValueError, "Complex data not supported"),
        ([np.inf] * 120, ValueError, "Input X contains infinity"),
        ([f"id{i}" for i in range(120)], ValueError, "'new' has 120 distinct values.*max_levels"),
    ],
    ids=["dates", "dicts", "mixed", "complex", "infinite", "too many categories"],
)
def test_columns_that_do_not_do(column: object, error: type[Exception], message: str) -> None:
    frame, y = frame_of()
    with pytest.raises(error, match=message):
        small().fit(frame.assign(new=column), y)
    if error is not ValueError or "distinct" not in message:
        with pytest.raises(error, match=message):
            small().fit(frame.drop(columns="grade").assign(new=column), y)


def test_names_that_do_not_do() -> None:
    frame, y = frame_of()
    numbers = frame.drop(columns="grade")
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        small().fit(numbers.rename(columns={"temp": 1}), y)
    with pytest.raises(ValueError, match="X has several columns of the same name: 'flow'"):
        small().fit(numbers.rename(columns={"temp": "flow"}), y)
    whole = small().fit(numbers.set_axis(range(5), axis=1), y)  # numbered columns are no names
    assert not hasattr(whole, "feature_names_in_")
    assert whole.to_bytes() == small().fit(numbers.to_numpy(), y).to_bytes()


def test_names_of_targets() -> None:
    frame, y = frame_of()
    assert small().fit(frame, y.to_numpy()).target_names_ == ["y"]
    assert small().fit(frame, y.rename("temp")).target_names_ == ["temp_"]  # an input has that name
    two = pd.DataFrame({"quality": y, "cost": -y})
    model = small().fit(frame, two)
    assert model.target_names_ == ["quality", "cost"] and model.predict(frame).shape == (120, 2)
    assert small().fit(frame, two.to_numpy()).target_names_ == ["y1", "y2"]
    as_integers = small().fit(frame, y.round().astype("Int64"))
    assert as_integers.to_bytes() == small().fit(frame, y.round()).to_bytes()


def test_empty_frames() -> None:
    frame, y = frame_of()
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) \(shape=\(0, 6\)\) while a minimum of 2"):
        small().fit(frame.iloc[:0], y.iloc[:0])
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        small().fit(frame, y).predict(frame.iloc[:0])
