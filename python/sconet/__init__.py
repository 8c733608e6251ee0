"""Stochastic configuration networks: compact regression networks grown node by node.

    from sconet import SCNRegressor
    model = SCNRegressor().fit(X, y)
    model.predict(X_new, interval=0.9)
"""

from __future__ import annotations

from ._core import DataError, IoError, MemoryLimitError, ModelFileError, __version__
from ._estimators import DataWarning, IntervalPrediction, RVFLRegressor, SCNRegressor, load
from ._options import OPTIONS

__all__ = [
    "OPTIONS",
    "DataError",
    "DataWarning",
    "IntervalPrediction",
    "IoError",
    "MemoryLimitError",
    "ModelFileError",
    "RVFLRegressor",
    "SCNRegressor",
    "__version__",
    "load",
]
