"""The process that reads by rules: each line that comes is a JSON list of texts, each that goes what they tell.

Given `learned`, the learned reader reads too.
"""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict

from zgadka.extract.authored_text import own_words
from zgadka.extract.extraction import Extraction
from zgadka.extract.rules import extract


def read(text: str, *, learned: bool) -> Extraction:
    """Return what a text tells."""
    own = own_words(text)
    found = extract(own)
    if not learned:
        return found
    from zgadka.extract.learned.review import packaged_review  # noqa: PLC0415  (comes with an extra)

    return packaged_review(own, found)


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asks
    for line in sys.stdin.buffer:
        found = [read(text, learned="learned" in sys.argv) for text in json.loads(line)]
        answers = [[[asdict(item) for item in items] for items in (one.certain, one.uncertain)] for one in found]
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
