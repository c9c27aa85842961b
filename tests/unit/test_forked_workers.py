"""`--workers`: the tests of a few small files, run by a pytest of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import forked_workers
import pytest

_CONFTEST = """
import os, pathlib, pytest

LOG = pathlib.Path(__file__).with_name("log")

def note(text):
    with LOG.open("a") as log:
        log.write(f"{text} {os.getpid()}\\n")

@pytest.fixture(autouse=True)
def _noted(request):
    note(request.node.nodeid)

@pytest.fixture(scope="module")
def of_file(request):
    note(f"set-up:{request.node.name}")
    yield
    note(f"torn-down:{request.node.name}")

@pytest.fixture(scope="session")
def of_process():
    note("set-up")
    yield
    note("torn-down")
"""
_FILE = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_one_of_many(number, of_process, of_file, tmp_path):
    tmp_path.joinpath("file").write_text("")
"""


class Runs:
    """Runs pytest over files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "conftest.py").write_text(_CONFTEST)
        (folder / "pytest.ini").write_text("[pytest]\n")
        self.environment = os.environ | {
            "PYTHONPATH": str(Path(forked_workers.__file__).parent),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }

    def start(self, files: dict[str, str], *options: str, workers: int = 3) -> subprocess.Popen[str]:
        """Start it; `{"a": "…"}` is the file test_a.py."""
        for name, text in files.items():
            (self.folder / f"test_{name}.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-p", "forked_workers", f"--workers={workers}", *options]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, files: dict[str, str], *options: str, workers: int = 3) -> tuple[int, str]:
        """Run it to its end; the exit code and what it printed."""
        running = self.start(files, *options, workers=workers)
        try:
            output, _ = running.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            raise
        return running.returncode, output

    def log(self) -> list[tuple[str, str]]:
        """What happened, and in which process."""
        lines = (self.folder / "log").read_text().splitlines()
        return [(what, process) for what, process in (line.rsplit(" ", 1) for line in lines)]

    def ran(self) -> list[str]:
        """The names of the tests that began, sorted."""
        return sorted(what for what, _ in self.log() if "::" in what)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


_CORES = """
import os, subprocess, sys, threading

def test_cores():
    own = os.sched_getaffinity(0)
    assert len(own) == 1
    printing = "import os; print(len(os.sched_getaffinity(0)))"
    started = [int(subprocess.check_output([sys.executable, "-c", printing])) for _ in range(2)]
    if (forked := os.fork()) == 0:
        os._exit(len(os.sched_getaffinity(0)))
    started.append(os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]))
    assert set(started) == {int(os.environ["CORES"])}
    assert os.sched_getaffinity(0) == own
"""


def test_a_worker_stays_on_one_core_and_what_it_starts_does_not(runs: Runs) -> None:
    cores = subprocess.check_output([sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"], text=True)
    runs.environment["CORES"] = cores
    code, output = runs.run(dict.fromkeys("ab", _CORES), workers=2)
    assert code == 0, output


def test_every_test_runs_once_and_a_file_stays_in_one_process(runs: Runs) -> None:
    code, output = runs.run(dict.fromkeys("abcdefgh", _FILE), "-q", "--junitxml=report.xml")

    assert code == 0, output
    assert "160 passed" in output
    expected = sorted(f"test_{name}.py::test_one_of_many[{number}]" for name in "abcdefgh" for number in range(20))
    assert runs.ran() == expected
    processes: dict[str, set[str]] = {}
    for what, process in runs.log():
        if "test_" in what:
            processes.setdefault(re.findall(r"test_\w\.py", what)[0], set()).add(process)
    assert {len(of_file) for of_file in processes.values()} == {1}
    worked = len({process for _, process in runs.log()})
    assert worked <= 3  # who begins late may find nothing left
    assert [what for what, _ in runs.log()].count("set-up") == worked
    for fixture in ("", ":test_a.py"):
        names = [what for what, _ in runs.log()]
        assert names.count(f"set-up{fixture}") == names.count(f"torn-down{fixture}")
    assert len(ElementTree.parse(runs.folder / "report.xml").findall(".//testcase")) == 160


_MEETING = """
import os, pathlib

def test_meeting():  # whoever opens one end waits for the other
    with open(pathlib.Path(__file__).with_name("pipe"), os.environ[pathlib.Path(__file__).stem]):
        pass
"""


def test_files_run_at_the_same_time(runs: Runs) -> None:
    os.mkfifo(runs.folder / "pipe")
    runs.environment |= {"test_a": "r", "test_b": "w"}
    code, output = runs.run(dict.fromkeys("ab", _MEETING), workers=2)
    assert code == 0, output


def test_failures_skips_and_captured_output_are_told_as_without_workers(runs: Runs) -> None:
    tests = """
import pytest, warnings

def test_right(): pass

def test_wrong():
    print("what it printed")
    assert [1, 2] == [1, 3]

def test_skipped(): pytest.skip("not today")

@pytest.mark.xfail
def test_expected(): assert False

def test_that_warns(): warnings.warn("beware")

@pytest.fixture
def broken():
    yield
    raise ValueError("not cleaned")

def test_with_a_broken_fixture(broken): pass
"""
    told: list[set[str]] = []
    for workers in (0, 3):
        code, output = runs.run({"a": tests, "b": _FILE}, "-ra", workers=workers)
        assert code == 1
        assert "1 failed, 23 passed, 1 skipped, 1 xfailed, 1 warning, 1 error" in output
        part = output[output.index("= ERRORS") :]
        told.append({line for line in part.splitlines() if " in " not in line})

    assert told[0] == told[1]
    assert "what it printed" in "".join(told[1])


def test_a_worker_that_dies_fails_the_test_it_was_at_and_no_other(runs: Runs) -> None:
    tests = """
import os, pytest, signal

@pytest.mark.parametrize("number", range(9))
def test_that_dies(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 6:
        os._exit(0)
"""
    code, output = runs.run({"a": tests, "b": _FILE}, "-q")

    assert code == 1, output
    assert "2 failed, 27 passed" in output
    assert re.search(r"worker \d died by SIGKILL while it ran test_a.py::test_that_dies\[3\]", output)
    assert re.search(r"worker \d died with exit code 0 while it ran test_a.py::test_that_dies\[6\]", output)
    assert len(runs.ran()) == 29


def test_x_stops_all_workers(runs: Runs) -> None:
    slow = """
import time, pytest

@pytest.mark.parametrize("number", range(99))
def test_slow(number, of_process): time.sleep(0.2)
"""
    wrong = "import time\ndef test_wrong(): time.sleep(0.5); assert False"
    code, output = runs.run({"a": slow, "b": slow, "c": wrong}, "-q", "-x")

    assert code == 1, output
    assert "1 failed" in output
    assert "stopping after 1 failures" in output
    names = [what for what, _ in runs.log()]
    assert len(runs.ran()) < 20
    assert names.count("set-up") == names.count("torn-down") == 2


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_what_ends_the_parent_ends_the_workers_in_order(runs: Runs, ending: signal.Signals) -> None:
    waits = "import time\ndef test_waits(of_process): time.sleep(60)"
    running = runs.start({"a": waits, "b": waits}, "-q")
    wait_for(lambda: (runs.folder / "log").exists() and len(runs.ran()) == 2)

    running.send_signal(ending)
    output, _ = running.communicate(timeout=120)

    wait_for(lambda: [what for what, _ in runs.log()].count("torn-down") == 2)
    if ending is signal.SIGINT:
        assert running.returncode == 2
        assert "KeyboardInterrupt" in output


def test_a_mistake_in_the_run_is_told_by_the_exit_code(runs: Runs) -> None:
    code, output = runs.run({"a": "import nowhere", "b": _FILE}, "-q")
    assert code == 2, output
    assert not (runs.folder / "log").exists()

    code, output = runs.run({"a": "import pytest\ndef test_exits(): pytest.exit('enough', 7)"}, "-q")
    assert code == 7, output
    assert "enough" in output


def test_coverage_is_measured_in_the_workers(runs: Runs) -> None:
    (runs.folder / "measured.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    halves = {name: f"import measured\ndef test_half(): measured.f({value})" for name, value in (("a", 0), ("b", 1))}

    code, output = runs.run(halves, "-q", "-p", "pytest_cov", "--cov=measured", "--cov-report=term")

    assert code == 0, output
    assert re.search(r"measured.py +4 +0 +100%", output), output


def test_of_a_tests_cases_the_first_is_measured(runs: Runs) -> None:
    (runs.folder / "measured.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    cases = "import measured, pytest\n@pytest.mark.parametrize('x', [0, {}])\ndef test_f(x): measured.f(x)\n{}"
    other = "def test_other(): measured.f(1)"
    measuring = ("-q", "-p", "measured_tests", "-p", "pytest_cov", "--cov=measured", "--cov-report=term-missing")

    code, output = runs.run({"a": cases.format(1, ""), "b": _FILE}, *measuring)
    assert code == 0, output
    assert re.search(r"measured.py +4 +1 +75% +3", output), output

    code, output = runs.run({"a": cases.format(1, other), "b": _FILE}, *measuring)
    assert re.search(r"measured.py +4 +0 +100%", output), output


def wait_for(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)
