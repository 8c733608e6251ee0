"""Bad input: ValueError or TypeError, in scikit-learn's usual words, from fit and from predict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import friedman
from scipy import sparse
from sklearn.exceptions import NotFittedError

from sconet import RVFLRegressor, SCNRegressor

X, y = friedman(60)
ESTIMATORS = [SCNRegressor(effort="quick"), SCNRegressor(method="rmpi", max_nodes=5), RVFLRegressor(max_nodes=5)]


def with_cell(value: Any) -> np.ndarray:
    changed = X.astype(type(value) if isinstance(value, complex) else object if isinstance(value, str) else float)
    changed[3, 2] = value
    return changed


# X, error, message; the last says whether predict on a fitted model says the same.
BAD_X: dict[str, tuple[Any, type[Exception], str]] = {
    "infinite": (with_cell(np.inf), ValueError, "Input X contains infinity or a value too large for dtype"),
    "minus infinite": (with_cell(-np.inf), ValueError, "Input X contains infinity or a value too large for dtype"),
    "one dimension": (X[:, 0], ValueError, "Expected 2D array, got 1D array instead"),
    "three dimensions": (X[:, :, None], ValueError, "Found array with dim 3"),
    "scalar": (3.0, ValueError, "Expected 2D array, got scalar array instead"),
    "no rows": (X[:0], ValueError, r"Found array with 0 sample\(s\) \(shape=\(0, 5\)\)"),
    "no columns": (X[:, :0], ValueError, r"Found array with 0 feature\(s\) \(shape=\(60, 0\)\)"),
    "complex": (with_cell(1j), ValueError, "Complex data not supported"),
    "sparse": (sparse.csr_matrix(X), TypeError, "A sparse matrix was passed, but dense data is required"),
    "text": (with_cell("hot"), ValueError, "could not convert string to float: 'hot'"),
    "array of text": (X.astype(str).astype(object) + "x", ValueError, "could not convert string to float"),
    "None": (None, ValueError, "Expected 2D array, got scalar array instead"),
    "ragged": ([[1, 2], [3]], ValueError, "."),
}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: f"{type(e).__name__}-{e.method}")
@pytest.mark.parametrize("case", list(BAD_X))
@pytest.mark.filterwarnings("ignore:Creating an ndarray from ragged")
def test_bad_inputs(estimator: Any, case: str) -> None:
    bad, error, message = BAD_X[case]
    with pytest.raises(error, match=message):
        estimator.fit(bad, y)
    fitted = estimator.fit(X, y)
    with pytest.raises(error, match=message):
        fitted.predict(bad)
    with pytest.raises(error, match=message):
        fitted.predict(bad, interval=0.9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_when_missing_values_are_refused(dtype: type) -> None:
    bad = with_cell(np.nan).astype(dtype)
    message = r"Input X contains NaN.\nSCNRegressor does not accept missing values encoded as NaN natively"
    with pytest.raises(ValueError, match=message):
        SCNRegressor(missing="refuse").fit(bad, y)
    fitted = SCNRegressor(method="rmpi", max_nodes=3, missing="refuse").fit(X, y)
    with pytest.raises(ValueError, match=message):
        fitted.predict(bad)


def test_wrong_number_of_features() -> None:
    fitted = SCNRegressor(method="rmpi", max_nodes=3).fit(X, y)
    for wrong in (X[:, :4], np.hstack([X, X]), X[:, :4].astype(np.float32), X[:, :4].tolist()):
        with pytest.raises(
            ValueError, match=f"X has {len(wrong[0])} features, but SCNRegressor is expecting 5 features"
        ):
            fitted.predict(wrong)


BAD_Y: dict[str, tuple[Any, str]] = {
    "None": (None, "requires y to be passed, but the target y is None"),
    "another length": (y[:-1], r"Found input variables with inconsistent numbers of samples: \[60, 59\]"),
    "NaN": (np.where(np.arange(60) == 3, np.nan, y), "Input y contains NaN"),
    "infinite": (np.where(np.arange(60) == 3, np.inf, y), "Input y contains infinity or a value too large"),
    "complex": (y + 1j, "Complex data not supported"),
    "text": (np.array(["a"] * 60), "could not convert string to float"),
    "three dimensions": (y[:, None, None], "Found array with dim 3"),
    "no columns": (y[:, None][:, :0], r"0 feature\(s\)|no columns"),
}


@pytest.mark.parametrize("case", list(BAD_Y))
def test_bad_targets(case: str) -> None:
    bad, message = BAD_Y[case]
    with pytest.raises(ValueError, match=message):
        SCNRegressor(method="rmpi", max_nodes=3).fit(X, bad)


def test_a_scalar_target() -> None:
    with pytest.raises(TypeError, match="Singleton array array.3.. cannot be considered a valid collection"):
        SCNRegressor(method="rmpi", max_nodes=3).fit(X, 3.0)


def test_rows_that_do_not_suffice() -> None:
    with pytest.raises(ValueError, match=r"Found array with 1 sample\(s\).*while a minimum of 2 is required"):
        SCNRegressor().fit(X[:1], y[:1])
    with pytest.raises(ValueError, match="no input column is left beside the target .constant columns do not count"):
        SCNRegressor().fit(np.ones((20, 3)), y[:20])


@pytest.mark.parametrize("cls", [SCNRegressor, RVFLRegressor])
def test_before_fit(cls: Any) -> None:
    calls = {
        "predict": lambda e: e.predict(X),
        "predict with intervals": lambda e: e.predict(X, interval=0.9),
        "score": lambda e: e.score(X, y),
        "staged_predict": lambda e: e.staged_predict(X),
        "feature_importance": lambda e: e.feature_importance(),
        "partial_dependence": lambda e: e.partial_dependence(),
        "encode": lambda e: e.encode(X),
        "to_bytes": lambda e: e.to_bytes(),
    }
    for call in calls.values():
        with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet. Call 'fit'"):
            call(cls())


def test_a_fit_that_fails_leaves_the_estimator_as_it_was() -> None:
    model = SCNRegressor(method="rmpi", max_nodes=3).fit(X, y)
    before = model.to_bytes()
    with pytest.raises(ValueError):
        model.fit(with_cell(np.inf), y)
    assert model.to_bytes() == before


def test_eval_sets_that_do_not_do() -> None:
    model = SCNRegressor(method="rmpi", max_nodes=3)
    for bad, message in (
        (X, r"expected a tuple \(X, y\)"),
        ((X, y, y), r"expected a tuple \(X, y\)"),
        ((X[:, :3], y), "eval_set has 3 features, but X has 5"),
        ((X, np.column_stack([y, y])), "eval_set has a y of shape"),
        ((X, y[:-1]), "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, eval_set=bad)
    with pytest.raises(ValueError, match="validation rows come from one place"):
        SCNRegressor(method="rmpi", valid_fraction=0.2).fit(X, y, eval_set=(X, y))
    with pytest.raises(TypeError, match="callback = 3: expected a function"):
        model.fit(X, y, callback=3)
    with pytest.raises(ValueError, match="valid_fraction = 1"):
        SCNRegressor(method="rmpi", valid_fraction=1).fit(X, y)


def test_messages_of_the_library_speak_python() -> None:
    with pytest.raises(ValueError, match="^60 rows are too few to keep 0.001 of them for validation"):
        SCNRegressor(valid_fraction=0.001).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("x").assign(name=[f"n{i}" for i in range(60)])
    with pytest.raises(
        ValueError, match=r"'name' has 60 distinct values.*: drop it or allow more \(max_levels\)$"
    ) as caught:
        SCNRegressor(max_levels=10).fit(frame, y)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("level", ["0.9", [0.9]])
def test_an_interval_is_a_number(level: Any) -> None:
    with pytest.raises(TypeError, match="expected a number between 0 and 1"):
        SCNRegressor(effort="quick").fit(X, y).predict(X, interval=level)
