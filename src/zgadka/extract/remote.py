"""The model that conversations run on, asked once for what a message says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zgadka.errors import extra_for

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_MAX_TOKENS = 4_096  # some models think within this limit; temperature is left to them, for some refuse it


class RemoteModel:
    """Asks a configured model, without tools and without a conversation.

    Raises:
        MissingExtra: The packages of the extra `chat` are not installed.
    """

    def __init__(self, model: Model, *, seconds: float) -> None:
        with extra_for("extraction by the configured model", "chat"):
            import pydantic_ai.direct  # noqa: PLC0415  (a second and a half that others are spared)
        self._direct = pydantic_ai.direct
        self._model = model
        self._seconds = seconds

    async def __call__(self, prompt: str) -> str:
        """Return the model's answer; raises what the provider's library raises."""
        from pydantic_ai.messages import ModelRequest  # noqa: PLC0415
        from pydantic_ai.settings import ModelSettings  # noqa: PLC0415

        settings = ModelSettings(max_tokens=_MAX_TOKENS, timeout=self._seconds, max_retries=0)
        request = ModelRequest.user_text_prompt(prompt)
        answer = await self._direct.model_request(self._model, [request], model_settings=settings)
        return answer.text or ""
