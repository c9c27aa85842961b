"""The forms of a Ukrainian word share a root, and names keep a form that is spelt like their Latin letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.morphology import light_stems
from zgadka.text.slavic import word_forms

PARADIGMS = [
    "книга книги книзі книгу книгою книг книгам книгах",
    "собака собаки собаці собаку собакою собак собакам",
    "подорож подорожі подорожей подорожам",
    "хлопець хлопця хлопцю хлопцем хлопці хлопців хлопцям",
    "вечір вечора вечорі вечором вечорів",
    "робота роботи роботі роботу роботою робіт роботам",
    "кімната кімнати кімнаті кімнату кімнат кімнатах",
    "лист листа листи листів листами",
    "карта карти карті карту карт",
    "ніж ножа ножу ножем ножі ножів ножами",
    "земля землі землю землею земель землям",
    "купити купив купила купили куплю купиш купить купимо куплять купуватиму купувати купую купував",
    "читати читаю читаєш читає читаємо читають читав читала читатиму читатимуть читай читайте",
    "малювати малюю малює малював малювала малюватимемо",
    "дивитися дивлюся дивишся дивиться дивився дивилася дивитимуться",
    "новий нового новому новим нова нової новій нову новою нове нові нових новим новими",
    "синій синього синьому синім синя синьої синю сині синіх синіми",
    "українська української українську українською українські українських",
    "работать работаю работает работал работала работают",
    "вопрос вопроса вопросу вопросом вопросе вопросы вопросов вопросам",
]


@pytest.mark.parametrize("forms", PARADIGMS, ids=lambda forms: forms.split()[0])
def test_the_forms_of_a_word_share_a_root(forms: str) -> None:
    first, *others = forms.split()
    assert [other for other in others if not set(word_forms(first)) & set(word_forms(other))] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *[
            ("кава", "кавун"),
            ("мова", "море"),
            ("сіль", "сила"),
            ("робот", "рибка"),
            ("кіт", "кит"),
            ("школа", "шкода"),
        ],
        *[("Одеса", "Одарка"), ("Львів", "Луцьк")],
    ],
)
def test_other_words_have_other_roots(one: str, other: str) -> None:
    assert not set(word_forms(one.lower())) & set(word_forms(other.lower()))


@given(st.text("абвгґдеєжзиіїйклмнопрстуфхцчшщьюяёыэъ", min_size=1, max_size=40))
def test_every_word_has_few_forms_and_none_is_empty(word: str) -> None:
    forms = word_forms(word)
    assert 1 <= len(forms) <= 7
    assert all(forms)
    assert len(set(forms)) == len(forms)


@pytest.mark.parametrize(
    ("word", "stems"),
    [
        ("القطة", ("قطه",)),
        ("والكتب", ("كتب",)),
        ("مدرسات", ("مدرس",)),
        ("כלבים", ("כלב", "לב")),
        ("והכלב", ("והכלב", "כלב")),
        ("कुत्ते", ("कुत्त",)),
        ("σκύλος", ("σκύλος",)),
    ],
)
def test_particles_and_endings_fall_off(word: str, stems: tuple[str, ...]) -> None:
    assert light_stems(word) == stems


@given(st.text("ابتثلكوفيةهان", min_size=1) | st.text("הבלמכשוית", min_size=1) | st.text("कत\u093e\u0902", min_size=1))
def test_no_stem_is_empty(word: str) -> None:
    assert all(light_stems(word))
