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

from zgadka.text.sanitize import as_seen, together
from zgadka.text.word_lists import read_words

SecretKind = Literal["password", "PIN", "API key", "private key", "access token", "card number", "recovery phrase"]

# Where a pattern has two spans of white space in a row, a long one would be divided in every way.
_SPACES = re.compile(r"(\s)\s+")

_WRITTEN: tuple[tuple[SecretKind, str], ...] = (
    ("private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\bAGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    ("API key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("API key", r"(?<![\w-])sk-(?=[\w-]{0,60}\d)(?:[a-z]{1,8}\d{0,2}-){0,3}\w{16,}"),
    ("API key", r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    ("API key", r"\bSG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("access token", r"\bgh[opusr]_[0-9A-Za-z]{36,}|\bgithub_pat_\w{22,}|\bglpat-[\w-]{20,}"),
    ("access token", r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}|\bxapp-\d-[0-9A-Za-z-]{10,}"),
    ("access token", r"\bnpm_[0-9A-Za-z]{36}|\bpypi-AgE[\w-]{40,}|\bhf_[0-9A-Za-z]{30,}|\bya29\.[\w-]{20,}"),
    ("access token", r"\b\d{8,10}:[A-Za-z0-9_-]{35}\b"),
    ("access token", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}"),
    ("access token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    # The password of a connection's address; an example such as user:pass@host is one too.
    ("password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/@]{3,100}@[\w.-]+"),
)
_FORMS: tuple[tuple[SecretKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern)) for kind, pattern in _WRITTEN
)

# What links a secret's name to it: "is", "=", ":". After a plain verb follow ordinary words as well ("is too short").
_SIGN = r"\s*(?::|=|->|→|—|–)\s*"
_VERB = (
    r"\s*,?\s+(?:is|was|are|це|є|такий|такий:|был|это)\s*:?\s+"
    r"(?:(?:now|actually|still|just|simply|again|тепер|зараз|просто|досі|сейчас|теперь)\s+)?"
)
_NAME_OF_ONE = (
    r"(?:pass\s?(?:words?|phrases?|codes?)|passwd|pwd|парол(?:ь|і|ю|ем|я|и)|кодове слово|"
    r"\w*pass(?:word|phrase|code))(?:\s+(?:for|to|of|on|від|до|для|на|от)(?:\s+[\w.'’-]+){1,4}?)?"
)
_QUOTED = r"[\"'«“„`](?P<quoted>[^\"'»”“`\s]{3,80})[\"'»”“`]"
_NAMED_PASSWORD = re.compile(
    rf"(?<!\w){_NAME_OF_ONE}(?:{_SIGN}(?:{_QUOTED}|(?P<stated>[^\s,;]{{4,200}})(?=[\s,;.!]*$|[,;.!]|\s))"
    rf"|{_VERB}(?:{_QUOTED.replace('quoted', 'cited')}|(?P<spoken>[^\s,;]{{4,200}})))",
    re.IGNORECASE,
)
_NAMED_KEY = re.compile(
    r"(?<![^\W_])(?:api[\s_-]?key|secret(?:[\s_-]?(?:access[\s_-]?)?key)?|"
    r"(?:access|auth|bot|bearer|refresh)[\s_-]?token|token|client[\s_-]?secret|"
    rf"bearer|апі[\s-]?ключ|api[\s-]?ключ|ключ api|токен\w{{0,3}}|секретний ключ)(?:(?:\s\w{{1,20}})?{_SIGN}"
    rf"|{_VERB}|\s+)[\"'«“`]?"
    r"(?P<key>(?=[\w./+=~-]{0,200}\d)(?=[\w./+=~-]{0,200}[A-Za-z])[\w./+=~-]{16,200})",
    re.IGNORECASE,
)
_NAMED_PIN = re.compile(
    rf"(?<!\w)(?:pin|пін|пин)(?:[\s-]?(?:code|number|код\w?))?(?:\s+(?:for|to|of|від|до|для"
    rf"|на)(?:\s+[\w.'’-]+){{1,4}}?)?"
    rf"(?:(?:\s\w{{1,20}})?{_SIGN}|{_VERB}|(?<=code)\s|(?<=код)\s)[\"'«“`]?\d{{4,8}}(?!\d)"
    rf"|(?<!\w)(?:cvv2?|cvc2?)(?:[\s-]?(?:code|код))?(?:{_SIGN}|{_VERB}|\s)\d{{3,4}}(?!\d)",
    re.IGNORECASE,
)
_NAMED_PHRASE = re.compile(
    r"(?<!\w)(?:seed|recovery|mnemonic|backup)\s+(?:phrase|words)\b[^a-z]{0,5}(?:is\b"
    r"|are\b)?\W{0,5}(?:(?:\d{1,2}\W{1,3})?[a-z]{3,8}\W{1,8}){11}"
    r"|(?<!\w)(?:сід|seed)[\s-]?фраз\w{1,2}\W{0,6}(?:це\W+)?(?:(?:\d{1,2}\W{1,3})?[a-z]{3,8}\W{1,8}){11}",
    re.IGNORECASE,
)

_STRONG = re.compile(r"\d|[^\w\s'’.,!?…-]|_|-.*-|[a-z][A-Z]")

_DIGITS = re.compile(r"(?<![\w.,-])(?:\d[ -]?){12,18}\d(?![\w-]|[.,]\d)")
_GROUPED = re.compile(r"(?:\d{4}(?:[ -]?\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5})(?=[ -])")
# First digits and lengths by ISO/IEC 7812 as the networks publish them; Visa's 13 and 19 digits are hardly in use.
_CARDS = re.compile(
    r"4\d{15}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d"
    r"|5\d\d)\d{12}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14}|220[0-4]\d{12}|9792\d{12}"
)

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
