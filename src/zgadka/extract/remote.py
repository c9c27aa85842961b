"""The model that conversations run on, asked once for what a message says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from zgadka.errors import extra_for

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_MAX_TOKENS = 4_096  # some models think within this limit; temperature is left to them, for some refuse it


def remote_model(model: Model, *, seconds: float) -> Callable[[str], Awaitable[str]]:
    """Return what asks a configured model, without tools and without a conversation.

    It raises what the provider's library raises.

    Raises:
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    with extra_for("extraction by the configured model", "chat"):  # a second and a half that others are spared
        from pydantic_ai.direct import model_request  # noqa: PLC0415
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415
        from pydantic_ai.settings import ModelSettings  # noqa: PLC0415
    settings = ModelSettings(max_tokens=_MAX_TOKENS, timeout=seconds, max_retries=0)

    async def ask(prompt: str) -> str:
        request = ModelRequest.user_text_prompt(prompt)
        return (await model_request(model, [request], model_settings=settings)).text or ""

    return ask
