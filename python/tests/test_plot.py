"""The plots show the numbers that the estimators have, and say what they show."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sconet import RVFLRegressor, SCNRegressor, plot
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError

X, y = make_friedman1(600, n_features=6, noise=1.0, random_state=1)


@pytest.fixture(scope="module")
def automatic() -> SCNRegressor:
    return SCNRegressor(effort="quick").fit(X[:400], y[:400])


@pytest.fixture(scope="module")
def grown() -> SCNRegressor:
    return SCNRegressor(method="rmpi", max_nodes=60, patience=10, valid_fraction=0.25).fit(X, y)


@pytest.fixture(scope="module")
def named() -> SCNRegressor:
    frame = pd.DataFrame(X, columns=[f"t{i} [°C]" for i in range(6)])
    frame["grade"] = np.where(X[:, 5] > 0.5, "high", "low")
    return SCNRegressor(effort="quick").fit(frame, pd.Series(y + 3 * (X[:, 5] > 0.5), name="yield [%]"))


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def line(ax: Any, label: str) -> tuple[np.ndarray, np.ndarray]:
    found = [drawn for drawn in ax.get_lines() if drawn.get_label() == label]
    assert len(found) == 1, [drawn.get_label() for drawn in ax.get_lines()]
    return found[0].get_xdata(), found[0].get_ydata()


def texts(ax: Any) -> str:
    legend = ax.get_legend()
    return "\n".join([ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), *(text.get_text() for text in ax.texts),
                      *(text.get_text() for text in (legend.get_texts() if legend else []))])


def everything(model: SCNRegressor) -> list[Any]:
    return [lambda ax=None: plot.learning_curve(model, ax=ax),
            lambda ax=None: plot.predicted_vs_actual(model, X, y, ax=ax),
            lambda ax=None: plot.residuals(model, X, y, ax=ax),
            lambda ax=None: plot.importance(model, ax=ax),
            lambda ax=None: plot.partial_dependence(model, 0, ax=ax)]


def test_axes_are_made_or_taken_and_returned(automatic: SCNRegressor) -> None:
    settings = dict(matplotlib.rcParams)
    for draw in everything(automatic):
        own = draw()
        assert isinstance(own, matplotlib.axes.Axes)
        figure, given = plt.subplots()
        assert draw(given) is given
        for ax in (own, given):
            ax.figure.canvas.draw()  # nothing is refused when it is drawn
            assert ax.get_title() and ax.get_xlabel()
    assert dict(matplotlib.rcParams) == settings  # other pictures stay as they were


def test_nothing_is_cut_off(named: SCNRegressor) -> None:
    for draw in (plot.importance, plot.learning_curve):
        figure = draw(named).figure
        figure.canvas.draw()
        inside = figure.get_tightbbox(figure.canvas.get_renderer())
        width, height = figure.get_size_inches()
        assert inside.x0 >= 0 and inside.y0 >= 0 and inside.x1 <= width and inside.y1 <= height


def test_the_learning_curve_is_the_history(grown: SCNRegressor) -> None:
    ax = plot.learning_curve(grown)
    nodes, rmse = line(ax, "training rows")
    np.testing.assert_array_equal(nodes, grown.history_["nodes"])
    np.testing.assert_array_equal(rmse, grown.history_["train_rmse"])
    np.testing.assert_array_equal(line(ax, "validation rows")[1], grown.history_["valid_rmse"])
    assert grown.n_nodes_ < nodes[-1]  # validation dropped some, so that the mark is not at the end
    assert [grown.n_nodes_] * 2 in [list(drawn.get_xdata()) for drawn in ax.get_lines()]
    assert f"{grown.n_nodes_} nodes" in texts(ax) and "RMSE of y" in texts(ax)


def test_the_learning_curve_of_auto_has_the_rows_held_out(automatic: SCNRegressor) -> None:
    ax = plot.learning_curve(automatic)
    size, rmse = line(ax, "rows held out")
    assert (list(size), list(rmse)) == ([automatic.n_nodes_], [automatic.held_out_rmse_])
    assert "validation rows" not in texts(ax)


def test_predictions_are_drawn_over_the_targets(automatic: SCNRegressor) -> None:
    rows, actual = X[400:], y[400:]
    ax = plot.predicted_vs_actual(automatic, rows, actual, interval=0.8)
    points = np.asarray(ax.collections[-1].get_offsets())
    np.testing.assert_array_equal(points, np.column_stack([automatic.predict(rows), actual]))
    same = line(ax, "predicted = actual")
    np.testing.assert_array_equal(same[0], same[1])
    mean, low, high = automatic.predict(rows, interval=0.8)
    inside = 100 * np.mean((low <= actual) & (actual <= high))
    rmse = np.sqrt(np.mean((mean - actual) ** 2))
    assert f"80 % interval, holds {inside:.0f} % of these rows" in texts(ax)
    assert f"RMSE {rmse:.3g}" in texts(ax) and f"R² {automatic.score(rows, actual):.3f}" in texts(ax)


def test_residuals_and_their_band(automatic: SCNRegressor) -> None:
    rows, actual = X[400:], y[400:]
    ax = plot.residuals(automatic, rows, actual)
    predicted = automatic.predict(rows)
    band, points = ax.collections
    np.testing.assert_array_equal(np.asarray(points.get_offsets()), np.column_stack([predicted, actual - predicted]))
    _, low, high = automatic.predict(rows, interval=0.9)
    edge = band.get_paths()[0].vertices
    assert edge[:, 1].min() >= (low - predicted).min() and edge[:, 1].max() <= (high - predicted).max()
    assert (edge[:, 0].min(), edge[:, 0].max()) == (predicted.min(), predicted.max())
    np.testing.assert_allclose(edge[:, 1].max(), np.median(high - predicted), rtol=0.5)


def test_without_intervals_there_is_no_band() -> None:
    model = RVFLRegressor(max_nodes=20, intervals=False).fit(X, y)
    for draw in (plot.predicted_vs_actual, plot.residuals):
        ax = draw(model, X, y)
        assert "interval" not in texts(ax) and len(ax.collections) == 1


def test_the_importance_is_sorted_and_has_error_bars(named: SCNRegressor) -> None:
    found = named.feature_importance()
    order = np.argsort(-found.importances_mean)
    ax = plot.importance(named)
    bars = ax.containers[-1] if len(ax.containers[-1]) == 7 else ax.containers[0]
    np.testing.assert_array_equal([bar.get_width() for bar in bars], found.importances_mean[order])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(found.feature_names[order])
    lengths = [segment[1][0] - segment[0][0] for segment in bars.errorbar.lines[2][0].get_segments()]
    np.testing.assert_allclose(lengths, 2 * found.importances_std[order], atol=1e-12)
    assert "yield [%]" in ax.get_xlabel() and ax.yaxis_inverted()
    assert len(plot.importance(named, top=3).get_yticklabels()) == 3
    assert "the first 3 of 7 columns" in texts(plot.importance(named, top=3))


def test_importance_and_effects_of_other_rows(automatic: SCNRegressor) -> None:
    found = automatic.feature_importance(X[400:], y[400:])
    bars = plot.importance(automatic, X[400:], y[400:]).patches
    np.testing.assert_array_equal([bar.get_width() for bar in bars], np.sort(found.importances_mean)[::-1])
    effect = automatic.partial_dependence("x4", X[400:])
    drawn = plot.partial_dependence(automatic, "x4", X[400:]).get_lines()[0]
    np.testing.assert_array_equal(drawn.get_ydata(), effect["average"])


def test_the_effect_of_a_category_has_its_levels(named: SCNRegressor) -> None:
    ax = plot.partial_dependence(named, "grade")
    assert sorted(label.get_text() for label in ax.get_xticklabels()) == ["high", "low"]
    assert ax.get_ylabel() == "mean predicted yield [%]" and ax.get_xlabel() == "grade"
    values = dict(zip([label.get_text() for label in ax.get_xticklabels()], ax.get_lines()[0].get_ydata()))
    assert 2 < values["high"] - values["low"] < 4
    number = plot.partial_dependence(named, "t3 [°C]").get_lines()[0]
    assert (np.diff(number.get_xdata()) > 0).all() and (np.diff(number.get_ydata()) > 0).all()


def test_one_of_several_targets() -> None:
    Y = np.column_stack([y, -2 * y])
    model = SCNRegressor(method="rmpi", max_nodes=30).fit(X, Y)
    ax = plot.predicted_vs_actual(model, X, Y, target=1)
    points = np.asarray(ax.collections[-1].get_offsets())
    np.testing.assert_array_equal(points, np.column_stack([model.predict(X)[:, 1], Y[:, 1]]))
    assert ax.get_xlabel() == "predicted y2"
    assert "scaled targets" in texts(plot.learning_curve(model)) and "scaled targets" in texts(plot.importance(model))
    with pytest.raises(ValueError, match="target = 2: the estimator has 2 targets"):
        plot.residuals(model, X, Y, target=2)


def test_a_few_rows_and_one() -> None:
    model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    for rows in (1, 3):
        for draw in (plot.predicted_vs_actual, plot.residuals):
            draw(model, X[:rows], y[:rows]).figure.canvas.draw()


def test_mistakes_are_refused() -> None:
    unfitted = SCNRegressor()
    for draw in everything(unfitted):
        with pytest.raises(NotFittedError):
            draw()
    model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot.residuals(model, X, y[:5])
    with pytest.raises(ValueError, match="feature = 'x9'"):
        plot.partial_dependence(model, "x9")
    assert not plt.get_fignums()  # nothing half drawn is left behind


def test_matplotlib_is_needed_for_drawing_alone() -> None:
    program = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
import numpy as np
from sconet import SCNRegressor, plot
X = np.random.default_rng(1).random((50, 2))
model = SCNRegressor(method="rmpi", max_nodes=5).fit(X, X[:, 0])
try:
    plot.learning_curve(model)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "sconet.plot draws with matplotlib" in done.stdout and "pip install matplotlib" in done.stdout
