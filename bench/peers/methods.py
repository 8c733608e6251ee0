"""What is compared: sconet, run as a user runs it, and the models of XGBoost and scikit-learn.

Every method may use the training and the validation rows as it likes. Seconds are those of fitting, with every fit
that a choice takes and without reading files. The test rows are seen once, by the model that was chosen.
"""

import csv
import functools
import itertools
import json
import pickle
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sets import Part, Split, paper_rmpi
from tables import timed

BATCH = 10_000  # rows predicted at a time
ENSEMBLE = 10
THOROUGH_CELLS = 1_000_000  # a table with more is not worth the time of a thorough ensemble
INTERVAL = 0.9
EXACT_KERNEL_ROWS = 4000  # with more, kernel ridge regression goes through Nystroem's features


@dataclass
class Outcome:
    rmse: float
    seconds: float
    microseconds: float  # to predict a row, on one thread, of a batch
    bytes: int
    size: float
    unit: str  # of the size
    chosen: str = ""
    coverage: float | None = None  # share of the test rows in the interval


@dataclass
class Setting:
    """Where and how everything runs."""

    sconet: Path
    predict_speed: Path
    threads: int


@dataclass
class Method:
    id: str
    title: str
    by: str  # sconet, xgboost or sklearn
    settings: str
    run: Callable[[Split, Setting], Outcome]
    usual: bool = True  # run when no methods are named
    probe: list[str] = field(default_factory=list)  # arguments that the program may not know yet


# --- sconet -----------------------------------------------------------------------------------------------------------
class ProgramError(Exception):
    """A program failed; its message."""


def ask(command: list) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise ProgramError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def train(split: Split, setting: Setting, table: str, arguments: Iterable[str]) -> dict:
    """The program's JSON; the model is in m.sconet."""
    command = [setting.sconet, "train", split.path(table), "--target", split.set.target, *arguments]
    command += ["--seed", split.seed, "--threads", setting.threads, "--json", "-q", "-o", split.path("m.sconet")]
    return json.loads(ask(command))


def columns(text: str) -> dict[str, np.ndarray]:
    header, *rows = csv.reader(text.splitlines())
    return dict(zip(header, np.array(rows, dtype=float).T))


def outcome(split: Split, setting: Setting, said: dict, seconds: float, chosen: str = "") -> Outcome:
    model, test, target = split.path("m.sconet"), split.path("test.csv"), split.set.target
    predicted = columns(ask([setting.sconet, "predict", model, test, "-q"]))[target]
    speed = json.loads(ask([setting.predict_speed, model, test]))["microseconds_per_row"]
    return Outcome(
        split.test.rmse(predicted), seconds, speed, model.stat().st_size, said["nodes"], "nodes", chosen
    )


def coverage(split: Split, setting: Setting) -> float | None:
    """Of the intervals of m.sconet; none if the program has no intervals."""
    target = split.set.target
    if "--interval" not in ask([setting.sconet, "predict", "--help"]):
        return None
    command = [setting.sconet, "predict", split.path("m.sconet"), split.path("test.csv"), "-q"]
    table = columns(ask([*command, "--interval", INTERVAL]))
    y = split.test.y
    return float(np.mean((table[f"{target}_low"] <= y) & (y <= table[f"{target}_high"])))


def auto(split: Split, setting: Setting, arguments: list[str]) -> Outcome:
    said = train(split, setting, "train.csv", arguments)
    result = outcome(split, setting, said, said["seconds"])
    result.coverage = coverage(split, setting)
    return result


def ensemble(split: Split, setting: Setting) -> Outcome:
    effort = "thorough" if split.both.X.size <= THOROUGH_CELLS else "normal"
    return auto(split, setting, ["--method", "auto", "--ensemble", str(ENSEMBLE), "--effort", effort])


def combinations(choices: dict[str, list]) -> list[dict]:
    return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


def flags(options: dict) -> list[str]:
    return [str(part) for name, value in options.items() for part in (f"--{name}", value)]


def text_of(options: dict) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())


def best_on_valid(split: Split, setting: Setting, base: list[str], grid: list[dict]) -> tuple[dict, dict, float]:
    """The options with the lowest RMSE on the validation rows, what the program said of them, and the seconds of all.
    Their model is in m.sconet."""
    best, seconds = None, 0.0
    for options in grid:
        said = train(split, setting, "part.csv", [*base, "--valid", str(split.path("valid.csv")), *flags(options)])
        seconds += said["seconds"]
        if best is None or said["valid"]["rmse"] < best[1]["valid"]["rmse"]:
            best = options, said
            split.path("m.sconet").replace(split.path("best.sconet"))
    split.path("best.sconet").replace(split.path("m.sconet"))
    return best[0], best[1], seconds


# The grid and the batches of the study (src/study/methods.cpp); networks are as large as the paper's.
RMPI_GRID = {"scales": ["2,5", "1,2,5,10", "1,5,25,100,250"], "r": [0.9, 0.99], "ridge": [0, 0.0003]}


def rmpi(split: Split, setting: Setting) -> Outcome:
    cells = split.train.X.size
    candidates = 1000 if cells <= 22_000 else 500 if cells <= 100_000 else 300 if cells <= 500_000 else 100
    nodes = int(paper_rmpi()[split.set.id].nodes)
    base = ["--method", "rmpi", "--scaling", "standard", "--keep-all", "--patience", "0"]
    base += flags({"max-nodes": nodes, "candidates": candidates})
    options, said, seconds = best_on_valid(split, setting, base, combinations(RMPI_GRID))
    return outcome(split, setting, said, seconds, text_of(options))


RVFL_GRID = {"max-nodes": [100, 400], "range": [0.5, 2, 10, 60], "ridge": [0, 0.0003]}


def rvfl(split: Split, setting: Setting) -> Outcome:
    base = ["--method", "rvfl", "--scaling", "standard", "--intercept", "--keep-all", "--patience", "0"]
    grid = [options for options in combinations(RVFL_GRID) if 2 * options["max-nodes"] <= len(split.train.y)]
    options, _, seconds = best_on_valid(split, setting, base, grid)
    said = train(split, setting, "train.csv", [*base, *flags(options)])
    return outcome(split, setting, said, seconds + said["seconds"], text_of(options))


# --- the others, in this process --------------------------------------------------------------------------------------
def microseconds(predict: Callable[[np.ndarray], np.ndarray], X: np.ndarray) -> float:
    """As bench_predict_speed measures ours: the median of at least 5 batches and 0.3 s, on one thread."""
    from threadpoolctl import threadpool_limits

    batch = X[np.arange(BATCH) % len(X)]
    with threadpool_limits(1):
        if not np.array_equal(predict(batch), predict(batch)):
            raise RuntimeError("a repeated prediction differs")
        seconds, end = [], time.perf_counter() + 0.3
        while len(seconds) < 5 or time.perf_counter() < end:
            seconds.append(timed(lambda: predict(batch))[0])
    return statistics.median(seconds) * 1e6 / BATCH


XGBOOST = {"learning_rate": 0.05, "max_depth": 6, "subsample": 0.8, "colsample_bytree": 0.8, "tree_method": "hist"}
ROUNDS, EARLY = 5000, 50


class Scale:
    """Of a target: mean 0 and deviation 1. XGBoost 1.7 starts from 0.5 whatever the target, and does worse on very
    small numbers; docs/architecture.md has the figures."""

    def __init__(self, y: np.ndarray):
        self.mean, self.deviation = y.mean(), y.std()

    def scaled(self, y: np.ndarray) -> np.ndarray:
        return (y - self.mean) / self.deviation

    def restored(self, y: np.ndarray) -> np.ndarray:
        return y * self.deviation + self.mean


def xgb(split: Split, threads: int, **options):
    import xgboost

    return xgboost.XGBRegressor(n_jobs=threads, random_state=split.seed, base_score=0, **XGBOOST, **options)


@functools.lru_cache(maxsize=1)
def stopped_early(split: Split, threads: int):
    """Both variants begin with it, so that it is fitted once for a split."""
    model, scale = xgb(split, threads, n_estimators=ROUNDS, early_stopping_rounds=EARLY), Scale(split.train.y)
    y, valid = scale.scaled(split.train.y), (split.valid.X, scale.scaled(split.valid.y))
    seconds, _ = timed(lambda: model.fit(split.train.X, y, eval_set=[valid], verbose=False))
    return model, scale, model.best_iteration + 1, seconds


def of_xgboost(model, scale: Scale, trees: int, seconds: float, test: Part) -> Outcome:
    booster = model.get_booster()
    booster.set_param("nthread", 1)
    predict = lambda X: scale.restored(model.predict(X))
    size = len(booster[:trees].save_raw(raw_format="ubj"))
    return Outcome(test.rmse(predict(test.X)), seconds, microseconds(predict, test.X), size, trees, "trees")


def xgboost_early(split: Split, setting: Setting) -> Outcome:
    return of_xgboost(*stopped_early(split, setting.threads), split.test)


def xgboost_refit(split: Split, setting: Setting) -> Outcome:
    _, _, trees, before = stopped_early(split, setting.threads)
    model, scale = xgb(split, setting.threads, n_estimators=trees), Scale(split.both.y)
    seconds, _ = timed(lambda: model.fit(split.both.X, scale.scaled(split.both.y)))
    return of_xgboost(model, scale, trees, before + seconds, split.test)


def of_sklearn(model, seconds: float, test: Part, size: float, unit: str, chosen: str = "") -> Outcome:
    rmse = test.rmse(model.predict(test.X))
    return Outcome(rmse, seconds, microseconds(model.predict, test.X), len(pickle.dumps(model)), size, unit, chosen)


def hist_gradient(split: Split, setting: Setting) -> Outcome:
    from sklearn.ensemble import HistGradientBoostingRegressor

    share = len(split.valid.y) / len(split.both.y)
    trees = HistGradientBoostingRegressor(
        learning_rate=0.05, max_iter=ROUNDS, early_stopping=True, n_iter_no_change=EARLY, validation_fraction=share,
        random_state=split.seed,
    )
    model = standardised(trees)
    seconds, _ = timed(lambda: model.fit(*split.both))
    return of_sklearn(model, seconds, split.test, model.regressor_[-1].n_iter_, "trees")


def standardised(*steps):
    """A regressor after steps, of inputs and a target with mean 0 and deviation 1."""
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return TransformedTargetRegressor(make_pipeline(StandardScaler(), *steps), transformer=StandardScaler())


def refitted_best(split: Split, make: Callable[[dict], object], grid: list[dict]) -> tuple[object, dict, float]:
    """The options with the lowest RMSE on the validation rows, fitted to all rows; and the seconds of all fits."""

    def choose():
        rmse = [split.valid.rmse(make(options).fit(*split.train).predict(split.valid.X)) for options in grid]
        options = grid[int(np.argmin(rmse))]
        return make(options).fit(*split.both), options

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some settings of a grid are nearly singular or do not converge
        seconds, (model, options) = timed(choose)
    return model, options, seconds


MLP_GRID = {"sizes": [(100,), (64, 64)], "rate": [0.003]}


def mlp(split: Split, setting: Setting) -> Outcome:
    from sklearn.neural_network import MLPRegressor

    def make(options):
        network = MLPRegressor(
            options["sizes"], learning_rate_init=options["rate"], early_stopping=True, n_iter_no_change=20,
            max_iter=2000, random_state=split.seed,
        )
        return standardised(network)

    model, options, seconds = refitted_best(split, make, combinations(MLP_GRID))
    return of_sklearn(model, seconds, split.test, sum(options["sizes"]), "nodes", text_of(options))


# gamma is in units of 1 / number of inputs.
KERNEL_GRID = {"kernel": ["rbf", "laplacian"], "gamma": [0.1, 0.3, 1, 3, 30], "alpha": [1e-6, 1e-3, 0.1, 1]}
NYSTROEM_GRID = {"kernel": ["rbf", "laplacian"], "gamma": [0.1, 0.3, 1], "alpha": [1e-3, 0.1]}
NYSTROEM_FEATURES = 1000


def kernel_ridge(split: Split, setting: Setting) -> Outcome:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge

    rows, inputs = split.both.X.shape

    def exact(options):
        gamma = options["gamma"] / inputs
        return standardised(KernelRidge(kernel=options["kernel"], gamma=gamma, alpha=options["alpha"]))

    def by_features(options):
        features = Nystroem(
            options["kernel"], gamma=options["gamma"] / inputs, n_components=NYSTROEM_FEATURES, random_state=split.seed
        )
        return standardised(features, Ridge(options["alpha"]))

    if rows <= EXACT_KERNEL_ROWS:
        model, options, seconds = refitted_best(split, exact, combinations(KERNEL_GRID))
        return of_sklearn(model, seconds, split.test, rows, "rows", text_of(options))
    model, options, seconds = refitted_best(split, by_features, combinations(NYSTROEM_GRID))
    chosen = f"Nystroem, {text_of(options)}"
    return of_sklearn(model, seconds, split.test, NYSTROEM_FEATURES, "features", chosen)


# --- all of them ------------------------------------------------------------------------------------------------------
def sconet_auto(id: str, title: str, extra: list[str], usual: bool = True) -> Method:
    arguments = ["--method", "auto", *extra]
    run = lambda split, setting: auto(split, setting, arguments)
    return Method(id, title, "sconet", " ".join(arguments), run, usual, probe=arguments)


def all_methods() -> dict[str, Method]:
    stop = f"target standardised, at most {ROUNDS} rounds, stopped {EARLY} after the best"
    methods = [
        sconet_auto("auto", "sconet auto", []),
        sconet_auto("auto-45", "sconet auto, 45 nodes", ["--max-nodes", "45"], usual=False),
        sconet_auto("auto-quick", "sconet auto, quick", ["--effort", "quick"], usual=False),
        sconet_auto("auto-thorough", "sconet auto, thorough", ["--effort", "thorough"], usual=False),
        Method(
            "ensemble", f"sconet auto, ensemble of {ENSEMBLE}", "sconet",
            f"--method auto --ensemble {ENSEMBLE} --effort thorough, normal above {THOROUGH_CELLS} cells", ensemble,
            probe=["--method", "auto", "--ensemble", str(ENSEMBLE)],
        ),
        Method("rmpi", "sconet RMPI-SCN (the paper's)", "sconet", f"the study's grid {RMPI_GRID}", rmpi),
        Method("xgboost", "XGBoost, early stopping", "xgboost", f"{text_of(XGBOOST)}; {stop}", xgboost_early),
        Method(
            "xgboost-refit", "XGBoost, refitted on all rows", "xgboost",
            f"{text_of(XGBOOST)}; {stop}, then all rows", xgboost_refit,
        ),
        Method("hist", "HistGradientBoosting", "sklearn", f"learning_rate 0.05; {stop}", hist_gradient),
        Method("mlp", "MLPRegressor", "sklearn", f"early stopping, grid {MLP_GRID}, then all rows", mlp),
        Method(
            "kernel", "kernel ridge", "sklearn",
            f"grid {KERNEL_GRID}, then all rows; above {EXACT_KERNEL_ROWS} rows {NYSTROEM_FEATURES} features "
            f"of Nystroem and ridge, grid {NYSTROEM_GRID}",
            kernel_ridge,
        ),
        Method(
            "rvfl", "RVFL (sconet)", "sconet",
            f"grid {RVFL_GRID} with at most half as many nodes as rows, then all rows", rvfl,
        ),
    ]
    return {method.id: method for method in methods}


def unknown_to(setting: Setting, method: Method) -> str:
    """Why the program cannot run a method at all; empty if it can. Tried on a small table."""
    if not method.probe:
        return ""
    with tempfile.TemporaryDirectory(prefix="sconet-peers-") as folder:
        table, model = Path(folder) / "t.csv", Path(folder) / "m.sconet"
        ask([setting.sconet, "generate", "friedman", "--rows", "100", "-o", table])
        try:
            ask([setting.sconet, "train", table, "--target", "y", *method.probe, "-q", "-o", model])
        except ProgramError as error:
            return str(error).split(": ", 1)[1]
    return ""
