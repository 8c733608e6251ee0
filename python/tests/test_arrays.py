"""Arrays of any type, order and strides: read where they are, or converted a piece at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import friedman

from sconet import SCNRegressor


@pytest.fixture(scope="module")
def model() -> SCNRegressor:
    return SCNRegressor(method="rmpi", max_nodes=10).fit(*friedman(100))


def strange(X: np.ndarray, tmp_path: Path) -> dict[str, np.ndarray]:
    """The same float64 numbers in all kinds of memory."""
    n, d = X.shape
    wide = np.full((2 * n, 3 * d), np.nan)
    wide[::2, ::3] = X
    records = np.zeros(n, dtype=[("flag", "i1"), ("x", "f8", (d,))])
    records["x"] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    np.save(tmp_path / "x.npy", X)
    raw = np.memmap(tmp_path / "x.raw", dtype=np.float64, mode="w+", shape=X.shape)
    raw[:] = X
    arrays = {
        "C order": np.ascontiguousarray(X),
        "Fortran order": np.asfortranarray(X),
        "strided": wide[::2, ::3],
        "backwards": X[::-1, ::-1].copy()[::-1, ::-1],
        "not aligned": records["x"],
        "read-only": read_only,
        "memory-mapped": np.load(tmp_path / "x.npy", mmap_mode="r"),
        "memmap": raw,
        "big endian": X.astype(">f8"),
        "long double": X.astype(np.longdouble),
        "object": X.astype(object),
    }
    assert not arrays["not aligned"].flags.aligned and arrays["backwards"].strides[0] < 0
    return arrays


def test_fit_and_predict_do_not_depend_on_memory(model: SCNRegressor, tmp_path: Path) -> None:
    X, y = friedman(100)
    expected, as_bytes = model.predict(X), model.to_bytes()
    for name, array in strange(X, tmp_path).items():
        np.testing.assert_array_equal(model.predict(array), expected, err_msg=name)
        again = SCNRegressor(method="rmpi", max_nodes=10).fit(array, y)
        assert again.to_bytes() == as_bytes, name
        np.testing.assert_array_equal(X, friedman(100)[0])  # nothing was written to
    np.testing.assert_array_equal(model.predict(X.tolist()), expected)
    for name, array in strange(y[:, None].repeat(2, axis=1), tmp_path).items():
        assert SCNRegressor(method="rmpi", max_nodes=10).fit(X, array[:, 0]).to_bytes() == as_bytes, name


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i4", "i2", "i1", "u1", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_types_mean_the_same_numbers(dtype: str, order: str) -> None:
    X, y = friedman(80)
    X = np.asarray((X > 0.5) if dtype == "?" else 100 * X, dtype=dtype, order=order)
    model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    same = SCNRegressor(method="rmpi", max_nodes=5).fit(X.astype(np.float64), y)
    assert model.to_bytes() == same.to_bytes()
    np.testing.assert_array_equal(model.predict(X), same.predict(X.astype(np.float64)))
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(np.float64)))


def test_many_rows_of_another_type_are_converted_piece_by_piece(model: SCNRegressor) -> None:
    X = np.random.default_rng(0).random((150_000, 5)).astype(np.float32)
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(np.float64)))


def test_a_row_is_predicted_alone_as_among_others(model: SCNRegressor) -> None:
    X = np.random.default_rng(1).random((20_000, 5))
    together = model.predict(X)
    for i in (0, 1, 2047, 2048, 2049, 19_999):
        assert model.predict(X[i : i + 1])[0] == together[i]


def test_the_result_belongs_to_the_caller(model: SCNRegressor) -> None:
    X, _ = friedman(10)
    first = model.predict(X)
    kept = first.copy()
    first[:] = 0  # writeable, and nobody else's
    np.testing.assert_array_equal(model.predict(X), kept)
    assert first.flags.writeable and first.shape == (10,) and first.dtype == np.float64


def test_several_targets() -> None:
    X, y = friedman(100)
    Y = np.column_stack([y, -2 * y, X[:, 0]])
    model = SCNRegressor(method="rmpi", max_nodes=30).fit(X, Y)
    assert model.predict(X).shape == (100, 3)
    assert model.coef_.shape == (model.n_nodes_, 3) and model.intercept_.shape == (3,)
    assert model.score(X, Y) > 0.8
    np.testing.assert_array_equal(
        model.predict(X), SCNRegressor(method="rmpi", max_nodes=30).fit(X, np.asfortranarray(Y)).predict(X)
    )
    column = SCNRegressor(method="rmpi", max_nodes=5).fit(
        X, y[:, None]
    )  # as LinearRegression: two dimensions in and out
    assert column.predict(X).shape == (100, 1)
    np.testing.assert_array_equal(
        column.predict(X)[:, 0], SCNRegressor(method="rmpi", max_nodes=5).fit(X, y).predict(X)
    )


def test_missing_numbers_are_filled_in_unless_refused() -> None:
    X, y = friedman(100)
    X[::5, 1] = np.nan
    with pytest.warns(UserWarning, match="cells without a value filled in"):
        model = SCNRegressor(method="rmpi", max_nodes=10).fit(X, y)
    filled = X.copy()
    filled[::5, 1] = np.nanmean(X[:, 1])
    np.testing.assert_allclose(model.predict(X), model.predict(filled), rtol=1e-12)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SCNRegressor(method="rmpi", missing="refuse").fit(X, y)
    refusing = SCNRegressor(method="rmpi", max_nodes=5, missing="refuse").fit(filled, y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        refusing.predict(X)


def test_the_attributes_are_the_network() -> None:
    X, y = friedman(100)
    for options in ({"intercept": True}, {"direct_links": True, "intercept": True, "target_scaling": "none"}):
        model = SCNRegressor(method="rmpi", max_nodes=10, activation="tanh", **options).fit(X, y)
        inputs = model.encode(X)
        assert inputs.shape == (100, len(model.input_names_)) and inputs.min() == 0 and inputs.max() == 1
        scaled = np.tanh(inputs @ model.weights_ + model.biases_) @ model.coef_ + model.intercept_
        if model.direct_ is not None:
            scaled = scaled + inputs @ model.direct_
        expected = scaled if "direct_links" in options else scaled * y.std() + y.mean()
        np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)
        assert model.weights_.shape == (5, 10) and model.biases_.shape == model.coef_.shape == (10,) == (
            model.n_nodes_,
        )
