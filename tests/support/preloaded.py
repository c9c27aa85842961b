"""The command `zgadka` without its start: a process that has imported all of it forks for each call.

`python preloaded.py FOLDER` is that process; the command is a script in the folder, with arguments, directory,
environment, streams and a process of its own; signals reach it, and `kill -9` does. A start is half a second to two,
most of it imports, and there are hundreds.

With the arguments `-c SCRIPT ARGUMENT…` or `-m MODULE ARGUMENT…` it is Python, which runs the script or the module.
"""

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import apsw
import empty_tables
import warm_caches

from zgadka.stores.sqlite import store as sqlite_store

_LIMIT = 1 << 20
# Imports no more than what Python has loaded anyway: that would take longer than all else.
_COMMAND = """#!{python} -IS
import _signal, _socket, marshal, posix, sys
connection = _socket.socket(_socket.AF_UNIX)
for number in (_signal.SIGINT, _signal.SIGTERM):
    _signal.signal(number, lambda number, _: connection.send(bytes([number])))
connection.connect({socket!r})
call = marshal.dumps((sys.argv[1:], posix.getcwd(), posix.environ))
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
connection.sendmsg([call], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
answer = connection.recv(9)
if answer:
    posix._exit(int(answer))
posix.kill(posix.getpid(), _signal.SIGKILL)  # so did the process end
"""


def begin(folder: Path) -> subprocess.Popen[bytes]:
    """Start the process of a folder, for whoever has something else to do until it has ended: then it serves."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen([sys.executable, __file__, str(folder)], stdin=subprocess.DEVNULL)


@contextlib.contextmanager
def command(folder: Path) -> Iterator[str]:
    """Give the path of the command `zgadka`, in this folder; its name is short enough for a socket's.

    All who give the same folder share one process, since its start takes four seconds: the first starts it, and it ends
    once nobody has its pipe open any more.
    """
    folder.mkdir(exist_ok=True)
    with _locked(folder):
        folder.mkdir(exist_ok=True)  # gone meanwhile, if the last user was leaving
        pipe = _used(folder)
        if pipe is None:
            code = begin(folder).wait()
            assert code == 0, code
            pipe = _used(folder)
            assert pipe is not None
    yield str(folder / "zgadka")
    os.close(pipe)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _used(folder: Path) -> int | None:
    """The open pipe of the process that serves this folder; None if there is none."""
    try:
        return os.open(folder / "pipe", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # no pipe, or nobody reads it
        return None


def serve(folder: Path) -> None:
    """Answer calls until nobody uses it any more; it goes on in a process of its own once it is ready."""
    main = _load()
    _save_coverage()
    gc.freeze()  # nobody looks for garbage in what all calls share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for children, and none is left behind
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen(64)
        program = folder / "zgadka"
        program.write_text(_COMMAND.format(python=sys.executable, socket=str(folder / "socket")))
        program.chmod(0o755)
        os.mkfifo(folder / "pipe")
        pipe = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        if os.fork():
            os._exit(0)
        os.setsid()
        called: dict[int, tuple[socket.socket, int]] = {}
        events = select.poll()
        events.register(listener, select.POLLIN)
        events.register(pipe, 0)  # for its end
        while True:
            number, _ = events.poll()[0]
            if number == pipe:
                if _is_left(folder, events, pipe):
                    return
                continue
            if number != listener.fileno():  # the process has ended, or who called it
                connection, process = called[number]
                for ended in (connection.fileno(), process):
                    events.unregister(ended)
                    del called[ended]
                _end(connection, process)
                continue
            connection, _ = listener.accept()
            if (pid := os.fork()) == 0:
                listener.close()
                os.close(pipe)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _be_called(connection, main)
            try:
                process = os.pidfd_open(pid)
            except ProcessLookupError:  # so soon
                connection.close()
                continue
            events.register(connection, 0)  # only for its end: what comes is the process's
            events.register(process, select.POLLIN)
            called[connection.fileno()] = called[process] = connection, process


def _is_left(folder: Path, events: select.poll, pipe: int) -> bool:
    """Whether nobody uses it, even after those who were about to; what is of the folder goes then."""
    with _locked(folder):
        if pipe not in dict(events.poll(0)):
            return False
        shutil.rmtree(folder)
        return True


def _end(connection: socket.socket, process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(process, signal.SIGKILL)
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)  # processes that were forked meanwhile have it too
    connection.close()
    os.close(process)


def _load() -> Callable[[], object]:
    """The command, with all imported and worked out that commands import or work out when they need it."""
    import typer.main

    from zgadka.cli.main import app, main

    for name in ("mcp.http", "mcp.server", "stores.postgres.store", "transfer.external.apply", "web.server"):
        importlib.import_module(f"zgadka.{name}")
    made = typer.main.get_command(app)
    typer.main.get_command = lambda _: made
    sqlite_store.migrate = empty_tables.migrate
    names, chatted = os.pipe()
    if os.fork() == 0:  # what is counted and remembered there stays there
        lines, typed = os.pipe()
        os.write(typed, b"I live in Kyiv\nwhere do I live?\n")
        os.close(typed)
        os.dup2(lines, 0)
        sys.argv = ["zgadka", "chat", "--model", "standin", "--db", "sqlite://:memory:"]
        nowhere = Path(os.devnull).open("w")  # noqa: SIM115
        with contextlib.redirect_stdout(nowhere), contextlib.suppress(SystemExit):
            main()
        os.write(chatted, "\n".join(name for name in sys.modules if name.startswith("zgadka.")).encode())
        os._exit(0)
    os.close(chatted)
    with os.fdopen(names) as imported:
        for name in imported.read().split():
            importlib.import_module(name)
    os.wait()
    warm_caches.warm()
    empty_tables.migrate(apsw.Connection(":memory:"))
    return main


def _save_coverage() -> None:
    """What loading ran, once: each call would save all of it again, in a tenth of a second."""
    if "coverage" in sys.modules and (measured := sys.modules["coverage"].Coverage.current()) is not None:
        measured.save()


def _be_called(connection: socket.socket, main: Callable[[], object]) -> NoReturn:
    call, streams, _, _ = socket.recv_fds(connection, _LIMIT, 3)
    arguments, directory, environment = marshal.loads(call)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115
    os.chdir(directory)
    os.environ.clear()
    os.environb.update(environment)
    sys.argv = ["zgadka", *arguments]
    if sys.argv[1:2] in (["-c"], ["-m"]):
        run = _run_script if sys.argv[1] == "-c" else _run_module
        main = functools.partial(run, sys.argv[2])
        del sys.argv[0], sys.argv[1]
        sys.path[0] = ""
    threading.Thread(target=_pass_signals, args=[connection], daemon=True).start()
    code: object = 1
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001  (as the end of a Python of its own would)
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    atexit._run_exitfuncs()
    connection.sendall(str(code).encode())
    os._exit(0)  # at once: letting go of what all imports made would take longer than the call


def _run_script(script: str) -> None:
    exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})


def _run_module(name: str) -> None:
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _pass_signals(connection: socket.socket) -> None:
    """In the forked process: what the command is sent."""
    while number := connection.recv(1):
        os.kill(os.getpid(), number[0])


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
