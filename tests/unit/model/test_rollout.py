"""Which chats a policy gives tools to; the numbers are written down, for they must never change."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.errors import SettingsError
from zgadka.model.rollout import Policy, bucket, legacy_chats, policy_of

BUCKETS = {
    ("telegram", "-1001234567890"): 48,
    ("telegram", "123456789"): 3,
    ("discord", "184467440737095516"): 68,
    ("terminal", "terminal"): 65,
    ("slack", "Загальний чат"): 68,
}


def test_a_chats_bucket_is_the_same_in_every_version():
    assert {chat: bucket(*chat) for chat in BUCKETS} == BUCKETS


def chats() -> list[tuple[str, str]]:
    return [("telegram", str(-1_000_000 - 7 * number)) for number in range(10_000)]


def test_half_the_chats_are_half_of_them():
    numbers = [bucket(*chat) for chat in chats()]
    assert abs(sum(number < 50 for number in numbers) / len(numbers) - 0.5) <= 0.02
    assert set(numbers) == set(range(100))


def test_another_process_divides_chats_in_the_same_way():
    """The interpreter's own hash would not: it is another one in each process."""
    program = (
        "from zgadka.model.rollout import bucket\n"
        "print(sum(bucket('telegram', str(-1_000_000 - 7 * n)) * (n + 1) for n in range(10_000)), hash('x'))"
    )
    expected = sum(bucket(*chat) * (n + 1) for n, chat in enumerate(chats()))
    said = [
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert [int(numbers[0]) for numbers in said] == [expected, expected]
    assert said[0][1] != said[1][1]


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=50))
def test_every_chat_has_a_bucket(platform, chat):
    assert 0 <= bucket(platform, chat) < 100


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("off", Policy("off")),
        ("new_chats", Policy("new_chats")),
        ("all", Policy("all")),
        ("percent:0", Policy("percent", 0)),
        ("percent:50", Policy("percent", 50)),
        ("percent:100", Policy("percent", 100)),
    ],
)
def test_a_policy_is_read(text, policy):
    assert policy_of(text) == policy


@pytest.mark.parametrize("text", ["", "on", "percent", "percent:", "percent:101", "percent:-1", "percent:5.5", "50"])
def test_what_is_no_policy_is_named(text):
    with pytest.raises(SettingsError, match="give off, new_chats, percent:N"):
        policy_of(text)


def test_legacy_chats_are_read_with_their_platforms():
    assert legacy_chats("") == frozenset()
    assert legacy_chats("telegram:-5, matrix:!room:example.org ,") == {
        ("telegram", "-5"),
        ("matrix", "!room:example.org"),
    }


@pytest.mark.parametrize("text", ["-5", "telegram:", ":5"])
def test_a_legacy_chat_without_platform_or_id_is_named(text):
    with pytest.raises(SettingsError, match="give PLATFORM:CHAT"):
        legacy_chats(text)
