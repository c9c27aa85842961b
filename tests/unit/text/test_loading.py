"""Importing the text package costs next to nothing."""

import subprocess
import sys


def test_tables_of_letters_and_stems_are_loaded_when_first_used() -> None:
    code = (
        "import sys\n"
        "from zgadka.text import canonical, keys, sanitize, words, yes_no\n"
        "assert not {'anyascii', 'Stemmer'} & set(sys.modules)\n"
        "assert canonical.canonical('Київ') == 'kiv' and words.index_words('books') == ['book']\n"
        "assert {'anyascii', 'Stemmer'} <= set(sys.modules)\n"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
