"""Imports point inwards. The code is parsed, not run: imports inside functions count as well."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# From the inside out: a module imports from its own line or a line above. The most exact name counts.
LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "zgadka.model",
        "zgadka.errors",
        "zgadka.extensions",
        "zgadka.settings",
        "zgadka.log",
        "zgadka.locales",
        "zgadka._version",
        "zgadka.breathing",
    ),
    ("zgadka.text",),
    ("zgadka.stores", "zgadka.transfer.copy_store", "zgadka.http", "zgadka.tracing"),
    ("zgadka.search", "zgadka.ops", "zgadka.transfer"),
    ("zgadka.tools", "zgadka.telemetry", "zgadka.metrics", "zgadka.extract"),
    ("zgadka.usage_stats",),
    # What asks a model waits for it.
    ("zgadka.embedding_worker",),
    ("zgadka.worker", "zgadka.admission"),
    ("zgadka.tool_calls", "zgadka.observer", "zgadka.maintenance"),
    (
        "zgadka.engine",
        "zgadka.extract.cascade",
        "zgadka.extract.local",
        "zgadka.extract.remote",
        "zgadka.extract.processes",
    ),
    ("zgadka.assemble",),
    ("zgadka.chat",),
    ("zgadka.frameworks", "zgadka.asgi"),
    ("zgadka.bots", "zgadka.mcp", "zgadka.web", "zgadka.transfer.external", "zgadka.evals", "zgadka.demo"),
    ("zgadka.cli", "zgadka.cli.shell"),
    (
        "zgadka.cli.mcp",
        "zgadka.cli.serve",
        "zgadka.cli.work",
        "zgadka.cli.demo",
        "zgadka.cli.files",
        "zgadka.cli.people",
        "zgadka.cli.rollout",
    ),
    ("zgadka.cli.main", "zgadka.__main__"),
    ("zgadka",),
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
BACK_ENDS = ("zgadka.stores.sqlite.store", "zgadka.stores.postgres.store")
ASSEMBLE = "zgadka.assemble"
MODEL_MAY_IMPORT = ("zgadka.model", "zgadka.errors")

# A third-party package is imported in one file. Package: the further files that may import it.
ALSO_IN = {
    # A connection, its schema and errors, its index and pages, files as a whole, and what is moved to or from one.
    "apsw": {
        "zgadka/stores/sqlite/checkpoint.py",
        "zgadka/stores/sqlite/copy.py",
        "zgadka/stores/sqlite/damage.py",
        "zgadka/stores/sqlite/errors.py",
        "zgadka/stores/sqlite/files.py",
        "zgadka/stores/sqlite/index_separators.py",
        "zgadka/stores/sqlite/schema.py",
    },
    # The same of PostgreSQL, and what its errors mean.
    "psycopg": {
        f"zgadka/stores/postgres/{part}.py"
        for part in (
            "copy",
            "errors",
            "keys",
            "listener",
            "nodes",
            "pool",
            "rewrite",
            "schema",
            "scrub",
            "session",
            "silence",
        )
    },
    # The commands of `zgadka eval` stand beside what they run.
    "typer": {
        "zgadka/cli/files.py",
        "zgadka/cli/mcp.py",
        "zgadka/cli/demo.py",
        "zgadka/cli/memories.py",
        "zgadka/cli/people.py",
        "zgadka/cli/rollout.py",
        "zgadka/cli/serve.py",
        "zgadka/cli/space.py",
        "zgadka/cli/work.py",
        "zgadka/evals/cli.py",
        "zgadka/evals/safety/cli.py",
        "zgadka/cli/shell.py",
    },
    # Bars for what takes long, and tables on a terminal.
    "rich": {"zgadka/cli/memories.py"},
    # The agent loop is agent.py; which company's model it talks to is providers.py; remote.py asks that model once.
    # pydantic_ai.py hands the loop's toolset to other people's agents; listening.py notes what a model answers.
    "pydantic_ai": {
        "zgadka/frameworks/pydantic_ai.py",
        "zgadka/chat/providers.py",
        "zgadka/evals/listening.py",
        "zgadka/extract/remote.py",
    },
    # Vectors are made in one file, and computed with where they are.
    "numpy": {
        "zgadka/search/near_duplicates.py",
        "zgadka/search/embedders/bert.py",
        "zgadka/search/embedders/calibration.py",
        "zgadka/extract/learned/encoder.py",
        "zgadka/extract/learned/judge.py",
        "zgadka/extract/learned/tagger.py",
    },
    # Where the default database lies, and where downloaded models do.
    "platformdirs": {"zgadka/search/embedders/build.py"},
    # The REST API and the dashboard are one application.
    "fastapi": {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src/zgadka/web").rglob("*.py")},
    # Two servers, that of one person and that of everybody, and what they share.
    "uvicorn": {"zgadka/mcp/http.py", "zgadka/web/server.py"},
    # The server, and its door to HTTP.
    "mcp": {"zgadka/mcp/http.py"},
    # The bot, and its parts that read and make Telegram's objects.
    "aiogram": {"zgadka/bots/telegram/sending.py", "zgadka/bots/telegram/translate.py"},
    # The bot, and its parts that read and make Discord's objects.
    "discord": {
        "zgadka/bots/discord/commands.py",
        "zgadka/bots/discord/readers.py",
        "zgadka/bots/discord/sending.py",
        "zgadka/bots/discord/translate.py",
    },
}

# Where the name to import is not the name to install.
IMPORT_NAMES = {
    "discord.py": "discord",
    "google-adk": "google",
    "langgraph-checkpoint": "langgraph",
    "opentelemetry-api": "opentelemetry",
    "pystemmer": "Stemmer",
    "python-dotenv": "dotenv",
    "pydantic-ai-slim": "pydantic_ai",
}


def test_the_imports_of_the_source_keep_the_rules() -> None:
    sources = {str(path.relative_to(ROOT / "src")): path.read_text() for path in (ROOT / "src").rglob("*.py")}
    assert len(sources) > 10
    assert violations(sources, _declared()) == []


DECLARED = {"apsw", "typer", "pydantic_ai"}
OTHERS = {
    "zgadka/ops/persist.py": "",
    "zgadka/tools/facts.py": "",
    "zgadka/stores/sqlite/store.py": "",
    "zgadka/cli/main.py": "",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ops/remember.py", "from zgadka.stores.tx import Tx\nfrom zgadka.search import lexical\nimport re"),
        ("model/turn.py", "from zgadka.errors import InvalidInput\nfrom .memory import Fact\nimport json"),
        ("assemble.py", "def f():\n    from zgadka.stores.sqlite.store import SqliteStore"),
        ("stores/sqlite/store.py", "import apsw\nimport asyncio\nfrom zgadka.stores.tx import Tx"),
        ("engine.py", "import asyncio\nfrom zgadka.tools import facts"),
        ("cli/main.py", "import typer\nfrom zgadka.chat.loop import Loop\nfrom zgadka.assemble import open_memory"),
        ("__init__.py", "from zgadka.assemble import open_memory\nfrom zgadka.engine import Memory"),
    ],
)
def test_an_import_that_points_inwards_is_allowed(path: str, text: str) -> None:
    assert violations({**OTHERS, f"zgadka/{path}": text}, DECLARED) == []


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("ops/a.py", "from zgadka.engine import Memory", "a.py:1 imports zgadka.engine, a layer further out"),
        ("ops/a.py", "\ndef f():\n    import zgadka.tools.core", "a.py:3 imports zgadka.tools.core, a layer further"),
        ("text/a.py", "from ..ops import persist", "imports zgadka.ops.persist, a layer further out"),
        ("text/__init__.py", "from ..ops import persist", "imports zgadka.ops.persist, a layer further out"),
        ("tools/a.py", "from zgadka.cli import main", "imports zgadka.cli.main, a layer further out"),
        ("chat/a.py", "from zgadka import Memory", "imports zgadka, a layer further out"),
        ("text/a.py", "importlib.import_module('zgadka.ops.x')", "imports zgadka.ops.x, a layer further out"),
        ("text/a.py", "__import__('zgadka.ops.x')", "imports zgadka.ops.x, a layer further out"),
        ("model/a.py", "import apsw", "model/ has the standard library only"),
        ("model/a.py", "from zgadka.settings import Settings", "model/ has the standard library only"),
        ("engine.py", "from zgadka.stores.sqlite.store import SqliteStore", "only assemble.py names a back end"),
        ("engine.py", "from zgadka.stores.sqlite import store", "only assemble.py names a back end"),
        ("cli/main.py", "from zgadka.stores.postgres.store import PostgresStore", "only assemble.py names a back end"),
        ("ops/a.py", "import asyncio", "asyncio belongs to the engine and outwards"),
        ("tools/a.py", "def f():\n    from asyncio import sleep", "asyncio belongs to the engine and outwards"),
        ("stores/tx.py", "import asyncio.events", "asyncio belongs to the engine and outwards"),
        ("cli/main.py", "import httpx", "cli/main.py:1 imports httpx, which pyproject.toml does not declare"),
        ("shiny.py", "", "zgadka/shiny.py has no layer"),
    ],
)
def test_a_planted_violation_is_found(path: str, text: str, complaint: str) -> None:
    found = violations({**OTHERS, f"zgadka/{path}": text}, DECLARED)
    assert len(found) == 1
    assert complaint in found[0]


def test_a_package_imported_in_two_files_is_found() -> None:
    sources = {"zgadka/cli/main.py": "import apsw", "zgadka/stores/sqlite/store.py": "import apsw.ext"}
    assert violations(sources, DECLARED) == [
        "apsw is imported in 2 files: zgadka/cli/main.py, zgadka/stores/sqlite/store.py"
    ]


def test_the_base_install_works_without_any_extra(tmp_path: Path) -> None:
    recall = ("call", "recall", '{"query": "tea"}', "--user", "1", "--chat", "1")
    assert _without_extras(tmp_path, *recall).returncode == 0


def test_a_missing_extra_is_one_line_that_says_what_to_install(tmp_path: Path) -> None:
    chat = _without_extras(tmp_path, "chat")
    assert chat.returncode != 0
    assert "pip install '.[chat]'" in chat.stderr
    assert chat.stderr.count("\n") == 1


def _without_extras(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where the packages of the extras cannot be imported."""
    # Newer versions of typer, which the base install has, bring pydantic.
    absent = [name for name, extra in _declared().items() if extra and name != "pydantic"]
    program = f"""
import sys
sys.modules.update(dict.fromkeys({absent!r}))
from zgadka.cli.main import main
sys.argv[1:] = {arguments!r}
main()
"""
    database = {"ZGADKA_DATABASE": f"sqlite:///{directory}/memory.db"}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | database,
        capture_output=True,
        text=True,
        input="",
        check=False,
    )


def violations(sources: Mapping[str, str], declared: Collection[str]) -> list[str]:
    """Say what is wrong with the imports of some files.

    Args:
        sources: Path from `src`, to text.
        declared: The third-party packages of the base install and of the extras.
    """
    modules = {_module(path) for path in sources}
    found: list[str] = []
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path, text in sorted(sources.items()):
        importer, tree = _module(path), ast.parse(text)
        if _rank(importer) is None:
            found.append(f"{path} has no layer: give it one in LAYERS")
            continue
        for node, name in _imports(tree, importer, is_package=path.endswith("__init__.py"), modules=modules):
            package = name.partition(".")[0]
            if package == "zgadka":
                complaint = _complaint_about_ours(importer, name)
            elif package in sys.stdlib_module_names:
                complaint = _complaint_about_asyncio(importer) if package == "asyncio" else None
            else:
                importers[package].add(path)
                complaint = _complaint_about_theirs(importer, package, declared)
            if complaint:
                found.append(f"{path}:{node.lineno} imports {name}{complaint}")
    for package, paths in sorted(importers.items()):
        if len(unexpected := paths - ALSO_IN.get(package, set())) > 1:
            found.append(f"{package} is imported in {len(unexpected)} files: {', '.join(sorted(unexpected))}")
    return found


def _complaint_about_ours(importer: str, name: str) -> str | None:
    outer, inner = _rank(importer), _rank(name)
    if outer is not None and inner is not None and inner > outer:
        return ", a layer further out"
    if _is_in(importer, "zgadka.model") and not any(_is_in(name, allowed) for allowed in MODEL_MAY_IMPORT):
        return ": model/ has the standard library only"
    if any(_is_in(name, end) and not _is_in(importer, end) for end in BACK_ENDS) and importer != ASSEMBLE:
        return ": only assemble.py names a back end"
    return None


def _complaint_about_asyncio(importer: str) -> str | None:
    is_below = (_rank(importer) or 0) < RANKS["zgadka.embedding_worker"]
    if is_below and not any(_is_in(importer, end) for end in (*BACK_ENDS, "zgadka.stores.executor")):
        return ": asyncio belongs to the engine and outwards"
    return None


def _complaint_about_theirs(importer: str, package: str, declared: Collection[str]) -> str | None:
    if _is_in(importer, "zgadka.model"):
        return ": model/ has the standard library only"
    return None if package in declared else ", which pyproject.toml does not declare"


def _declared() -> dict[str, str]:
    """Map the packages that pyproject.toml names to the extra that brings them; "" stands for the base install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared: dict[str, str] = {}
    for extra, requirements in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for requirement in requirements:
            name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
            if name != "zgadka":
                declared.setdefault(IMPORT_NAMES.get(name, name.replace("-", "_")), extra)
    return declared


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def _rank(module: str) -> int | None:
    """Find the layer of the most exact name; the root package stands for itself only."""
    name = module
    while "." in name:
        if name in RANKS:
            return RANKS[name]
        name = name.rpartition(".")[0]
    return RANKS.get(name) if name == module else None


def _imports(
    tree: ast.AST, importer: str, *, is_package: bool, modules: set[str]
) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node, alias.name
            case ast.ImportFrom(module=module, names=names, level=level):
                parts = importer.split(".") + (["__init__"] if is_package else [])
                origin = ".".join([*(parts[:-level] if level else []), *([module] if module else [])])
                # `from package import module` imports the module; any other name, the package itself.
                full = {f"{origin}.{alias.name}" for alias in names}
                yield from ((node, name) for name in sorted({n if n in modules else origin for n in full}))
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node, name
            case _:
                pass
