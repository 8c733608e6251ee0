"""From what users pass (arrays, lists, frames) to what the library takes, checked in scikit-learn's words."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from sklearn.utils import check_array

from . import _core

# scikit-learn renamed this argument of check_array.
_FINITE = (
    "ensure_all_finite" if "ensure_all_finite" in inspect.signature(check_array).parameters else "force_all_finite"
)


@dataclass
class Texts:
    """A column of categories: for each row its place in `texts`, or -1 where it is missing."""

    codes: np.ndarray
    texts: list[str]


@dataclass
class Rows:
    """The inputs of some rows: an array of numbers, or columns where some of them are texts."""

    values: Union[np.ndarray, list[Union[np.ndarray, Texts]]]
    names: Union[list[str], None]  # of a frame

    def __len__(self) -> int:
        if not isinstance(self.values, list):
            return len(self.values)
        first = self.values[0]
        return len(first.codes if isinstance(first, Texts) else first)

    @property
    def n_features(self) -> int:
        return len(self.values) if isinstance(self.values, list) else int(self.values.shape[1])

    def add_to(self, table: _core.Table, names: Sequence[str]) -> None:
        """Copies the columns into a table under these names."""
        if isinstance(self.values, list):
            for name, column in zip(names, self.values):
                if isinstance(column, Texts):
                    table.add_texts(name, column.codes, column.texts)
                else:
                    table.add_numbers([name], column)
        elif is_plain(self.values):
            table.add_numbers(list(names), self.values)
        else:  # another type: converted column by column, so that there is no copy of the whole
            for i, name in enumerate(names):
                table.add_numbers([name], np.ascontiguousarray(self.values[:, i], dtype=np.float64))


def is_plain(X: np.ndarray) -> bool:
    """Whether the library reads the array where it is."""
    return X.dtype == np.float64 and X.flags.aligned and all(stride % 8 == 0 for stride in X.strides)


def is_frame(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def feature_names(X: Any) -> list[str] | None:
    """The names of a frame's columns, if they are strings."""
    if not is_frame(X):
        return None
    strings = [isinstance(name, str) for name in X.columns]
    if not any(strings):
        return None
    if not all(strings):
        kinds = sorted({type(name).__name__ for name in X.columns})
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. If you want feature names to be stored and validated, you "
            "must convert them all to strings, by using X.columns = X.columns.astype(str) for example."
        )
    names = list(X.columns)
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"X has several columns of the same name: {', '.join(map(repr, twice))}. Rename them.")
    return names


def read_rows(X: Any, *, allow_missing: bool, min_rows: int, estimator: Any) -> Rows:
    """The inputs X, checked: numbers must be finite, or missing where that is allowed."""
    if is_frame(X):
        names = feature_names(X)
        X = _frame_values(X)
        if isinstance(X, list):
            _check_columns(X, names, allow_missing, min_rows, estimator)
            return Rows(X, names)
    else:
        names = None
    values = check_array(
        X,
        dtype="numeric",
        ensure_min_samples=min_rows,
        estimator=estimator,
        input_name="X",
        **{_FINITE: "allow-nan" if allow_missing else True},
    )
    return Rows(values, names)


def _frame_values(X: Any) -> np.ndarray | list[np.ndarray | Texts]:
    """The frame's numbers as an array or, where it has text, its columns one by one."""
    import pandas as pd

    def is_number(dtype: Any) -> bool:
        return pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)

    if not all(is_number(dtype) and not isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes):
        columns = [_column_values(X.iloc[:, i], X.columns[i]) for i in range(X.shape[1])]
        if any(isinstance(column, Texts) for column in columns):
            return columns
        return np.column_stack([np.asarray(column) for column in columns])
    if any(pd.api.types.is_complex_dtype(dtype) for dtype in X.dtypes):
        raise ValueError("Complex data not supported\n")
    if all(isinstance(dtype, np.dtype) for dtype in X.dtypes):
        return X.to_numpy(dtype=np.float64)
    return X.to_numpy(dtype=np.float64, na_value=np.nan)


def _column_values(column: Any, name: Any) -> np.ndarray | Texts:
    """One column: text, categories and strings become Texts, everything that is a number float64."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, (pd.CategoricalDtype, pd.StringDtype)):
        return _texts(column)
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError("Complex data not supported\n")
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        if isinstance(dtype, np.dtype):
            return column.to_numpy(dtype=np.float64)
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if dtype != object:
        raise TypeError(
            f"Column {name!r} is {dtype}, neither numbers nor categories. Turn it into numbers first: of a date, say, "
            "the days since some other date, or the month."
        )
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind == "string":
        return _texts(column)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"):
        return column.where(column.notna(), np.nan).to_numpy(dtype=np.float64)
    if kind == "complex":
        raise ValueError("Complex data not supported\n")
    kinds = sorted({type(value).__name__ for value in column.dropna()})
    raise TypeError(
        f"Column {name!r} holds objects of type {', '.join(kinds)}: argument must be a string (a category) or a "
        "number, and the same in all rows. Convert it, with astype(str) or pandas.to_numeric for example."
    )


def _texts(column: Any) -> Texts:
    import pandas as pd

    codes, values = pd.factorize(column)  # in the order they appear; -1: missing
    return Texts(codes.astype(np.int32), [str(value) for value in values])


def _check_columns(
    columns: list[np.ndarray | Texts], names: list[str] | None, allow_missing: bool, min_rows: int, estimator: Any
) -> None:
    """What check_array does for an array."""
    numbers = [column for column in columns if not isinstance(column, Texts)]
    n_rows = len(numbers[0]) if numbers else len(columns[0].codes)  # type: ignore[union-attr]
    if n_rows < min_rows:
        raise ValueError(
            f"Found array with {n_rows} sample(s) (shape={(n_rows, len(columns))}) while a minimum of {min_rows} is "
            f"required by {type(estimator).__name__}."
        )
    for i, column in enumerate(columns):
        if isinstance(column, Texts):
            if not allow_missing and (column.codes < 0).any():
                name = repr(names[i]) if names else i
                raise ValueError(
                    f"Input X contains NaN: column {name} has missing values, which missing='refuse' refuses."
                )
        else:
            check_array(
                column,
                ensure_2d=False,
                estimator=estimator,
                input_name="X",
                **{_FINITE: "allow-nan" if allow_missing else True},
            )


def read_targets(y: Any, estimator: Any) -> tuple[np.ndarray, list[str] | None]:
    """The targets as float64 of one or two dimensions, and their names if y has some."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    names = None
    if is_frame(y) and all(isinstance(name, str) for name in y.columns):
        names = list(y.columns)
    elif isinstance(getattr(y, "name", None), str) and hasattr(y, "iloc"):
        names = [y.name]
    values = check_array(y, ensure_2d=False, dtype=None, estimator=estimator, input_name="y", **{_FINITE: False})
    if np.issubdtype(values.dtype, np.complexfloating):
        raise ValueError("Complex data not supported\n")
    values = check_array(values, ensure_2d=False, dtype=np.float64, estimator=estimator, input_name="y")
    if values.ndim == 2 and values.shape[1] == 0:
        raise ValueError("y has no columns: there is nothing to predict.")
    return values, names


def target_names(values: np.ndarray, names: list[str] | None, inputs: Sequence[str]) -> list[str]:
    """A name for each target: y's own, else y, or y1, y2, ...; none that an input has."""
    count = 1 if values.ndim == 1 else values.shape[1]
    if names is None or len(set(names)) < count:
        names = ["y"] if count == 1 else [f"y{i + 1}" for i in range(count)]
    taken, unique = set(inputs), []
    for name in names:
        while name in taken:
            name += "_"
        taken.add(name)
        unique.append(name)
    return unique


def make_table(rows: Rows, names: Sequence[str], y: np.ndarray | None, targets: Sequence[str]) -> _core.Table:
    """The table that the library learns from, or looks at."""
    table = _core.Table()
    rows.add_to(table, names)
    if y is not None:
        if len(y) != len(rows):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{len(rows)}, {len(y)}]")
        table.add_numbers(list(targets), y if is_plain(y) else np.ascontiguousarray(y))
    return table


def default_names(count: int) -> list[str]:
    return [f"x{i + 1}" for i in range(count)]
