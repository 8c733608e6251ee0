"""What Python costs on top of the engine: python3 python/bench/overhead.py, with the package in PYTHONPATH.

Prints the time to predict one row, what fit() takes beyond training itself, and the memory to predict a million rows.
"""

from __future__ import annotations

import statistics
import time
from typing import Callable

import numpy as np

from sconet import RVFLRegressor, SCNRegressor, __version__


def best_of(repeats: int, number: int, call: Callable[[], object]) -> tuple[float, float]:
    """The least and the median time of one call, in seconds."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - begin) / number)
    return min(times), statistics.median(times)


def high_water() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((100, 16))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(100)
    print(f"sconet {__version__}, numpy {np.__version__}")
    for name, model in (
        ("auto", SCNRegressor().fit(X, y)),
        ("RMPI-SCN", SCNRegressor(method="rmpi", max_nodes=100).fit(rng.random((500, 16)), rng.random(500))),
    ):
        row = X[:1]
        least, median = best_of(20, 2000, lambda model=model, row=row: model.predict(row))
        nodes = model.n_nodes_
        print(f"predict one row, {name} with {nodes} nodes: {least * 1e6:.1f} us at best, {median * 1e6:.1f} us median")
    for name, model in (
        ("RVFL", RVFLRegressor(max_nodes=20, explain=False, intervals=False)),
        ("RMPI-SCN", SCNRegressor(method="rmpi", max_nodes=20, explain=False, intervals=False)),
        ("auto", SCNRegressor(effort="quick")),
    ):
        beyond = []
        for _ in range(20):
            begin = time.perf_counter()
            model.fit(X, y)
            beyond.append(time.perf_counter() - begin - model.fit_seconds_)
        print(
            f"fit 100 rows, {name}: {min(beyond) * 1e3:.2f} ms at best, {statistics.median(beyond) * 1e3:.2f} ms "
            f"median beyond the {model.fit_seconds_ * 1e3:.1f} ms of training"
        )
    big = rng.random((1_000_000, 16))
    model = SCNRegressor(method="rmpi", max_nodes=20).fit(big[:500], big[:500, 0])
    model.predict(big[:100_000])
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the mark is lowered to what is in use now
    before = high_water()
    begin = time.perf_counter()
    predicted = model.predict(big)
    seconds = time.perf_counter() - begin
    print(
        f"predict 1,000,000 x 16: {seconds:.3f} s; peak memory grew by {(high_water() - before) / 1e6:.1f} MB, of "
        f"which the result is {predicted.nbytes / 1e6:.1f} MB (the array: {big.nbytes / 1e6:.0f} MB)"
    )


if __name__ == "__main__":
    main()
