"""The estimate of tokens: exact to add up, and near what tokenizers count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.token_estimate import weigh, whole


@given(st.text(), st.text())
def test_the_parts_weigh_what_the_whole_does(one: str, other: str) -> None:
    assert weigh(one) + weigh(other) == weigh(one + other)
    assert whole(weigh(one + other)) <= whole(weigh(one)) + whole(weigh(other))


@given(st.text(min_size=1))
def test_every_character_weighs_something(text: str) -> None:
    assert weigh(text) >= 5 * len(text)
    assert whole(weigh(text)) >= 1


def test_nothing_takes_no_token() -> None:
    assert whole(weigh("")) == 0


# Counted with the tokenizers that OpenAI (o200k), Anthropic and DeepSeek published.
@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("I moved to Lviv last spring, and my sister still lives in Kyiv with her two cats.", 20, 21),
        ("Минулої весни я переїхала до Львова, а моя сестра досі живе в Києві з двома котами.", 32, 49),
        ("去年春天我搬到了上海，我妹妹还住在北京，养了两只猫。", 18, 33),
        ("去年の春に上海へ引っ越しましたが、妹はまだ北京に住んでいます。", 21, 33),
        ("지난 봄에 서울로 이사했고 여동생은 아직 부산에 살고 있어요.", 21, 38),
        ("انتقلت إلى بيروت في الربيع الماضي وما زالت أختي تعيش في القاهرة.", 21, 55),
    ],
)
def test_it_is_near_what_tokenizers_count_and_not_below_the_leanest(text: str, least: int, most: int) -> None:
    assert least <= whole(weigh(text)) <= 1.3 * most


def test_rare_signs_weigh_most() -> None:
    assert whole(weigh("𓀀")) == whole(weigh("🫠")) == 4
    assert whole(weigh("€")) == 2
