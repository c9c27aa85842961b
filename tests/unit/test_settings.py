"""Settings: where each comes from, which of two wins, and what is said of a value that makes no sense."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from zgadka.errors import SettingsError
from zgadka.settings import REMOVED, Settings

FIELDS = {field.name: field for field in dataclasses.fields(Settings)}
WHOLE_NUMBERS = [name for name in FIELDS if type(getattr(Settings(), name)) is int]
CLAIMS = [name for name in FIELDS if type(getattr(Settings(), name)) is bool]

# The papers' names, with a value that is not the default.
PAPERS = {
    "ENABLE_TOOL_BASED_MEMORY": ("enable_tool_based_memory", "false", False),
    "MEMORY_TOOL_ASYNC": ("memory_tool_async", "false", False),
    "MEMORY_TOOL_TIMEOUT_MS": ("memory_tool_timeout_ms", "350", 350),
    "MEMORY_TOOL_QUEUE_SIZE": ("memory_tool_queue_size", "17", 17),
    "ENABLE_AUTOMATED_MEMORY_FALLBACK": ("enable_automated_memory_fallback", "false", False),
}


def choices(name: str) -> tuple[str, ...]:
    """What may be chosen for the field; empty where anything may be given."""
    return get_args(get_type_hints(Settings)[name])


CHOICES = [name for name in FIELDS if choices(name)]


def load(**environ: str) -> Settings:
    return Settings.load(environ, None)


def another(name: str) -> tuple[str, Any]:
    """A legal value for the field, as text and as read, that is not its default."""
    default = getattr(Settings(), name)
    if isinstance(default, bool):
        return str(not default).lower(), not default
    if isinstance(default, int):
        return str(default + 1), default + 1
    if name == "time_zone":
        return "Europe/Kyiv", "Europe/Kyiv"
    value = next((choice for choice in choices(name) if choice != default), "something else, and long enough for a key")
    return value, value


def test_without_any_variable_all_is_as_documented() -> None:
    assert load() == Settings()
    assert (Settings().memory_tool_timeout_ms, Settings().memory_tool_queue_size) == (200, 10_000)
    assert (Settings().confirmation_seconds, Settings().undo_hours, Settings().calls_per_answer) == (300, 24, 5)


@pytest.mark.parametrize("name", FIELDS)
def test_each_setting_is_read_from_its_own_variable(name: str) -> None:
    text, value = another(name)
    assert load(**{f"ZGADKA_{name.upper()}": text}) == dataclasses.replace(Settings(), **{name: value})


@pytest.mark.parametrize("variable", PAPERS)
def test_the_papers_names_work(variable: str) -> None:
    name, text, value = PAPERS[variable]
    assert load(**{variable: text}) == dataclasses.replace(Settings(), **{name: value})


@pytest.mark.parametrize("variable", PAPERS)
def test_the_own_name_wins_over_the_papers_name(variable: str) -> None:
    name, text, _ = PAPERS[variable]
    default = getattr(Settings(), name)
    both = {variable: text, f"ZGADKA_{name.upper()}": str(default)}
    assert getattr(load(**both), name) == default


@pytest.mark.parametrize("name", FIELDS)
def test_no_setting_is_read_from_its_bare_name(name: str) -> None:
    """`DATABASE` or `CONNECTIONS` belong to other programs; only the names in the papers are read."""
    if name.upper() in PAPERS or FIELDS[name].metadata["alias"] == name.upper():
        return
    assert load(**{name.upper(): another(name)[0]}) == Settings()


@pytest.mark.parametrize("text", ["1", "true", "TRUE", "yes", "On", " true "])
def test_words_for_true(text: str) -> None:
    assert load(ZGADKA_MEMORY_TOOL_ASYNC=text).memory_tool_async is True


@pytest.mark.parametrize("text", ["0", "false", "False", "no", "OFF"])
def test_words_for_false(text: str) -> None:
    assert load(ZGADKA_MEMORY_TOOL_ASYNC=text).memory_tool_async is False


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("text", ["", "maybe", "2", "так"])
def test_a_bad_truth_value_is_named_with_its_variable(name: str, text: str) -> None:
    variable = f"ZGADKA_{name.upper()}"
    with pytest.raises(SettingsError) as caught:
        load(**{variable: text})
    assert str(caught.value) == f"{variable}={text!r}: give true or false"


@pytest.mark.parametrize("name", WHOLE_NUMBERS)
@pytest.mark.parametrize("text", ["", "ten", "1.5", "-1", "1e3", "0x10", "1000001", "9" * 5000])
def test_a_bad_number_is_named_with_its_variable(name: str, text: str) -> None:
    variable = f"ZGADKA_{name.upper()}"
    with pytest.raises(SettingsError) as caught:
        load(**{variable: text})
    said = str(caught.value)
    assert said.startswith(f"{variable}=")
    assert "give a whole number" in said
    assert len(said) < 400, "a huge value is not repeated whole"


@pytest.mark.parametrize("name", CHOICES)
def test_a_bad_choice_is_named_with_what_there_is(name: str) -> None:
    variable = f"ZGADKA_{name.upper()}"
    with pytest.raises(SettingsError, match=rf"^{variable}='sometimes': give one of {', '.join(choices(name))}$"):
        load(**{variable: "sometimes"})


def test_a_papers_name_with_a_bad_value_is_named_as_it_was_given() -> None:
    with pytest.raises(SettingsError, match=r"^MEMORY_TOOL_TIMEOUT_MS='soon'"):
        load(MEMORY_TOOL_TIMEOUT_MS="soon")


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().undo_hours = 1  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_a_removed_setting_is_one_warning_and_changes_nothing(name: str, caplog: pytest.LogCaptureFixture) -> None:
    variable = f"ZGADKA_{name.upper()}"
    assert load(**{variable: "nonsense"}) == Settings()
    [record] = caplog.records
    assert variable in record.getMessage()
    former: dict[str, Any] = {name: 3}
    with pytest.warns(DeprecationWarning, match=name):
        assert Settings(**former, undo_hours=5) == Settings(undo_hours=5)


# .env


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def test_a_dotenv_file_is_read(env_file: Path) -> None:
    env_file.write_text("# a comment\nexport ZGADKA_UNDO_HOURS=5\nMEMORY_TOOL_ASYNC='off'\nOTHER=x\nZGADKA_ROLLOUT\n")
    read = Settings.load({}, env_file)
    assert read == dataclasses.replace(Settings(), undo_hours=5, memory_tool_async=False)


def test_the_environment_wins_over_the_dotenv_file(env_file: Path) -> None:
    env_file.write_text("ZGADKA_UNDO_HOURS=5\nZGADKA_CONNECTIONS=3\n")
    read = Settings.load({"ZGADKA_UNDO_HOURS": "6"}, env_file)
    assert (read.undo_hours, read.connections) == (6, 3)


def test_the_dotenv_file_of_the_working_directory_is_found(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text("ZGADKA_UNDO_HOURS=5\n")
    monkeypatch.chdir(env_file.parent)
    monkeypatch.delenv("ZGADKA_UNDO_HOURS", raising=False)
    assert Settings.load().undo_hours == 5


def test_a_missing_dotenv_file_or_a_directory_of_that_name_is_no_mistake(env_file: Path) -> None:
    assert Settings.load({}, env_file) == Settings()
    env_file.mkdir()
    assert Settings.load({}, env_file) == Settings()


def test_reading_a_dotenv_file_does_not_change_the_environment(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    env_file.write_text("ZGADKA_TEST_ONLY=1\n")
    monkeypatch.chdir(env_file.parent)
    Settings.load()
    assert "ZGADKA_TEST_ONLY" not in os.environ


def test_a_bad_value_in_a_dotenv_file_is_named_with_its_variable(env_file: Path) -> None:
    env_file.write_text("ZGADKA_UNDO_HOURS=many\n")
    with pytest.raises(SettingsError, match=r"^ZGADKA_UNDO_HOURS='many'"):
        Settings.load({}, env_file)


def test_a_dotenv_file_that_is_no_text_is_named(env_file: Path) -> None:
    env_file.write_bytes(b"ZGADKA_UNDO_HOURS=\xff\xfe\n")
    with pytest.raises(SettingsError, match=r"cannot read .*\.env"):
        Settings.load({}, env_file)
