"""A soft sensor: the impurity of a product, which the laboratory measures late, from what the plant measures at once.

The data are made here: a column whose temperatures, pressure and flows go up and down together, an analyser that sees
the column as it was half an hour ago, three grades of product, thermometers that fail now and then, and a noisy
laboratory. Run it with a file name for a picture:

    python3 python/examples/soft_sensor.py soft_sensor.svg
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd

from sconet import DataWarning, SCNRegressor, plot

LAG = 3  # samples, ten minutes each
NOISE = 0.10  # deviation of the laboratory, in % of impurity


def wander(random: np.random.Generator, rows: int, memory: float) -> np.ndarray:
    """A first-order autoregression with mean 0 and deviation 1."""
    values = random.normal(size=rows)
    for i in range(1, rows):
        values[i] = memory * values[i - 1] + np.sqrt(1 - memory**2) * values[i]
    return values


def make_plant(rows: int = 2400, seed: int = 1) -> tuple[pd.DataFrame, pd.Series]:
    random = np.random.default_rng(seed)
    load, feed = wander(random, rows, 0.97), wander(random, rows, 0.95)
    grade = np.repeat(random.choice(["light", "medium", "heavy"], size=rows // 40 + 1), 40)[:rows]
    offset = pd.Series(grade).map({"light": 0.0, "medium": 0.6, "heavy": 1.5}).to_numpy()
    reflux = 2.5 + 0.25 * wander(random, rows, 0.9) + 0.05 * load
    pressure = 1.8 + 0.04 * load + 0.02 * wander(random, rows, 0.8)
    top = 78 + 1.5 * load - 4 * (reflux - 2.5) + 1.2 * feed + 20 * (pressure - 1.8) + random.normal(0, 0.2, rows)
    bottom = 112 + 2.5 * load + 0.8 * feed + 20 * (pressure - 1.8) + random.normal(0, 0.2, rows)
    flow = 40 + 5 * load + random.normal(0, 0.5, rows)
    table = pd.DataFrame({
        "flow [t/h]": flow,
        "reflux ratio": reflux,
        "pressure [bar]": pressure,
        "top [°C]": top,
        "bottom [°C]": bottom,
        "grade": pd.Categorical(np.roll(grade, LAG)),  # of what the laboratory sees
    })
    # A temperature means another composition at another pressure, and impurity rises steeply when the top is too hot.
    heat = (top - 78 - 20 * (pressure - 1.8)) / 2
    impurity = 1.2 + offset + np.log1p(np.exp(1.2 * heat)) - 0.8 * np.tanh(3 * (reflux - 2.5)) + 0.3 * offset * heat
    for name in ("top [°C]", "bottom [°C]"):
        table.loc[random.random(rows) < 0.03, name] = np.nan  # a thermometer fails
    # The plant is slow: the laboratory sees what the column did LAG samples ago.
    for name in ("reflux ratio", "pressure [bar]", "top [°C]", "bottom [°C]"):
        table[f"{name}, {10 * LAG} min ago"] = table[name].shift(LAG)
    target = pd.Series(np.roll(impurity, LAG) + random.normal(0, NOISE, rows), name="impurity [%]")
    return table.iloc[LAG:].reset_index(drop=True), target.iloc[LAG:].reset_index(drop=True)


def rms(error: np.ndarray) -> float:
    return float(np.sqrt(np.mean(error**2)))


def main(picture: str | None) -> None:
    table, impurity = make_plant()
    learn = len(table) * 2 // 3  # the past teaches, the rest is new
    # Cells without a value are filled in; with an input that says so, the network can make allowances.
    warnings.simplefilter("ignore", DataWarning)  # how many there were in each column
    sensor = SCNRegressor(missing_indicator=True).fit(table[:learn], impurity[:learn])
    mean, low, high = sensor.predict(table[learn:], interval=0.9)
    actual = impurity[learn:].to_numpy()
    error = actual - mean
    inside = np.mean((low <= actual) & (actual <= high))
    gaps = table[learn:].isna().any(axis=1).to_numpy()
    print(f"{sensor.n_nodes_} nodes learnt from {learn} rows; RMSE on the {len(actual)} rows after, in % impurity:")
    for what, rmse in {"all rows": rms(error), f"the {gaps.sum()} rows with failed thermometers": rms(error[gaps]),
                       "other rows": rms(error[~gaps]), "the laboratory's noise": NOISE,
                       "always the mean": actual.std()}.items():
        print(f"  {what:40} {rmse:.3f}")
    print(f"the 90 % interval held {100 * inside:.0f} % of them and is {np.mean(high - low):.2f} wide")
    print("importance, the rise of the RMSE on training rows when a column is shuffled:")
    found = sensor.feature_importance()
    for i in np.argsort(-found.importances_mean):
        print(f"  {found.feature_names[i]:40} {found.importances_mean[i]:.3f} +- {found.importances_std[i]:.3f}")
    if picture is None:
        return

    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "sconet", "font.size": 9})
    figure, axes = plt.subplot_mosaic([["time", "time"], ["actual", "importance"]], figsize=(10, 7.2),
                                      layout="constrained", height_ratios=[1, 1.35])
    shown = slice(0, 150)
    hours = np.arange(150) / 6
    ax = axes["time"]
    ax.fill_between(hours, low[shown], high[shown], color=plot.BAND, linewidth=0, label="90 % interval")
    ax.plot(hours, mean[shown], color=plot.BLUE, linewidth=1.2, label="soft sensor")
    ax.plot(hours, actual[shown], ".", color=plot.ORANGE, markersize=5, label="laboratory")
    ax.set(xlabel="hours after the last row that taught", ylabel="impurity [%]", title="A day of new rows",
           xlim=(0, 25), ylim=(0, 7.5))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, ncols=3, loc="upper right")
    plot.predicted_vs_actual(sensor, table[learn:], impurity[learn:], ax=axes["actual"])
    plot.importance(sensor, ax=axes["importance"])
    figure.savefig(picture, metadata={"Date": None} if picture.endswith(".svg") else None)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
