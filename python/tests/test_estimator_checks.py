"""scikit-learn's own checks of an estimator: all of them, none skipped or expected to fail."""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from sconet import RVFLRegressor, SCNRegressor

# One thread, which changes no bit, is quicker for tables this small when other tests run as well.
ESTIMATORS = {
    "auto": SCNRegressor(),
    "refuse": SCNRegressor(
        effort="quick", missing="refuse", threads=1
    ),  # NaN is an error: scikit-learn checks that as well
    "ensemble": SCNRegressor(ensemble=3, effort="quick", threads=1),
    "rmpi": SCNRegressor(method="rmpi", threads=1),
    "scn3": SCNRegressor(method="scn3", threads=1),
    "scn1": SCNRegressor(method="scn1", threads=1),
    "rvfl": RVFLRegressor(),
    "irvfl": RVFLRegressor(
        method="irvfl", max_nodes=300, threads=1
    ),  # which learns slowly: a check asks for a score above 0.5
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
