"""Model files, pickles, copies and clones."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import friedman
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sconet
from sconet import RVFLRegressor, SCNRegressor

ESTIMATORS: dict[str, Any] = {
    "auto": SCNRegressor(effort="quick"),
    "ensemble": SCNRegressor(effort="quick", ensemble=3),
    "rmpi": SCNRegressor(method="rmpi", max_nodes=8, random_state=2**40, scales=[0.5, 2.0], ridge=1 / 3),
    "scn1": SCNRegressor(method="scn1", max_nodes=8, valid_fraction=0.2, intervals=False, explain=False),
    "rvfl": RVFLRegressor(max_nodes=8, direct_links=True),
}


@pytest.fixture(scope="module", params=list(ESTIMATORS))
def fitted(request: pytest.FixtureRequest) -> Any:
    X, y = friedman(120)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.where(X[:, 0] > 0.5, "big", "small"))
    return clone(ESTIMATORS[request.param]).fit(frame, y), frame


def learnt(estimator: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def assert_equal(a: Any, b: Any) -> None:
    """Equality of everything learnt, NaN included."""
    assert pickle.dumps(a) == pickle.dumps(b) or _same(a, b)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.tolist() == b.tolist()
    return bool(np.array_equal(a, b, equal_nan=isinstance(a, (float, np.ndarray)) and np.asarray(a).dtype.kind == "f"))


@pytest.mark.parametrize("way", ["pickle", "joblib", "copy", "deepcopy"])
def test_copies_are_the_same(fitted: Any, way: str) -> None:
    model, frame = fitted
    if way == "pickle":
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            other = pickle.loads(pickle.dumps(model, protocol))
    elif way == "joblib":
        buffer = io.BytesIO()
        joblib.dump(model, buffer)
        buffer.seek(0)
        other = joblib.load(buffer)
    else:
        other = getattr(copy, way)(model)
    assert other.to_bytes() == model.to_bytes()
    np.testing.assert_array_equal(other.predict(frame), model.predict(frame))
    assert other.get_params() == model.get_params()
    assert learnt(other).keys() == learnt(model).keys()
    for name, value in learnt(model).items():
        assert _same(value, learnt(other)[name]), name
    for one, two in zip(model.staged_predict(frame), other.staged_predict(frame)):
        np.testing.assert_array_equal(one, two)
    other.fit(frame, np.arange(len(frame)))  # a copy is nobody's shadow
    assert other.to_bytes() != model.to_bytes()


def test_files_give_the_model_back(fitted: Any, tmp_path: Path) -> None:
    model, frame = fitted
    model.save(tmp_path / "a.sconet")
    for other in (type(model).load(tmp_path / "a.sconet"), sconet.load(str(tmp_path / "a.sconet"))):
        assert type(other) is type(model)
        np.testing.assert_array_equal(other.predict(frame), model.predict(frame))
        assert other.to_bytes() == model.to_bytes() == (tmp_path / "a.sconet").read_bytes()
        for name, value in learnt(other).items():
            if name != "history_":
                assert _same(value, learnt(model)[name]), name
        for name, values in other.history_.items():
            np.testing.assert_array_equal(values, model.history_[name], err_msg=name)
        with pytest.raises(ValueError, match="The stages of training are not in a model file"):
            other.staged_predict(frame)
        # Its parameters are those of training, so training again gives the same model.
        again = clone(other).fit(frame, friedman(120)[1])
        assert again.to_bytes() == model.to_bytes()


def test_clone_keeps_parameters_and_forgets_the_rest(fitted: Any) -> None:
    model, frame = fitted
    other = clone(model)
    assert other.get_params() == model.get_params() and not learnt(other)
    with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not fitted yet"):
        other.predict(frame)


def test_models_of_arrays_take_arrays_after_loading(tmp_path: Path) -> None:
    X, y = friedman(60)
    model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    model.save(tmp_path / "a.sconet")
    loaded = SCNRegressor.load(tmp_path / "a.sconet")
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    frame = pd.DataFrame(X, columns=[f"x{i + 1}" for i in range(5)])
    np.testing.assert_array_equal(loaded.predict(frame[frame.columns[::-1]]), model.predict(X))


def test_what_is_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    X, y = friedman(60)
    model = RVFLRegressor(max_nodes=5).fit(X, y)
    model.save(tmp_path / "a.sconet")
    with pytest.raises(ValueError, match="a.sconet: the method of this model is rvfl. RVFLRegressor has"):
        SCNRegressor.load(tmp_path / "a.sconet")
    (tmp_path / "cut.sconet").write_bytes(model.to_bytes()[:-10])
    with pytest.raises(sconet.ModelFileError, match="cut.sconet"):
        RVFLRegressor.load(tmp_path / "cut.sconet")
    with pytest.raises(FileNotFoundError):
        sconet.load(tmp_path / "none.sconet")
    with pytest.raises(OSError, match="none"):
        model.save(tmp_path / "none" / "a.sconet")
    with pytest.raises(NotFittedError):
        SCNRegressor().save(tmp_path / "b.sconet")


def test_a_pickle_is_little_more_than_the_model_file() -> None:
    X, y = friedman(60)
    model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    model._stages = None
    model.history_ = {}
    assert len(pickle.dumps(model)) < len(model.to_bytes()) + 2500
