"""scikit-learn's own checks of an estimator: all of them, none skipped or expected to fail."""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from sconet import RVFLRegressor, SCNRegressor

ESTIMATORS = {
    "auto": SCNRegressor(),
    "refuse": SCNRegressor(effort="quick", missing="refuse"),  # NaN is an error: scikit-learn checks that as well
    "ensemble": SCNRegressor(ensemble=3, effort="quick"),
    "rmpi": SCNRegressor(method="rmpi"),
    "scn3": SCNRegressor(method="scn3"),
    "scn1": SCNRegressor(method="scn1"),
    "rvfl": RVFLRegressor(),
    "irvfl": RVFLRegressor(method="irvfl", max_nodes=300),  # which learns slowly: a check asks for a score above 0.5
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_check_estimator(name: str) -> None:
    estimator = ESTIMATORS[name]
    tags = estimator._get_tags()
    assert not tags["_xfail_checks"] and not tags["_skip_test"] and not tags["no_validation"] and not tags["poor_score"]
    assert not tags["non_deterministic"] and tags["requires_y"] and tags["multioutput"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", SkipTestWarning)
        check_estimator(estimator)
