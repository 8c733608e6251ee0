"""Progress of training on standard error: tqdm where it is installed, else a line of our own."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO


class Line:
    """A line that is written over and over, in a terminal and in a notebook; elsewhere a new one now and then."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        in_notebook = type(self.stream).__module__.startswith("ipykernel")
        self.rewrites = in_notebook or self.stream.isatty()
        self.every = 0.1 if self.rewrites else 2.0  # seconds
        self.last_time = time.monotonic() if not self.rewrites else 0.0
        self.last_text = ""
        self.width = 0

    def show(self, done: int, total: int, unit: str, text: str) -> None:
        share = min(done / total, 1) if total > 0 else 0
        bar = "#" * round(20 * share)
        self.last_text = f"[{bar:<20}] {done}/{total} {unit}  {text}" if total > 0 else f"{done} {unit}  {text}"
        if time.monotonic() - self.last_time >= self.every:
            self._write()

    def _write(self) -> None:
        self.last_time = time.monotonic()
        if self.rewrites:
            self.stream.write("\r" + self.last_text.ljust(self.width))
        else:
            self.stream.write(self.last_text + "\n")
        self.width = len(self.last_text)
        self.stream.flush()

    def close(self) -> None:
        if not self.last_text:
            return
        self._write()
        if self.rewrites:
            self.stream.write("\n")
        self.stream.flush()


class Tqdm:
    """The same by tqdm, which has widgets for notebooks."""

    def __init__(self, tqdm: Any) -> None:
        self.tqdm = tqdm
        self.bar: Any = None
        self.unit = ""

    def show(self, done: int, total: int, unit: str, text: str) -> None:
        if self.bar is None or self.unit != unit:
            self.close()
            self.bar = self.tqdm(total=total or None, unit=unit, leave=True)
            self.unit = unit
        if total and self.bar.total != total:
            self.bar.total = total
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Progress:
    """What fit() shows with progress=True: the trials of auto, then the nodes."""

    def __init__(self, max_nodes: int, ensemble: int) -> None:
        # Of auto nobody knows the size before; of an ensemble there is a record for each member.
        self.total = ensemble if ensemble > 1 else max(max_nodes, 0)
        self.unit = "members" if ensemble > 1 else "nodes"
        self.count = 0
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.display: Line | Tqdm = Line()
        else:
            self.display = Tqdm(tqdm)

    def on_trial(self, record: dict[str, Any]) -> None:
        text = f"round {record['round']} of {record['rounds']}, RMSE {record['rmse']:.4g}"
        self.display.show(record["tried"], record["trials"], "trials", text)

    def on_node(self, record: dict[str, Any]) -> None:
        self.count += 1
        text = f"RMSE {record['train_rmse']:.4g}"
        if record["valid_rmse"] == record["valid_rmse"]:
            text += f", validation {record['valid_rmse']:.4g}"
        self.display.show(self.count, self.total, self.unit, text)

    def close(self) -> None:
        self.display.close()
