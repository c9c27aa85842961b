"""The privacy levels in plain words: what is kept at each, for the bots."""

from __future__ import annotations

from zgadka.locales import Language, text
from zgadka.model.privacy import PrivacyLevel


def privacy_scale(current: PrivacyLevel, language: Language) -> str:
    """Say which level holds, and what each level keeps, with the command that sets it."""
    names = [level.name.lower() for level in PrivacyLevel]
    lines = [f"/privacy {name} - {text(language, f'chat.privacy.level.{name}')}" for name in names]
    return "\n".join([text(language, "chat.privacy.current", level=current.name.lower()), *lines])
