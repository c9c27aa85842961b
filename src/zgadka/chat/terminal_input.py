"""Reading what people type: from a terminal with a prompt, or from a pipe, one line a message."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
import threading
import unicodedata
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TextIO

MAX_MESSAGE = 20_000
"""Characters of one message; a longer line is refused with a clear line and the next one is read."""

_MAX_BYTES = 8 * MAX_MESSAGE  # of one line that are kept; the rest is only counted away
_CHUNK = 65_536


async def typed_lines(prompt: str) -> AsyncIterator[str]:
    """Yield the lines typed at a terminal, with readline's history and editing, until Ctrl-D or Ctrl-C."""
    with suppress(ImportError):
        import_module("readline")  # importing it is what turns history and editing on
    reconfigure(sys.stdin)
    while True:
        try:
            line = _ask(prompt)
        except (EOFError, KeyboardInterrupt):
            return
        yield _clean_line(line)
        await asyncio.sleep(0)


async def piped_lines(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a pipe or a file, of any length and any bytes.

    A thread reads the descriptor itself: a buffered file would be locked by the waiting thread, and a program that ends
    while input is still open would hang on it.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    room = threading.Semaphore(16)

    def hand_over(line: str | None) -> None:
        room.acquire()
        with suppress(RuntimeError):  # the loop is gone: nobody listens any more
            loop.call_soon_threadsafe(queue.put_nowait, line)

    def read() -> None:
        for line in _split_lines(_chunks(descriptor)):
            hand_over(line)
        hand_over(None)

    threading.Thread(target=read, name="zgadka-input", daemon=True).start()
    while (line := await queue.get()) is not None:
        room.release()
        yield line


def _split_lines(chunks: Iterator[bytes]) -> Iterator[str]:
    """Split bytes into clean lines; of a huge line only the beginning is kept, more than a message may have."""
    buffer = bytearray()
    for chunk in chunks:
        *ended, remainder = chunk.split(b"\n")
        for part in ended:
            buffer += part[: _MAX_BYTES - len(buffer)]
            yield _clean_line(buffer.decode(errors="replace"))
            buffer.clear()
        buffer += remainder[: _MAX_BYTES - len(buffer)]
    if buffer:
        yield _clean_line(buffer.decode(errors="replace"))


def _clean_line(line: str) -> str:
    """Return the line as text that can be stored: no control characters, no lone surrogates, no blanks around it."""
    cleaned = line.encode(errors="replace").decode()
    return "".join(" " if unicodedata.category(character) == "Cc" else character for character in cleaned).strip()


def reconfigure(stream: TextIO) -> None:
    """Let a stream replace what its encoding cannot express, instead of ending the conversation."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


def _chunks(descriptor: int) -> Iterator[bytes]:
    with suppress(OSError):
        while chunk := os.read(descriptor, _CHUNK):
            yield chunk


def _ask(prompt: str) -> str:
    # On the loop's own thread: readline must be the one that hears Ctrl-C, and must put the terminal back in order.
    with _interruptible():
        return input(prompt)


@contextmanager
def _interruptible() -> Generator[None]:
    """Let Ctrl-C end a waiting `input()`: asyncio's own handler would only take note of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, old_handler)
