"""Words meet across inflections, scripts and spellings, and every token survives a tokenizer."""

import re
import threading
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zgadka.text.words import MAX_QUERY_TOKENS, index_words, query_words

MEETING = [
    *[("Kyiv", other) for other in ("Київ", "Києві", "Києва", "Києвом", "Киев", "Киеве", "Kiev", "KYIV", "Kyiv's")],
    *[("Lviv", other) for other in ("Львів", "Львові", "Львова", "Львовом")],
    *[("Kharkiv", other) for other in ("Харків", "Харкові", "Харкова")],
    *[("Odessa", other) for other in ("Одеса", "Одесі", "Одесу", "Одеси", "Одесою", "Одесса", "Одессе")],
    *[("Maria", other) for other in ("Марія", "Марії", "Марію", "Марією", "Мария")],
    ("Lutsk", "Луцьку"),
    ("Zhytomyr", "Житомирі"),
    ("Vinnytsia", "Вінниці"),
    ("Ukraina", "Україні"),
    ("Serhii", "Сергій"),
    ("Serhii", "Сергія"),
    ("Oleh", "Олегові"),
    ("Łódź", "Lodz"),
    ("Köln", "Koln"),
    # inflections
    ("like", "likes"),
    ("book", "books"),
    ("program", "programming"),
    ("programmer", "programming"),
    ("dinner", "dinners"),
    ("city", "cities"),
    ("книга", "книги"),
    ("книгу", "книг"),
    ("кіт", "кота"),
    ("кіт", "котів"),
    ("місто", "міста"),
    ("собака", "собаки"),
    ("грає", "грати"),
    ("граю", "грала"),
    ("люблю", "любити"),
    ("працюю", "працював"),
    ("навчаюся", "навчається"),
    ("читає", "читання"),
    ("гарний", "гарного"),
    ("город", "города"),
    ("играет", "играл"),
    # typing
    ("м'яч", "м’яч"),
    ("сім'я", "сімʼї"),
    ("don't", "don’t"),
    ("ＣＡＴ", "cat"),
    ("caf\u00e9", "cafe"),
    ("٢٣", "23"),
    # unsegmented scripts
    ("東京", "東京に住んでいます"),
    ("北京", "我住在北京市"),
    ("猫", "猫が好き"),
    ("서울", "서울에"),
    ("กรุงเทพ", "อยู่กรุงเทพ"),
    # emoji
    ("🍕", "pizza"),
    ("❤\ufe0f", "❤"),
    ("👍🏿", "👍"),
]


@pytest.mark.parametrize(("one", "other"), MEETING)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert set(index_words(one)) & set(index_words(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("23", "123"),
        ("1.5", "15"),
        ("C", "C++"),
        ("C", "C#"),
        ("C++", "C#"),
        ("F#", "f"),
        ("Java", "JavaScript"),
        ("Lviv", "Kyiv"),
        ("東京", "北京"),
        ("good", "god"),
        ("wine", "vine"),
        ("sky", "ski"),
        ("кіт", "пес"),
    ],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert not set(index_words(one)) & set(index_words(other))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("!?… — «»", []),
        ("likes likes", ["like", "like"]),
        ("C++, C# and .NET", ["cplusplus", "csharp", "and", "dotnet", "net"]),
        ("Node.js", ["node", "js"]),
        ("anna@mail.com", ["anna", "mail", "com"]),
        ("mp3 covid-19 3kg", ["mp3", "covid", "19", "3kg"]),
        ("a+b", ["a", "b"]),
        ("snake_case", ["snake", "case"]),
        ("→ ✓ ×", []),
        ("我在2023年", ["我在", "2023", "年"]),
        ("שלום", ["slvm"]),
        ("हिन्दी", ["hindi"]),
        ("𐐨", ["e"]),
        ("\ud800 \x00", []),
        ("x" * 100, ["x" * 40]),
    ],
)
def test_a_text_gives_its_words_in_order(text: str, tokens: list[str]) -> None:
    assert index_words(text) == tokens


@given(st.text())
@example("ⷠ〇๑๒ ꙮ ﷽ ⅷ Ⅻ ٣ ʼ ー・")
@example("ᄀ각 ກາ ខ្មែរ မြန်မာ")
def test_every_token_survives_a_tokenizer(text: str) -> None:
    for token in index_words(text):
        assert 1 <= len(token) <= 40
        assert all(
            (character.isascii() and (character.isdigit() or character.islower()))
            or (not character.isascii() and character.isalpha())
            for character in token
        ), token


@given(st.text())
def test_what_is_asked_is_found_by_itself(text: str) -> None:
    asked = query_words(text, expand=False)
    assert len(asked) == len(set(asked)) <= MAX_QUERY_TOKENS
    assert set(asked) <= set(index_words(text))
    assert bool(asked) == bool(index_words(text))
    assert set(query_words(text)[: len(asked)]) <= set(asked)


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("Where does Anna live?", ["anna", "live", "locat"]),
        ("What is my name?", ["name"]),
        ("How old is she?", ["old", "age"]),
        ("is it", ["is", "it"]),
        ("who are you", ["vho", "are", "iou"]),
        ("books and books", ["book"]),
        ("де я живу?", ["zhiv", "zhiva", "locat"]),
        ("скільки мені років", ["rok", "rokiv", "age"]),
        ('NEAR(cats "b* OR c:d) AND -x', ["near", "cat", "b", "c", "d", "x", "pet"]),
    ],
)
def test_a_question_is_searched_by_its_telling_words(question: str, tokens: list[str]) -> None:
    assert query_words(question) == tokens


def test_a_question_can_be_left_unexpanded() -> None:
    assert query_words("Where does Anna live?", expand=False) == ["anna", "live"]


def test_a_key_that_is_asked_for_finds_its_place_in_a_long_question() -> None:
    tokens = query_words("where " + " ".join(f"w{number}" for number in range(500)))
    assert len(tokens) <= MAX_QUERY_TOKENS
    assert "locat" in tokens


def test_a_huge_question_is_cut_quickly() -> None:
    started = time.perf_counter()
    for text in ("слово і ще " * 10_000, "a" * 100_000, "ab " * 33_000, "東" * 100_000, "(" * 100_000):
        assert len(query_words(text)) <= MAX_QUERY_TOKENS
    assert time.perf_counter() - started < 1


def test_threads_do_not_mix_their_words() -> None:
    """A snowball stemmer keeps its word in itself, and readers run on several threads."""
    words = [
        f"{letter * 3}{ending}" for letter in "bcdfghjklmnpqrtvz" for ending in ("ings", "ed", "ations", "ly", "ness")
    ]
    expected = {word: index_words(f"{word}") for word in words}
    fresh = [f"{word} {word}q" for word in words]
    wrong: list[str] = []

    def read() -> None:
        wrong.extend(text for text, word in zip(fresh, words, strict=True) if index_words(text)[0] != expected[word][0])

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_tokens_are_plain_enough_for_the_ascii_tokenizer_of_fts5() -> None:
    assert all(re.fullmatch(r"[a-z0-9]+", token) for token in index_words("Київ C++ Łódź don't 🍕 ٣ Ωmega שלום"))
