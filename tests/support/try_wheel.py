"""Chat and serve with an installed zgadka, away from the clone: `python try_wheel.py FOLDER_OF_PROGRAMS`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

_ALLOWED = 60
"""Seconds that a program may take, on a machine that has more to do."""


def chat(program: str, folder: str) -> None:
    """Say something and ask for it again, in another process."""
    for text, answer in (("I live in Lviv", "Remembered: location: Lviv"), ("where do I live?", "location: Lviv")):
        ran = subprocess.run(
            [program, "chat"], input=f"{text}\n", capture_output=True, text=True, timeout=_ALLOWED, check=True,
            cwd=folder, env=_environment(folder),
        )  # fmt: skip
        if answer not in ran.stdout:
            sys.exit(f"{text!r} was answered by {ran.stdout!r}, {ran.stderr!r}")


def serve(program: str, folder: str) -> None:
    """Ask the server for a page and for its description, which are made from files of the package."""
    with subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, cwd=folder,
        env=_environment(folder),
    ) as server:  # fmt: skip
        try:
            address = next(
                match[1] for line in server.stderr or () if (match := re.search(r"serving at (http\S+?);", line))
            )
            for path, text in (("/dashboard/login", "<form"), ("/openapi.json", '"/v1/')):
                with urlopen(f"{address}{path}", timeout=_ALLOWED) as answer:  # of this machine
                    if text not in answer.read().decode():
                        sys.exit(f"{path} has no {text!r}")
        finally:
            server.terminate()


def _environment(folder: str) -> dict[str, str]:
    return {"HOME": folder, "ZGADKA_DATABASE": f"sqlite:///{folder}/memory.db", "ZGADKA_EMBEDDER": "none"}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(sys.argv[1], "zgadka"))
        chat(program, folder)
        serve(program, folder)
