"""Whether a text holds a secret that no memory should keep: a password, a key, a card's number.

A secret in a memory would be shown to a model in every fitting conversation. The fixed forms are those that their
issuers document so that scanners find them (GitHub, GitLab, Slack, Stripe, AWS, Google, OpenAI, Anthropic, Telegram,
Discord, npm, PyPI, Hugging Face, SendGrid; RFC 7468 for private keys, RFC 7519 for tokens); cards are told from other
numbers by ISO/IEC 7812: the issuer's first digits, the length, and Luhn's check digit. Secrets without a form are
found where the text names them: "my password is hunter2". detect-secrets was tried: it is made for lines of code, and
takes every word of a sentence for a string of high entropy.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

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
_NAMED_PASSWORD = re.compile(_PATTERNS.parts["named_password"])
_NAMED_KEY = re.compile(_PATTERNS.parts["named_key"])
_NAMED_PIN = re.compile(_PATTERNS.parts["named_pin"])
_NAMED_PHRASE = re.compile(_PATTERNS.parts["named_phrase"])

_STRONG = re.compile(r"\d|[^\w\s'’.,!?…-]|_|-.*-|[a-z][A-Z]")

_DIGITS = re.compile(r"(?<![\w.,-])(?:\d[ -]?){12,18}\d(?![\w-]|[.,]\d)")
_GROUPED = re.compile(r"(?:\d{4}(?:[ -]?\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5})(?=[ -])")
_CARDS = re.compile(_PATTERNS.parts["cards"])

# What is cheap to see, and without which a pattern above cannot match: most texts hold none of it. Every form but a
# private key's and an address's, and every named key, has so many characters without white space. Here only a space
# ends them: that is quicker to tell, and finds no less.
_DIGIT = re.compile(r"\d")
_LONG = re.compile("[^ ]{15}")
_MANY_DIGITS = re.compile(r"(?<!\d)\d(?:[\s-]*\d){12}")  # from its first digit on: from each would take longer
_NAMES_PASSWORD = re.compile("pass|pwd|парол|кодове")
_NAMES_PIN = re.compile(r"(?<!\w)(?:p(?:i|i\N{COMBINING DOT ABOVE}|ı)n|пін|пин|cvv|cvc)")
_NAMES_PHRASE = re.compile("phrase|words|фраз")
_HINT = re.compile(
    "p(?:ass|wd|in|i\N{COMBINING DOT ABOVE}n|ın|hrase|rivate)|п(?:арол|ін|ин)|кодове|words|фраз|cv[vc]|://"
)
"""All of them, by first letters alone: what begins with something else is passed over quickly."""


def secret_in(*texts: str) -> SecretKind | None:
    """Say what kind of secret one of the texts holds; None when none holds one that can be told.

    "My password manager is Bitwarden" and "I forgot my PIN" hold none. A password that is an ordinary word is told
    from a remark about it only where a sign or quotes set it off: "password: swordfish".
    """
    seen = as_seen(together(texts))
    folded = seen.casefold()
    if not may_hold_secret(seen, folded):
        return None
    looks = _looks_worth_it(seen, folded)
    plain = [_SPACES.sub(r"\1", as_seen(text)) for text in texts]
    return next((kind for text in plain for look in looks if (kind := look(text)) is not None), None)


def may_hold_secret(seen: str, folded: str) -> bool:
    """Whether it is worth while to look for a secret; mostly it is not.

    Args:
        seen: The texts together, `as_seen`.
        folded: The same, case folded, as the patterns are that ignore case: not only what has capitals is folded.
    """
    if _LONG.search(seen) is not None:
        return True
    digit = _DIGIT.search(seen)
    if digit is not None and _MANY_DIGITS.search(seen, digit.start()) is not None:
        return True
    for hint in _HINT.finditer(folded):
        previous = folded[hint.start() - 1 : hint.start()]
        if hint[0][-1] not in "nн" or not (previous.isalnum() or previous == "_"):  # most words with "pin" only end so
            return True
    return False


def _looks_worth_it(seen: str, folded: str) -> list[Callable[[str], SecretKind | None]]:
    """The looks that may find something, for what they need is there."""
    is_long = _LONG.search(seen) is not None
    looks = (
        (_written, is_long or "://" in seen or "PRIVATE" in seen),
        (_card, _MANY_DIGITS.search(seen)),
        (_named_key, is_long),
        (_named_pin, _NAMES_PIN.search(folded)),
        (_named_phrase, _NAMES_PHRASE.search(folded)),
        (_named_password, _NAMES_PASSWORD.search(folded)),
    )
    return [look for look, is_worth_it in looks if is_worth_it]


def _written(plain: str) -> SecretKind | None:
    return next((kind for kind, form in _FORMS if form.search(plain)), None)


def _card(plain: str) -> SecretKind | None:
    numbers = (number for match in _DIGITS.finditer(plain) for number in _numbers_in(match[0]))
    return "card number" if any(map(_is_card, numbers)) else None


def _named_key(plain: str) -> SecretKind | None:
    return "API key" if _NAMED_KEY.search(plain) else None


def _named_pin(plain: str) -> SecretKind | None:
    return "PIN" if _NAMED_PIN.search(plain) else None


def _named_phrase(plain: str) -> SecretKind | None:
    return "recovery phrase" if _NAMED_PHRASE.search(f"{plain} ") else None


def _named_password(plain: str) -> SecretKind | None:
    return "password" if any(map(_is_password, _NAMED_PASSWORD.finditer(plain))) else None


def _is_password(match: re.Match[str]) -> bool:
    if match["quoted"] or match["cited"]:
        return (match["quoted"] or match["cited"]).lower() not in read_words("no_secrets")
    if match["stated"]:
        word = match["stated"].rstrip(".!?…")
        return word.lower() not in read_words("no_secrets") and len(word) >= 4 and set(word) > {word[0]}
    word = match["spoken"].rstrip(".!?…")
    return word.lower() not in read_words("no_secrets") and _STRONG.search(word) is not None


def _numbers_in(written: str) -> list[str]:
    """The number itself, and one in the groups of a card with another after it: "4111 1111 1111 1111 12/27"."""
    numbers = [written, *(match[0] for match in [_GROUPED.match(written)] if match is not None)]
    return [re.sub("[ -]", "", number) for number in numbers]


def _is_card(digits: str) -> bool:
    if not _CARDS.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(digits)))
    return sum(number - 9 * (number > 9) for number in doubled) % 10 == 0
