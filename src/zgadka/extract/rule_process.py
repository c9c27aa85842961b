"""The process that reads by rules: each line that comes is a JSON list of texts, each that goes what they tell."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict

from zgadka.extract.rules import extract


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks
    for line in sys.stdin.buffer:
        read = [extract(text) for text in json.loads(line)]
        answers = [[[asdict(item) for item in items] for items in (one.certain, one.uncertain)] for one in read]
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
