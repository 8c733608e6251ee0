"""The build backend of `pip install .` (PEP 517, PEP 660): it drives the CMake build and packs what comes out.

It needs nothing but Python, CMake, a C++ compiler and the libraries that the C++ build needs. Settings, each a config
setting of pip (`--config-settings build-dir=...`) or an environment variable:

    build-dir, SCONET_BUILD_DIR   the CMake build folder, default build/wheel-cmake-cpXY. It is kept, so that the next
                                  build compiles what changed. A folder that is configured already is taken as it is.
    cmake-args, CMAKE_ARGS        more arguments for configuring, as the shell would split them

Called as a program, `python3 python/backend/sconet_build.py FOLDER` builds the wheel there and prints its path.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sconet"
TARGET = "sconet_core"  # the CMake target of the extension; the modules lie beside it as links
PACKAGES = "g++ cmake ninja-build libeigen3-dev libfmt-dev nlohmann-json3-dev pybind11-dev python3-dev"
# What an sdist holds: enough for building the wheel again.
SDIST = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "include", "src", "python")

Settings = Mapping[str, Any] | None


class BuildError(SystemExit):
    """Ends the build with a message for people instead of a traceback."""

    def __init__(self, message: str) -> None:
        super().__init__(f"\nsconet cannot be built: {message}\n")


# --- the hooks ------------------------------------------------------------------------------------------------------
def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    folder = Path(metadata_directory) / dist_info()
    folder.mkdir(parents=True)
    for name, data in metadata_files().items():
        (Path(metadata_directory) / name).write_bytes(data)
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    extension = build_extension(build_folder(config_settings), config_settings)
    files = {f"sconet/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in package_files()}
    files[f"sconet/{extension.name}"] = extension.read_bytes()
    return write_wheel(Path(wheel_directory), files)


def build_editable(wheel_directory: str, config_settings: Settings = None,
                   metadata_directory: str | None = None) -> str:
    """The importable build folder goes on Python's path: build again after a change of C++."""
    extension = build_extension(build_folder(config_settings), config_settings)
    return write_wheel(Path(wheel_directory), {"sconet.pth": f"{extension.parents[1]}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    base = f"{project()['name']}-{version()}"
    target = Path(sdist_directory) / f"{base}.tar.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    files = {f"{base}/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in source_files()}
    files[f"{base}/PKG-INFO"] = metadata().encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return target.name


# --- compiling ------------------------------------------------------------------------------------------------------
def setting(settings: Settings, name: str, variable: str) -> str:
    value = (settings or {}).get(name, os.environ.get(variable, ""))
    return " ".join(value) if isinstance(value, list) else value


def build_folder(settings: Settings) -> Path:
    named = setting(settings, "build-dir", "SCONET_BUILD_DIR")
    return Path(named).resolve() if named else ROOT / "build" / f"wheel-cmake-{interpreter_tag()}"


def build_extension(folder: Path, settings: Settings) -> Path:
    """Compiles what is not up to date, and says where the extension is."""
    if not shutil.which("cmake"):
        raise BuildError(f"there is no cmake on the PATH, and CMake 3.21 or later builds it. {advice()}")
    if not any((folder / name).exists() for name in ("build.ninja", "Makefile")):
        configure(folder, settings)
    jobs = str(len(os.sched_getaffinity(0)))
    command = ["cmake", "--build", str(folder), "--target", TARGET, "--parallel", jobs]
    if subprocess.run(command, stdout=sys.stderr).returncode:
        raise BuildError(f"compiling in {folder} failed; the compiler's messages are above. {advice()}")
    extension = folder / "python" / "sconet" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not extension.exists():
        raise BuildError(f"{extension} is missing, so {folder} was configured for another Python than "
                         f"{sys.executable}. Delete that folder or name another one (SCONET_BUILD_DIR).")
    return extension


def configure(folder: Path, settings: Settings) -> None:
    compiler = os.environ.get("CXX", "")
    if not any(shutil.which(name) for name in ([shlex.split(compiler)[0]] if compiler else ["c++", "g++", "clang++"])):
        what = f"CXX names {compiler}, which is not there" if compiler else "there is no C++ compiler on the PATH"
        raise BuildError(f"{what}. GCC 11 or Clang 15 and later will do. {advice()}")
    command = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DSCONET_WITH_PYTHON=ON",
               "-DSCONET_DEV=OFF", "-DSCONET_PROGRAM=OFF", f"-DPython_EXECUTABLE={base_interpreter()}"]
    # Python brings its own tables and trains no MLP, so the wheel needs none of the libraries for these.
    command += [f"-DSCONET_WITH_{library}=OFF" for library in ("ZLIB", "ZSTD", "MATIO", "LBFGSPP")]
    if shutil.which("ninja"):
        command += ["-G", "Ninja"]
    if pybind11 := installed_pybind11():
        command.append(f"-Dpybind11_DIR={pybind11}")
    command += shlex.split(setting(settings, "cmake-args", "CMAKE_ARGS"))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, file=sys.stderr)
    if done.returncode:
        missing = re.search(r'provided by\s+"(\w+)"|for module (\w+) called', done.stdout)
        what = f"CMake did not find {missing[1] or missing[2]}" if missing else "CMake could not configure it"
        raise BuildError(f"{what}; its messages are above. {advice()}")


def installed_pybind11() -> str | None:
    """Where the CMake files of a pybind11 that pip installed are."""
    try:
        import pybind11
    except ImportError:
        return None
    return pybind11.get_cmake_dir()


def base_interpreter() -> str:
    """The interpreter behind a virtual environment: build folders outlive these."""
    return getattr(sys, "_base_executable", None) or sys.executable


def advice() -> str:
    return f"On Debian and Ubuntu: sudo apt-get install {PACKAGES}"


# --- the package ----------------------------------------------------------------------------------------------------
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def version() -> str:
    found = re.search(r"^project\(sconet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    if not found:
        raise BuildError("CMakeLists.txt does not begin its project with 'project(sconet VERSION ...'")
    return found[1]


def interpreter_tag() -> str:
    return f"cp{sys.version_info.major}{sys.version_info.minor}"


def wheel_tag() -> str:
    if sys.implementation.name != "cpython":
        raise BuildError(f"wheels are made for CPython, not {sys.implementation.name}")
    abi = interpreter_tag() + getattr(sys, "abiflags", "")
    return f"{interpreter_tag()}-{abi}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def dist_info() -> str:
    return f"{project()['name']}-{version()}.dist-info"


def metadata() -> str:
    about = project()
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {version()}",
             f"Summary: {about['description']}", f"License: {about['license']['text']}",
             f"Keywords: {','.join(about['keywords'])}"]
    lines += [f"Classifier: {classifier}" for classifier in about["classifiers"]]
    lines += [f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in about["dependencies"]]
    for extra, requirements in about["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    lines += ["License-File: LICENSE", "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / about["readme"]).read_text()


def metadata_files() -> dict[str, bytes]:
    wheel = f"Wheel-Version: 1.0\nGenerator: sconet_build\nRoot-Is-Purelib: false\nTag: {wheel_tag()}\n"
    return {f"{dist_info()}/LICENSE": (ROOT / "LICENSE").read_bytes(),
            f"{dist_info()}/METADATA": metadata().encode(),
            f"{dist_info()}/WHEEL": wheel.encode()}


def package_files() -> list[Path]:
    """The package's own files. An extension that lies there is somebody's experiment."""
    return sorted(path for path in PACKAGE.rglob("*")
                  if path.suffix in (".py", ".pyi") or path.name == "py.typed")


def source_files() -> list[Path]:
    found: list[Path] = []
    for name in SDIST:
        path = ROOT / name
        if path.is_dir():
            found += [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        elif path.exists():
            found.append(path)
    return sorted(file for file in found if file.suffix not in (".so", ".pyc"))


def write_wheel(folder: Path, files: dict[str, bytes]) -> str:
    """A wheel of these files and the metadata: the same files make the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{project()['name']}-{version()}-{wheel_tag()}.whl"
    entries = sorted(files.items()) + sorted(metadata_files().items())
    record = f"{dist_info()}/RECORD"
    rows = []
    for name, data in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    rows.append(f"{record},,\n")
    entries.append((record, "".join(rows).encode()))
    unfinished = target.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for name, data in entries:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    unfinished.replace(target)
    return target.name


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: sconet_build.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    print(folder / build_wheel(str(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
