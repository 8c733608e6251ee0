#!/usr/bin/env python3
"""Reading tables against pandas, predicting against scikit-learn, and the program's start.

    tables.py BENCH_DATA SCONET WORK_FOLDER OUT.json

Every side is a process of its own that answers requests, lines of JSON: BENCH_DATA is ours, and this file with --peer
is theirs. They are asked in turns, so that whatever else the machine does meets both alike. In a turn each is asked
twice, and its shorter time counts; the turn with the median ratio is printed. Values are verified before they are timed.
"""

import array
import json
import os
import statistics
import subprocess
import sys
import time

TURNS = 7
STARTS = 50


# --- the other side: runs in a process of its own, with the threads that its environment says -------------------------
class Peer:
    def gemm(self, request):
        import numpy

        a = numpy.random.default_rng(1).random((1500, 1500))
        a @ a
        seconds = min(timed(lambda: a @ a)[0] for _ in range(5))
        return {"gflops": 2 * 1500**3 / seconds * 1e-9}

    def read(self, request):
        import pandas

        precision = {"default": None, "round_trip": "round_trip"}[request["parser"]]
        seconds, table = timed(lambda: pandas.read_csv(request["path"], engine="c", float_precision=precision))
        if "values" in request:
            table.to_numpy(dtype="float64").tofile(request["values"])
        return {"seconds": seconds, "version": pandas.__version__}

    def network(self, request):
        """An MLPRegressor that is the same function: made by a fit of one step, then given the weights."""
        import warnings

        import numpy
        import sklearn
        from sklearn.neural_network import MLPRegressor

        self.X = numpy.fromfile(request["path"]).reshape(-1, request["columns"])
        biases = numpy.array(request["biases"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one step does not converge
            self.mlp = MLPRegressor(len(biases), activation=request["activation"], max_iter=1)
            self.mlp.fit(self.X[:50], self.X[:50, 0])
        weights = numpy.array(request["weights"]).reshape(len(biases), -1).T
        self.mlp.coefs_ = [numpy.ascontiguousarray(weights), numpy.array(request["output_weights"]).reshape(-1, 1)]
        self.mlp.intercepts_ = [biases, numpy.array([request["intercept"]])]
        return {"version": sklearn.__version__}

    def predict(self, request):
        seconds, y = timed(lambda: self.mlp.predict(self.X))
        if "values" in request:
            y.tofile(request["values"])
        return {"seconds": seconds}

    def answer(self):
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = getattr(self, request["do"])(request)
            except ImportError as error:
                reply = {"missing": str(error)}
            print(json.dumps(reply), flush=True)


def timed(f):
    start = time.perf_counter()
    result = f()
    return time.perf_counter() - start, result


# --- asking -----------------------------------------------------------------------------------------------------------
class Missing(Exception):
    pass


class Side:
    """A process that answers requests."""

    def __init__(self, command, threads=0):
        environment = dict(os.environ)
        if threads:
            environment.update(OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
        # OpenBLAS 0.3.21 does not know new processors and falls back to kernels for very old ones.
        environment.setdefault("OPENBLAS_CORETYPE", blas_kernels())
        if not environment["OPENBLAS_CORETYPE"]:
            del environment["OPENBLAS_CORETYPE"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, do, **request):
        self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"no answer to the request {do}: {' '.join(self.process.args)}")
        answer = json.loads(line)
        if "missing" in answer:
            raise Missing(answer["missing"])
        return answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def peer(threads=0):
    return Side([sys.executable, __file__, "--peer"], threads)


def blas_kernels():
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line.split() for line in file if line.startswith("flags")), [])
    except OSError:
        return ""
    return "SkylakeX" if "avx512f" in flags else "Haswell" if "avx2" in flags else ""


def values(path):
    numbers = array.array("d")
    with open(path, "rb") as file:
        numbers.frombytes(file.read())
    os.remove(path)
    return numbers


def furthest(ours, theirs):
    """The largest relative difference."""
    if len(ours) != len(theirs):
        raise RuntimeError(f"{len(ours)} values against {len(theirs)}")
    return max(abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in zip(ours, theirs))


def in_turns(ours, others):
    """For every other one the seconds (ours, theirs) of the turn whose ratio is the median."""
    turns = []
    for _ in range(TURNS):
        turn = []
        for ask in [ours, *others]:
            time.sleep(0.05)  # threads that wait for more work have gone to sleep
            turn.append(min(ask()["seconds"], ask()["seconds"]))
        turns.append(turn)
    return [
        sorted(((turn[0], turn[i + 1]) for turn in turns), key=lambda pair: pair[1] / pair[0])[TURNS // 2]
        for i in range(len(others))
    ]


def judged(ratio, goal):
    return "" if goal is None else f"{goal:.1f}" + ("" if ratio >= goal else " missed")


# --- the tables -------------------------------------------------------------------------------------------------------
def reading(ours, work):
    tables = [("generated", os.path.join(work, "table.csv"))]
    ours.ask("write", path=tables[0][1])
    folder = os.environ.get("SCONET_DATA", "")
    if folder and os.path.exists(os.path.join(folder, "superconduct.csv")):
        tables.append(("superconduct", os.path.join(folder, "superconduct.csv")))
    rows, notes = [], []
    with peer() as pandas:
        for name, path in tables:
            with open(path) as file:
                next(file)
                exact = array.array("d", (float(cell) for line in file for cell in line.split(",")))
            scratch = os.path.join(work, "values.f64")
            for threads in (1, 0):
                shape = ours.ask("read", path=path, threads=threads, values=scratch)
                if values(scratch).tobytes() != exact.tobytes():
                    raise RuntimeError(f"{path} was not read to the nearest doubles")
            for parser, tolerance in (("default", 1e-11), ("round_trip", 0)):
                version = pandas.ask("read", path=path, parser=parser, values=scratch)["version"]
                off = furthest(values(scratch), exact)
                if off > tolerance:
                    raise RuntimeError(f"pandas ({parser}) reads {path} with a relative error of {off}")
                if parser == "default":
                    notes.append(f"{off:.0e} ({name})")
            for threads in (1, 0):
                parsers = ("default", "round_trip")
                measured = in_turns(
                    lambda: ours.ask("read", path=path, threads=threads),
                    [lambda parser=parser: pandas.ask("read", path=path, parser=parser) for parser in parsers],
                )
                for parser, (mine, theirs) in zip(parsers, measured):
                    rows.append(
                        {
                            "table": name,
                            "bytes": os.path.getsize(path),
                            "rows": shape["rows"],
                            "columns": shape["columns"],
                            "threads": threads or os.cpu_count(),
                            "seconds": mine,
                            "peer": "pandas " + version,
                            "parser": parser,
                            "peer_seconds": theirs,
                            "ratio": theirs / mine,
                            "goal": 3.0 if parser == "default" else None,
                        }
                    )
    r = rows[0]
    print(f"\nReading {r['rows']} x {r['columns']} numbers, against read_csv of {r['peer']}, which has one thread.")
    print(f"Our values are those of Python's float(); its default parser is off by up to {', '.join(notes)}\n")
    print(
        f"{'table':>14} {'MB':>6} {'threads':>8} {'sconet ms':>10} {'MB/s':>6} "
        f"{'parser':>11} {'pandas ms':>10} {'ratio':>6}   goal"
    )
    for r in rows:
        print(
            f"{r['table']:>14} {r['bytes'] * 1e-6:>6.1f} {r['threads']:>8} {r['seconds'] * 1e3:>10.1f} "
            f"{r['bytes'] * 1e-6 / r['seconds']:>6.0f} {r['parser']:>11} {r['peer_seconds'] * 1e3:>10.1f} "
            f"{r['ratio']:>6.1f}   {judged(r['ratio'], r['goal'])}".rstrip()
        )
    return rows


def predicting(ours, work):
    path = os.path.join(work, "inputs.f64")
    shape = ours.ask("inputs", path=path)
    try:
        rows, health = predict_in_turns(ours, path, shape, os.path.join(work, "values.f64"))
    finally:
        os.remove(path)
    r = rows[0]
    size = f"{r['rows']} rows, {r['inputs']} inputs, {r['nodes']} nodes"
    print(f"\nPredicting {size}, against MLPRegressor.predict of {r['peer']}:")
    print("the same function to 1e-9, with our scaling as part of its weights\n")
    print(
        f"{'activation':>11} {'threads':>8} {'sconet s':>9} {'network alone':>14} "
        f"{'scikit-learn s':>15} {'ratio':>6}   goal"
    )
    for r in rows:
        print(
            f"{r['activation']:>11} {r['threads']:>8} {r['seconds']:>9.3f} {r['network_alone_seconds']:>14.3f} "
            f"{r['peer_seconds']:>15.3f} {r['ratio']:>6.1f}   {judged(r['ratio'], r['goal'])}".rstrip()
        )
    print()
    for h in health:
        print(
            f"Its BLAS, threads {h['threads']}: matrix product {h['gemm_gflops']:.1f} GFLOP/s "
            f"of a multiply-add peak of {h['peak_gflops']:.1f}"
            + ("" if h["share"] >= 0.6 else ": NOT HEALTHY, the ratios flatter us")
        )
    return {"rows": rows, "blas": health}


def predict_in_turns(ours, path, shape, scratch):
    rows, health = [], []
    for threads in sorted({1, os.cpu_count()}):
        with peer(threads) as sklearn:
            turns = [(sklearn.ask("gemm"), ours.ask("peak", threads=threads)) for _ in range(3)]
            gemm, peak = (max(turn[side]["gflops"] for turn in turns) for side in (0, 1))
            health.append({"threads": threads, "gemm_gflops": gemm, "peak_gflops": peak, "share": gemm / peak})
            for activation in ("logistic", "relu"):
                network = ours.ask("network", activation=activation)
                version = sklearn.ask(
                    "network", path=path, columns=shape["columns"], activation=activation, **network
                )["version"]
                ours.ask("predict", what="model", threads=threads, values=scratch)
                y = values(scratch)
                sklearn.ask("predict", values=scratch)
                off = furthest(y, values(scratch))
                if off > 1e-9:
                    raise RuntimeError(f"the predictions differ by {off}")
                alone, theirs = in_turns(
                    lambda: ours.ask("predict", what="model", threads=threads),
                    [lambda: ours.ask("predict", what="network", threads=threads), lambda: sklearn.ask("predict")],
                )
                rows.append(
                    {
                        "rows": shape["rows"],
                        "inputs": shape["columns"],
                        "nodes": len(network["biases"]),
                        "activation": activation,
                        "threads": threads,
                        "seconds": theirs[0],
                        "network_alone_seconds": alone[1],
                        "peer": "scikit-learn " + version,
                        "peer_seconds": theirs[1],
                        "ratio": theirs[1] / theirs[0],
                        "goal": 2.0 if activation == "logistic" else None,
                        "largest_difference": off,
                    }
                )
    return rows, health


def starting(program):
    def start():
        return timed(lambda: subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True))[0]

    start()
    seconds = statistics.median(start() for _ in range(STARTS))
    goal = 0.020
    verdict = f"goal under {goal * 1e3:.0f} ms{'' if seconds < goal else ' missed'}"
    print(f"\nStart: sconet --version, median of {STARTS}: {seconds * 1e3:.1f} ms; {verdict}")
    return {"seconds": seconds, "runs": STARTS, "goal": goal}


def main():
    program, sconet, work, out = sys.argv[1:]
    result = {}
    with Side([program]) as ours:
        for name, measure in (("reading", reading), ("predicting", predicting)):
            try:
                result[name] = measure(ours, work)
            except Missing as missing:
                print(f"\nNothing to compare {name} with: {missing}")
    result["start"] = starting(sconet)
    with open(out, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--peer"]:
        Peer().answer()
    elif len(sys.argv) == 5:
        main()
    else:
        sys.exit("usage: tables.py BENCH_DATA SCONET WORK_FOLDER OUT.json")
