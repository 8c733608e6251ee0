"""Inside what scikit-learn builds of estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
from conftest import friedman
from sklearn.compose import TransformedTargetRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sconet import RVFLRegressor, SCNRegressor

X, y = friedman(160)


def test_pipeline() -> None:
    pipeline = make_pipeline(StandardScaler(), SCNRegressor(effort="quick"))
    assert pipeline.fit(X, y).score(X, y) > 0.8
    assert pipeline[:-1].transform(X).shape == X.shape
    weights = np.arange(len(y)) % 3
    pipeline.fit(X, y, scnregressor__sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_array_equal(
        pipeline.predict(X), SCNRegressor(effort="quick").fit(scaled, y, sample_weight=weights).predict(scaled)
    )


def test_grid_search() -> None:
    grid = {"max_nodes": [1, 40], "ridge": [0.0, 1e-4], "scales": [(0.5, 1.0), (100.0,)]}
    search = GridSearchCV(SCNRegressor(method="rmpi", candidates=20), grid, cv=3).fit(X, y)
    assert search.best_params_["max_nodes"] == 40 and search.best_params_["scales"] == (0.5, 1.0)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_cross_validation_in_two_processes() -> None:
    estimator = SCNRegressor(effort="quick", threads=1)
    here, there = (cross_val_score(estimator, X, y, cv=3, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(here, there)
    assert here.min() > 0.5
    assert cross_val_predict(RVFLRegressor(max_nodes=20), X, y, cv=3, n_jobs=2).shape == y.shape


def test_multi_output_wrapped_and_native() -> None:
    Y = np.column_stack([y, X[:, 0] + 2 * X[:, 1]])
    estimator = SCNRegressor(method="rmpi", max_nodes=40)
    wrapped = MultiOutputRegressor(estimator, n_jobs=2).fit(X, Y)
    for i, single in enumerate(wrapped.estimators_):
        np.testing.assert_array_equal(wrapped.predict(X)[:, i], single.predict(X))
    native = estimator.fit(X, Y)
    assert native.predict(X).shape == wrapped.predict(X).shape == Y.shape
    assert native.score(X, Y) > 0.8 and wrapped.score(X, Y) > 0.8


def test_learning_curve() -> None:
    sizes, train, test = learning_curve(RVFLRegressor(max_nodes=10), X, y, cv=3, train_sizes=[0.3, 1.0], n_jobs=2)
    assert train.shape == test.shape == (2, 3) and np.isfinite(test).all()
    assert test[-1].mean() > test[0].mean()


def test_other_tools() -> None:
    logarithmic = TransformedTargetRegressor(SCNRegressor(effort="quick"), func=np.log1p, inverse_func=np.expm1)
    positive = y - y.min()
    assert logarithmic.fit(X, positive).score(X, positive) > 0.8
    noise = np.column_stack([X, np.random.default_rng(0).random(len(y))])
    model = SCNRegressor(effort="quick").fit(noise, y)
    theirs = permutation_importance(model, noise, y, scoring="neg_root_mean_squared_error", random_state=0)
    ours = model.feature_importance(noise, y)
    assert theirs.importances_mean.argmin() == ours.importances_mean.argmin() == 5
    np.testing.assert_allclose(ours.importances_mean, theirs.importances_mean, atol=0.5)


def test_a_frame_through_a_pipeline_keeps_its_names() -> None:
    frame = pd.DataFrame(X, columns=list("abcde"))
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), SCNRegressor(method="rmpi", max_nodes=5))
    pipeline.fit(frame, y)
    assert list(pipeline[-1].feature_names_in_) == list(frame.columns)
