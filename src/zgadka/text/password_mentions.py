"""Passwords that a text tells beside their name: "for the NAS I set Nutmeg_Tractor5 as the password".

A password without a form of its own is told by two signs together: the text names one, and somewhere in it stands a
word that nobody writes otherwise, with digits or signs among its letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zgadka.text.pattern_file import read_patterns
from zgadka.text.word_lists import read_words

_PARTS = read_patterns("data/secrets.toml").parts
_NAME = re.compile(_PARTS["password_name"])
_ACCESS = re.compile(_PARTS["access_name"])
_NO_PASSWORD = re.compile(_PARTS["no_password"])
_PLACEHOLDER = re.compile(_PARTS["placeholder"])
_NAMES = (
    "password",
    "passwords",
    "passwd",
    "pass",
    "pin",
    "token",
    "пароль",
    "пароля",
    "паролю",
    "паролем",
    "паролі",
    "пін",
)

_LOOKALIKES = str.maketrans("аеорсухіпькйАЕОРСУХІКВНМТ@0$1", "aeopcyxinbkuaeopcyxikbhmtaosi")
"""Letters of the other script, digits and signs, by the Latin letter that they look like."""
_DISGUISED = {name.translate(_LOOKALIKES): name for name in _NAMES}
_MIXED = re.compile(r"(?<![\w@$])(?=\w*[@$01A-Za-z])[\w@$]{3,10}(?![\w@$])")
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_][ .·_-]){3,12}[^\W\d_](?!\w)")
_MAY_BE_MIXED = re.compile(r"[а-яіїєґА-ЯІЇЄҐ](?:[A-Za-z@0]|(?<=[A-Za-z].))|[@$0][A-Za-z]")
_MAY_BE_SPACED = re.compile(r"[ .·_-][^\W\d_][ .·_-](?<=(?<!\w)[^\W\d_]...)[^\W\d_](?!\w)")
"""It begins with the first sign between two letters, since texts have more letters than such signs."""

_ENDS = "\"'`«»“”„‘’().,;:!?…[]{}<>|"
_USERS = frozenset({"username", "user", "login", "nick", "nickname", "нік", "логін", "ніком", "ssid"})
_LEAST = 6  # characters; of what is shorter, too much looks so: "Wi-Fi5", "H2O"
_CODE = re.compile(
    r"(?i)[\w\]]\.\w*(?:pass|pwd|secret|token|get|env|input|read)\w*|^(?:req|self|this|os|process|config|settings)\."
)
_PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*(?:\.[^\W\d_]+)?|[\d.,:/+-]+")
_FOREIGN = re.compile(r"(?i)(?<!\w)парол(?:ь|ем|я|ю)\W+(?:[а-яіїєґ’']+\W+){0,2}?[a-z]{2,}[-_.][a-z]{2,}(?![\w@.])")
"""In a text of Cyrillic letters, a word of Latin ones that no name is: "пароль там malyna-malyna"."""
_PRODUCT = re.compile(r"[A-Z][a-z]+-?\d{1,2}|[A-Z]+[-\d]+[A-Z]?|\d+[^\W\d_]{1,3}|[А-ЯІЇЄҐ]+-\d+|ковід-19")
_SIGNS = re.compile(
    r"[!#$%&*+=?^_~\\|]|\d[-./]|[-./]\d|[a-z][A-Z].*\d|\d.*[a-z][A-Z]|-[A-Z]\w*\d|[A-Z]\w+-[A-Z]\w+-[A-Z]|[^\W\d_]+[./][^\W\d_]+[./]"
)


def disclosed(text: str) -> str:
    """The text with the names of passwords in plain letters, which were mixed with others or spread: "p a s s"."""
    if not may_be_disguised(text):
        return text
    text = _SPACED.sub(lambda match: _named(re.sub(r"[ .·_-]", "", match[0])) or match[0], text)
    return _MIXED.sub(lambda match: _named(match[0]) or match[0], text)


def may_be_disguised(text: str) -> bool:
    """Whether a word of the text may be written in letters that only look like its own."""
    return bool(_MAY_BE_MIXED.search(text) or _MAY_BE_SPACED.search(text))


def _named(word: str) -> str | None:
    return _DISGUISED.get(word.casefold().translate(_LOOKALIKES))


def tells_password(text: str) -> bool:
    """Whether the text names a password, or how to get in somewhere, and holds a word that can be nothing else."""
    if _NAME.search(text):
        return any(map(_is_odd, _words(text))) or _FOREIGN.search(text) is not None
    return _ACCESS.search(text) is not None and any(map(_is_very_odd, _words(text)))


def names_code(word: str) -> bool:
    """Whether a word that is set to a name is an expression: `req.body.password`."""
    return _CODE.search(word) is not None


def is_placeholder(word: str) -> bool:
    """Whether a word stands where a secret would be: "<password>", "your-key", "ghp_xxxx", "$TOKEN", "****"."""
    return _PLACEHOLDER.search(word) is not None


def _words(text: str) -> Iterator[str]:
    """The words that may be passwords, but for names of users: "username is marble_fox_88"."""
    written = text.split()
    for number, word in enumerate(written):
        before = {previous.strip(_ENDS).lower() for previous in written[max(0, number - 2) : number]}
        if len(bare := word.strip(_ENDS)) >= _LEAST and not _NO_PASSWORD.search(word) and not before & _USERS:
            yield bare


def _is_odd(word: str) -> bool:
    if (
        _PLAIN.fullmatch(word)
        or _PRODUCT.fullmatch(word)
        or is_placeholder(word)
        or word.lower() in read_words("no_secrets")
    ):
        return False
    return _SIGNS.search(word) is not None or (any(map(str.isdigit, word)) and any(map(str.isalpha, word)))


def _is_very_odd(word: str) -> bool:
    return _is_odd(word) and _SIGNS.search(word) is not None and any(map(str.isalpha, word))
