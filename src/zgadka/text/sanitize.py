"""Make text fit to store and to show: what a database refuses, template placeholders, one-line previews."""

import re
import unicodedata
from collections.abc import Sequence

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"

# The placeholders that templates of characters know; every other brace-wrapped word is a model's invention.
KNOWN_PLACEHOLDERS = frozenset({"user", "user_formatted", "user_term", "bot", "char"})

# One to five words of letters, digits, '_', '-', '.', apostrophes. Quotes, colons, commas: that is JSON or code.
_WORDS = r"[^\W_][\w.'’-]*(?: +[\w.'’-]+){0,4}|_[\w-]*"
_BRACED = re.compile(rf"(?P<open>(?<!\{{)\{{+)[ \t]*(?P<word>{_WORDS})[ \t]*(?P<close>\}}+)")
_EMPTY_BRACES = re.compile(r"\s*\{[\s{}]*\}\s*")
_DEEPEST_NESTING = 4
_NAME = r"[^\W\d]\w*(?:[ .'’-]\w+){0,4}"
_TEMPLATES = (
    rf"\$?\{{+\s*(?:{_WORDS})?\s*\}}+",  # {user}, {{user}}, ${name}, {}
    r"\{%.{0,80}?%\}",
    rf"</?\s*{_NAME}\s*/?>",
    rf"<<\s*{_NAME}\s*>>",
    rf"\[+\s*{_NAME}\s*\]+",
    r"%[sd]|%\(\w+\)[sd]|%%?\w+%%?",
    r"\$(?:USER|NAME|VALUE|CITY|BOT|CHAR|[a-z]\w*|[A-Za-z]*_\w*|[A-Za-z]{6,}\w*)|\$\(\w+\)",  # but $TSLA is a share
)
_IS_PLACEHOLDER = re.compile(rf"[\s\"'`]*(?:{'|'.join(_TEMPLATES)})[\s\"'`.!]*")
_LINE_NOISE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\\s]+")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_IOTA_BELOW, _OTHER_MARK = "\u0345\u034f"  # of the first, and of no other mark, case folding makes a letter
_ELLIPSIS = "…"
_ZERO_WIDTH_JOINER = "\u200d"


def unstorable(text: str) -> str | None:
    """Say why a database cannot store this text, or return None when it can.

    SQLite and PostgreSQL disagree on NUL characters and neither takes lone surrogates (halves of a character that
    a program cut in two).

    Returns:
        A sentence in plain ASCII with the position counted from 0, for people and models.
    """
    match = _UNSTORABLE.search(text)
    if match is None:
        return None
    if match[0] == "\x00":
        return f"the text contains a NUL character (U+0000) at position {match.start()}; remove it"
    code = f"U+{ord(match[0]):04X}"
    return (
        f"the text contains half of a character (the lone surrogate {code}) at position {match.start()}; "
        "remove it or send the whole character"
    )


def storable(text: str) -> str:
    """Replace what a database cannot store by U+FFFD, for messages that must not be lost. Length stays the same."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def sanitise_placeholders(text: str) -> str:
    """Strip the braces of unknown placeholders and keep the word: ``{obonya}`` becomes ``obonya``.

    A placeholder is up to five plain words in braces, so JSON and code stay as they are. ``{user}``,
    ``{user_formatted}``, ``{user_term}``, ``{bot}`` and ``{char}`` stay, spelt exactly so, also in doubled braces.
    Braces without a partner stay. Text of nothing but empty braces becomes empty.
    """
    if _EMPTY_BRACES.fullmatch(text):
        return ""
    for _ in range(_DEEPEST_NESTING):
        text = _BRACED.sub(_unbrace, text)
    return text


def _unbrace(placeholder: re.Match[str]) -> str:
    word = placeholder["word"]
    if word in KNOWN_PLACEHOLDERS and placeholder[0].strip("{}") == word:
        return placeholder[0]
    pairs = min(len(placeholder["open"]), len(placeholder["close"]))
    return placeholder["open"][pairs:] + word + placeholder["close"][pairs:]


def is_placeholder(text: str) -> bool:
    """Tell whether the whole text is one unfilled template placeholder: ``{userName}``, ``<name>``, ``%s``, ``$USER``.

    Such a value is an echo of somebody's template, not a fact about a person.
    """
    return _IS_PLACEHOLDER.fullmatch(text) is not None


def preview(text: str, limit: int = 200) -> str:
    """Show text in one line of at most `limit` characters.

    White space of any kind becomes one space; control and direction-changing characters disappear. A longer text
    ends in an ellipsis, cut where no emoji, accent or syllable is split.

    Args:
        text: Any text.
        limit: Longest answer in characters, the ellipsis included; at least 1.
    """
    if len(text) <= limit and text.isprintable() and "  " not in text:  # what most are
        return text.strip()
    line = storable(_LINE_NOISE.sub(" ", text[: limit * 4 + 100])).strip()
    if len(line) <= limit and len(text) <= limit * 4 + 100:
        return line
    return line[: _last_boundary(line, limit - 1)].rstrip() + _ELLIPSIS


def cut(text: str, limit: int) -> str:
    """Return at most the first `limit` characters, cut where no emoji, accent or syllable is split."""
    if len(text) <= limit:
        return text
    return text[: _last_boundary(text, limit) or limit]


def as_seen(text: str) -> str:
    """The text without what is not seen, every character in its plain form (NFKC)."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).replace(_IOTA_BELOW, _OTHER_MARK)
    return text if text.isprintable() else _UNSEEN.sub("", text)  # what is not seen is not printable either


def together(texts: Sequence[str]) -> str:
    """All texts as one, a space before and after each, for whoever looks whether some word is in any."""
    return f" {' '.join(texts)} "


def _last_boundary(text: str, end: int) -> int:
    while end > 0 and not _is_boundary(text, end):
        end -= 1
    return end


def _is_boundary(line: str, at: int) -> bool:
    """Tell whether a character as a reader sees it may end before position `at` (0 < at)."""
    if at >= len(line):
        return True
    previous, following = line[at - 1], line[at]
    if _ZERO_WIDTH_JOINER in {previous, following}:
        return False
    if unicodedata.category(following).startswith("M") or "\U0001f3fb" <= following <= "\U0001f3ff":
        return False
    if "\U000e0020" <= following <= "\U000e007f" or "\u1160" <= following <= "\u11ff":  # flag tags, Korean vowels
        return False
    if _is_flag_letter(following):
        start = at
        while start > 0 and _is_flag_letter(line[start - 1]):
            start -= 1
        return (at - start) % 2 == 0
    return True


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
