"""docs/python.md is executed, block by block, and prints what it says; so are the examples.

Numbers may differ a little: other instructions round otherwise, and a network grows otherwise from there.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import pytest
import sconet

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
BUILD = Path(sconet.__file__).absolute().parents[2]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TOLERANCE = 0.15  # of a number, and one in its last digit


def blocks(text: str) -> list[tuple[int, str, str]]:
    """Line, language and content of every fenced block."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start()].count("\n") + 1, match[1], match[2]) for match in found]


def words(text: str) -> list[str]:
    return NUMBER.sub("#", text).split()


def same(expected: str, printed: str) -> bool:
    if words(expected) != words(printed):
        return False
    for wanted, got in zip(NUMBER.findall(expected), NUMBER.findall(printed), strict=True):
        last_digit = 10.0 ** -len(wanted.partition(".")[2].partition("e")[0])
        if abs(float(wanted) - float(got)) > max(TOLERANCE * abs(float(wanted)), 1.001 * last_digit):
            return False
    return True


def test_the_comparison_sees_differences() -> None:
    assert same("RMSE 1.05\n['x1' 24 nodes]", "RMSE 1.06 ['x1' 25 nodes]")
    assert not same("RMSE 1.05", "RMSE 1.35")
    assert not same("True", "False")
    assert not same("24 nodes", "24 nodes more")
    assert not same("24 nodes", "")


def test_every_block_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # the page does nothing to be warned of but leave cells empty
        warnings.filterwarnings("ignore", "training rows: column 'heat': 50 cells without a value filled in")
        for line, language, content in blocks(PAGE.read_text()):
            where = f"docs/python.md:{line}"
            if language == "python":
                output = io.StringIO()
                # Lines of the block have the numbers that they have on the page.
                code = compile("\n" * line + content, str(PAGE), "exec")
                try:
                    with contextlib.redirect_stdout(output):
                        exec(code, names)
                except Exception:
                    pytest.fail(f"{where}: {traceback.format_exc()}")
                printed = output.getvalue()
            elif language == "sh":
                path = f"{BUILD}{os.pathsep}{os.environ['PATH']}"
                done = subprocess.run(["bash", "-ec", content], env=os.environ | {"PATH": path}, capture_output=True,
                                      text=True)
                assert done.returncode == 0, f"{where}: {done.stdout}{done.stderr}"
                printed = done.stdout
            elif language == "text":
                if not same(content, printed):
                    wrong.append(f"{where} says\n{content}but it prints\n{printed}")
                printed = ""
            else:
                pytest.fail(f"{where}: a block of '{language}': neither python, sh nor text")
    assert not wrong, "\n".join(wrong)


def test_what_is_printed_is_on_the_page() -> None:
    """A block that prints is followed by what it prints."""
    found = blocks(PAGE.read_text())
    for (line, language, content), following in zip(found, [*found[1:], (0, "", "")], strict=True):
        if language == "python" and "print(" in content:
            assert following[1] == "text" and following[2].strip(), f"docs/python.md:{line} prints what is not shown"


def test_pictures_and_links_of_the_page_exist() -> None:
    text = PAGE.read_text()
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert len(links) > 5
    for link in links:
        path, _, anchor = link.partition("#")
        target = PAGE.parent / path
        assert target.exists(), f"docs/python.md: {link} leads nowhere"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in anchors, f"docs/python.md: {link} has no such heading"


@pytest.mark.parametrize("name", ["soft_sensor", "db1_against_mlp"])
def test_the_example(name: str, tmp_path: Path) -> None:
    picture = tmp_path / f"{name}.svg"
    done = subprocess.run([sys.executable, ROOT / "python" / "examples" / f"{name}.py", picture], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DataWarning" not in done.stderr and "ConvergenceWarning" not in done.stderr, done.stderr
    assert picture.read_text().rstrip().endswith("</svg>")
    assert (ROOT / "docs" / "python" / f"{name}.svg").exists()
    if name == "soft_sensor":
        listed = [line for line in done.stdout.splitlines() if line.startswith("  ")]
        numbers = {line[:42].strip(): float(line[42:].split()[0]) for line in listed}
        noise, rmse = numbers["the laboratory's noise"], numbers["all rows"]
        assert noise < numbers["other rows"] < rmse < 2 * noise < numbers["always the mean"] / 3
        assert 83 <= int(re.search(r"interval held (\d+) %", done.stdout)[1]) <= 96
        assert numbers["top [°C], 30 min ago"] > 10 * numbers["top [°C]"]  # it is the past that matters
    else:
        rows = re.findall(r"^(SCN|MLP|the same).* (\S+)$", done.stdout, re.MULTILINE)
        assert [kind for kind, _ in rows] == ["SCN"] * 3 + ["MLP"] * 2 + ["the same"]
        errors = [float(rmse) for _, rmse in rows]
        assert max(errors[:2]) < 0.1 * min(errors[3:])  # auto is far ahead, with as many nodes too
        assert errors[2] < errors[3]  # rmpi with its default scales: only ahead of Adam
