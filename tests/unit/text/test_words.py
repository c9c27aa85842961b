"""Words meet across inflections, scripts and spellings, and every token survives a tokenizer."""

import re
import threading

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.cpu_time import takes_less

from zgadka.text import words as words_module
from zgadka.text.words import MAX_QUERY_TOKENS, WORDS_VERSION, index_words, query_words

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
    # the vowel, the consonant or the word itself changes
    *[("книга", other) for other in ("книзі", "книжка", "книжку", "книжок")],
    *[("собака", other) for other in ("собаці", "собак", "собакою")],
    *[("бігати", other) for other in ("біг", "біжу", "бігла", "бігаємо")],
    *[("купувати", other) for other in ("купив", "куплю", "купили", "купуємо", "купуватимемо")],
    *[("рука", "руці"), ("нога", "нозі"), ("вухо", "вусі"), ("друг", "друзі"), ("друг", "друже")],
    *[("жінка", "жінок"), ("книжки", "книжок"), ("вікно", "вікон"), ("сестра", "сестер"), ("хлопець", "хлопця")],
    *[("ніч", "ночі"), ("осінь", "осені"), ("стіл", "столу"), ("ніж", "ножем"), ("день", "дня"), ("сон", "сну")],
    *[("писати", "пишу"), ("ходити", "ходжу"), ("носити", "ношу"), ("казати", "кажу"), ("їздити", "їжджу")],
    *[("готувати", "приготувала"), ("читати", "прочитаю"), ("подарувати", "подарований"), ("хотіти", "хочу")],
    *[("дитина", "діти"), ("людина", "люди"), ("йду", "пішов"), ("їсти", "їла"), ("мама", "матері")],
    *[("Львів", "львівський"), ("Японія", "японська"), ("вчитель", "вчителька"), ("лікарня", "лікар")],
    *[("одружений", "одружився"), ("музика", "музичний"), ("чай", "чаю"), ("Ярослав", "Ярославом")],
    *[("говорит", "говорить"), ("писал", "пишу"), ("дети", "ребёнка"), ("дорогу", "дороги")],
    ("Zelenskyi", "Зеленського"),
    ("Sumy", "Сумах"),
    # English irregular words, and spellings of two countries
    *[("go", "went"), ("buy", "bought"), ("children", "child"), ("mice", "mouse"), ("written", "writes")],
    *[("saw", "see"), ("saw", "saws"), ("leaves", "leaf"), ("leaves", "leaving"), ("colour", "colors")],
    # other languages
    *[("Fahrräder für", "Fahrrad für"), ("zwei Katzen und", "die Katze ist"), ("książki o", "książkę o")],
    *[("bisikletler nerede", "bir bisiklet"), ("los perros y", "el perro y"), ("σκύλο", "σκύλους")],
    *[("القطة", "وقطة"), ("أخت", "أختي"), ("הכלב", "כלבים"), ("कुत्ता", "कुत्ते"), ("किताब", "किताबें")],
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
        ("good", "god"),
        ("wine", "vine"),
        ("sky", "ski"),
        ("кіт", "пес"),
    ],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert not set(index_words(one)) & set(index_words(other))


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("東京", "我住在北京", False),
        ("東京", "我住在東京都", True),
        ("我的猫叫什么？", "我养了两只猫", True),
        ("猫", "小猫", True),
        ("什么时候", "我什么时候说的", True),  # nothing else to go by
        ("我什么时候买了车", "你什么时候来", False),
        ("2023年", "在2024年", True),
    ],
)
def test_a_single_letter_of_chinese_is_asked_for_only_when_it_stands_alone(query: str, text: str, found: bool) -> None:
    assert bool(set(query_words(query, expand=False)) & set(index_words(text))) is found


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
        ("我在2023年", ["我在", "我", "在", "2023", "年"]),
        ("שלום", ["slvm", "lvm"]),
        ("हिन्दी", ["hind"]),
        ("en el café", ["en", "el", "cafe", "caf"]),
        ("the café and my dog", ["the", "cafe", "and", "my", "dog"]),
        ("chess guitar", ["ches", "guitar"]),
        ("з ким", ["z", "kim"]),
        ("𐐨", ["e"]),
        ("\ud800 \x00", []),
        ("x" * 100, ["x" * 40]),
    ],
)
def test_a_text_gives_its_words_in_order(text: str, tokens: list[str]) -> None:
    assert index_words(text) == tokens


SCRIPTS = (
    "abcdefghijklmnopqrstuvwxyz'-ąćęłńóśźżäöüßéèñçğışİ",
    "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяёыэъ\u2019",
    "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊ\u037a\u0384",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىأإآؤئءـ\u064b\u0652\u200f",
    "אבגדהוזחטיכלמנסעפצקרשתךםןףץ\u05b0\u05be",
    "कखगघचछजटतदनपबमयरलवशसह\u093e\u093f\u0940\u0947\u094d\u0902\u093c",
    "我你的了是什么猫狗北京東京年月〇々ひらがなカタカナーแมวไทย고양이한글",
    '0123456789٣۵๒½²🍕👨\u200d👩\u202e\u0301\ud800\x00+#.* ()":^',
)
words = st.lists(st.sampled_from(SCRIPTS).flatmap(lambda letters: st.text(letters, max_size=14)), max_size=8)
texts = st.one_of(st.text(), words.map(" ".join), words.map("".join))


@given(texts)
@example("ⷠ〇๑๒ ꙮ ﷽ ⅷ Ⅻ ٣ ʼ ー・")
@example("ͺ")
@example("ᄀ각 ກາ ខ្មែរ မြန်မာ")
def test_every_token_survives_a_tokenizer(text: str) -> None:
    for token in index_words(text):
        assert 1 <= len(token) <= 40
        assert all(
            (character.isascii() and (character.isdigit() or character.islower()))
            or (not character.isascii() and character.isalpha())
            for character in token
        ), token


@given(texts)
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
        ("де я живу?", ["zhit", "locat"]),
        ("скільки мені років", ["rik", "age"]),
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


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "слово і ще ",
            "a",
            "ab ",
            "東",
            "(",
            "अ\u093e",
            "ا",
            "ו",
            "ти",
            "в",
            "ован",
            "ський ",
            "σ",
            "нн",
            "ก",
            "a-b",
        ),
        *("ść ", "e\u0301", "\u202e", "\ud800", "👨\u200d", "_", "'", "c++ "),
    ],
)
def test_a_huge_text_is_read_quickly_and_a_huge_question_cut(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    asked: list[str] = []
    assert takes_less(1, lambda: asked.extend(query_words(text)))
    assert len(asked) <= MAX_QUERY_TOKENS
    assert takes_less(1, lambda: index_words(text))


def test_threads_do_not_mix_their_words() -> None:
    """A stemmer keeps its word in itself, and readers run on several threads."""
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


def test_who_changes_the_tokens_changes_the_version() -> None:
    """What stores hold was made by one version of the words: a change needs their indexes to be made again.

    If this fails, raise `WORDS_VERSION` and correct both lines.
    """
    texts = (
        "Went to Kyiv; Купив книжку про Львів у сестри. Ich habe zwei Katzen. "
        "我养了两只猫 日本語 القطة הכלב किताबें σκύλο"
    )
    assert WORDS_VERSION == 2
    assert " ".join(index_words(texts)) == (
        "go to kiv kup kupiv knig knizhka knizhk pro lvv lviv u sestr sestra ich habe hab zvei zve katzen katz "
        "我养 养了 了两 两只 只猫 我 养 了 两 只 猫 日本 本語 日 本 語 qth hhlv hlv kitab skilo skil"
    )


@given(st.from_regex(r"\A[0-9]{1,60}\Z"), st.booleans())
def test_a_number_is_its_own_token_by_the_short_way_as_by_the_long_one(number: str, foreign: bool) -> None:
    assert words_module._tokens(number, foreign) == words_module._tokens_of(number, foreign)


@given(st.text(st.sampled_from("abcz09яіґ .,:;!?'\"-_/+#@&\n[]{}~`^*%$<=\\éß東"), max_size=40))
@example("c++, C# and .net; a.b")
def test_words_are_the_same_by_the_short_way_as_by_the_long_one(text: str) -> None:
    assert words_module.split_words(text) == words_module._WORD.findall(text)
