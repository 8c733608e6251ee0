"""The page of a comparison, from its runs."""

import statistics
from collections import defaultdict
from collections.abc import Callable

from methods import BATCH, INTERVAL, all_methods
from sets import known_sets, paper_rmpi

IDLE = 0.3  # processors in use by others that do not spoil a time
Runs = dict[str, dict[str, list[dict]]]  # by set and method, in the catalogue's order and the methods'


def comparable(records: list[dict]) -> Runs:
    """Of each set and method the runs with the data, settings, threads and program of the last one, each split once."""
    latest = {(r["set"], r["method"]): r for r in records}
    same = lambda a, b: all(a[name] == b[name] for name in ("data", "settings", "threads", "program"))
    runs: Runs = {}
    for set_id in known_sets():
        for method in all_methods():
            if last := latest.get((set_id, method)):
                of_both = [r for r in records if r["set"] == set_id and r["method"] == method and same(r, last)]
                by_split = {r["split"]: r for r in of_both}
                runs.setdefault(set_id, {})[method] = [by_split[split] for split in sorted(by_split)]
    return runs


# --- numbers ----------------------------------------------------------------------------------------------------------
def number(x: float, digits: int = 4) -> str:
    return f"{x:.0f}" if abs(x) >= 10 ** (digits - 1) else f"{x:.{digits}g}"


def mean(runs: list[dict], name: str) -> float:
    return statistics.fmean(run[name] for run in runs)


def alone(runs: list[dict]) -> list[dict]:
    """Those whose times count: that had the machine to themselves, or all of them if none had."""
    return [run for run in runs if run["others"] <= IDLE] or runs


def time_of(runs: list[dict], name: str) -> str:
    """Marked where the machine had other work, too."""
    return number(mean(alone(runs), name), 3) + ("*" if alone(runs)[0]["others"] > IDLE else "")


def rmse(runs: list[dict]) -> str:
    values = [run["rmse"] for run in runs]
    spread = f" ± {number(statistics.stdev(values), 2)}" if len(values) > 1 else ""
    return number(statistics.fmean(values)) + spread


def worst(runs: list[dict]) -> float:
    values = [run["rmse"] for run in runs]
    return max(values) / statistics.median(values)


def covered(runs: list[dict]) -> float | None:
    shares = [run["coverage"] for run in runs if run["coverage"] is not None]
    return statistics.fmean(shares) if shares else None


def table(header: list[str], rows: list[list[str]], left: int = 1) -> str:
    rule = ["---" if i < left else "---:" for i in range(len(header))]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [header, rule, *rows])


# --- parts ------------------------------------------------------------------------------------------------------------
def set_table(methods: dict[str, list[dict]]) -> str:
    rows = []
    for runs in methods.values():
        title, unit = runs[-1]["title"], runs[-1]["unit"]
        if unit == "features":
            title += " (Nystroem)"
        rows.append([
            title, rmse(runs), str(len(runs)), f"{worst(runs):.2f}", time_of(runs, "seconds"),
            time_of(runs, "microseconds"), f"{mean(runs, 'bytes'):.0f}", f"{mean(runs, 'size'):.0f} {unit}",
        ])
    return table(
        ["method", "test RMSE", "splits", "largest / median", "training s", "prediction µs/row", "model bytes", "size"], rows
    )


class Verdicts:
    """A column of the summary: on how many of the sets a thing holds."""

    def __init__(self) -> None:
        self.held = self.asked = 0

    def judge(self, a: float | None, b: float | None, holds: Callable[[float, float], bool]) -> str:
        if a is None or b is None:
            return "–"
        self.asked += 1
        self.held += holds(a, b)
        return "yes" if holds(a, b) else "no"

    def text(self) -> str:
        return f"{self.held} of {self.asked}" if self.asked else "–"


def summary(runs: Runs) -> str:
    paper = paper_rmpi()
    against_paper, against_rmpi, time, accuracy, refitted = Verdicts(), Verdicts(), Verdicts(), Verdicts(), Verdicts()
    at_most, below = lambda a, b: a <= b, lambda a, b: a < b
    single, ensembles = [], []
    shown = lambda x: "–" if x is None else number(x)
    for set_id, methods in runs.items():
        of = lambda id: mean(methods[id], "rmse") if id in methods else None
        seconds = lambda id: mean(alone(methods[id]), "seconds") if id in methods else None
        auto, rmpi, papers = of("auto"), of("rmpi"), paper[set_id].rmse
        single.append([
            set_id, shown(auto), shown(papers), against_paper.judge(auto, papers, at_most),
            shown(rmpi), against_rmpi.judge(auto, rmpi, at_most),
            shown(seconds("auto")), shown(seconds("xgboost")), time.judge(seconds("auto"), seconds("xgboost"), at_most),
        ])
        ensemble, early, refit = of("ensemble"), of("xgboost"), of("xgboost-refit")
        ensembles.append([
            set_id, shown(ensemble), shown(early), accuracy.judge(ensemble, early, below),
            shown(refit), refitted.judge(ensemble, refit, below),
        ])
    single.append(["all", "", "", against_paper.text(), "", against_rmpi.text(), "", "", time.text()])
    ensembles.append(["all", "", "", accuracy.text(), "", refitted.text()])
    return table(
        ["set", "auto's RMSE", "RMPI-SCN's in the paper", "at or below", "our RMPI-SCN's", "at or below", "auto's s",
         "XGBoost's s", "at or below"], single,
    ) + "\n" + table(
        ["set", "ensemble's RMSE", "XGBoost's, early stopping", "below", "refitted on all rows", "below"], ensembles,
    )


def reliability(runs: Runs) -> str:
    rows = []
    for set_id, methods in runs.items():
        cells = [set_id]
        for id in ("auto", "ensemble"):
            share = covered(methods.get(id, []))
            cells.append("–" if share is None else f"{share:.1%}")
        cells += [f"{worst(methods[id]):.2f}" if id in methods else "–" for id in ("auto", "ensemble", "xgboost")]
        cells.append(str(max(run["bytes"] for run in methods["auto"])) if "auto" in methods else "–")
        rows.append(cells)
    return table(
        ["set", "coverage, auto", "coverage, ensemble", "largest / median, auto", "ensemble", "XGBoost",
         "bytes of auto's largest model"], rows
    )


def distinct(runs: Runs, name: str) -> list:
    every = [r[name] for methods in runs.values() for of_method in methods.values() for r in of_method]
    return sorted(set(every), key=str)


def split_counts(runs: Runs) -> str:
    """Sets and methods with fewer splits than the others are named."""
    most = max(len(r) for methods in runs.values() for r in methods.values())
    fewer = defaultdict(list)
    for set_id, methods in runs.items():
        for id, of_method in methods.items():
            if len(of_method) < most:
                fewer[set_id].append(f"{id} {len(of_method)}")
    if not fewer:
        return ""
    listed = "; ".join(f"{set_id}: {', '.join(methods)}" for set_id, methods in fewer.items())
    return f"\nFewer splits than {most} were run of these: {listed}.\n"


def page(records: list[dict]) -> str:
    runs = comparable(records)
    most = max(len(r) for methods in runs.values() for r in methods.values())
    threads = distinct(runs, "threads")
    share = min(distinct(runs, "blas_share"))
    others = max(distinct(runs, "others"))
    busy = (
        "\nTimes are means over the runs that had the machine to themselves. Where no run had, a star says so, and the time "
        f"is too long: others used up to {others:.1f} processors meanwhile. Errors do not depend on it.\n"
    )
    files = any(known_sets()[set_id].file for set_id in runs)
    command = f"{'SCONET_DATA=DIR ' if files else ''}./run bench peers --splits {most} --threads {threads[-1]}"
    text = f"""# Against other libraries

Made by `bench/peers`; do not edit. The same splits, rows and threads for every method:

    {command}

{', '.join(distinct(runs, 'machine'))}; threads: {', '.join(map(str, threads))}; {', '.join(distinct(runs, 'program'))}. \
A matrix product of NumPy's BLAS ran at {share:.0%} of the multiply-add peak.
{busy if others > IDLE else ''}
Rows are dealt 6:2:2 into training, validation and test rows (DB2: 3:1 and a fixed test table), with {most} \
{'seed' if most == 1 else 'seeds'}; means and sample deviations are over these. Every method may use training and \
validation rows as it likes, and its seconds are those of all its fits, without reading files. "Largest / median" is of \
the test RMSE over the splits. Prediction is of batches of {BATCH} rows on one thread, without reading text. The size of \
a model is its nodes, trees, or the rows or features of its kernel.
{split_counts(runs)}
## Summary

XGBoost's seconds are those of early stopping alone. The paper's figures are its own, of other splits.

{summary(runs)}
Coverage is the share of test rows inside the intervals of `sconet predict --interval {INTERVAL}`.

{reliability(runs)}"""
    for set_id, methods in runs.items():
        text += f"\n## {set_id}, {known_sets()[set_id].title}\n\n{set_table(methods)}"
    text += "\n## Settings\n\n"
    for id, method in all_methods().items():
        for settings in sorted({m[id][-1]["settings"] for m in runs.values() if id in m}):
            text += f"- {method.title}: {settings}\n"
    return text
