"""Which model a conversation runs on: by option, by environment, else the offline stand-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from zgadka.errors import SettingsError, extra_for
from zgadka.http import is_loopback
from zgadka.locales import Language
from zgadka.settings import Settings, environment

if TYPE_CHECKING:
    from pydantic_ai.models import Model

DEFAULT_MODELS: Mapping[str, str] = {
    "google": "gemini-3.8-flash",
    "openai": "gpt-6-luna",
    "anthropic": "claude-haiku-5-5",
}
_ALIASES = {
    "gemini": "google",
    "claude": "anthropic",
    "llamacpp": "openai",
    "llama.cpp": "openai",
    "offline": "standin",
}
_OLLAMA = "http://localhost:11434/v1"
_RETRIES = 1


@dataclass(frozen=True)
class Choice:
    """The model of a conversation; a context, in which its connections are kept open.

    Attributes:
        name: `provider:model`, as `--model` takes it.
    """

    model: Model
    name: str
    _client: Any = None

    @property
    def offline(self) -> bool:
        """Whether it is the stand-in, which is no language model."""
        return self.name == "standin"

    async def __aenter__(self) -> Choice:
        await self.model.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.model.__aexit__(None, None, None)
        if self._client is not None:
            await self._client.aclose()


def choose_model(
    model: str | None = None,
    *,
    base_url: str | None = None,
    environ: Mapping[str, str] | None = None,
    language: Language | None = None,
    asks: bool = True,
) -> Choice:
    """Choose the model: Gemini first, then OpenAI and compatible servers, then Anthropic, else the stand-in.

    Args:
        model: `provider:name` or a provider alone; the providers are google, openai, ollama, anthropic and standin.
            None: `ZGADKA_MODEL`, else the first provider that has a key.
        base_url: The server's address instead of the provider's own.
        environ: Where keys are looked up; None: the environment and `.env`.
        language: The stand-in's language; None: that of each message.
        asks: Whether the stand-in asks about what a message only seems to say; False where the host does.

    Raises:
        SettingsError: A provider that does not exist, or one without its key; a setting with a wrong value.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    variables = environment() if environ is None else environ
    chosen = model or variables.get("ZGADKA_MODEL") or _first_with_key(variables, base_url)
    provider, _, name = chosen.partition(":")
    provider = _ALIASES.get(provider.lower(), provider.lower())
    if provider not in _MAKERS:
        raise SettingsError(
            f"no model provider {provider!r} in {chosen!r}; give PROVIDER:MODEL with one of {', '.join(_MAKERS)}"
        )
    with extra_for("the chat", "chat"):
        return _MAKERS[provider](_Wish(name, base_url, variables, language, asks))


@dataclass(frozen=True)
class _Wish:
    name: str
    base_url: str | None
    environ: Mapping[str, str]
    language: Language | None
    asks: bool

    def value(self, *names: str) -> str | None:
        return next((self.environ[name] for name in names if self.environ.get(name)), None)

    def key(self, provider: str, *names: str) -> str:
        key = self.value(*names)
        if key is None:
            raise SettingsError(f"{provider} needs a key: set {' or '.join(names)}")
        return key


def _first_with_key(environ: Mapping[str, str], base_url: str | None) -> str:
    if environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY"):
        return "google"
    if base_url or environ.get("OPENAI_API_KEY") or environ.get("OPENAI_BASE_URL"):
        return "openai"
    if environ.get("ANTHROPIC_API_KEY"):
        return "anthropic"
    return "standin"


def _google(wish: _Wish) -> Choice:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    key = wish.key("Gemini", "GEMINI_API_KEY", "GOOGLE_API_KEY")
    return _choice(wish, "google", GoogleModel, GoogleProvider, key, wish.value("GOOGLE_GEMINI_BASE_URL"))


def _openai(wish: _Wish) -> Choice:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    base_url = wish.base_url or wish.value("OPENAI_BASE_URL")
    if base_url is not None:
        return _compatible(wish, "openai", base_url, wish.value("OPENAI_API_KEY"))
    return _choice(wish, "openai", OpenAIChatModel, OpenAIProvider, wish.key("OpenAI", "OPENAI_API_KEY"), None)


def _ollama(wish: _Wish) -> Choice:
    base_url = wish.base_url or wish.value("OLLAMA_BASE_URL") or _OLLAMA
    return _compatible(wish, "ollama", base_url, wish.value("OLLAMA_API_KEY"))


def _compatible(wish: _Wish, provider: str, base_url: str, key: str | None) -> Choice:
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    if not wish.name:
        raise SettingsError(f"say which model of {base_url} to use: --model {provider}:NAME")
    return _choice(wish, provider, OpenAIChatModel, partial(OpenAICompatibleProvider, provider), key, base_url)


def _anthropic(wish: _Wish) -> Choice:
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    key = wish.key("Anthropic", "ANTHROPIC_API_KEY")
    return _choice(wish, "anthropic", AnthropicModel, AnthropicProvider, key, wish.value("ANTHROPIC_BASE_URL"))


def _choice(
    wish: _Wish,
    provider: str,
    model: Callable[..., Model],
    server: Callable[..., object],
    key: str | None,
    base_url: str | None,
) -> Choice:
    """Put the library's classes of a model and of its server together."""
    from pydantic_ai.settings import ModelSettings  # noqa: PLC0415

    name, base_url = wish.name or DEFAULT_MODELS[provider], wish.base_url or base_url
    client = _http_client(base_url)
    configured = Settings.load(wish.environ, None)
    settings = ModelSettings(timeout=configured.model_seconds, max_retries=_RETRIES)
    if configured.model_max_tokens:
        settings["max_tokens"] = configured.model_max_tokens
    built = server(api_key=key, base_url=base_url, http_client=client)
    return Choice(model(name, provider=built, settings=settings), f"{provider}:{name}", client)


def _standin(wish: _Wish) -> Choice:
    from zgadka.chat.agent import standin_model  # noqa: PLC0415

    return Choice(standin_model(wish.language, asks=wish.asks), "standin")


_MAKERS: Mapping[str, Callable[[_Wish], Choice]] = {
    "google": _google,
    "openai": _openai,
    "ollama": _ollama,
    "anthropic": _anthropic,
    "standin": _standin,
}


def _http_client(base_url: str | None) -> Any:
    """Return a client that goes straight to a server on this machine; None for all others."""
    if base_url is None or not is_loopback(urlsplit(base_url).hostname or ""):
        return None
    from pydantic_ai.models import create_async_httpx2_client  # noqa: PLC0415

    # A proxy of the environment is for the world outside: it cannot reach this machine's servers. The library's own
    # client has no switch for that, so it only lends its class (and so its HTTP library) and its time limits.
    usual = create_async_httpx2_client()
    return type(usual)(trust_env=False, timeout=usual.timeout)
