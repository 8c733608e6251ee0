#!/usr/bin/env python3
"""sconet against XGBoost and scikit-learn: the same splits, rows and threads, in one run (./run bench peers).

    compare.py BUILD_FOLDER [options]

Every run is a line in a file of results as soon as it is finished, and the same command goes on from there. The page is
made of that file.
"""

import argparse
import dataclasses
import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from tables import Peer, Side, blas_kernels

SOURCE = Path(__file__).resolve().parents[2]
HEALTHY = 0.6  # of the peak; a BLAS below it has the wrong kernels for this processor


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench peers", description=__doc__.split("\n", 1)[0])
    parser.add_argument("build", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, default=os.environ.get("SCONET_DATA"), metavar="DIR",
                        help="the folder with the files of docs/datasets.md (SCONET_DATA)")
    parser.add_argument("--sets", default="", metavar="LIST", help="as in DB1,DB9; usually all that are there")
    parser.add_argument("--methods", default="", metavar="LIST", help="as in auto,xgboost; usually all")
    parser.add_argument("--splits", type=int, default=10, metavar="N", help="deals of the rows (10)")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="for every side (2)")
    parser.add_argument("--out", type=Path, default=SOURCE / "docs/benchmarks.md", metavar="FILE",
                        help="the page (docs/benchmarks.md)")
    parser.add_argument("--results", type=Path, default=SOURCE / "build/bench/peers.jsonl", metavar="FILE",
                        help="a line of JSON for every run; runs that are there are not repeated "
                             "(build/bench/peers.jsonl)")
    parser.add_argument("--render-only", action="store_true", help="make the page of the results that are there")
    given = parser.parse_args()
    if given.splits < 1 or given.threads < 1:
        parser.error("--splits and --threads: expected at least 1")
    return given


def use_threads(threads: int) -> None:
    """Must come before NumPy is loaded."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    if blas_kernels():
        os.environ.setdefault("OPENBLAS_CORETYPE", blas_kernels())


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- results ----------------------------------------------------------------------------------------------------------
class Results:
    """Lines of JSON, one for a run. What makes two runs the same run is their key."""

    KEY = ("set", "data", "split", "method", "settings", "threads", "program")

    def __init__(self, path: Path):
        self.path, self.records = path, []
        lines = path.read_text().splitlines() if path.exists() else []
        for number, line in enumerate(lines, 1):
            try:
                self.records.append(json.loads(line))
            except ValueError:
                say(f"{path}: line {number} is not whole and is left out")

    def has(self, key: dict) -> bool:
        return any(all(record[name] == key[name] for name in self.KEY) for record in self.records)

    def add(self, record: dict) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # a run before was cut off while it wrote
                    file.write(b"\n")
            file.write(json.dumps(record).encode() + b"\n")
        self.records.append(record)


# --- the machine and the programs -------------------------------------------------------------------------------------
def processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return f"{len(names)} x {names[0]}" if names else platform.processor()
    except OSError:
        return platform.processor()


def processors_in_use(seconds: float = 0.2) -> float:
    """By others, while this process sleeps. Threads that wait for each other suffer most from company."""

    def ticks() -> tuple[int, int]:
        with open("/proc/stat") as file:
            user, nice, system, idle, wait, *rest = map(int, file.readline().split()[1:9])
        return user + nice + system + sum(rest), idle + wait

    try:
        used, idle = ticks()
        time.sleep(seconds)
        used, idle = (after - before for after, before in zip(ticks(), (used, idle)))
        return os.cpu_count() * used / max(used + idle, 1)
    except OSError:
        return 0.0


def blas_share(bench_data: Path, threads: int) -> float:
    """A matrix product's share of the multiply-add peak, the better of those before and after it."""
    with Side([str(bench_data)]) as ours:
        measure = lambda: ours.ask("peak", threads=threads)["gflops"]
        before, gemm, after = measure(), Peer().gemm({})["gflops"], measure()
    peak = max(before, after)
    share = gemm / peak
    verdict = "" if share >= HEALTHY else ": NOT HEALTHY, what uses it is slower here than it need be"
    say(f"BLAS, {threads} threads: {gemm:.1f} GFLOP/s of a multiply-add peak of {peak:.1f} ({share:.0%}){verdict}")
    return share


def program_names(sconet: Path) -> dict[str, str]:
    """By the side of a method; a library that cannot be imported is not among them."""
    version = subprocess.run([sconet, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    names = {"sconet": f"sconet {version} ({hashlib.sha256(sconet.read_bytes()).hexdigest()[:12]})"}
    for library, title in (("xgboost", "XGBoost"), ("sklearn", "scikit-learn")):
        try:
            names[library] = f"{title} {importlib.import_module(library).__version__}"
        except ImportError as error:
            say(f"{title} is left out: {error}")
    return names


# --- the runs ---------------------------------------------------------------------------------------------------------
def chosen_ids(text: str, known: list[str], usual: list[str], option: str) -> list[str]:
    spelled = {id.lower(): id for id in known}
    ids = [id.strip() for id in text.split(",") if id.strip()]
    for id in ids:
        if id.lower() not in spelled:
            sys.exit(f"./run bench peers: {option} {id}: expected some of {', '.join(known)}")
    return [spelled[id.lower()] for id in ids] or usual


def available_sets(folder: Path | None) -> list[str]:
    from sets import known_sets

    known = known_sets()
    there = [id for id, entry in known.items() if not entry.file or (folder and (folder / entry.file).exists())]
    missing = [id for id in known if id not in there]
    if missing:
        advice = "name the folder of their files with --data or SCONET_DATA"
        where = f"{folder} does not have their files" if folder else advice
        say(f"Without {', '.join(missing)}: {where}")
    return there


def run_all(given: argparse.Namespace, results: Results) -> int:
    """The number of runs that failed."""
    from methods import Setting, all_methods, unknown_to
    from report import IDLE
    from sets import Split, known_sets, load

    setting = Setting(given.build / "sconet", given.build / "bench/bench_predict_speed", given.threads)
    known, methods = known_sets(), all_methods()
    usual = [id for id, method in methods.items() if method.usual]
    wanted = [methods[id] for id in chosen_ids(given.methods, list(methods), usual, "--methods")]
    if given.sets:
        ids = chosen_ids(given.sets, list(known), [], "--sets")
    else:
        ids = available_sets(given.data)
    programs = program_names(setting.sconet)
    wanted = [method for method in wanted if method.by in programs]
    for method in list(wanted):
        if why := unknown_to(setting, method):
            say(f"{method.title} is left out, because this sconet does not know {' '.join(method.probe)}:\n  {why}")
            wanted.remove(method)
    session = {"machine": processor(), "blas_share": None}
    failures = 0
    for id in ids:
        try:
            rows = load(id, given.data, setting.sconet)
        except OSError as error:
            sys.exit(f"./run bench peers: {error}")
        for note in rows.notes:
            say(note)
        for seed in range(1, given.splits + 1):
            keys = {
                method.id: {
                    "set": id, "data": rows.data, "split": seed, "method": method.id, "settings": method.settings,
                    "threads": given.threads, "program": programs[method.by],
                }
                for method in wanted
            }
            pending = [method for method in wanted if not results.has(keys[method.id])]
            if not pending:
                continue
            if session["blas_share"] is None:
                session["blas_share"] = blas_share(given.build / "bench/bench_data", given.threads)
            split = Split(rows, seed)
            before = processors_in_use()
            for method in pending:
                try:
                    outcome = method.run(split, setting)
                except Exception as error:  # whatever it is, the other runs go on
                    say(f"{id} split {seed} {method.id}: FAILED: {type(error).__name__}: {error}")
                    failures += 1
                    continue
                after = processors_in_use()
                session["others"], before = max(before, after), after
                if session["others"] > IDLE:
                    say(f"Others used {session['others']:.1f} processors: these times are not to be trusted")
                results.add({**keys[method.id], "title": method.title, **dataclasses.asdict(outcome), **session})
                say(f"{id} split {seed} {method.id}: RMSE {outcome.rmse:.5g}, {outcome.seconds:.2f} s, "
                    f"{outcome.microseconds:.3g} us/row, {outcome.size:g} {outcome.unit} {outcome.chosen}".rstrip())
            split.close()
    return failures


def main() -> int:
    given = arguments()
    given.data = given.data and Path(given.data)
    use_threads(given.threads)
    results = Results(given.results)
    failures = 0 if given.render_only else run_all(given, results)
    if not results.records:
        sys.exit(f"./run bench peers: there are no results in {given.results}")
    from report import page

    given.out.write_text(page(results.records))
    say(f"The page is {given.out}; the runs are in {given.results}")
    if failures:
        say(f"{failures} runs failed; the same command tries them again")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
