"""The command line, as a shell script would run it: each command a process of its own, on one database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

NOON = "2026-03-01T12:00:00+00:00"
RUN = [sys.executable, "-c", "from zgadka.cli.main import main; main()"]


class Shell:
    """Runs commands as processes, on one database."""

    def __init__(self, folder: Path, *command: str) -> None:
        self.folder = folder
        self.command = command
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("ZGADKA_")}
        self.environ |= {"ZGADKA_DATABASE": f"sqlite:///{folder}/memory.db", "ZGADKA_EMBEDDER": "none"}

    def run(
        self, *arguments: str, given: bytes = b"", environ: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*self.command, *arguments],
            input=given,
            capture_output=True,
            cwd=self.folder,
            env=self.environ | (environ or {}),
            timeout=120,
            check=False,
        )

    def call(
        self, tool: str, arguments: dict[str, Any], *options: str, user: str = "123", chat: str = "456", now: str = NOON
    ) -> dict[str, Any]:
        done = self.run("call", tool, json.dumps(arguments), "--user", user, "--chat", chat, "--now", now, *options)
        assert (done.returncode, done.stderr) == (0, b""), done
        [line] = done.stdout.decode().splitlines()
        return json.loads(line)

    def remember(self, content: str = "I play chess", **who: str) -> int:
        said = self.call("remember", {"content": content}, **who)
        assert said["status"] == "success", said
        return said["memory_id"]

    def forget(self, memory_id: int, turn: str | None, *options: str, **who: str) -> str:
        turned = () if turn is None else ("--turn", turn)
        return self.call("forget", {"memory_id": memory_id}, *turned, *options, **who)["status"]
