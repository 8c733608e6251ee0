"""Stochastic configuration networks: compact regression networks grown node by node."""

from __future__ import annotations

from ._core import __version__

__all__ = ["__version__"]
