"""What the program says, against scikit-learn and NumPy: measures of error, and the rivals RVFL and MLP-BP.

    scikit_learn.py PROGRAM FOLDER
"""

import csv
import io
import json
import os
import struct
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.neural_network import MLPRegressor

program, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)


def run(*arguments):
    return subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return np.array(rows[1:], dtype=float)


def arrays(path):
    """The arrays of a model file (docs/model-format.md)."""
    raw = open(os.path.join(folder, path), "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    header.pop("__metadata__")
    data = raw[8 + n:]
    return {name: np.frombuffer(data[a["data_offsets"][0]:a["data_offsets"][1]], "<f8").reshape(a["shape"])
            for name, a in header.items()}


def close(what, a, b, relative):
    error = np.max(np.abs(np.asarray(a) - np.asarray(b))) / max(np.max(np.abs(b)), 1e-300)
    print(f"{what}: largest relative difference {error:.1e}")
    if not error <= relative:
        sys.exit(f"{what}: {a} is not {b}")


run("generate", "friedman", "--rows", "400", "--seed", "5", "-o", "data.csv")
run("generate", "friedman", "--rows", "300", "--seed", "6", "-o", "test.csv")
data, test = table(open(os.path.join(folder, "data.csv")).read()), table(open(os.path.join(folder, "test.csv")).read())
X, y, X_test, y_test = data[:, :-1], data[:, -1], test[:, :-1], test[:, -1]


def predicted(model):
    return table(run("predict", model, "test.csv"))[:, -1]


# --- RMSE, MAE, R and R2
run("train", "data.csv", "-t", "y", "-o", "rmpi.sconet", "--method", "rmpi", "--max-nodes", "30", "-q")
said, ours = json.loads(run("evaluate", "rmpi.sconet", "test.csv", "--json")), predicted("rmpi.sconet")
close("RMSE", said["rmse"], mean_squared_error(y_test, ours) ** 0.5, 1e-12)
close("MAE", said["mae"], mean_absolute_error(y_test, ours), 1e-12)
close("R2", said["r2"], r2_score(y_test, ours), 1e-11)
close("R", said["r"], np.corrcoef(y_test, ours)[0, 1], 1e-11)


# --- RVFL: the output weights are the least-squares ones for the nodes that were drawn
def hidden(model, inputs):
    a = arrays(model)
    scaled = (inputs - a["encoder.numbers"][:, 1]) / a["encoder.numbers"][:, 2]
    return scaled, 1 / (1 + np.exp(-(scaled @ a["network.weights"].T + a["network.biases"])))


run("train", "data.csv", "-t", "y", "-o", "rvfl.sconet", "--method", "rvfl", "--max-nodes", "40", "--range", "5",
    "--intercept", "--direct-links", "-q")
beside = lambda scaled, H: np.hstack([scaled, H])
theirs = LinearRegression().fit(beside(*hidden("rvfl.sconet", X)), y).predict(beside(*hidden("rvfl.sconet", X_test)))
close("RVFL", predicted("rvfl.sconet"), theirs, 1e-8)

penalty = 1e-3
run("train", "data.csv", "-t", "y", "-o", "ridge.sconet", "--method", "rvfl", "--max-nodes", "40", "--range", "5",
    "--ridge", str(penalty), "-q")
scaled_y = (y - y.mean()) / y.std()
theirs = Ridge(alpha=penalty * len(y), fit_intercept=False).fit(hidden("ridge.sconet", X)[1], scaled_y)
close("RVFL with ridge", predicted("ridge.sconet"),
      theirs.predict(hidden("ridge.sconet", X_test)[1]) * y.std() + y.mean(), 1e-8)

# --- MLP-BP: the same network gives the same predictions, and it learns as well as scikit-learn's by the same optimiser
run("train", "data.csv", "-t", "y", "-o", "mlp.sconet", "--method", "mlp", "--max-nodes", "10", "--scaling", "standard",
    "--iterations", "300", "-q")
a = arrays("mlp.sconet")
mlp = MLPRegressor((10,), activation="logistic", solver="lbfgs", alpha=0, max_iter=300, random_state=1)
scaled_X = hidden("mlp.sconet", X)[0]
with np.errstate(all="ignore"):
    import warnings
    warnings.simplefilter("ignore")
    mlp.fit(scaled_X, scaled_y)
their_rmse = mean_squared_error(scaled_y, mlp.predict(scaled_X)) ** 0.5 * y.std()
our_rmse = json.loads(run("evaluate", "mlp.sconet", "data.csv", "--json"))["rmse"]
print(f"MLP-BP: training RMSE {our_rmse:.4f}, scikit-learn's {their_rmse:.4f}")
if not our_rmse < 1.15 * their_rmse:
    sys.exit("MLP-BP learns worse than scikit-learn's")
mlp.coefs_ = [a["network.weights"].T, a["network.output_weights"]]
mlp.intercepts_ = [a["network.biases"], a["network.intercept"].reshape(-1)]
theirs = mlp.predict(hidden("mlp.sconet", X_test)[0]) * y.std() + y.mean()
close("MLP-BP predictions", predicted("mlp.sconet"), theirs, 1e-12)
