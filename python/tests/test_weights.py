"""A row of weight k is as good as k copies of it, to the last bit, and one of weight 0 as none.

The tolerance is zero: rows that are alike are one row of their common weight before anything is learnt, so the same
arithmetic is done on the same numbers, and whole predictions and model files are compared for equality.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import friedman

from sconet import RVFLRegressor, SCNRegressor

ESTIMATORS = {
    "auto": SCNRegressor(effort="quick"),
    "ensemble": SCNRegressor(effort="quick", ensemble=3),
    "rmpi": SCNRegressor(method="rmpi", max_nodes=15),
    "rmpi_ridge": SCNRegressor(method="rmpi", max_nodes=15, ridge=1e-3, intercept=True),
    "scn3": SCNRegressor(method="scn3", max_nodes=15),
    "scn1": SCNRegressor(method="scn1", max_nodes=15),
    "quantile": SCNRegressor(method="rmpi", max_nodes=10, scaling="quantile", missing="median"),
    "rvfl": RVFLRegressor(max_nodes=15),
    "irvfl": RVFLRegressor(method="irvfl", max_nodes=15),
}


@pytest.fixture(params=list(ESTIMATORS))
def estimator(request: pytest.FixtureRequest) -> Any:
    return ESTIMATORS[request.param]


def same(a: Any, b: Any, X: np.ndarray) -> None:
    new = np.random.default_rng(9).random((50, X.shape[1]))
    np.testing.assert_array_equal(a.predict(new), b.predict(new))
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


def fitted(estimator: Any, *args: Any, **kwargs: Any) -> Any:
    from sklearn.base import clone

    return clone(estimator).fit(*args, **kwargs)


def test_whole_weights_equal_copies(estimator: Any) -> None:
    X, y = friedman(120)
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    assert set(weights) == {0, 1, 2, 3}
    weighted = fitted(estimator, X, y, sample_weight=weights)
    copied = fitted(estimator, np.repeat(X, weights, axis=0), np.repeat(y, weights))
    same(weighted, copied, X)
    # Wherever the copies are.
    places = np.random.default_rng(5).permutation(np.repeat(np.arange(len(y)), weights))
    same(weighted, fitted(estimator, X[places], y[places]), X)
    assert weighted.stop_reason_ == copied.stop_reason_ and weighted.n_nodes_ == copied.n_nodes_
    np.testing.assert_array_equal(weighted.history_["train_rmse"], copied.history_["train_rmse"])
    # And weights matter.
    plain = fitted(estimator, X, y)
    assert not np.array_equal(plain.predict(X), weighted.predict(X))


def test_weight_zero_equals_no_row(estimator: Any) -> None:
    X, y = friedman(120)
    weights = np.random.default_rng(3).random(len(y))  # no whole numbers
    weights[::3] = 0
    spoilt_X, spoilt_y = X.copy(), y.copy()
    spoilt_X[::3] = 1e6  # would change every scaling
    spoilt_y[::3] = -1e6
    there = fitted(estimator, spoilt_X, spoilt_y, sample_weight=weights)
    without = fitted(estimator, X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    same(there, without, X)
    assert there.to_bytes() == without.to_bytes()


def test_equal_weights_equal_none(estimator: Any) -> None:
    X, y = friedman(100)
    plain = fitted(estimator, X, y)
    same(plain, fitted(estimator, X, y, sample_weight=np.ones(len(y))), X)
    same(plain, fitted(estimator, X, y, sample_weight=1.0), X)


def test_all_rows_twice_equals_weight_two(estimator: Any) -> None:
    X, y = friedman(80)
    twice = fitted(estimator, np.vstack([X, X]), np.concatenate([y, y]))
    same(twice, fitted(estimator, X, y, sample_weight=np.full(len(y), 2)), X)
    halves = fitted(estimator, np.vstack([X, X]), np.concatenate([y, y]), sample_weight=np.full(2 * len(y), 0.5))
    same(halves, fitted(estimator, X, y), X)


def test_intervals_of_weights_and_copies() -> None:
    X, y = friedman(150)
    weights = np.random.default_rng(2).integers(0, 3, len(y))
    estimator = SCNRegressor(method="rmpi", max_nodes=10)
    a = fitted(estimator, X, y, sample_weight=weights).predict(X, interval=0.9)
    b = fitted(estimator, np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict(X, interval=0.9)
    for one, other in zip(a, b):
        np.testing.assert_array_equal(one, other)


def test_frames_with_categories_and_gaps() -> None:
    X, y = friedman(120)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(X[:, 0] > 0.5, "big", "small"))
    frame.loc[::7, "b"] = np.nan
    weights = np.random.default_rng(4).integers(0, 3, len(y))
    places = np.repeat(np.arange(len(y)), weights)
    estimator = SCNRegressor(effort="quick")
    a = fitted(estimator, frame, y, sample_weight=pd.Series(weights))
    b = fitted(estimator, frame.iloc[places], y[places])
    np.testing.assert_array_equal(a.predict(frame), b.predict(frame))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(100), "Sample weights must contain at least one non-zero number"),
        (-np.ones(100), "Negative values in data passed to `sample_weight`"),
        (np.full(100, np.nan), "Input sample_weight contains NaN"),
        (np.full(100, np.inf), "Input sample_weight contains infinity"),
        (np.ones(99), r"sample_weight.shape == \(99,\), expected \(100,\)"),
        (np.ones((100, 2)), "Sample weights must be 1D array or scalar"),
    ],
)
def test_weights_that_make_no_sense(weights: np.ndarray, message: str) -> None:
    X, y = friedman(100)
    with pytest.raises(ValueError, match=message):
        SCNRegressor(method="rmpi").fit(X, y, sample_weight=weights)
