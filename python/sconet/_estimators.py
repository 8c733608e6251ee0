"""The estimators: scikit-learn's manners around the C++ library."""

from __future__ import annotations

import inspect
import os
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._data import (
    Rows,
    Texts,
    default_names,
    feature_names,
    is_frame,
    is_plain,
    make_table,
    read_rows,
    read_targets,
    target_names,
)
from ._options import OPTIONS, parsed, seed_of, texts_of
from ._progress import Progress

if TYPE_CHECKING:
    from typing_extensions import Self

_CHUNK = 65536  # rows of another type than float64 that are converted at a time
_MOST_NAMES = 5  # in a message
Estimator = TypeVar("Estimator", bound="_NetworkRegressor")


class DataWarning(UserWarning):
    """What the library thinks odd about the rows: constant columns, gaps that were filled in, unseen categories."""


class IntervalPrediction(NamedTuple):
    """Predictions and the bounds of their intervals."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


class _NetworkRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """What both estimators share: everything but the parameters."""

    _methods: ClassVar[tuple[str, ...]]
    _elsewhere: ClassVar[str]  # where other methods are

    # --- training ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        callback: Callable[[dict[str, Any]], Any] | None = None,
    ) -> Self:
        """Train on the rows X and their targets y.

        Parameters
        ----------
        X : array or DataFrame, (n_rows, n_features)
            Of a frame, columns of text or categories become categories. NaN, None and pandas.NA are missing values.
        y : array, Series or DataFrame, (n_rows,) or (n_rows, n_targets)
        sample_weight : array, (n_rows,), optional
            A row of weight k counts as k copies of it, and one of weight 0 as none.
        eval_set : tuple (X, y), optional
            Rows that choose the size of the network instead of teaching it. The parameter `valid_fraction` takes
            them from X instead.
        callback : function of a dict, optional
            Called after each node with its record: `nodes`, `train_rmse`, `valid_rmse`, `seconds` and more. When it
            returns True, training ends with the network so far.

        Returns
        -------
        self
        """
        options, max_nodes = self._checked_options()
        if y is None:
            read_targets(y, self)
        rows = read_rows(X, allow_missing=self._allows_missing(), min_rows=2, estimator=self)
        targets, own_names = read_targets(y, self)
        columns = rows.names or default_names(rows.n_features)
        names = target_names(targets, own_names, columns)
        table = make_table(rows, columns, targets, names)
        weights = self._checked_weights(sample_weight, targets)
        valid = self._checked_eval_set(eval_set, rows, columns, targets, names)
        if callback is not None and not callable(callback):
            raise TypeError(f"callback = {callback!r}: expected a function of one argument, the record of a node")
        progress = Progress(max_nodes, self.ensemble) if self.progress else None
        try:
            model, report, notes, interrupted = _core.fit(
                table,
                names,
                options=options,
                valid_fraction=float(self.valid_fraction),
                intervals=bool(self.intervals),
                explain=bool(self.explain),
                weights=weights,
                valid=valid,
                on_node=_after_node(callback, progress),
                on_trial=progress.on_trial if progress else None,
            )
        except (ValueError, MemoryError) as error:
            raise type(error)(_in_python(str(error))) from None
        finally:
            if progress:
                progress.close()
        if interrupted:
            if not self.keep_interrupted or not report["history"]:
                raise KeyboardInterrupt
            warnings.warn("Training was interrupted; the estimator keeps the network so far.", stacklevel=2)
        for note in notes:
            warnings.warn(_in_python(note), DataWarning, stacklevel=2)
        self._adopt(model, rows.names, targets.ndim)
        self._remember(report)
        return self

    def _checked_options(self) -> tuple[list[tuple[str, str]], int]:
        """The options as the library reads them, and the largest number of nodes they allow (-1: auto will see)."""
        if self.method not in self._methods:
            raise ValueError(
                f"method = {self.method!r}: {type(self).__name__} has {', '.join(self._methods)}. {self._elsewhere}"
            )
        texts = texts_of(self.get_params(deep=False))
        texts.append(("seed", str(seed_of(self.random_state))))
        for name in ("intervals", "explain", "progress", "keep_interrupted"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise TypeError(f"{name} = {getattr(self, name)!r}: expected True or False")
        if not isinstance(self.valid_fraction, Real):
            raise TypeError(f"valid_fraction = {self.valid_fraction!r}: expected a number")
        if self.method == "auto":
            texts = self._without_settled(texts)
        return texts, _core.check_options(texts)

    def _without_settled(self, texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The options without those that auto settles itself. As everywhere in scikit-learn, what does not apply is
        ignored; but we say so."""
        kept = []
        for name, text in texts:
            try:
                if parsed(name, text) != parsed(name, OPTIONS[name]["default"]):
                    _core.check_options([("method", "auto"), (name, text)])
            except ValueError as error:
                if "settles this itself" not in str(error):
                    raise
                warnings.warn(f"{name} is ignored: {str(error).partition(': ')[2]}", stacklevel=4)
            else:
                kept.append((name, text))
        return kept

    def _allows_missing(self) -> bool:
        return bool(self.missing != "refuse")

    def _checked_weights(self, sample_weight: Any, targets: np.ndarray) -> np.ndarray | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, targets, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError("Negative values in data passed to `sample_weight`")
        if not (weights > 0).any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return weights

    def _checked_eval_set(
        self, eval_set: Any, rows: Rows, columns: list[str], targets: np.ndarray, names: list[str]
    ) -> _core.Table | None:
        if eval_set is None:
            return None
        if isinstance(eval_set, list) and len(eval_set) == 1:
            eval_set = eval_set[0]
        if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2:
            raise ValueError("eval_set: expected a tuple (X, y), rows that choose the size of the network")
        X_valid = self._matched(eval_set[0], rows.names, columns, "eval_set")
        valid_rows = read_rows(X_valid, allow_missing=self._allows_missing(), min_rows=1, estimator=self)
        if valid_rows.n_features != rows.n_features:
            raise ValueError(f"eval_set has {valid_rows.n_features} features, but X has {rows.n_features}.")
        y_valid, _ = read_targets(eval_set[1], self)
        if y_valid.shape[1:] != targets.shape[1:]:
            raise ValueError(f"eval_set has a y of shape {y_valid.shape}, but y has the shape {targets.shape}.")
        return make_table(valid_rows, columns, y_valid, names)

    def _adopt(self, model: _core.Model, names: list[str] | None, y_ndim: int) -> None:
        """Take over a model: what is learnt becomes attributes."""
        self._model = model
        self._columns = [column["name"] for column in model.columns()]
        self._text_columns = [column["name"] for column in model.columns() if column["type"] == "text"]
        self._flat = y_ndim == 1
        self._fast = names is None and not self._text_columns
        self.n_features_in_ = len(self._columns)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._derive()
        self._stages: list[Any] | None = None
        self.history_ = self._history()

    def _derive(self) -> None:
        network, summary, options = self._model.network(), self._model.summary(), self._model.options()
        self.weights_ = network["weights"]
        self.biases_ = network["biases"]
        self.coef_ = network["output_weights"][:, 0] if self._flat else network["output_weights"]
        self.intercept_ = float(network["intercept"][0]) if self._flat else network["intercept"]
        self.direct_ = (
            (network["direct"][:, 0] if self._flat else network["direct"]) if network["direct"].size else None
        )
        self.n_nodes_ = self.weights_.shape[1]
        self.input_names_ = self._model.input_names()
        self.target_names_ = self._model.targets()
        self.stop_reason_ = summary["stop_reason"]
        self.trials_ = summary["trials"]
        self.members_ = summary["members"]
        self.held_out_rmse_ = summary["held_out_rmse"]
        self.settings_ = {name: parsed(name, text) for name, text in options.items()}
        self.settings_["valid_fraction"] = self._model.valid_fraction
        chosen = [trial for trial in self.trials_ if trial["chosen"]]
        if chosen:
            self.settings_["chosen"] = chosen[0]

    def _history(self) -> dict[str, np.ndarray]:
        """What a model file has of the history."""
        summary = self._model.summary()
        sizes = np.cumsum([0, *summary["members"]]) if summary["members"] else np.arange(len(summary["train_rmse"]))
        history = {"nodes": sizes, "train_rmse": summary["train_rmse"]}
        if len(summary["valid_rmse"]):
            history["valid_rmse"] = summary["valid_rmse"]
        history["scale"] = np.concatenate([[0.0], summary["scales"]])
        return history

    def _remember(self, report: dict[str, Any]) -> None:
        """What is known right after training only."""
        self._stages = report["stages"]
        for key in ("r", "batches", "admissible", "score", "fallback", "seconds"):
            first = {"r": 1.0, "fallback": False}.get(key, 0)
            self.history_[key] = np.array([first] + [record[key] for record in report["history"]])
        self.fit_seconds_ = report["seconds"]

    # --- prediction -------------------------------------------------------------------------------------------------

    def predict(self, X: Any, interval: float | None = None, *, interval_kind: str | None = None) -> Any:
        """Predict the targets of the rows X.

        Parameters
        ----------
        X : array or DataFrame, (n_rows, n_features)
            The columns of a frame are found by name, in any order.
        interval : float, optional
            Also give bounds that hold the targets of about this share of new rows, as 0.9.
        interval_kind : "constant" or "local", optional
            As wide for every row, or wider where errors were larger (the default, if the model can).

        Returns
        -------
        array, (n_rows,) or (n_rows, n_targets); with `interval` an IntervalPrediction of `mean`, `low` and `high`
        """
        if interval is None and self.__dict__.get("_fast"):  # a plain array is read where it is, and checked there
            predicted = self._model.predict_if_sound(X, self._flat, self.threads)
            if predicted is not None:
                return predicted
        check_is_fitted(self)
        rows = self._checked_rows(X)
        if interval is None:
            return self._predict_rows(rows)
        if not isinstance(interval, Real):
            raise TypeError(f"interval = {interval!r}: expected a number between 0 and 1, as 0.9")
        if not self._model.has_intervals:
            why = self._model.no_intervals
            if "--no-intervals" in why:
                why = "it was trained with intervals=False; train it with intervals=True"
            raise ValueError(f"The model has no prediction intervals: {_in_python(why)}")
        how = (float(interval), interval_kind, self._flat, self.threads)
        if isinstance(rows.values, list):
            found, notes = self._model.predict_interval_table(self._table(rows), *how)
            _tell(notes)
        else:
            found = self._model.predict_interval(_plain(rows.values), *how)
        return IntervalPrediction(*found)

    def _predict_rows(self, rows: Rows) -> np.ndarray:
        if isinstance(rows.values, list):
            predicted, notes = self._model.predict_table(self._table(rows), self._flat, self.threads)
            _tell(notes)
            return predicted
        X, n = rows.values, len(rows)
        if is_plain(X):
            return self._model.predict(X, self._flat, self.threads)
        parts = [self._model.predict(_plain(X[i : i + _CHUNK]), self._flat, self.threads) for i in range(0, n, _CHUNK)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _checked_rows(self, X: Any) -> Rows:
        """X as the model takes it: columns in the order of training, numbers checked."""
        X = self._matched(X, getattr(self, "feature_names_in_", None), self._columns, "X")
        rows = read_rows(X, allow_missing=self.settings_["missing"] != "refuse", min_rows=1, estimator=self)
        if rows.n_features != self.n_features_in_:
            raise ValueError(
                f"X has {rows.n_features} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        for i, name in enumerate(self._columns):
            has_texts = isinstance(rows.values, list) and isinstance(rows.values[i], Texts)
            if has_texts and name not in self._text_columns:
                raise ValueError(f"Column {name!r} holds text, but the model was trained on numbers there.")
        if self._text_columns and not isinstance(rows.values, list):
            if not is_frame(X):
                raise ValueError(
                    f"The model was trained on categories ({_listed(self._text_columns)}): pass a DataFrame with the "
                    "columns of training."
                )
            rows = Rows(list(rows.values.T), rows.names)
        return rows

    def _matched(self, X: Any, known: Any, columns: list[str], what: str) -> Any:
        """A frame with its columns in the order of training, or an error with the difference."""
        given = feature_names(X)
        name = type(self).__name__
        if given is not None and set(given) == set(columns):
            return X if given == list(columns) else X[list(columns)]
        if known is None:
            if given is not None:
                warnings.warn(f"{what} has feature names, but {name} was fitted without feature names", stacklevel=4)
            return X
        if given is None:
            warnings.warn(
                f"{what} does not have valid feature names, but {name} was fitted with feature names", stacklevel=4
            )
            return X
        message = "The feature names should match those that were passed during fit.\n"
        unseen, missing = sorted(set(given) - set(columns)), sorted(set(columns) - set(given))
        if unseen:
            message += "Feature names unseen at fit time:\n" + _bullets(unseen)
        if missing:
            message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
        raise ValueError(message)

    def _table(self, rows: Rows, y: np.ndarray | None = None) -> _core.Table:
        return make_table(rows, self._columns, y, self.target_names_)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predict with the network as it was after each node, as it grew (of an ensemble: after each member).

        The k-th prediction is of the network with k nodes and the output weights it had then, so its RMSE on the
        training rows is `history_["train_rmse"][k]`. Nodes that validation rows dropped again are left out.
        """
        check_is_fitted(self)
        if self._stages is None:
            raise ValueError(
                "The stages of training are not in a model file: staged_predict needs the estimator that was trained, "
                "or a pickle or copy of it."
            )
        inputs = self._model.encode(self._table(self._checked_rows(X)))
        return (
            self._model.predict_stage(inputs, output_weights, intercept, direct, self._flat)
            for output_weights, intercept, direct in self._stages
        )

    def encode(self, X: Any) -> np.ndarray:
        """The inputs of the network for the rows X: scaled, filled in, categories taken apart; see `input_names_`."""
        check_is_fitted(self)
        return self._model.encode(self._table(self._checked_rows(X)))

    # --- explanation ------------------------------------------------------------------------------------------------

    def feature_importance(
        self, X: Any = None, y: Any = None, *, n_repeats: int = 5, random_state: Any = None, max_rows: int = 2000
    ) -> Bunch:
        """By how much the RMSE rises when a column is shuffled.

        Without X and y: what was measured on a sample of the training rows (not with explain=False).

        Returns
        -------
        Bunch with `feature_names`, `importances_mean`, `importances_std` (over the repeats), `rmse` and `n_rows`
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("feature_importance takes both X and y, or neither")
        if X is None:
            found = self._explanation()
        else:
            found = self._explain(X, y, n_repeats, random_state, max_rows, False, 2)
        names, mean, std = zip(*found["importance"])
        return Bunch(
            feature_names=np.asarray(names, dtype=object),
            importances_mean=np.asarray(mean),
            importances_std=np.asarray(std),
            rmse=found["rmse"],
            n_rows=found["rows"],
        )

    def partial_dependence(
        self, feature: str | int | None = None, X: Any = None, *, grid_resolution: int = 20, max_rows: int = 2000
    ) -> Any:
        """The mean prediction when one column has the same value in all rows, for some of its values.

        Parameters
        ----------
        feature : name or number (from 0) of a column, optional
            Without it: a dict of all columns that the model uses (of those kept in the model, without X).
        X : array or DataFrame, optional
            The rows; without it: what was kept of training, which has the most important columns alone.

        Returns
        -------
        Bunch with `feature`, `grid_values` (numbers, or the categories) and `average`, or a dict of them by name
        """
        check_is_fitted(self)
        found = self._explanation() if X is None else self._explain(X, None, 1, None, max_rows, True, grid_resolution)
        effects = {
            name: Bunch(
                feature=name,
                grid_values=at if isinstance(at, np.ndarray) else np.asarray(at, dtype=object),
                average=mean[:, 0] if self._flat else mean,
            )
            for name, at, mean in found["effects"]
        }
        if feature is None:
            return effects
        if isinstance(feature, (int, np.integer)):
            if not -self.n_features_in_ <= feature < self.n_features_in_:
                raise ValueError(f"feature = {feature}: the model has {self.n_features_in_} columns, from 0")
            feature = self._columns[feature]
        if feature not in self._columns:
            raise ValueError(f"feature = {feature!r}: the model has {_listed(self._columns)}")
        if feature in effects:
            return effects[feature]
        if X is None:
            raise ValueError(
                f"What was kept of training has no effect of {feature!r}, only of {_listed(list(effects))}: pass X, "
                "rows to compute it from."
            )
        raise ValueError(f"The model does not use {feature!r}, which was constant in training.")

    def _explanation(self) -> dict[str, Any]:
        found = self._model.summary()["explanation"]
        if found is None:
            raise ValueError("The model does not have it: train with explain=True, or pass rows to compute it from.")
        return found

    def _explain(
        self, X: Any, y: Any, repeats: int, random_state: Any, max_rows: int, effects: bool, points: int
    ) -> dict[str, Any]:
        rows = self._checked_rows(X)
        targets = self._predict_rows(rows) if y is None else read_targets(y, self)[0]  # effects take no targets
        if targets.ndim != (1 if self._flat else 2):
            raise ValueError(f"y has {targets.ndim} dimensions, and the y of training had {1 if self._flat else 2}.")
        table = self._table(rows, targets)
        return self._model.explain(table, repeats, seed_of(random_state), self.threads, max_rows, effects, points)

    # --- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, the same that the command line reads and writes: completely or not at all."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes of the model file."""
        check_is_fitted(self)
        return self._model.to_bytes()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model file, of Python or of the command line."""
        return cls._from_model(_read_model(path), os.fspath(path))

    @classmethod
    def _from_model(cls, model: _core.Model, source: str) -> Self:
        options = model.options()
        if options["method"] not in cls._methods:
            raise ValueError(f"{source}: the method of this model is {options['method']}. {cls._elsewhere}")
        parameters = cls._get_param_names()
        params: dict[str, Any] = {name: parsed(name, text) for name, text in options.items() if name in parameters}
        if options["method"] == "auto":  # which always clips, and whose scaling was chosen if trials had several
            params["clip"] = False
            if len({trial["scaling"] for trial in model.summary()["trials"]}) > 1:
                params["scaling"] = "auto"
        params["random_state"] = int(options["seed"])
        params["valid_fraction"] = model.valid_fraction
        params["intervals"] = model.has_intervals
        params["explain"] = model.summary()["explanation"] is not None
        estimator = cls(**params)
        names = [column["name"] for column in model.columns()]
        # A model of an array has the names we gave it.
        unnamed = names == default_names(len(names)) and all(c["type"] == "number" for c in model.columns())
        estimator._adopt(model, None if unnamed else names, 1 if len(model.targets()) == 1 else 2)
        return estimator

    # --- scikit-learn -----------------------------------------------------------------------------------------------

    _DERIVED: ClassVar[tuple[str, ...]] = (
        "weights_", "biases_", "coef_", "intercept_", "direct_", "n_nodes_", "input_names_", "target_names_",
        "stop_reason_", "trials_", "members_", "held_out_rmse_", "settings_",
    )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_model" in self.__dict__:
            self._derive()

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self._allows_missing(), "poor_score": False}

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing()
        return tags


def _after_node(
    callback: Callable[[dict[str, Any]], Any] | None, progress: Progress | None
) -> Callable[[dict[str, Any]], Any] | None:
    if progress is None:
        return callback
    show = progress.on_node
    if callback is None:
        return show
    ask = callback

    def both(record: dict[str, Any]) -> Any:
        show(record)
        return ask(record)

    return both


def _plain(X: np.ndarray) -> np.ndarray:
    return X if is_plain(X) else np.ascontiguousarray(X, dtype=np.float64)


def _tell(notes: list[str]) -> None:
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=4)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + more


def _bullets(names: list[str]) -> str:
    more = "- ...\n" if len(names) > _MOST_NAMES else ""
    return "".join(f"- {name}\n" for name in names[:_MOST_NAMES]) + more


def _in_python(message: str) -> str:
    """A message of the library, where options are spelled as on the command line, with Python's spelling."""
    message = message.removeprefix(": ")  # of a table that is no file
    message = message.replace("ignore it (--ignore), keep it as an identifier (--id)", "drop it")

    def spelled(match: re.Match[str]) -> str:
        name, value = match.group(1).replace("-", "_"), match.group(2)
        if name not in OPTIONS and name != "valid_fraction":
            return match.group(0)
        if value is None:
            return name
        return f"{name}={value}" if re.fullmatch(r"[-\d.e]+", value) else f"{name}={value!r}"

    return re.sub(r"--([a-z][a-z-]*)(?: (-?[\w.]*\w))?(?=[ ,;:.)]|$)", spelled, message)


def _read_model(path: str | os.PathLike[str]) -> _core.Model:
    with open(path, "rb") as file:
        return _core.Model.from_bytes(file.read(), os.fspath(path))


def _documented(cls: type[Estimator]) -> type[Estimator]:
    """Puts the library's own words about each option into the class's documentation."""
    lines = []
    for name, parameter in inspect.signature(cls).parameters.items():
        option = OPTIONS.get("seed" if name == "random_state" else name)
        if option is None:
            continue
        choices = " | ".join(cls._methods) if name == "method" else option["type"].replace("|", " | ")
        kind = "int, RandomState or None" if name == "random_state" else choices
        lines.append(f"{name} : {kind}, default {parameter.default!r}")
        bounds = f" ({option['bounds']})" if option["bounds"] else ""
        lines.extend(textwrap.wrap(option["sentence"] + bounds, 110, initial_indent="    ", subsequent_indent="    "))
    cls.__doc__ = (cls.__doc__ or "").replace("{options}", "\n    ".join(lines))
    return cls


@_documented
class SCNRegressor(_NetworkRegressor):
    """Regression by a stochastic configuration network, grown node by node from random candidates.

    Without parameters, trials on rows held out settle everything (method "auto"). Parameters, defaults and bounds are
    the library's options (docs/options.md) but for these: `random_state` is the option `seed` (None: 1, so results
    repeat), and `progress` and `keep_interrupted` are Python's own.

    Parameters
    ----------
    {options}
    valid_fraction : float
        Share of the rows, drawn by seed, that choose the size of the network instead of teaching.
    intervals : bool
        Keep what prediction intervals need.
    explain : bool
        Measure the importance and effect of columns on a sample of the training rows.
    progress : bool
        Show on standard error how far training has come.
    keep_interrupted : bool
        Ctrl-C ends training with a warning and keeps the network so far. Else the estimator stays as it was and
        KeyboardInterrupt is raised.

    Attributes
    ----------
    n_nodes_ : int
    weights_, biases_ : arrays, (n_inputs, n_nodes) and (n_nodes,)
        Of the hidden nodes, whose inputs are encode(X), named by `input_names_`.
    coef_, intercept_ : arrays, (n_nodes,) and a float; with several targets (n_nodes, n_targets) and (n_targets,)
        Output weights, for scaled targets. `direct_` has those of the inputs, or None.
    history_ : dict of arrays, from 0 nodes on
        `nodes`, `train_rmse`, `valid_rmse` (with validation rows) and more; pandas.DataFrame takes it.
    stop_reason_ : str
    settings_ : dict
        Every option as it was used; of auto also what was `chosen`.
    trials_ : list of dicts
        What auto tried: the best of each round.
    held_out_rmse_ : float
        RMSE on rows held out (auto and ensembles; else NaN).
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    _methods = ("auto", "rmpi", "scn3", "scn1")
    _elsewhere = "RVFLRegressor has rvfl and irvfl; the MLP is the command line's."

    def __init__(
        self,
        *,
        method: str = "auto",
        max_nodes: int = -1,
        effort: str = "normal",
        ensemble: int = 1,
        candidates: int = 100,
        scales: Sequence[float] = (0.5, 1.0, 3.0, 5.0, 7.0, 9.0, 15.0, 25.0, 50.0, 100.0, 150.0, 200.0),
        r: float = 0.9,
        alpha: float = 0.5,
        schedule: str = "power",
        r_ladder: Sequence[float] = (0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999),
        criterion: str = "total",
        when_exhausted: str = "best",
        family: str = "uniform",
        bias: str = "uniform",
        active_inputs: int = 4,
        rank_tolerance: float = 1e-10,
        ridge: float = 0.0,
        intercept: bool = False,
        direct_links: bool = False,
        activation: str = "sigmoid",
        nodes_per_step: int = 1,
        tolerance: float = 0.0,
        patience: int = 20,
        keep_all: bool = False,
        time_limit: float = 0.0,
        random_state: Any = None,
        threads: int = 0,
        isa: str = "auto",
        scaling: str = "auto",
        target_scaling: str = "standard",
        missing: str = "mean",
        missing_indicator: bool = False,
        max_levels: int = 64,
        quantiles: int = 64,
        clip: bool = False,
        valid_fraction: float = 0.0,
        intervals: bool = True,
        explain: bool = True,
        progress: bool = False,
        keep_interrupted: bool = False,
    ) -> None:
        self.method = method
        self.max_nodes = max_nodes
        self.effort = effort
        self.ensemble = ensemble
        self.candidates = candidates
        self.scales = scales
        self.r = r
        self.alpha = alpha
        self.schedule = schedule
        self.r_ladder = r_ladder
        self.criterion = criterion
        self.when_exhausted = when_exhausted
        self.family = family
        self.bias = bias
        self.active_inputs = active_inputs
        self.rank_tolerance = rank_tolerance
        self.ridge = ridge
        self.intercept = intercept
        self.direct_links = direct_links
        self.activation = activation
        self.nodes_per_step = nodes_per_step
        self.tolerance = tolerance
        self.patience = patience
        self.keep_all = keep_all
        self.time_limit = time_limit
        self.random_state = random_state
        self.threads = threads
        self.isa = isa
        self.scaling = scaling
        self.target_scaling = target_scaling
        self.missing = missing
        self.missing_indicator = missing_indicator
        self.max_levels = max_levels
        self.quantiles = quantiles
        self.clip = clip
        self.valid_fraction = valid_fraction
        self.intervals = intervals
        self.explain = explain
        self.progress = progress
        self.keep_interrupted = keep_interrupted


@_documented
class RVFLRegressor(_NetworkRegressor):
    """Regression by a random vector functional-link network: nodes are taken as they are drawn, and none is judged.

    `method` "rvfl" fits all output weights to all nodes, "irvfl" only sets the new node's. Parameters and attributes
    are those of SCNRegressor that make sense here, and `range`, the scale of every node.

    Parameters
    ----------
    {options}
    valid_fraction : float
        Share of the rows, drawn by seed, that choose the size of the network instead of teaching.
    intervals, explain, progress, keep_interrupted : bool
        As in SCNRegressor.
    """

    _methods = ("rvfl", "irvfl")
    _elsewhere = "SCNRegressor has auto, rmpi, scn3 and scn1; the MLP is the command line's."

    def __init__(
        self,
        *,
        method: str = "rvfl",
        max_nodes: int = -1,
        ensemble: int = 1,
        range: float = 1.0,
        family: str = "uniform",
        bias: str = "uniform",
        active_inputs: int = 4,
        rank_tolerance: float = 1e-10,
        ridge: float = 0.0,
        intercept: bool = False,
        direct_links: bool = False,
        activation: str = "sigmoid",
        tolerance: float = 0.0,
        patience: int = 20,
        keep_all: bool = False,
        time_limit: float = 0.0,
        random_state: Any = None,
        threads: int = 0,
        isa: str = "auto",
        scaling: str = "auto",
        target_scaling: str = "standard",
        missing: str = "mean",
        missing_indicator: bool = False,
        max_levels: int = 64,
        quantiles: int = 64,
        clip: bool = False,
        valid_fraction: float = 0.0,
        intervals: bool = True,
        explain: bool = True,
        progress: bool = False,
        keep_interrupted: bool = False,
    ) -> None:
        self.method = method
        self.max_nodes = max_nodes
        self.ensemble = ensemble
        self.range = range
        self.family = family
        self.bias = bias
        self.active_inputs = active_inputs
        self.rank_tolerance = rank_tolerance
        self.ridge = ridge
        self.intercept = intercept
        self.direct_links = direct_links
        self.activation = activation
        self.tolerance = tolerance
        self.patience = patience
        self.keep_all = keep_all
        self.time_limit = time_limit
        self.random_state = random_state
        self.threads = threads
        self.isa = isa
        self.scaling = scaling
        self.target_scaling = target_scaling
        self.missing = missing
        self.missing_indicator = missing_indicator
        self.max_levels = max_levels
        self.quantiles = quantiles
        self.clip = clip
        self.valid_fraction = valid_fraction
        self.intervals = intervals
        self.explain = explain
        self.progress = progress
        self.keep_interrupted = keep_interrupted


def load(path: str | os.PathLike[str]) -> SCNRegressor | RVFLRegressor:
    """Read a model file, of Python or of the command line, as the estimator it belongs to."""
    model = _read_model(path)
    estimators: tuple[type[SCNRegressor], type[RVFLRegressor]] = (SCNRegressor, RVFLRegressor)
    for cls in estimators:
        if model.options()["method"] in cls._methods:
            return cls._from_model(model, os.fspath(path))
    raise ValueError(f"{os.fspath(path)}: no estimator has the method {model.options()['method']} of this model")
