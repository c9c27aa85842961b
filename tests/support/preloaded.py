"""The command `zgadka` without its start: a process that has imported all of it forks for each call.

`python preloaded.py serve SOCKET` is that process; `python -IS preloaded.py call SOCKET ARGUMENT…` is the command, with
arguments, directory, environment and streams of its own. The examples of the docs are a hundred calls, whose time would
mostly be imports.
"""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

_LIMIT = 1 << 20


def serve(path: str) -> None:
    """Answer calls until killed."""
    import zgadka.assemble
    import zgadka.chat.agent
    import zgadka.chat.terminal
    import zgadka.ops.export
    import zgadka.ops.import_
    import zgadka.stores.sqlite  # noqa: F401  (what commands load when they need it)
    from zgadka.cli import main

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for children, and none is left behind
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _be_called(connection, main)
            connection.close()


def _be_called(connection: socket.socket, main: Callable[[], object]) -> None:
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
    code: object = 1
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        connection.sendall(json.dumps(code).encode())
    raise SystemExit(code)


def call(path: str, arguments: list[str]) -> int:
    """Have the command called; returns its exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        said = {"arguments": arguments, "directory": str(Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(connection, [json.dumps(said).encode()], [0, 1, 2])
        return int(json.loads(connection.recv(_LIMIT) or b"70"))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(call(sys.argv[2], sys.argv[3:]))
