"""Intervals, importance and effects."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from conftest import friedman

from sconet import RVFLRegressor, SCNRegressor

X, y = friedman(400)


@pytest.fixture(scope="module")
def model() -> SCNRegressor:
    noise = np.random.default_rng(5).random((400, 1))
    return SCNRegressor(effort="quick").fit(np.hstack([X, noise]), y)


def test_intervals_hold_about_their_share_of_new_rows(model: SCNRegressor) -> None:
    new, truth = friedman(4000, seed=1)
    new = np.hstack([new, np.random.default_rng(6).random((4000, 1))])
    widths = []
    for level in (0.5, 0.8, 0.95):
        mean, low, high = found = model.predict(new, interval=level)
        np.testing.assert_array_equal(found.mean, model.predict(new))
        assert (low <= mean).all() and (mean <= high).all() and mean.shape == low.shape == high.shape == (4000,)
        assert abs(((truth >= low) & (truth <= high)).mean() - level) < 0.1
        widths.append((high - low).mean())
    assert widths == sorted(widths)
    constant = model.predict(new, interval=0.8, interval_kind="constant")
    assert np.ptp(constant.high - constant.low) < 1e-9


def test_intervals_of_frames_and_several_targets() -> None:
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(X[:, 0] > 0.5, "big", "small"))
    model = SCNRegressor(method="rmpi", max_nodes=20).fit(frame, np.column_stack([y, -y]))
    found = model.predict(frame, interval=0.9)
    assert found.low.shape == (400, 2)
    np.testing.assert_array_equal(found.mean, model.predict(frame))


def test_intervals_that_cannot_be_given(model: SCNRegressor) -> None:
    wide = np.zeros((2, 6))
    for level in (0, 1, -0.5, 1.5, float("nan")):
        with pytest.raises(ValueError, match="level"):
            model.predict(wide, interval=level)
    with pytest.raises(ValueError, match="interval_kind = 'narrow': expected 'constant' or 'local'"):
        model.predict(wide, interval=0.9, interval_kind="narrow")
    without = SCNRegressor(method="rmpi", max_nodes=5, intervals=False).fit(X, y)
    with pytest.raises(ValueError, match="no prediction intervals: .*intervals=True"):
        without.predict(X, interval=0.9)
    with pytest.raises(ValueError, match=r"no prediction intervals: .*valid_fraction=0.2"):
        SCNRegressor(method="scn1", max_nodes=5).fit(X, y).predict(X, interval=0.9)


def test_importance_finds_the_noise(model: SCNRegressor) -> None:
    kept = model.feature_importance()
    assert list(kept.feature_names) == ["x1", "x2", "x3", "x4", "x5", "x6"]
    assert kept.importances_mean.argmin() == 5 and kept.importances_mean.argmax() in (0, 1, 3)
    assert (kept.importances_std >= 0).all() and kept.n_rows > 0 and kept.rmse > 0
    new, truth = friedman(500, seed=2)
    new = np.hstack([new, np.random.default_rng(6).random((500, 1))])
    found = model.feature_importance(new, truth, n_repeats=3, random_state=0)
    assert found.importances_mean.argmin() == 5 and found.n_rows == 500
    again = model.feature_importance(new, truth, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(found.importances_mean, again.importances_mean)
    np.testing.assert_allclose(found.rmse, np.sqrt(np.mean((model.predict(new) - truth) ** 2)), rtol=1e-9)
    with pytest.raises(ValueError, match="both X and y, or neither"):
        model.feature_importance(new)


def test_partial_dependence_is_the_mean_over_rows(model: SCNRegressor) -> None:
    new = np.hstack([X, np.random.default_rng(5).random((400, 1))])
    found = model.partial_dependence("x4", new, grid_resolution=7)
    assert found.feature == "x4" and found.grid_values.shape == found.average.shape == (7,)
    expected = []
    for value in found.grid_values:
        changed = new.copy()
        changed[:, 3] = value
        expected.append(model.predict(changed).mean())
    np.testing.assert_allclose(found.average, expected, rtol=1e-9)
    np.testing.assert_array_equal(model.partial_dependence(3, new, grid_resolution=7).average, found.average)
    assert set(model.partial_dependence(X=new)) == {"x1", "x2", "x3", "x4", "x5", "x6"}
    kept = model.partial_dependence("x4")
    assert (np.diff(kept.grid_values) > 0).all() and kept.average[-1] > kept.average[0]  # 10 x4 is part of the function


def test_partial_dependence_of_categories_and_several_targets() -> None:
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(X[:, 0] > 0.5, "big", "small"), same=1.0)
    with pytest.warns(UserWarning, match="'same' is constant"):
        model = SCNRegressor(method="rmpi", max_nodes=10).fit(frame, np.column_stack([y, -y]))
    found = model.partial_dependence("kind", frame)
    assert sorted(found.grid_values) == ["big", "small"] and found.average.shape == (2, 2)
    for bad, message in (("x", "the model has 'a', 'b'"), (7, "has 7 columns"), ("same", "does not use 'same'")):
        with pytest.raises(ValueError, match=message):
            model.partial_dependence(bad, frame)


def test_a_model_that_was_not_explained() -> None:
    model = RVFLRegressor(max_nodes=5, explain=False).fit(X, y)
    with pytest.raises(ValueError, match="train with explain=True, or pass rows"):
        model.feature_importance()
    with pytest.raises(ValueError, match="train with explain=True, or pass rows"):
        model.partial_dependence("x1")
    assert model.feature_importance(X, y).importances_mean.shape == (5,)
