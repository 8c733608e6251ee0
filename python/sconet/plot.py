"""Pictures of fitted estimators, drawn with matplotlib, which is needed for these alone.

Every function takes the Axes to draw on (`ax=None` makes a figure of its own) and returns it, so that titles, limits
and `ax.figure.savefig(...)` are as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["importance", "learning_curve", "partial_dependence", "predicted_vs_actual", "residuals"]

# Colours that stay apart for colour-blind eyes and in grey.
BLUE, ORANGE, GREY = "#1f6f9f", "#d8752b", "#666666"
BAND = "#bcd6e6"


def learning_curve(estimator: Any, ax: Axes | None = None) -> Axes:
    """RMSE of the training and validation rows by the number of nodes, with the chosen size marked.

    Where networks were judged on rows held out, their RMSE is a mark at the chosen size.
    """
    check_is_fitted(estimator)
    history = estimator.history_
    ax = _axes(ax)
    curves = {"training rows": (history["train_rmse"], BLUE)}
    if "valid_rmse" in history:
        curves["validation rows"] = history["valid_rmse"], ORANGE
    for label, (rmse, colour) in curves.items():
        ax.plot(history["nodes"], rmse, color=colour, label=label)
    chosen = int(estimator.n_nodes_)
    if np.isfinite(estimator.held_out_rmse_):
        ax.plot([chosen], [estimator.held_out_rmse_], "D", color=ORANGE, markersize=6, label="rows held out")
    ax.axvline(chosen, color=GREY, linewidth=1, linestyle="--", zorder=1)
    ax.annotate(f"{chosen} nodes", (chosen, 1), xycoords=("data", "axes fraction"), textcoords="offset points",
                xytext=(-5, -6), ha="right", va="top", color=GREY, rotation=90)
    errors = np.concatenate([rmse for rmse, _ in curves.values()])
    if 0 < 5 * errors.min() < errors.max():
        ax.set_yscale("log")
    ax.set_xlabel("nodes")
    names = _names(estimator)
    ax.set_ylabel(f"RMSE of {names[0]}" if len(names) == 1 else "RMSE of the scaled targets")
    ax.set_title("Learning curve")
    ax.legend(frameon=False)
    return ax


def predicted_vs_actual(estimator: Any, X: ArrayLike, y: ArrayLike, ax: Axes | None = None, *,
                        interval: float | None = 0.9, target: int = 0) -> Axes:
    """The actual values over the predicted ones, the line where both are the same, and the prediction interval.

    The band is where the interval of that level lies, and the legend says how many of these rows it holds; an estimator
    without intervals, or `interval=None`, has none. `target` is the column of y, where there are several.
    """
    check_is_fitted(estimator)
    actual, predicted, low, high, level = _predictions(estimator, X, y, interval, target)
    name = _names(estimator)[target]
    ax = _axes(ax, square=True)
    ends = np.array([min(actual.min(), predicted.min()), max(actual.max(), predicted.max())])
    if level is not None:
        inside = np.mean((actual >= low) & (actual <= high))
        _band(ax, predicted, low - predicted, high - predicted, lambda x: x,
              f"{100 * level:g} % interval, holds {100 * inside:.0f} % of these rows")
    ax.plot(ends, ends, color=GREY, linewidth=1, linestyle="--", label="predicted = actual")
    _points(ax, predicted, actual)
    ax.set_xlabel(f"predicted {name}")
    ax.set_ylabel(f"actual {name}")
    ax.set_title("Predicted and actual")
    rmse = np.sqrt(np.mean((actual - predicted) ** 2))
    spread = np.sum((actual - actual.mean()) ** 2)
    _note(ax, f"{len(actual)} rows\nRMSE {rmse:.3g}" +
          (f"\nR² {1 - np.sum((actual - predicted) ** 2) / spread:.3f}" if spread > 0 else ""))
    ax.legend(frameon=False, loc="upper left")
    return ax


def residuals(estimator: Any, X: ArrayLike, y: ArrayLike, ax: Axes | None = None, *, interval: float | None = 0.9,
              target: int = 0) -> Axes:
    """Actual less predicted values over the predicted ones, their running median, and the prediction interval."""
    check_is_fitted(estimator)
    actual, predicted, low, high, level = _predictions(estimator, X, y, interval, target)
    name = _names(estimator)[target]
    error = actual - predicted
    ax = _axes(ax)
    if level is not None:
        _band(ax, predicted, low - predicted, high - predicted, np.zeros_like, f"{100 * level:g} % interval")
    ax.axhline(0, color=GREY, linewidth=1, linestyle="--")
    _points(ax, predicted, error)
    if len(error) >= 100:
        middle, median = _bins(predicted, error)
        ax.plot(middle, median, color=ORANGE, label="running median")
    ax.set_xlabel(f"predicted {name}")
    ax.set_ylabel(f"actual less predicted {name}")
    ax.set_title("Residuals")
    _note(ax, f"{len(error)} rows\nmean {error.mean():.2g}\ndeviation {error.std():.3g}")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, loc="upper left")
    return ax


def importance(estimator: Any, X: Any = None, y: Any = None, ax: Axes | None = None, *, top: int | None = 20) -> Axes:
    """By how much the RMSE rises when a column is shuffled: the mean and, as a line, the deviation of the shuffles.

    Of the rows X and y, or without them as it was kept of training. The most important columns first, `top` of them
    (None: all).
    """
    found = estimator.feature_importance(X, y)
    names, mean, std = found["feature_names"], found["importances_mean"], found["importances_std"]
    order = np.argsort(-mean, kind="stable")
    shown = order if top is None else order[:top]
    ax = _axes(ax, height=0.9 + 0.3 * max(4, len(shown)))
    at = np.arange(len(shown))
    ax.barh(at, mean[shown], xerr=std[shown], color=BLUE, height=0.65, error_kw={"ecolor": GREY, "capsize": 3})
    ax.set_yticks(at, [names[i] for i in shown])
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    ax.tick_params(axis="y", length=0)
    targets = _names(estimator)
    of_what = targets[0] if len(targets) == 1 else "the scaled targets"
    ax.set_xlabel(f"rise of the RMSE of {of_what} when shuffled")
    left_out = len(order) - len(shown)
    ax.set_title("Importance" + (f", the first {len(shown)} of {len(order)} columns" if left_out else ""))
    return ax


def partial_dependence(estimator: Any, column: str | int, X: Any = None, ax: Axes | None = None, *,
                       target: int = 0) -> Axes:
    """The mean prediction when a column has one value in all rows, for some of its values or levels.

    Of the rows X, or without them as it was kept of training, which has the most important columns alone.
    """
    found = estimator.partial_dependence(column, X)
    name, at, mean = found["feature"], found["grid_values"], _column(found["average"], target)
    ax = _axes(ax)
    if at.dtype == object:  # categories
        places = np.arange(len(at))
        ax.plot(places, mean, "o", color=BLUE)
        ax.set_xticks(places, at, rotation=30 if len(at) > 6 else 0)
        ax.set_xlim(-0.5, len(at) - 0.5)
    else:
        ax.plot(at, mean, "o-", color=BLUE, markersize=4)
    ax.set_xlabel(name)
    ax.set_ylabel(f"mean predicted {_names(estimator)[target]}")
    ax.set_title(f"Effect of {name}")
    return ax


# --- what estimators say ---------------------------------------------------------------------------------------------
def _names(estimator: Any) -> list[str]:
    return list(estimator.target_names_)


def _predictions(estimator: Any, X: Any, y: ArrayLike, interval: float | None, target: int
                 ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float | None]:
    """Of one target: actual, predicted, and the bounds at a level, or None for an estimator that has no intervals."""
    if not 0 <= target < len(_names(estimator)):
        raise ValueError(f"target = {target}: the estimator has {len(_names(estimator))} targets, from 0")
    # A level that the model has too few rows for is the caller's mistake; to have no intervals at all is not.
    level = interval if estimator._model.has_intervals else None
    predicted = estimator.predict(X) if level is None else estimator.predict(X, interval=level)
    parts = [_column(part, target) for part in ((predicted,) * 3 if level is None else predicted)]
    actual = _column(y, target)
    if len(actual) != len(parts[0]):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(parts[0]), len(actual)]}")
    return actual, *parts, level  # type: ignore[return-value]


def _column(values: ArrayLike, target: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    return values if values.ndim == 1 else values[:, target]


# --- drawing ---------------------------------------------------------------------------------------------------------
def _axes(ax: Axes | None, *, square: bool = False, height: float | None = None) -> Axes:
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("sconet.plot draws with matplotlib, which is not installed: pip install matplotlib, or "
                              "on Debian and Ubuntu apt-get install python3-matplotlib") from error
        size = (5.6, 5.4) if square else (6.4, height or 4.2)
        ax = plt.subplots(figsize=size, layout="constrained")[1]
        if square:
            ax.set_box_aspect(1)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def _points(ax: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Points that stay apart when few and show where many lie when many; rasterised, so that an SVG stays small."""
    crowd = len(x)
    ax.scatter(x, y, s=float(np.clip(4000 / crowd, 3, 22)), alpha=float(np.clip(60 / np.sqrt(crowd), 0.08, 0.7)),
               color=BLUE, linewidths=0, rasterized=crowd > 2000, zorder=2)


def _bins(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Medians of x and y over runs of some forty rows with about the same x, or more, so that there are at most 30."""
    runs = np.array_split(np.argsort(x, kind="stable"), int(np.clip(len(x) // 40, 1, 30)))
    return np.array([np.median(x[run]) for run in runs]), np.array([np.median(y[run]) for run in runs])


def _band(ax: Axes, x: np.ndarray, below: np.ndarray, above: np.ndarray, base: Callable[[np.ndarray], np.ndarray],
          label: str) -> None:
    """Bounds below and above a base line, as medians over runs of rows, from the least x to the largest."""
    middle, lower = _bins(x, below)
    upper = _bins(x, above)[1]
    ends = np.array([x.min(), x.max()])
    at = np.concatenate([ends[:1], middle, ends[1:]])  # np.interp goes on evenly beyond the first and the last run
    ax.fill_between(at, base(at) + np.interp(at, middle, lower), base(at) + np.interp(at, middle, upper), color=BAND,
                    alpha=0.8, linewidth=0, label=label, zorder=1)


def _note(ax: Axes, text: str) -> None:
    ax.text(0.97, 0.03, text, transform=ax.transAxes, ha="right", va="bottom", color=GREY, fontsize="small",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7})
