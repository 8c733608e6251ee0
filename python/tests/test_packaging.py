"""The wheel: what is in it, that pip installs it without a network, and what is said when something is missing.

The extension is not compiled again: the wheel is made of the build folder that the tests import from.
"""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest
import sconet

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sconet.__file__).absolute().parents[2]  # the modules are links: not resolved, it is the build folder
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"


def clean_environment(**more: str) -> dict[str, str]:
    """Nothing that would let a process find the package in the build folder."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCONET_"))} | more


def call_hook(hook: str, folder: Path, environment: dict[str, str], settings: object = None
              ) -> subprocess.CompletedProcess:
    """As a build frontend does: in a process of its own, in the project's folder, with the backend on the path."""
    program = f"import sconet_build; print(sconet_build.{hook}({str(folder)!r}, {settings!r}))"
    environment = environment | {"PYTHONPATH": str(ROOT / "python" / "backend"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True)


def build(hook: str, folder: Path) -> Path:
    done = call_hook(hook, folder, clean_environment(), {"build-dir": str(BUILD)})
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("build_wheel", tmp_path_factory.mktemp("wheel"))


def expected_version() -> str:
    return re.search(r"project\(sconet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def test_the_name_says_for_what_it_is(wheel: Path) -> None:
    platform = re.sub("[-.]", "_", sysconfig.get_platform())
    assert wheel.name == f"sconet-{expected_version()}-{TAG}-{TAG}{sys.abiflags}-{platform}.whl"
    tags = subprocess.run([sys.executable, "-m", "pip", "debug", "--verbose"], capture_output=True, text=True).stdout
    assert f"{TAG}-{TAG}-{platform}" in tags


def test_the_record_has_every_file_and_its_hash(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        info = f"sconet-{expected_version()}.dist-info"
        rows = list(csv.reader(archive.read(f"{info}/RECORD").decode().splitlines()))
        assert sorted(row[0] for row in rows) == sorted(archive.namelist())
        for name, digest, size in rows:
            if name == f"{info}/RECORD":
                assert (digest, size) == ("", "")
                continue
            data = archive.read(name)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={hashed}", len(data)), name


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python" / "sconet").rglob("*")
               if path.is_file() and "__pycache__" not in path.parts}
    extension = f"sconet/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    info = f"sconet-{expected_version()}.dist-info"
    assert names == package | {extension} | {f"{info}/{name}" for name in ("LICENSE", "METADATA", "RECORD", "WHEEL")}
    assert {"sconet/__init__.py", "sconet/_core.pyi", "sconet/plot.py", "sconet/py.typed"} <= names


def test_the_metadata_is_that_of_the_project(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = email.message_from_bytes(archive.read(f"sconet-{expected_version()}.dist-info/METADATA"))
    assert (about["Name"], about["Version"]) == ("sconet", expected_version()) == ("sconet", sconet.__version__)
    requirements = about.get_all("Requires-Dist")
    assert [r for r in requirements if "extra" not in r] == ["numpy>=1.24", "scikit-learn>=1.2"]
    assert any(r.startswith("matplotlib") and 'extra == "plot"' in r for r in requirements)
    assert about.get_payload() == (ROOT / "README.md").read_text()


def test_the_same_files_make_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    assert build("build_wheel", tmp_path).read_bytes() == wheel.read_bytes()


def test_no_openmp(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        extension = archive.extract(f"sconet/_core{sysconfig.get_config_var('EXT_SUFFIX')}", tmp_path)
    needed = subprocess.run(["objdump", "-p", extension], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"NEEDED\s+(\S+)", needed)
    assert "libc.so.6" in libraries
    assert not [name for name in libraries if re.search("omp|blas|libpython", name)]


TRY = """
import json, sys
import numpy as np
import sconet
X = np.random.default_rng(1).random((200, 3))
y = X[:, 0] + X[:, 1] * X[:, 2]
model = sconet.SCNRegressor(method="rmpi", max_nodes=20).fit(X, y)
model.save("model.sconet")
again = sconet.SCNRegressor.load("model.sconet")
print(json.dumps({"file": sconet.__file__, "version": sconet.__version__, "score": model.score(X, y),
                  "same": bool((again.predict(X) == model.predict(X)).all()),
                  "matplotlib": "matplotlib" in sys.modules, "pandas": "pandas" in sys.modules}))
"""


def environment_with(folder: Path, *arguments: str) -> Path:
    """A virtual environment that sees the system's packages, with what pip installs; without a network."""
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-input", *arguments]
    done = subprocess.run(command, env=clean_environment(PIP_DISABLE_PIP_VERSION_CHECK="1"), cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return python


@pytest.mark.parametrize("editable", [False, True], ids=["pip install .", "pip install -e ."])
def test_pip_installs_a_clone_without_a_network(tmp_path: Path, editable: bool) -> None:
    python = environment_with(tmp_path / "venv", "--config-settings", f"build-dir={BUILD}",
                              *(["--editable"] if editable else []), str(ROOT))
    done = subprocess.run([python, "-c", TRY], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert Path(said["file"]).is_relative_to(BUILD if editable else tmp_path / "venv")
    assert said["version"] == expected_version()
    assert said["score"] > 0.99 and said["same"]
    assert not said["matplotlib"] and not said["pandas"]  # imported only when used


def folder_with(folder: Path, *programs: str) -> str:
    folder.mkdir()
    for program in programs:
        (folder / program).symlink_to(shutil.which(program))
    return str(folder)


def test_a_missing_cmake_is_named(tmp_path: Path) -> None:
    done = call_hook("build_wheel", tmp_path, clean_environment(PATH=folder_with(tmp_path / "bin", "ninja")))
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "no cmake on the PATH" in done.stderr and "apt-get install" in done.stderr


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    settings = {"build-dir": str(tmp_path / "build")}
    environment = clean_environment(PATH=folder_with(tmp_path / "bin", "cmake", "ninja"))
    environment.pop("CXX", None)
    done = call_hook("build_wheel", tmp_path, environment, settings)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "no C++ compiler" in done.stderr and "g++" in done.stderr
    done = call_hook("build_wheel", tmp_path, environment | {"CXX": "no-such-compiler"}, settings)
    assert done.returncode == 1 and "CXX names no-such-compiler" in done.stderr


def test_a_missing_pybind11_is_named(tmp_path: Path) -> None:
    settings = {"build-dir": str(tmp_path / "build"), "cmake-args": "-DCMAKE_DISABLE_FIND_PACKAGE_pybind11=ON"}
    done = call_hook("build_wheel", tmp_path, clean_environment(), settings)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "CMake did not find pybind11" in done.stderr and "pybind11-dev" in done.stderr


def test_the_sdist_can_be_built_from(tmp_path: Path) -> None:
    with tarfile.open(build("build_sdist", tmp_path)) as archive:
        archive.extractall(tmp_path)
    root = tmp_path / f"sconet-{expected_version()}"
    assert (root / "PKG-INFO").exists() and (root / "LICENSE").exists()
    # Configured, and every file that compiling would need is there.
    configure = ["cmake", "-S", root, "-B", tmp_path / "build", "-G", "Ninja", "-DSCONET_WITH_PYTHON=ON",
                 "-DSCONET_DEV=OFF", "-DSCONET_PROGRAM=OFF", f"-DPython_EXECUTABLE={sys.executable}"]
    done = subprocess.run(configure, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(["ninja", "-C", tmp_path / "build", "-n", "sconet_core"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
