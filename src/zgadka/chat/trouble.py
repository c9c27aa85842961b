"""What a person reads when no answer came: one line, without a stack and without the provider's text."""

from __future__ import annotations

from typing import Literal

from zgadka.chat.intents import Language

Trouble = Literal[
    "loops", "key", "unknown_model", "busy", "unreachable", "slow", "failed", "confused", "memory", "inside"
]

_LINES: dict[Trouble, dict[Language, str]] = {
    "loops": {
        "en": "[The model kept calling tools without coming to an answer, so I stopped it. Please try again.]",
        "uk": "[Модель викликала інструменти й не доходила до відповіді, тож я її зупинив. Спробуй ще раз.]",
    },
    "key": {
        "en": "[The model's provider did not accept the key{status}. Check the key, then say it again.]",
        "uk": "[Постачальник моделі не прийняв ключ{status}. Перевір ключ і скажи ще раз.]",
    },
    "unknown_model": {
        "en": "[The provider does not have this model{status}. Choose another one with --model.]",
        "uk": "[У постачальника немає такої моделі{status}. Вибери іншу через --model.]",
    },
    "busy": {
        "en": "[The provider has too many requests right now{status}. Please try again in a moment.]",
        "uk": "[Постачальник зараз перевантажений{status}. Спробуй за хвилину.]",
    },
    "unreachable": {
        "en": "[The model cannot be reached. Please check the connection and the address, then try again.]",
        "uk": "[До моделі немає зв'язку. Перевір з'єднання й адресу та спробуй ще раз.]",
    },
    "slow": {
        "en": "[The model did not answer in time. Please try again.]",
        "uk": "[Модель не відповіла вчасно. Спробуй ще раз.]",
    },
    "failed": {
        "en": "[The model's provider failed{status}. Please try again.]",
        "uk": "[У постачальника моделі сталася помилка{status}. Спробуй ще раз.]",
    },
    "confused": {
        "en": "[The model gave no usable answer. Please try again.]",
        "uk": "[Модель не дала придатної відповіді. Спробуй ще раз.]",
    },
    "memory": {
        "en": "[The memory cannot be reached right now: {reason}]",
        "uk": "[Пам'ять зараз недоступна: {reason}]",
    },
    "inside": {
        "en": "[Something went wrong inside the chat; it is in the log. Please try again.]",
        "uk": "[У чаті щось пішло не так; подробиці в журналі. Спробуй ще раз.]",
    },
}


def trouble_line(trouble: Trouble, language: Language, *, status: int | None = None, reason: str = "") -> str:
    """Return the line for a trouble; what was stored before it stays stored.

    Args:
        status: The HTTP status that the provider answered with, where it did.
        reason: What the memory said, for the trouble `memory`.
    """
    shown = "" if status is None else f" (HTTP {status})"
    return _LINES[trouble][language].format(status=shown, reason=reason)
