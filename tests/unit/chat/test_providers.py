"""Which model is chosen."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from zgadka.chat.providers import DEFAULT_MODELS, choose_model
from zgadka.errors import SettingsError
from zgadka.http import is_loopback

GEMINI = {"GEMINI_API_KEY": "g"}
OPENAI = {"OPENAI_API_KEY": "o"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "a"}


@pytest.mark.parametrize(
    ("environ", "model", "base_url", "name"),
    [
        ({}, None, None, "standin"),
        (GEMINI | OPENAI | ANTHROPIC, None, None, f"google:{DEFAULT_MODELS['google']}"),
        ({"GOOGLE_API_KEY": "g"}, None, None, f"google:{DEFAULT_MODELS['google']}"),
        (OPENAI | ANTHROPIC, None, None, f"openai:{DEFAULT_MODELS['openai']}"),
        (ANTHROPIC, None, None, f"anthropic:{DEFAULT_MODELS['anthropic']}"),
        (GEMINI, "gemini:gemini-4-argon", None, "google:gemini-4-argon"),
        (ANTHROPIC, "claude:claude-sonnet-5-5", None, "anthropic:claude-sonnet-5-5"),
        (GEMINI, "standin", None, "standin"),
        (GEMINI | {"ZGADKA_MODEL": "offline"}, None, None, "standin"),
        ({"ZGADKA_MODEL": "ollama:qwen3"}, None, None, "ollama:qwen3"),
        ({}, "ollama:llama3.2:3b", "http://10.0.0.5:11434/v1", "ollama:llama3.2:3b"),
        ({}, "openai:local", "http://localhost:8080/v1", "openai:local"),
        ({"OPENAI_BASE_URL": "http://localhost:8080/v1"}, "openai:local", None, "openai:local"),
    ],
)
def test_the_first_that_is_configured_is_chosen(
    environ: dict[str, str], model: str | None, base_url: str | None, name: str
) -> None:
    choice = choose_model(model, base_url=base_url, environ=environ)
    assert choice.name == name
    assert choice.offline == (name == "standin")


@pytest.mark.parametrize(
    ("environ", "model", "base_url", "complaint"),
    [
        ({}, "gemini", None, "Gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY"),
        ({}, "openai:gpt-6-luna", None, "OpenAI needs a key: set OPENAI_API_KEY"),
        ({}, "anthropic", None, "Anthropic needs a key: set ANTHROPIC_API_KEY"),
        ({}, "mystery:x", None, "no model provider 'mystery' in 'mystery:x'; give PROVIDER:MODEL with one of google"),
        ({}, "ollama", None, "say which model of http://localhost:11434/v1 to use: --model ollama:NAME"),
        (
            {},
            None,
            "http://localhost:8080/v1",
            "say which model of http://localhost:8080/v1 to use: --model openai:NAME",
        ),
    ],
)
def test_what_is_missing_is_said(
    environ: dict[str, str], model: str | None, base_url: str | None, complaint: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        choose_model(model, base_url=base_url, environ=environ)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:11434/v1", True),
        ("http://llama.localhost/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080", True),
        ("https://api.openai.com/v1", False),
        ("http://10.0.0.5", False),
        ("http://localhost.example.com", False),
        ("", False),
    ],
)
def test_this_machines_own_addresses_are_known(url: str, here: bool) -> None:
    assert is_loopback(urlsplit(url).hostname or "") == here
