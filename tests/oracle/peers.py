"""The comparison of ./run bench peers, started as the task script starts it: its results, its page, and going on.

    peers.py BUILD_FOLDER FOLDER

Exits with 77, and says why, where there is nothing to compare with.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

build, folder = Path(sys.argv[1]), Path(sys.argv[2])
compare = Path(__file__).resolve().parents[2] / "bench/peers/compare.py"
results, page = folder / "runs.jsonl", folder / "page.md"

try:
    import sklearn  # noqa: F401
    import xgboost  # noqa: F401
except ImportError as error:
    print(f"Skipped: {error}; ./run test installs python3-sklearn and python3-xgboost where it can")
    sys.exit(77)


def run(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-B", compare, build, "--results", results, "--out", page, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def expect(what: str, holds: bool, told: str = "") -> None:
    print(f"{what}: {'yes' if holds else 'NO'}")
    if not holds:
        sys.exit(f"not so: {what}\n{told}")


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
usual = ["--sets", "DB1", "--splits", "1", "--threads", "1", "--methods", "rvfl,xgboost"]

first = run(*usual)
expect("it ends well", first.returncode == 0, first.stderr)
runs = [json.loads(line) for line in results.read_text().splitlines()]
expect("a line for every run", [r["method"] for r in runs] == ["rvfl", "xgboost"], first.stderr)
for r in runs:
    # The target's deviation is about 0.1.
    expect(f"{r['method']} learns", 0 < r["rmse"] < 0.06, str(r))
    expect(f"{r['method']} is measured", min(r["seconds"], r["microseconds"], r["bytes"], r["size"]) > 0, str(r))
written = page.read_text()
for part in ("## DB1", "| XGBoost, early stopping |", "| RVFL (sconet) |", "| DB1 | – | 0.0016 | – |"):
    expect(f"the page has {part}", part in written, written)

with open(results, "a") as file:
    file.write('{"set": "DB1", "spl')  # cut off while it wrote
again = run(*usual)
expect("going on, it ends well", again.returncode == 0, again.stderr)
expect("no run is repeated", "RMSE" not in again.stderr and "line 3 is not whole" in again.stderr, again.stderr)
expect("the page is the same", page.read_text() == written, page.read_text())

wrong = run("--methods", "xgbost")
expect("a method that is not there is named", wrong.returncode == 1 and "--methods xgbost" in wrong.stderr, wrong.stderr)
