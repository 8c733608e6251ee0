"""While it trains: other threads run, Ctrl-C is heard, callbacks see every node; and what is known afterwards."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import friedman

from sconet import RVFLRegressor, SCNRegressor

X, y = friedman(150)


# --- callbacks -------------------------------------------------------------------------------------------------------


def test_the_callback_sees_every_node_where_fit_was_called() -> None:
    records, threads = [], set()

    def callback(record: dict[str, Any]) -> None:
        records.append(record)
        threads.add(threading.get_ident())

    model = SCNRegressor(method="rmpi", max_nodes=7).fit(X, y, eval_set=(X[:50], y[:50]), callback=callback)
    assert [record["nodes"] for record in records] == list(range(1, 8)) and threads == {threading.get_ident()}
    np.testing.assert_array_equal([r["train_rmse"] for r in records], model.history_["train_rmse"][1:])
    np.testing.assert_array_equal([r["valid_rmse"] for r in records], model.history_["valid_rmse"][1:])
    seconds = [r["seconds"] for r in records]
    assert seconds == sorted(seconds)
    assert {"scale", "r", "batches", "admissible", "score", "fallback"} <= set(records[0])
    without = SCNRegressor(method="rmpi", max_nodes=7).fit(X, y, eval_set=(X[:50], y[:50]))
    assert without.to_bytes() == model.to_bytes()  # looking changes nothing


@pytest.mark.parametrize("answer", [True, np.bool_(True)])
def test_a_callback_that_returns_true_ends_training(answer: Any) -> None:
    model = SCNRegressor(method="rmpi", max_nodes=50).fit(
        X, y, callback=lambda record: answer if record["nodes"] == 5 else None
    )
    assert model.n_nodes_ == 5 and model.stop_reason_ == "interrupted"
    shorter = SCNRegressor(method="rmpi", max_nodes=5).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), shorter.predict(X))


def test_a_callback_ends_the_growth_of_auto() -> None:
    full = SCNRegressor(effort="quick").fit(X, y)
    model = SCNRegressor(effort="quick").fit(X, y, callback=lambda record: record["nodes"] == 3)
    assert full.n_nodes_ > 3 and model.n_nodes_ == 3 and model.stop_reason_ == "interrupted"
    np.testing.assert_array_equal(model.weights_, full.weights_[:, :3])  # the same path, not as far
    np.testing.assert_array_equal(model.predict(X), list(model.staged_predict(X))[-1])


@pytest.mark.parametrize("estimator", [SCNRegressor(effort="quick"), SCNRegressor(method="rmpi"), RVFLRegressor()],
                         ids=["auto", "rmpi", "rvfl"])  # fmt: skip
def test_an_exception_in_a_callback_comes_out_of_fit(estimator: Any) -> None:
    calls = []

    def callback(record: dict[str, Any]) -> None:
        calls.append(record)
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine") as caught:
        estimator.fit(X, y, callback=callback)
    assert len(calls) == 1 and not hasattr(estimator, "n_nodes_")
    assert caught.traceback[-1].name == "callback"


# --- threads and signals ---------------------------------------------------------------------------------------------


def test_other_threads_run_while_it_trains() -> None:
    big_X, big_y = friedman(6000)
    turns = 0
    done = threading.Event()

    def count() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    before = sys.getswitchinterval()
    sys.setswitchinterval(100)  # whoever has the GIL keeps it until it gives it away
    try:
        counter.start()
        start = turns
        model = SCNRegressor(method="rmpi", max_nodes=60, threads=1).fit(big_X, big_y)
        during = turns - start
    finally:
        done.set()
        counter.join()
        sys.setswitchinterval(before)
    assert during > 5, f"{during} turns in {model.fit_seconds_:.2f} s"


def test_several_threads_may_train_at_once() -> None:
    alone = SCNRegressor(method="rmpi", max_nodes=20, threads=1).fit(X, y).to_bytes()
    results: list[bytes] = []

    def train() -> None:
        seen: list[Any] = []
        model = SCNRegressor(method="rmpi", max_nodes=20, threads=1).fit(X, y, callback=seen.append)
        assert len(seen) == 20
        results.append(model.to_bytes())

    threads = [threading.Thread(target=train) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [alone] * 4


INTERRUPTED = """
import sys, warnings
sys.path.insert(0, {tests!r})
from conftest import friedman
from sconet import SCNRegressor

X, y = friedman(3000)
model = SCNRegressor(method={method!r}, {options} keep_interrupted={keep}).fit(X[:50], y[:50])
before = model.to_bytes()
model.set_params(max_nodes={nodes}, {more})
ready = False

def callback(record):
    global ready
    if not ready:
        print("ready", flush=True)
        ready = True

{say}
try:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, callback={callback})
except KeyboardInterrupt:
    print("KeyboardInterrupt", model.to_bytes() == before)
else:
    print("kept", model.n_nodes_, model.stop_reason_, model.predict(X).shape, [str(w.message) for w in caught])
"""


def interrupt(tmp_path: Path, wait: float, **fields: Any) -> str:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED.format(tests=str(Path(__file__).parent), **fields))
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert time.monotonic() - began < 60  # the run itself would take many minutes
    return out


RMPI = {
    "method": "rmpi",
    "options": "max_nodes=5,",
    "nodes": 100000,
    "more": "threads=1",
    "callback": "callback",
    "say": "",
}


def test_ctrl_c_raises_and_leaves_the_estimator_as_it_was(tmp_path: Path) -> None:
    assert interrupt(tmp_path, 0.2, keep=False, **RMPI) == "KeyboardInterrupt True\n"


def test_ctrl_c_keeps_the_network_so_far_when_asked(tmp_path: Path) -> None:
    out = interrupt(tmp_path, 0.2, keep=True, **RMPI)
    assert (
        out.startswith("kept ") and "interrupted (3000,) [" in out and "the estimator keeps the network so far" in out
    )
    assert 1 <= int(out.split()[1]) < 100000


def test_ctrl_c_without_a_callback(tmp_path: Path) -> None:
    fields = {**RMPI, "callback": "None", "say": "print('ready', flush=True)"}
    assert interrupt(tmp_path, 0.5, keep=False, **fields) == "KeyboardInterrupt True\n"


def test_ctrl_c_ends_the_trials_of_auto(tmp_path: Path) -> None:
    fields = {"method": "auto", "options": "effort='quick',", "nodes": -1, "more": "effort='thorough', ensemble=200",
              "callback": "None", "say": "print('ready', flush=True)"}  # fmt: skip
    assert interrupt(tmp_path, 0.5, keep=False, **fields) == "KeyboardInterrupt True\n"


# --- progress --------------------------------------------------------------------------------------------------------

SHOWN = """
import sys
if {without_tqdm}:
    sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
sys.path.insert(0, {tests!r})
from conftest import friedman
from sconet import SCNRegressor
X, y = friedman(200)
for options in (dict(method="rmpi", max_nodes=30), dict(effort="quick"), dict(effort="quick", ensemble=3)):
    SCNRegressor(progress=True, **options).fit(X, y)
    print("done", flush=True)
"""


def shown(without_tqdm: bool) -> list[str]:
    return [sys.executable, "-c", SHOWN.format(tests=str(Path(__file__).parent), without_tqdm=without_tqdm)]


def test_progress_elsewhere_is_lines() -> None:
    done = subprocess.run(shown(without_tqdm=True), capture_output=True, text=True, check=True)
    assert done.stdout == "done\n" * 3  # nothing but what was printed
    assert "\r" not in done.stderr
    lines = done.stderr.splitlines()
    assert "30/30 nodes  RMSE" in lines[0] and any("3/3 members" in line for line in lines)


def test_progress_in_a_terminal_is_one_line() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(shown(without_tqdm=True), stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0
    runs = text.decode().split("\r\n")  # each run ends its line
    assert len(runs) == 4 and runs[3] == ""
    assert runs[0].startswith("\r[") and "30/30 nodes  RMSE" in runs[0].split("\r")[-1]
    assert "trials" in runs[1] and "3/3 members" in runs[2].split("\r")[-1]


def test_progress_in_a_notebook_is_one_line() -> None:
    from sconet._progress import Line

    class Stream:  # as ipykernel's: no terminal, but carriage returns work
        def __init__(self) -> None:
            self.text = ""

        def write(self, text: str) -> None:
            self.text += text

        def flush(self) -> None:
            ...

        def isatty(self) -> bool:
            return False

    Stream.__module__ = "ipykernel.iostream"
    line = Line(Stream())  # type: ignore[arg-type]
    for i in range(5):
        line.show(i, 4, "nodes", "RMSE 1")
    line.close()
    assert line.stream.text.startswith("\r[") and line.stream.text.endswith("4/4 nodes  RMSE 1\n")
    assert line.stream.text.count("\n") == 1


def test_progress_uses_tqdm_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in, so that the test does not depend on what is installed."""
    bars: list[Any] = []

    class Bar:
        def __init__(self, total: int | None = None, unit: str = "", leave: bool = True) -> None:
            self.total, self.unit, self.n, self.closed, self.text = total, unit, 0, False, ""
            bars.append(self)

        def set_postfix_str(self, text: str, refresh: bool = True) -> None:
            self.text = text

        def update(self, n: int) -> None:
            self.n += n

        def close(self) -> None:
            self.closed = True

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    SCNRegressor(effort="quick", progress=True).fit(X, y)
    assert bars[0].unit == "trials" and bars[0].n == bars[0].total and "RMSE" in bars[0].text
    assert bars[-1].unit == "nodes" and bars[-1].n > 0 and all(bar.closed for bar in bars)
    del bars[:]
    with pytest.raises(ZeroDivisionError):
        SCNRegressor(method="rmpi", progress=True).fit(X, y, callback=lambda record: 1 / 0)
    assert bars[0].closed and bars[0].total == 100


# --- afterwards ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        SCNRegressor(effort="quick", activation="tanh"),
        SCNRegressor(effort="quick", ensemble=3),
        SCNRegressor(method="rmpi", max_nodes=15),
        SCNRegressor(method="rmpi", max_nodes=15, ensemble=3, ridge=1e-3),
        SCNRegressor(method="scn3", max_nodes=15, ridge=1e-3, intercept=True),
        SCNRegressor(method="scn1", max_nodes=15),
        RVFLRegressor(max_nodes=15, direct_links=True),
        RVFLRegressor(method="irvfl", max_nodes=15),
    ],
    ids=lambda e: f"{e.method}-{e.ensemble}",
)
def test_stages_are_the_history(estimator: Any) -> None:
    model = estimator.set_params(clip=False).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == (estimator.ensemble if estimator.ensemble > 1 else model.n_nodes_)
    clipped = estimator.method == "auto"  # predictions stay within the targets' range, which the history does not know
    for k, stage in enumerate(stages):
        rmse = np.sqrt(np.mean((stage - y) ** 2))
        expected = model.history_["train_rmse"][k + 1]
        assert rmse <= expected * (1 + 1e-6) if clipped else abs(rmse - expected) <= 1e-6 * expected
    np.testing.assert_allclose(stages[-1], model.predict(X), rtol=1e-9, atol=1e-9)


def test_stages_of_a_network_that_validation_cut() -> None:
    model = SCNRegressor(method="rmpi", max_nodes=60, patience=5).fit(X[:100], y[:100], eval_set=(X[100:], y[100:]))
    assert model.stop_reason_ == "validation" and len(model.history_["nodes"]) - 1 > model.n_nodes_
    stages = list(model.staged_predict(X[100:]))
    assert len(stages) == model.n_nodes_
    rmse = [np.sqrt(np.mean((stage - y[100:]) ** 2)) for stage in stages]
    np.testing.assert_allclose(rmse, model.history_["valid_rmse"][1 : model.n_nodes_ + 1], rtol=1e-6)
    assert int(np.argmin(model.history_["valid_rmse"])) == model.n_nodes_


def test_the_history_of_auto_and_of_ensembles() -> None:
    model = SCNRegressor(effort="quick").fit(X, y)
    assert model.stop_reason_ == "chosen" and model.history_["nodes"].tolist() == list(range(model.n_nodes_ + 1))
    assert model.settings_["chosen"]["chosen"] and model.settings_["chosen"]["nodes"] == model.n_nodes_
    assert len(model.trials_) > 1 and 0.8 < model.held_out_rmse_ < 2.5
    ensemble = SCNRegressor(effort="quick", ensemble=3).fit(X, y)
    assert len(ensemble.members_) == 3 and sum(ensemble.members_) == ensemble.n_nodes_
    assert ensemble.history_["nodes"].tolist() == np.cumsum([0, *ensemble.members_]).tolist()
    for values in (*model.history_.values(), *ensemble.history_.values()):
        assert len(values) in (model.n_nodes_ + 1, 4)


def test_early_stopping_by_a_share_of_the_rows() -> None:
    model = SCNRegressor(method="rmpi", max_nodes=100, valid_fraction=0.3, patience=5, random_state=3).fit(X, y)
    assert model.stop_reason_ == "validation" and model.n_nodes_ < 100
    assert "valid_rmse" in model.history_


def test_tolerance_and_time_limit() -> None:
    assert SCNRegressor(method="rmpi", tolerance=2.0).fit(X, y).stop_reason_ == "tolerance"
    quick = SCNRegressor(method="rmpi", max_nodes=100000, time_limit=0.2).fit(*friedman(3000))
    assert quick.stop_reason_ == "time_limit" and quick.n_nodes_ > 0
