"""Fold a whole value: its words to their skeletons, without what separates them, with what can change the meaning."""

import re
import unicodedata
from functools import lru_cache

from zgadka.text.folding import INVISIBLE, skeleton

_TOKEN = re.compile(
    r"(?P<address>(?<![^\s(\[{<,;:!?\"'])(?:(?:[^\W_][^\s@]{0,99})?@|[a-z]{1,20}://)\S*[^\W_])"
    r"|(?P<letters>[^\W\d_]+)|(?P<digits>\d+)"
    r"|(?P<gap>[\s,;:!?(){}\[\]\"'`./_«»“”„*\\-]+)|(?P<other>.)",
    re.DOTALL,
)
_PLAIN = re.compile("(?:[0-9]+ )?[a-z\u0430-\u045f\u0491]+(?:,? [a-z\u0430-\u045f\u0491]+)*(?:,? [0-9]+)?|[0-9]+")
"""What most values look like; `_fold` comes to the same without, in five times as long."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_BRAILLE_BLANK = "\u2800"
"""A symbol to Unicode; it is seen as a space."""
_PREFIX_MARKS = {"address": "", "letters": ".", "digits": "-.", "other": "-"}
_SIGNED_ZONES = frozenset({"utc", "gmt"})
_SOFT_J = re.compile("(?<=[lnd])j")
_AROUND_SEPARATOR = re.compile(r"\s*([^\w\s.]+)\s*")


@lru_cache(maxsize=256)
def fold_value(text: str) -> str:
    """The form that all spellings of a unified text share; empty where nothing of it is left."""
    # Kept for a moment, since a value that may be of several sorts is folded for each of them.
    if _PLAIN.fullmatch(text):
        # A number is its own skeleton, and not worth a place in the cache.
        return "".join([word if word.isdecimal() else skeleton(word) for word in text.replace(",", "").split()])
    text = _CONTROL.sub(" ", text)
    pieces: list[str] = []
    last_kind = ""  # the kind of the piece before: letters, digits, other, or none yet
    word = ""  # the piece before, when it is letters
    gap = ""  # the separators since
    for token in _TOKEN.finditer(text):
        kind, piece = str(token.lastgroup), token[0]
        if kind == "gap" or (kind == "other" and _is_separator(piece)):
            gap += piece
            continue
        if len(gap) > 1:
            pieces.append(_suffix_mark(word, gap))
        if kind == "digits" and last_kind == "digits":
            pieces.append(_between_digits(gap))
        elif kind == "digits" and gap == "-" and word in _SIGNED_ZONES:
            pieces.append(gap)
        else:
            pieces.append(_prefix_mark(last_kind, gap, _PREFIX_MARKS[kind]))
        pieces.append(skeleton(piece) if kind == "letters" else "and" if piece == "&" else piece)
        last_kind, word, gap = kind, piece if kind == "letters" else "", ""
    pieces.append(_suffix_mark(word, gap))
    # Nothing but punctuation: exact, or "?!" and "..." would be one value.
    return "".join(pieces) or printable(text)


def printable(text: str) -> str:
    """What of a text is seen."""
    return "".join(filter(str.isprintable, INVISIBLE.sub("", text))).replace(" ", "").replace(_BRAILLE_BLANK, "")


@lru_cache(maxsize=1024)
def _is_separator(character: str) -> bool:
    """Tell whether a character only parts words; symbols, emoji, marks and unknown characters mean something."""
    category = unicodedata.category(character)
    if character == _BRAILLE_BLANK:
        return True
    if category[0] == "P":
        return character not in "#%@&‰‱"
    return category[0] in "ZC" and not (category in {"Cs", "Co", "Cn"} or "\U000e0020" <= character <= "\U000e007f")


def _between_digits(gap: str) -> str:
    """Keep what separates two numbers, but not the spaces around it: 10 : 30 is 10:30."""
    return _AROUND_SEPARATOR.sub(r"\1", " ".join(gap.split()) or " ")


def _prefix_mark(last_kind: str, gap: str, marks: str) -> str:
    """Return the mark that belongs to what follows: the minus of -5, the dot of .NET or .5."""
    is_mark = gap[-1:] in {*marks} and gap[-2:-1] != gap[-1:]
    return gap[-1] if is_mark and (len(gap) > 1 or last_kind not in {"letters", "digits"}) else ""


def _suffix_mark(word: str, gap: str) -> str:
    """Return the mark that belongs to the letter before: the minus of blood type A-, the star of A*."""
    if 0 < len(word) <= 2 and gap[:1] in {"-", "*"} and (len(gap) == 1 or gap[1] not in "-*"):
        return gap[0]
    return ""


def fold_name(folded: str) -> str:
    """A skeleton of a name that its transliterations share: Bohdan and Bogdan, Maksym and Maxim, Yevhen and Evgen."""
    name = _SOFT_J.sub("i", folded.replace("g", "h").replace("x", "ks"))
    if len(name) > 4:
        name = re.sub("^ie", "e", re.sub("ei$", "i", name))
    return name
