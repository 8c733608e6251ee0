"""The paper's first function, DB1, by networks that are grown and by networks that are trained by gradients.

Three narrow bumps on [0, 1], 1500 points of which 60 % teach and 20 % test. scikit-learn's MLP gets its best chance:
scaled inputs and targets, L-BFGS, and the best of three starts by its training error. Run it with a file name for a
picture:

    python3 python/examples/db1_against_mlp.py db1.svg
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from sconet import SCNRegressor, plot

NODES = 45


def db1(x: np.ndarray) -> np.ndarray:
    return (0.2 * np.exp(-((10 * x - 4) ** 2)) + 0.5 * np.exp(-((80 * x - 40) ** 2))
            + 0.3 * np.exp(-((80 * x - 20) ** 2)))


def mlp(activation: str, solver: str, seed: int) -> Any:
    network = MLPRegressor((NODES,), activation=activation, solver=solver, max_iter=3000, max_fun=10**6, tol=1e-9,
                           random_state=seed, alpha=1e-10)
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), network), transformer=StandardScaler())


def best_of(starts: int, activation: str) -> Callable[[np.ndarray, np.ndarray], Any]:
    def fit(X: np.ndarray, y: np.ndarray) -> Any:
        return max((mlp(activation, "lbfgs", seed).fit(X, y) for seed in range(starts)), key=lambda m: m.score(X, y))
    return fit


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "SCN, auto": lambda X, y: SCNRegressor().fit(X, y),
    "SCN, auto, tolerance 1e-9": lambda X, y: SCNRegressor(tolerance=1e-9).fit(X, y),
    f"SCN, rmpi, {NODES} nodes": lambda X, y: SCNRegressor(method="rmpi", max_nodes=NODES).fit(X, y),
    f"MLP, Adam, relu, {NODES} nodes": lambda X, y: mlp("relu", "adam", 0).fit(X, y),
    f"MLP, L-BFGS, tanh, {NODES} nodes": lambda X, y: mlp("tanh", "lbfgs", 0).fit(X, y),
    "the same, best of 3 starts": best_of(3, "tanh"),
}


def main(picture: str | None) -> None:
    X = np.linspace(0, 1, 1500)[:, None]
    y = db1(X[:, 0])
    rows = np.random.default_rng(1).permutation(len(X))
    learn, test = rows[:900], rows[1200:]
    warnings.simplefilter("ignore", ConvergenceWarning)
    fitted = {}
    print(f"{'':32} {'nodes':>6} {'seconds':>8} {'test RMSE':>10}")
    for name, fit in METHODS.items():
        begin = time.perf_counter()
        with threadpool_limits(1, "blas"):  # a BLAS with more threads takes longer for matrices as small as these
            model = fit(X[learn], y[learn])
        seconds = time.perf_counter() - begin
        rmse = np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2))
        fitted[name] = model, rmse
        print(f"{name:32} {getattr(model, 'n_nodes_', NODES):6} {seconds:8.2f} {rmse:10.2g}")
    if picture is None:
        return

    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "sconet", "font.size": 9})
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6.4), sharex=True, layout="constrained")
    colours = {"SCN, auto": plot.BLUE, f"MLP, Adam, relu, {NODES} nodes": plot.GREY,
               "the same, best of 3 starts": plot.ORANGE}
    labels = {"SCN, auto": f"SCN, auto, {fitted['SCN, auto'][0].n_nodes_} nodes",
              "the same, best of 3 starts": f"MLP, L-BFGS, tanh, {NODES} nodes,\nbest of 3 starts"}
    above.plot(X, y, color="black", linewidth=3, alpha=0.25, label="DB1")
    for name, colour in colours.items():
        model, rmse = fitted[name]
        label = f"{labels.get(name, name)}: RMSE {rmse:.0e}"
        predicted = model.predict(X)
        above.plot(X, predicted, color=colour, linewidth=1.1, label=label)
        below.plot(X, np.maximum(np.abs(predicted - y), 1e-9), color=colour, linewidth=0.9)
    above.set(ylabel="y", title="DB1, three narrow bumps")
    above.legend(frameon=False, loc="upper left", bbox_to_anchor=(0.58, 1))
    below.set(xlabel="x", ylabel="absolute error", yscale="log", xlim=(0, 1))
    for ax in (above, below):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(True, color="#dddddd", linewidth=0.6)
    figure.savefig(picture, metadata={"Date": None} if picture.endswith(".svg") else None)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
