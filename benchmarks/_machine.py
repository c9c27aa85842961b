"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import apsw

ROOT = Path(__file__).resolve().parent.parent


def describe(folder: Path) -> dict[str, str]:
    """Describe machine, disk under `folder`, and versions."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": f"{_cpu()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "disk": f"{_file_system(folder)}, 4 KiB write and fdatasync {_sync_milliseconds(folder):.2f} ms",
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": f"{apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})",
        "zgadka": _commit(),
    }


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _file_system(folder: Path) -> str:
    if not Path("/proc/mounts").exists():
        return "unknown file system"
    mounts = (line.split() for line in Path("/proc/mounts").read_text("utf-8").splitlines())
    holding = [mount for mount in mounts if folder.resolve().is_relative_to(mount[1])]
    device, _, kind, *_ = max(holding, key=lambda mount: len(mount[1]))
    return f"{kind} on {device}"


def _sync_milliseconds(folder: Path) -> float:
    """How long it takes to have 4 KiB on disk in a file that has its size already, as SQLite's WAL mostly has."""
    path = folder / f"sync-{os.getpid()}"
    page = os.urandom(4096)
    path.write_bytes(page * 64)
    taken: list[float] = []
    with path.open("rb+", buffering=0) as file:
        os.fsync(file.fileno())
        for number in range(64):
            file.seek(number * 4096)
            started = time.perf_counter()
            file.write(page)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - started)
    path.unlink()
    return statistics.median(taken) * 1000


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "describe", "--always"], capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src"], capture_output=True, check=False)
    return (commit.stdout.strip() or "unknown commit") + (
        " with uncommitted changes in src" if changed.returncode else ""
    )
