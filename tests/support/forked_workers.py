"""A pytest plugin: `--workers 4` collects once, then forks four processes that share the tests.

What pytest-xdist does in five processes, each of which imports and collects everything. Here the parent has neither run
a test nor started a thread when it forks, and runs none later: it hands out the work and reports.

- A file's tests run in one process, in order; whoever is free takes the next file. Files are taken in pytest's order:
  the unit tests come last, which are short, so that all end at about the same time.
- A process that dies fails the test that it was at; the rest of its tests then run in another.
- A process stays on one core, but with `--long`: operations go from thread to thread, and to wake one on another core
  takes a quarter of its time. What it starts may use all cores.
- Ctrl-C, `-x` and the end of the parent interrupt the processes, which tear down what they set up.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections import defaultdict
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn

import pytest
from _pytest.runner import runtestprotocol

_PR_SET_PDEATHSIG = 1
_GRACE_MS = 10_000

Files = list[list[int]]
"""Of each file, the indexes of its tests among `session.items`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="share the tests among this many forked processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = session.config.option
    if option.workers < 2 or option.collectonly or option.usepdb or session.testsfailed:
        return None  # pytest's own loop
    run = _Run(session)
    while files := run.left():
        run.share(files, option.workers)
    return True


@dataclass
class _Worker:
    number: int
    pid: int
    results: Connection
    ended: int
    """Readable once the process has ended."""
    running: int | None = None


class _Run:
    """All tests of a session, as the parent sees them."""

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._hook = session.config.hook
        self._done: set[int] = set()
        self._numbers = itertools.count()
        if (folders := getattr(session.config, "_tmp_path_factory", None)) is not None:
            folders.getbasetemp()  # workers have theirs in it
        if (reporter := session.config.pluginmanager.get_plugin("terminalreporter")) and reporter.verbosity == 0:
            reporter.showfspath = False  # files that run at once would take a line for each dot

    def left(self) -> Files:
        """The files with tests that did not run yet."""
        files: defaultdict[str, list[int]] = defaultdict(list)
        for index, item in enumerate(self._session.items):
            if index not in self._done:
                files[item.nodeid.partition("::")[0]].append(index)
        return list(files.values())

    def share(self, files: Files, count: int) -> None:
        """Have forked processes run these; what they do not reach because they die is left again."""
        before = len(self._done)
        queue, filled = os.pipe()
        os.write(filled, b"".join(number.to_bytes(2, "big") for number in range(len(files))))
        os.close(filled)
        workers: list[_Worker] = []
        try:
            for _ in range(min(count, len(files))):
                workers.append(self._fork(files, queue, workers))
            os.close(queue)
            self._hear(workers)
        finally:
            _end(workers)
        if len(self._done) == before:
            raise RuntimeError("the workers died before they ran a test")

    def _fork(self, files: Files, queue: int, others: list[_Worker]) -> _Worker:
        number = next(self._numbers)
        results, sent = Pipe(duplex=False)
        parent = os.getpid()
        if (pid := os.fork()) == 0:
            for connection in (results, *(worker.results for worker in others)):
                connection.close()
            _work(self._session, parent, number, files, queue, sent)
        sent.close()
        return _Worker(number, pid, results, os.pidfd_open(pid))

    def _hear(self, workers: list[_Worker]) -> None:
        """Report what they send, until all have ended."""
        events = select.poll()
        by_descriptor = {end: worker for worker in workers for end in (worker.results.fileno(), worker.ended)}
        for descriptor in by_descriptor:
            events.register(descriptor, select.POLLIN)
        while workers:
            for descriptor, _ in events.poll():
                worker = by_descriptor[descriptor]
                if descriptor == worker.ended:  # though what it forked may have its pipe open
                    while worker.results.poll() and self._receive(worker):
                        pass
                    events.unregister(descriptor)
                    workers.remove(worker)
                    self._bury(worker)
                elif not self._receive(worker):
                    events.unregister(descriptor)

    def _receive(self, worker: _Worker) -> bool:
        """Take the next message; False if there is none any more."""
        try:
            message = worker.results.recv()
        except EOFError:
            return False
        match message:
            case "starts", index:
                worker.running = index
            case "ran", index, reports:
                worker.running = None
                config = self._session.config
                self._report(
                    index, [self._hook.pytest_report_from_serializable(config=config, data=r) for r in reports]
                )
            case "warns", warning:
                self._hook.pytest_warning_recorded.call_historic(kwargs=warning)
            case "exits", reason, code:
                raise pytest.exit.Exception(reason, code)
            case _:
                raise RuntimeError(f"worker {worker.number} failed: {message[1]}")
        return True

    def _bury(self, worker: _Worker) -> None:
        os.close(worker.ended)
        code = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        cause = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        how = f"worker {worker.number} died {cause}"
        if worker.running is not None:
            item = self._session.items[worker.running]
            text = f"{how} while it ran {item.nodeid}"
            self._report(worker.running, [pytest.TestReport(item.nodeid, item.location, {}, "failed", text, "call")])
        elif code:
            raise RuntimeError(f"{how} after its last test")

    def _report(self, index: int, reports: list[pytest.TestReport]) -> None:
        item = self._session.items[index]
        self._done.add(index)
        self._hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            self._hook.pytest_runtest_logreport(report=report)
        self._hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)


def _end(workers: list[_Worker]) -> None:
    """Have those end that still run."""
    for worker in workers:
        worker.results.close()  # else it could wait for us to read
        signal.pidfd_send_signal(worker.ended, signal.SIGINT)
    for worker in workers:
        events = select.poll()
        events.register(worker.ended, select.POLLIN)
        if not events.poll(_GRACE_MS):
            os.killpg(worker.pid, signal.SIGKILL)
        os.waitpid(worker.pid, 0)
        os.close(worker.ended)


def _work(session: pytest.Session, parent: int, number: int, files: Files, queue: int, results: Connection) -> NoReturn:
    """What a forked process does."""
    try:
        os.setpgid(0, 0)  # what Ctrl-C means to it, the parent says
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was started in the background
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() == parent:
            _be_alone(session, number, results)
            if not getattr(session.config.option, "long", False):
                _stay_on_one_core(number)
            _run(session, files, queue)
    except pytest.exit.Exception as end:
        _send(results, "exits", end.msg, end.returncode)
    except BaseException:  # noqa: BLE001  (the parent raises it)
        _send(results, "fails", traceback.format_exc())
    finally:
        with contextlib.suppress(BaseException):
            session._setupstate.teardown_exact(None)
        with contextlib.suppress(BaseException):
            _save_coverage()
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)


def _be_alone(session: pytest.Session, number: int, results: Connection) -> None:
    """Part from what the parent shares: its terminal, its files for captured output, its directory."""
    if threading.active_count() != 1:
        raise RuntimeError(f"whoever is imported by tests starts no threads: {threading.enumerate()}")
    plugins = session.config.pluginmanager
    if (capture := plugins.get_plugin("capturemanager")) is not None:
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture()
    if (factory := getattr(session.config, "_tmp_path_factory", None)) is not None:
        factory._basetemp = factory.getbasetemp() / f"worker{number}"
        factory._basetemp.mkdir(mode=0o700)
    plugins.register(_Teller(session, results))


def _stay_on_one_core(number: int) -> None:
    cores = os.sched_getaffinity(0)
    own = {sorted(cores)[number % len(cores)]}
    execute = subprocess.Popen._execute_child  # pyright: ignore[reportAttributeAccessIssue]

    def execute_on_all(*arguments: Any) -> None:
        os.sched_setaffinity(0, cores)  # of this thread, from which the child has it
        try:
            execute(*arguments)
        finally:
            os.sched_setaffinity(0, own)

    subprocess.Popen._execute_child = execute_on_all  # pyright: ignore[reportAttributeAccessIssue]
    os.register_at_fork(after_in_child=lambda: os.sched_setaffinity(0, cores))
    os.sched_setaffinity(0, own)


def _run(session: pytest.Session, files: Files, queue: int) -> None:
    while number := os.read(queue, 2):
        items = [session.items[index] for index in files[int.from_bytes(number, "big")]]
        # After a file's last test, only what is of the session stays: what comes next is not known during that test.
        for item, following in zip(items, [*items[1:], session], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    session._setupstate.teardown_exact(None)


class _Teller:
    """Runs a test as pytest does, but reports to the parent."""

    def __init__(self, session: pytest.Session, results: Connection) -> None:
        self._config = session.config
        self._indexes = {item: index for index, item in enumerate(session.items)}
        self._results = results

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: Any) -> bool:
        self._results.send(("starts", self._indexes[item]))
        serializable = self._config.hook.pytest_report_to_serializable
        reports = [
            serializable(config=self._config, report=report)
            for report in runtestprotocol(item, log=False, nextitem=nextitem)
        ]
        self._results.send(("ran", self._indexes[item], reports))
        return True

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: tuple[str, int, str] | None
    ) -> None:
        told = warnings.WarningMessage(
            str(warning_message.message), warning_message.category, warning_message.filename, warning_message.lineno
        )
        _send(self._results, "warns", {"warning_message": told, "when": when, "nodeid": nodeid, "location": location})


def _send(results: Connection, *message: Any) -> None:
    with contextlib.suppress(OSError):  # the parent has stopped
        results.send(message)


def _save_coverage() -> None:
    if "coverage" in sys.modules and (measured := sys.modules["coverage"].Coverage.current()) is not None:
        measured.stop()
        measured.save()
