"""Whether a text holds a secret that no memory should keep: a password, a key, a card's number.

A secret in a memory would be shown to a model in every fitting conversation. The fixed forms are those that their
issuers document so that scanners find them (GitHub, GitLab, Slack, Stripe, AWS, Google, OpenAI, Anthropic, Telegram,
Discord, npm, PyPI, Hugging Face, SendGrid; RFC 7468 for private keys, RFC 7519 for tokens); cards are told from other
numbers by ISO/IEC 7812: the issuer's first digits, the length, and Luhn's check digit. Secrets without a form are
found where the text names them: "my password is hunter2". detect-secrets and CredSweeper were tried
(tests/data/secrets.md): they are made for lines of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Literal

from zgadka.text.password_mentions import disclosed, is_placeholder, may_be_disguised, names_code, tells_password
from zgadka.text.pattern_file import read_patterns
from zgadka.text.sanitize import as_seen, together
from zgadka.text.word_lists import read_words

SecretKind = Literal["password", "PIN", "API key", "private key", "access token", "card number", "recovery phrase"]

# Where a pattern has two spans of white space in a row, a long one would be divided in every way.
_SPACES = re.compile(r"(\s)\s+")

_PATTERNS = read_patterns("data/secrets.toml")
_FORMS: tuple[tuple[SecretKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern)) for kind, forms in _PATTERNS.entries["forms"].items() for pattern in forms
)
_NAMED: tuple[tuple[SecretKind, re.Pattern[str]], ...] = (
    ("API key", re.compile(_PATTERNS.parts["named_key"])),
    ("PIN", re.compile(_PATTERNS.parts["named_pin"])),
    ("recovery phrase", re.compile(_PATTERNS.parts["named_phrase"])),
    ("private key", re.compile(_PATTERNS.parts["named_wallet"])),
    ("password", re.compile(_PATTERNS.parts["named_option"])),
    ("access token", re.compile(_PATTERNS.parts["named_groups"])),
)
_NAMED_SENTENCE = re.compile(_PATTERNS.parts["named_sentence"])
_NAMED_PASSWORD = re.compile(_PATTERNS.parts["named_password"])

_STRONG = re.compile(r"\d|[^\w\s'’.,!?…-]|_|-.*-|[a-z][A-Z]")

_SENTENCE = re.compile(r"(?i)\b(?:the|and|for|are|was|you|but|not|has|had|with|from|have|or|of|to)\b")
"""Words that no list of words for recovery has."""
_GOES_ON = re.compile(r"\s+\w")

_DIGITS = re.compile(r"(?<![\w.,-])(?:(?:\d[ -]?){12,18}\d|\d{4}(?:\.\d{4}){3})(?![\w-]|[.,]\d)")
_GROUPED = re.compile(r"(?:\d{4}(?:[ -]?\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5})(?=[ -])")
_CARDS = re.compile(_PATTERNS.parts["cards"])

# What is cheap to see, and without which a pattern above cannot match: most texts hold none of it. Every form but a
# private key's and an address's, and every named key, has so many characters without white space. Here only a space
# ends them: that is quicker to tell, and finds no less.
_LONG = re.compile("[^ ]{15}")
_MANY_DIGITS = re.compile(r"\d(?<!\d\d)(?:[\s.-]*\d){12}")  # from its first digit on: from each would take longer
# fmt: off
_HINTS = (
    "2fa", "alarm", "basic", "code", "combination", "cred", "curl", "cvc", "cvv", "door", "echo", "factor", "garage",
    "gate", "key", "ledger", "lock", "log", "metamask", "mnemonic", "otp", "p/w", "pass", "phrase", "private", "psk",
    "puk", "pw", "pwd", "root", "safe", "setup", "sign", "ssh", "twelve", "value=", "wallet", "webmaster", "wi-fi",
    "wifi", "words", "wpa", "zip", "://", "вхід", "вход", "гаман", "гасло", "дванадцять", "ключ", "код", "логін",
    "мереж", "парол", "пас", "пук", "розблок", "слова", "слів", "увій", "фраз", "net use",
)
# fmt: on
_HINT = re.compile(
    "|".join(
        f"{re.escape(first)}(?:{'|'.join(re.escape(hint[1:]) for hint in hints)})"
        for first, hints in groupby(sorted(_HINTS), key=itemgetter(0))
    )
)
"""By first letters: to look for one after the other takes three times as long."""
_HINT_FORM = re.compile(
    "p(?:(?<!\\wp)(?:in|i\N{COMBINING DOT ABOVE}n|ın)|[as]+w)|п(?<!\\wп)[іи]н|1(?<!\\w1)[.)] ?[a-z]"
    r"|:(?:(?<=\d:)\w+:\w+:| *(?:[a-z]+[ ,]+){11})|-(?<=\d{6}-)\d{6}"
)
"""All of them, by first letters alone: what begins with something else is passed over quickly. Of most words with "pin"
it is only the end."""


def secret_in(*texts: str) -> SecretKind | None:
    """Say what kind of secret one of the texts holds; None when none holds one that can be told.

    "My password manager is Bitwarden" and "I forgot my PIN" hold none. A password that is an ordinary word is told
    from a remark about it only where a sign or quotes set it off: "password: swordfish".
    """
    seen = as_seen(together(texts))
    if not may_hold_secret(seen, seen.casefold()):
        return None
    plain = (disclosed(_SPACES.sub(r"\1", as_seen(text))) for text in texts)
    return next((kind for text in plain for kind in _secrets_in(text)), None)


def may_hold_secret(seen: str, folded: str) -> bool:
    """Whether it is worth while to look for a secret; mostly it is not.

    Args:
        seen: The texts together, `as_seen`.
        folded: The same, case folded, as the patterns are that ignore case: not only what has capitals is folded.
    """
    return bool(
        _LONG.search(seen)
        or _MANY_DIGITS.search(seen)
        or _HINT.search(folded)
        or _HINT_FORM.search(folded)
        or may_be_disguised(seen)
    )


def _secrets_in(plain: str) -> Iterator[SecretKind]:
    """The kinds of secrets that a text holds, what has a form of its own first."""
    for kind, form in _FORMS:
        if any(not is_placeholder(match[0]) for match in form.finditer(plain)):
            yield kind
    if any(_is_card(number) for match in _DIGITS.finditer(plain) for number in _numbers_in(match[0])):
        yield "card number"
    for kind, form in _NAMED:
        if form.search(f"{plain} "):
            yield kind
    if any(map(_is_sentence, _NAMED_SENTENCE.finditer(plain))):
        yield "recovery phrase"
    if any(map(_is_password, _NAMED_PASSWORD.finditer(plain))) or tells_password(plain):
        yield "password"


def _is_sentence(match: re.Match[str]) -> bool:
    """Whether what is given as a phrase is one, and no remark about it: of words that mean something alone."""
    if match["set_off"]:
        return match["set_off"].lower().split()[0] not in read_words("no_secrets")
    if listed := match["listed"] or match["named"]:
        return not _SENTENCE.search(listed)
    words = (match["words"] or match["plain"] or "").lower().split()  # quoted, it may be any
    return not any(word in read_words("no_secrets") or word in read_words("stop_words") for word in words)


def _is_password(match: re.Match[str]) -> bool:
    value = match["quoted"] or match["cited"] or match["stated"] or match["spoken"]
    if is_placeholder(value.partition("</")[0]):
        return False
    if match["quoted"] or match["cited"]:
        return (match["quoted"] or match["cited"]).lower() not in read_words("no_secrets")
    if match["stated"]:
        word = match["stated"].rstrip(".!?…")
        if names_code(word):
            return False
        if word.isalpha() and word == match["stated"] and _GOES_ON.match(match.string, match.end()):
            return False  # a remark: "пароль від пошти: питай у Сергія"
        return word.lower() not in read_words("no_secrets") and len(word) >= 4 and set(word) > {word[0]}
    word = match["spoken"].rstrip(".!?…")
    return word.lower() not in read_words("no_secrets") and _STRONG.search(word) is not None


def _numbers_in(written: str) -> list[str]:
    """The number itself, and one in the groups of a card with another after it: "4111 1111 1111 1111 12/27"."""
    numbers = [written, *(match[0] for match in [_GROUPED.match(written)] if match is not None)]
    return [re.sub("[ .-]", "", number) for number in numbers]


def _is_card(digits: str) -> bool:
    if not _CARDS.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(digits)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0
