"""The sets of the paper and how their rows are dealt; the catalogue and the paper's figures are read from src/study."""

import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

SOURCE = Path(__file__).resolve().parents[2]


class Known(NamedTuple):
    title: str
    file: str  # empty: generated
    sha256: str


class PaperFigure(NamedTuple):
    rmse: float
    nodes: float


def known_sets() -> dict[str, Known]:
    """DB1 to DB10, from src/study/sets.cpp."""
    text = (SOURCE / "src/study/sets.cpp").read_text()
    entry = r'KnownSet\{\s*"(DB\d+)",\s*"([^"]*)",\s*"([^"]*)",\s*"([^"]*)"'
    sets = {id: Known(*rest) for id, *rest in re.findall(entry, text)}
    if len(sets) != 10:
        raise RuntimeError(f"src/study/sets.cpp: {len(sets)} sets were found in the catalogue instead of 10")
    return sets


def paper_rmpi() -> dict[str, PaperFigure]:
    """The test RMSE and the nodes of RMPI-SCN in the paper's Table 3, from src/study/paper.cpp."""
    text = re.sub(r"\s", "", (SOURCE / "src/study/paper.cpp").read_text())
    pair = r"\{[^{}]*\},"
    entry = rf'Entry\{{"(DB\d+)","rmpi",\{{{pair}{pair}\{{([^,]*),[^{{}}]*\}},{pair}{pair}([^{{}}]*)\}}\}}'
    figures = {id: PaperFigure(float(rmse), float(nodes)) for id, rmse, nodes in re.findall(entry, text)}
    if len(figures) != 10:
        raise RuntimeError(f"src/study/paper.cpp: {len(figures)} figures of RMPI-SCN were found instead of 10")
    return figures


@dataclass
class DataSet:
    """Rows stay the text they were, so that every side reads the same digits."""

    id: str
    title: str
    header: str
    lines: list[str]
    test_lines: list[str]  # a fixed test table; empty: test rows are dealt
    data: str  # a hash of all of it
    notes: list[str]

    @property
    def target(self) -> str:
        return self.header.split(",")[-1]


def lines_of(text: str) -> list[str]:
    return text.strip().splitlines()


def load(id: str, folder: Path | None, sconet: Path) -> DataSet:
    known = known_sets()[id]
    notes, test_lines = [], []
    if known.file:
        if folder is None:
            raise FileNotFoundError(f"{id} ({known.title}) is read from {known.file}: name its folder with --data DIR")
        raw = (folder / known.file).read_bytes()
        if hashlib.sha256(raw).hexdigest() != known.sha256:
            notes.append(f"{known.file} is not the file of the catalogue (docs/datasets.md)")
        header, *lines = lines_of(raw.decode())
    else:
        header, *lines = lines_of(generated(sconet, id.lower()))
        if id == "DB2":
            _, *test_lines = lines_of(generated(sconet, "db2-test"))
    digest = hashlib.sha256("\n".join([header, *lines, *test_lines]).encode()).hexdigest()[:12]
    return DataSet(id, known.title, header, lines, test_lines, digest, notes)


def generated(sconet: Path, name: str) -> str:
    return subprocess.run([sconet, "generate", name], check=True, capture_output=True, text=True).stdout


class Part(NamedTuple):
    X: np.ndarray
    y: np.ndarray

    def rmse(self, predicted: np.ndarray) -> float:
        return float(np.sqrt(np.mean((np.asarray(predicted, dtype=float).ravel() - self.y) ** 2)))


class Split:
    """Training, validation and test rows: 6:2:2, or 3:1 beside a fixed test table; in memory and as files."""

    def __init__(self, data_set: DataSet, seed: int):
        self.set, self.seed = data_set, seed
        n = len(data_set.lines)
        order = np.random.Generator(np.random.PCG64(seed)).permutation(n)
        train, used = (n * 3 // 4, n) if data_set.test_lines else (n * 6 // 10, n * 6 // 10 + n * 2 // 10)
        lines = [data_set.lines[i] for i in order]
        self._folder = tempfile.TemporaryDirectory(prefix="sconet-peers-")
        self.train = self._part("part.csv", lines[:train])
        self.valid = self._part("valid.csv", lines[train:used])
        self.both = self._part("train.csv", lines[:used])
        self.test = self._part("test.csv", data_set.test_lines or lines[used:])

    def _part(self, name: str, lines: list[str]) -> Part:
        self.path(name).write_text("\n".join([self.set.header, *lines]) + "\n")
        values = np.array([[float(cell) for cell in line.split(",")] for line in lines])
        return Part(np.ascontiguousarray(values[:, :-1]), values[:, -1])

    def path(self, name: str) -> Path:
        """part.csv, valid.csv, train.csv (both of them), test.csv; or a new file."""
        return Path(self._folder.name) / name

    def close(self) -> None:
        self._folder.cleanup()
