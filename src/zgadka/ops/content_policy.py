"""What may not be kept, whoever brings it: secrets, and, where the operator wants it so, orders to the model.

Every door that writes texts of memories asks here: the tools before they run or are enqueued, what is read from
messages, what people correct themselves, files and items of agent frameworks, and imports from other programs. Our
own exports and `undo` bring back what was here before, and are not asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from zgadka.errors import ContentRefused
from zgadka.model.inference import Inferred
from zgadka.settings import Settings
from zgadka.text.instruction_detection import gives_orders, may_order
from zgadka.text.sanitize import as_seen, together
from zgadka.text.secret_detection import SecretKind, may_hold_secret, secret_in

_VALUES = ("fact_value", "new_value", "content")
"""What the arguments are called that hold the value of `fact_key`."""
_SECRET_CHARACTERS = 4
"""Of what is shorter, nothing is told to be a secret."""
_ARTICLES: Mapping[SecretKind, str] = {"API key": "an API key", "access token": "an access token"}


@dataclass(frozen=True)
class Screened:
    """Why a text may not be kept; nothing of the text is in it.

    Attributes:
        sentence: For a model, or for a person.
    """

    reason: Literal["secret", "instruction"]
    sentence: str


def screen(settings: Settings, *texts: str) -> Screened | None:
    """Say why one of the texts may not be kept; None when all may."""
    if settings.secrets_in_memories == "refuse" and (kind := secret_in(*texts)) is not None:
        description = _ARTICLES.get(kind, f"a {kind}")
        sentence = f"it holds what looks like {description}; secrets are not remembered here, and nothing was kept"
        return Screened("secret", sentence)
    if settings.instructions_in_memories == "refuse" and gives_orders(*texts):
        sentence = "it reads like an order to the assistant; orders are not remembered here, and nothing was kept"
        return Screened("instruction", sentence)
    return None


def refuse_unkeepable(settings: Settings, *texts: str) -> None:
    """Let texts pass that may be kept.

    Raises:
        ContentRefused: One of them may not be.
    """
    screened = screen(settings, *texts)
    if screened is not None:
        raise ContentRefused(screened.sentence, screened.reason)


def admit(settings: Settings, *texts: str) -> bool:
    """Let texts pass that may be kept; returns whether one of them gives orders, and is kept as a quotation.

    Raises:
        ContentRefused: One of them may not be kept.
    """
    if not texts or _are_ordinary(texts):
        return False
    refuse_unkeepable(settings, *texts)
    return gives_orders(*texts)


def _are_ordinary(texts: Sequence[str]) -> bool:
    """Whether no text can hold a secret or give an order; most are so, and a quick look tells."""
    # What stands at the end of another one, as a value does of its quote, is looked through with that.
    seen = as_seen(together([text for text in texts if not any(other.endswith(f" {text}") for other in texts)]))
    folded = seen.casefold()
    return not (may_hold_secret(seen, folded) or may_order(folded))


def kept_texts(arguments: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """The texts among a call's arguments; a fact's key and value together, since the one may name the other."""
    texts: list[str] = []
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, list):
            texts.append(" ".join(map(str, value)))  # type: ignore[reportUnknownArgumentType]
    if isinstance(key := arguments.get("fact_key"), str):
        texts += [titled(key, str(arguments[name])) for name in _VALUES if name in arguments]
    return texts


def keepable(settings: Settings, items: Iterable[Inferred]) -> list[Inferred]:
    """Of what was read from a message, what may be kept; without an excerpt where that may not be."""
    allowed: list[Inferred] = []
    for item in items:
        if screen(settings, item.value, titled(item.key, item.value)) is not None:
            continue
        if item.excerpt is None or screen(settings, item.excerpt) is None:
            allowed.append(item)
        elif screen(settings, _without(item.excerpt, item.value)) is not None:  # else the value was the secret
            allowed.append(replace(item, excerpt=None))
    return allowed


def titled(key: str, value: str) -> str:
    """A value after its name, which may tell what it is."""
    return f"{key.replace('_', ' ')}: {value}"


def _without(text: str, value: str) -> str:
    """The text without the longer words of the value."""
    for word in value.split():
        if len(word) >= _SECRET_CHARACTERS:
            text = text.replace(word, " ")
    return text
