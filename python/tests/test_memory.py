"""A large array is predicted where it is: beside the result there is at most a tile of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

MEASURE = """
import sys
import numpy as np
from sconet import SCNRegressor

def high_water():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

def reset():  # the mark is lowered to what is in use now
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")

kind = sys.argv[1]
rng = np.random.default_rng(0)
X = rng.random((1_000_000, 16))
model = SCNRegressor(method="rmpi", max_nodes=20).fit(X[:300], X[:300, 0] + X[:300, 1] ** 2)
if kind == "Fortran order":
    X = np.asfortranarray(X)
if kind == "float32":
    X = X.astype(np.float32)
X.flags.writeable = False
model.predict(X[:100000])  # threads and their stacks are there
reset()
before = high_water()
y = model.predict(X)
print(high_water() - before, y.nbytes)
"""


@pytest.mark.parametrize("kind", ["C order", "Fortran order", "float32"])
def test_predicting_a_million_rows_takes_a_tile(kind: str) -> None:
    done = subprocess.run([sys.executable, "-c", MEASURE, kind], capture_output=True, text=True, check=True)
    grown, result = map(int, done.stdout.split())
    array = 1_000_000 * 16 * 8
    assert result == 8_000_000
    # float32 is converted 65536 rows at a time (8 MB), and the parts of the result are joined at the end.
    allowed = 2 * result + 65536 * 16 * 8 if kind == "float32" else result
    assert grown < allowed + 6_000_000 < array / 4, f"grew by {grown / 1e6:.1f} MB"
