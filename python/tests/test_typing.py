"""The package is typed: the stub has what the extension has, and type checkers are told to look."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import sconet
from sconet import _core

FOLDER = Path(sconet.__file__).parent


def stub() -> dict[str, ast.AST]:
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def arguments(node: ast.FunctionDef) -> list[str]:
    return [a.arg for a in [*node.args.args, *node.args.kwonlyargs] if a.arg != "self"]


def told(function: object) -> list[str]:
    """The arguments in the first line of what pybind11 documents."""
    line = (inspect.getdoc(function) or "").splitlines()[0]
    inner = line[line.index("(") + 1 : line.rindex(") ->")]
    return [name for name in re.findall(r"(\w+): ", inner) if name != "self"]


def test_the_stub_has_what_the_extension_has() -> None:
    nodes = stub()
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert public == {name for name in nodes if name not in ("Option", "ColumnInfo")}
    for name, node in nodes.items():
        if isinstance(node, ast.FunctionDef):
            assert arguments(node) == told(getattr(_core, name)), name
    for cls in ("Table", "Model"):
        node = nodes[cls]
        assert isinstance(node, ast.ClassDef)
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        actual = {name: value for name, value in vars(getattr(_core, cls)).items() if not name.startswith("_")}
        assert set(actual) == {name for name in methods if not name.startswith("_")}
        for name, value in actual.items():
            if not isinstance(value, property):
                assert arguments(methods[name]) == told(getattr(getattr(_core, cls), name)), name


def test_the_marker_is_there() -> None:
    assert (FOLDER / "py.typed").is_file()


def test_public_functions_are_annotated() -> None:
    for cls in (sconet.SCNRegressor, sconet.RVFLRegressor):
        for name, function in inspect.getmembers(cls, inspect.isfunction):
            if name.startswith("_") and name != "__init__" or function.__module__ != "sconet._estimators":
                continue
            signature = inspect.signature(function)
            for parameter in list(signature.parameters.values())[1:]:
                assert parameter.annotation is not inspect.Parameter.empty, (cls, name, parameter)
            assert signature.return_annotation is not inspect.Signature.empty, (cls, name)
