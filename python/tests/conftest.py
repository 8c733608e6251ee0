"""Data that several tests use, and the programs that the build made."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest


def friedman(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's function of five inputs with noise of deviation 1."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.standard_normal(n)


@pytest.fixture(scope="session")
def data() -> tuple[np.ndarray, np.ndarray]:
    return friedman(200)


def _program(variable: str, what: str) -> Path:
    path = os.environ.get(variable)
    assert path and Path(path).is_file(), f"{variable} must name {what}; ctest sets it"
    return Path(path)


@pytest.fixture(scope="session")
def program() -> Path:
    return _program("SCONET_PROGRAM", "the command-line program")


@pytest.fixture(scope="session")
def cpp_trainer() -> Path:
    return _program("SCONET_CPP_TRAINER", "the C++ program train_table")
