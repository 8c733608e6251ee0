"""The same data, options and seed give the same model bytes from C++, the command line and Python."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import friedman

import sconet
from sconet import RVFLRegressor, SCNRegressor


def as_arguments(options: dict[str, Any]) -> list[str]:
    arguments = []
    for name, value in options.items():
        dashed = "--" + name.replace("_", "-")
        arguments += [dashed] if value is True else [dashed, str(value)]
    return arguments


def run(*command: Any) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def mixed_frame(n: int) -> pd.DataFrame:
    """Numbers with gaps, categories with gaps, flags and whole numbers."""
    X, y = friedman(n)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=["temp", "flow", "level", "load", "speed"])
    frame.loc[rng.random(n) < 0.1, "flow"] = np.nan
    frame["grade"] = pd.Categorical(rng.choice(["low", "high", "B 12"], n))
    frame["plant"] = rng.choice(np.array(["north", "south", None], dtype=object), n)
    frame["shift"] = rng.integers(1, 4, n)
    frame["y"] = y + (frame["grade"] == "high") * 3
    return frame


CASES: list[tuple[Any, dict[str, Any]]] = [
    (SCNRegressor, {"effort": "quick"}),
    (SCNRegressor, {"ensemble": 3, "effort": "quick", "seed": 12345678901}),
    (SCNRegressor, {"method": "rmpi", "max_nodes": 12, "ridge": 0.001, "intercept": True}),
    (SCNRegressor, {"method": "scn3", "max_nodes": 12, "valid_fraction": 0.25, "scaling": "standard"}),
    (SCNRegressor, {"method": "scn1", "max_nodes": 12, "missing": "median", "missing_indicator": True}),
    (RVFLRegressor, {"method": "rvfl", "max_nodes": 30, "range": 2.5, "direct_links": True}),
    (RVFLRegressor, {"method": "irvfl", "max_nodes": 30}),
]


@pytest.mark.parametrize(
    ("cls", "options"), CASES, ids=lambda x: str(x.get("method", "auto")) if isinstance(x, dict) else ""
)
def test_three_ways_to_the_same_bytes(
    cls: Any, options: dict[str, Any], program: Path, cpp_trainer: Path, tmp_path: Path
) -> None:
    frame = mixed_frame(150)
    table = tmp_path / "data.csv"
    frame.to_csv(table, index=False)
    run(program, "train", table, "-t", "y", "-o", tmp_path / "program.sconet", "--quiet", *as_arguments(options))
    texts = [f"{name}={str(value).lower()}" for name, value in options.items()]
    run(cpp_trainer, table, "y", tmp_path / "cpp.sconet", *texts)

    params = {"random_state" if name == "seed" else name: value for name, value in options.items()}
    estimator = cls(**params).fit(frame.drop(columns="y"), frame["y"])
    estimator.save(tmp_path / "python.sconet")

    bytes_of = {way: (tmp_path / f"{way}.sconet").read_bytes() for way in ("program", "cpp", "python")}
    assert bytes_of["program"] == bytes_of["cpp"]
    assert bytes_of["program"] == bytes_of["python"]
    assert estimator.to_bytes() == bytes_of["python"]
    # And another seed gives another model, so equality says something.
    other = cls(**{**params, "random_state": 99}).fit(frame.drop(columns="y"), frame["y"])
    assert other.to_bytes() != bytes_of["python"]


def test_arrays_have_the_names_of_a_table_without_a_header(program: Path, tmp_path: Path) -> None:
    X, y = friedman(100)
    frame = pd.DataFrame(X, columns=[f"x{i + 1}" for i in range(5)]).assign(y=y)
    frame.to_csv(tmp_path / "data.csv", index=False)
    run(program, "train", tmp_path / "data.csv", "-t", "y", "-o", tmp_path / "m.sconet", "--quiet", "--method", "rmpi")
    assert SCNRegressor(method="rmpi").fit(X, y).to_bytes() == (tmp_path / "m.sconet").read_bytes()


def test_several_targets(program: Path, tmp_path: Path) -> None:
    X, y = friedman(100)
    frame = pd.DataFrame(X, columns=[f"x{i + 1}" for i in range(5)]).assign(y1=y, y2=X[:, 0] - y)
    frame.to_csv(tmp_path / "data.csv", index=False)
    run(program, "train", tmp_path / "data.csv", "-t", "y1", "-t", "y2", "-o", tmp_path / "m.sconet", "--quiet",
        "--method", "rmpi", "--max-nodes", "9")  # fmt: skip
    estimator = SCNRegressor(method="rmpi", max_nodes=9).fit(X, np.column_stack([y, X[:, 0] - y]))
    assert estimator.to_bytes() == (tmp_path / "m.sconet").read_bytes()


def test_validation_rows_of_their_own(program: Path, tmp_path: Path) -> None:
    frame, valid = mixed_frame(150), mixed_frame(200).iloc[150:]
    frame.to_csv(tmp_path / "data.csv", index=False)
    valid.to_csv(tmp_path / "valid.csv", index=False)
    run(program, "train", tmp_path / "data.csv", "-t", "y", "-o", tmp_path / "m.sconet", "--quiet", "--method", "rmpi",
        "--valid", tmp_path / "valid.csv")  # fmt: skip
    shuffled = valid.drop(columns="y").sample(frac=1, axis=1, random_state=0)  # columns are matched by name
    estimator = SCNRegressor(method="rmpi").fit(frame.drop(columns="y"), frame["y"], eval_set=(shuffled, valid["y"]))
    assert estimator.to_bytes() == (tmp_path / "m.sconet").read_bytes()
    assert len(estimator.history_["valid_rmse"]) == len(estimator.history_["train_rmse"])


@pytest.mark.parametrize("options", [{"effort": "quick"}, {"method": "rmpi", "max_nodes": 20}], ids=["auto", "rmpi"])
def test_predictions_there_and_back_have_the_same_bits(options: dict[str, Any], program: Path, tmp_path: Path) -> None:
    frame, new = mixed_frame(150), mixed_frame(300).iloc[150:].drop(columns="y").reset_index(drop=True)
    new.loc[3, "grade"] = None  # training had no gap there: all its inputs are 0
    frame.to_csv(tmp_path / "data.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)

    def by_program(model: Path) -> pd.DataFrame:
        run(program, "predict", model, tmp_path / "new.csv", "--interval", "0.8", "-o", tmp_path / "out.csv", "--quiet")
        return pd.read_csv(tmp_path / "out.csv", float_precision="round_trip")

    def same(there: pd.DataFrame, estimator: Any) -> None:
        with pytest.warns(UserWarning, match="grade"):
            here = estimator.predict(new, interval=0.8)
        for column, values in (("y", here.mean), ("y_low", here.low), ("y_high", here.high)):
            np.testing.assert_array_equal(there[column].to_numpy(), values)

    # Trained here, used there.
    estimator = SCNRegressor(**options).fit(frame.drop(columns="y"), frame["y"])
    estimator.save(tmp_path / "here.sconet")
    same(by_program(tmp_path / "here.sconet"), estimator)
    # Trained there, used here.
    run(program, "train", tmp_path / "data.csv", "-t", "y", "-o", tmp_path / "there.sconet", "--quiet",
        *as_arguments(options))  # fmt: skip
    loaded = sconet.load(tmp_path / "there.sconet")
    same(by_program(tmp_path / "there.sconet"), loaded)
    assert list(loaded.feature_names_in_) == list(new.columns)
    assert loaded.get_params() == {**SCNRegressor(**options).get_params(), **loaded.get_params()}


def test_the_number_of_threads_changes_no_bit() -> None:
    X, y = friedman(300)
    one, two = (SCNRegressor(effort="quick", threads=threads).fit(X, y) for threads in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    many = np.random.default_rng(0).random((40000, 5))
    np.testing.assert_array_equal(one.predict(many), two.predict(many))
