"""The log, which says where something broke, and not what it said: an error's text may quote somebody.

A library's message often holds the value that it could not take, and a database's the row. A stack holds no values.
"""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from zgadka.errors import EmbeddingError, StoreError

_OURS = (EmbeddingError, StoreError)
"""Errors whose own texts hold nobody's words."""


def logger(name: str = "zgadka") -> logging.Logger:
    """The logger of this name, which writes the places of exceptions only."""
    made = logging.getLogger(name)
    made.addFilter(_without_texts)  # once, however often
    return made


def hush(library: str, *, naming: Mapping[str, re.Pattern[str]]) -> None:
    """Have a library log what goes wrong only, unless its level was chosen, and without keys and texts.

    What is routine for it holds requests, answers and the ids of sessions, which open them.

    Args:
        naming: What its lines name that is nobody else's, by the names of loggers.
    """
    root = logging.getLogger(library)
    if root.level == logging.NOTSET:
        root.setLevel(logging.WARNING)
    for name, pattern in naming.items():
        logger(name).addFilter(partial(_without_names, pattern=pattern))


def place_of(error: BaseException) -> str:
    """Where an error arose, and those behind it, without what they say."""
    lines: list[str] = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        lines += [f"{_name(cause)} at", *traceback.format_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    return "\n".join(line.rstrip() for line in lines)


def brief(error: BaseException) -> str:
    """The same in one line: what kind of error, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{_name(error)} at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else _name(error)


def _name(error: BaseException) -> str:
    name = type(error).__qualname__
    return f"{name}: {error}" if isinstance(error, _OURS) else name


def _without_names(record: logging.LogRecord, pattern: re.Pattern[str]) -> bool:
    record.msg, record.args = pattern.sub("…", record.getMessage()), ()
    return True


def _without_texts(record: logging.LogRecord) -> bool:
    if record.exc_info:
        error = record.exc_info[1]
        record.exc_info, record.exc_text = None, None if error is None else place_of(error)
    return True


def show_log() -> None:
    """Print the program's log from the level INFO on, as its warnings are printed anyway."""
    logging.getLogger("zgadka").setLevel(logging.INFO)
    if logging.lastResort is not None:
        logging.lastResort.setLevel(logging.INFO)
