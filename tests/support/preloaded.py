"""The command `zgadka` without its start: a process that has imported all of it forks for each call.

`python preloaded.py serve FOLDER` is that process; `python -IS preloaded.py call SOCKET ARGUMENT…` is the command, with
arguments, directory, environment, streams and a process of its own; signals reach it, and `kill -9` does. A start is
half a second to two, most of it imports, and there are hundreds.

With the arguments `-c SCRIPT ARGUMENT…` it is Python, which runs the script.
"""

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib
import json
import os
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

_LIMIT = 1 << 20
_COMMAND = """#!/bin/sh
exec {python} -IS {this} call {socket} "$@"
"""


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
            subprocess.run([sys.executable, __file__, "serve", str(folder)], check=True, stdin=subprocess.DEVNULL)
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
    from zgadka.cli.main import main

    _load(main)
    gc.freeze()  # nobody looks for garbage in what all calls share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for children, and none is left behind
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen(64)
        program = folder / "zgadka"
        program.write_text(_COMMAND.format(python=sys.executable, this=__file__, socket=folder / "socket"))
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


def _load(main: Callable[[], object]) -> None:
    """Import what commands import when they need it: a chat, and servers."""
    import zgadka.mcp.http
    import zgadka.mcp.server
    import zgadka.stores.postgres.store
    import zgadka.transfer.external.apply
    import zgadka.web.server  # noqa: F401

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


def _be_called(connection: socket.socket, main: Callable[[], object]) -> NoReturn:
    text, streams, _, _ = socket.recv_fds(connection, _LIMIT, 3)
    call = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115
    os.chdir(call["directory"])
    os.environ.clear()
    os.environ.update(call["environment"])
    sys.argv = ["zgadka", *call["arguments"]]
    if sys.argv[1:2] == ["-c"]:
        main = functools.partial(_run_script, sys.argv[2])
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
    connection.sendall(json.dumps(code).encode())
    os._exit(0)  # at once: letting go of what all imports made would take longer than the call


def _run_script(script: str) -> None:
    exec(compile(script, "<string>", "exec"), {"__name__": "__main__"})


def _pass_signals(connection: socket.socket) -> None:
    """In the forked process: what the command is sent."""
    while number := connection.recv(1):
        os.kill(os.getpid(), number[0])


def call(path: str, arguments: list[str]) -> int:
    """Have the command called; returns its exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: connection.sendall(bytes([number])))
        connection.connect(path)
        said = {"arguments": arguments, "directory": str(Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(connection, [json.dumps(said).encode()], [0, 1, 2])
        if answer := connection.recv(_LIMIT):
            return int(json.loads(answer))
    os.kill(os.getpid(), signal.SIGKILL)  # so did the process end
    return 1


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(Path(sys.argv[2]))
    else:
        sys.exit(call(sys.argv[2], sys.argv[3:]))
