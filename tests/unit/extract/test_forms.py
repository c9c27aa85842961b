"""Ukrainian words in their cases: what is listed once is found and given back in its base form."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from zgadka.extract.authored_text import own_words
from zgadka.extract.forms import base_forms
from zgadka.extract.kinds import base_of, name_kinds, word_namings
from zgadka.extract.memory import forgetting
from zgadka.extract.model_answer import read_answer
from zgadka.extract.rules import extract
from zgadka.extract.subject import mentions_another


@pytest.mark.parametrize(
    ("kind", "text", "base"),
    [
        *(("TOWN", "Тернополі", "Тернопіль"), ("TOWN", "Білої Церкви", "Біла Церква"), ("TOWN", "Празі", "Прага")),
        *(("TOWN", "Кривому Розі", "Кривий Ріг"), ("TOWN", "Черкас", "Черкаси"), ("TOWN", "Чернівцях", "Чернівці")),
        *(("TOWN", "Рівного", "Рівне"), ("TOWN", "Києва", "Київ"), ("TOWN", "Кременчуці", "Кременчук")),
        *(
            ("JOB", "тестувальницею", "тестувальниця"),
            ("JOB", "фармацевта", "фармацевт"),
            ("JOB", "кравцем", "кравець"),
        ),
        *(("NAME", "Назара", "Назар"), ("NAME", "Левка", "Левко"), ("RELATIVE", "дружині", "дружина")),
        *(("PET", "кота", "кіт"), ("INSTRUMENT", "басу", "бас"), ("FIRM", "Розетці", "Розетка")),
    ],
)
def test_a_listed_word_is_found_in_any_of_its_cases(kind: str, text: str, base: str) -> None:
    assert base_of(kind, text) == base


@pytest.mark.parametrize("text", ["сьогодні", "Мельбурні-2", "абв", ""])
def test_what_is_on_no_list_has_no_base(text: str) -> None:
    assert base_of("JOB", text) is None


def test_a_woman_is_found_by_what_a_man_is_called() -> None:
    assert base_of("JOB", "зварювальниця") == "зварювальниця"
    assert base_of("JOB", "полиця") is None


def test_several_words_are_taken_before_the_first_of_them() -> None:
    size, namings = name_kinds(["діабет", "першого", "типу", "з"], 0)
    assert size == 3
    assert ("ILLNESS", "n", "діабет першого типу", "діабет першого типу") in namings


def test_a_word_is_its_own_base_first() -> None:
    assert base_forms("бариста")[0] == ("бариста", "n")


def test_what_is_read_of_a_message_is_computed_once_and_forgotten_with_it() -> None:
    with forgetting():
        assert base_forms("кравчинею") is base_forms("кравчинею")
        with forgetting():
            namings = word_namings("кравчинею")
        assert word_namings("кравчинею") is namings
    assert base_forms("кравчинею") is not base_forms("кравчинею")


@pytest.mark.parametrize(
    "read",
    [extract, own_words, mentions_another, lambda text: read_answer('{"certain": {"facts": ["a"]}}', own_words(text))],
)
def test_no_cache_grows_with_the_words_of_messages(read: Callable[[str], object]) -> None:
    def sizes() -> dict[object, int]:
        modules = [module for name, module in sys.modules.items() if name.startswith("zgadka.extract")]
        cached = {entry for module in modules for entry in vars(module).values() if hasattr(entry, "cache_info")}
        return {entry: entry.cache_info().currsize for entry in cached}

    read("наша Аглаєна у Львові, я кравчиня")
    before = sizes()
    read("наша Оксамита у Львові, я швачка")
    assert sizes() == before


def told(text: str) -> list[str]:
    return [item.text for item in extract(text).certain]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("я на удальонці тестувальницею", ["job: тестувальниця"]),
        ("жінко, я флористка, не програмістка", ["job: флористка"]),
        ("на вихідних підпрацьовую аніматоркою", ["job: аніматорка"]),
        ("я вже чотири роки в Празі", ["location: Прага"]),
        ("сам з Ковеля, хожу в море мотористом", ["hometown: Ковель", "job: моторист"]),
        ("передайте дружині Олі що я доїхав", ["wife: Оля"]),
        ("в мене хаскі Рекс", ["pet: хаскі Рекс"]),
        ("рублюсь у доту ночами", ["hobby: дота"]),
        ("шарю за фотошоп і фігму", ["skill: фотошоп", "skill: фігма"]),
        ("вчусь на логопеда", ["education: логопед"]),
        ("Йосип. Годинникар. Мукачево.", ["name: Йосип", "job: годинникар", "location: Мукачево"]),
    ],
)
def test_words_of_known_kinds_tell_of_who_speaks(text: str, items: list[str]) -> None:
    assert [item.casefold() for item in told(text)] == [item.casefold() for item in items]


@pytest.mark.parametrize(
    "text",
    [
        *("у Влада батя далекобійник", "Петро, лікар", "сестра моєї подруги Оля живе в Одесі", "його дружина Оля"),
        *("мама каже, що я ледар, а сама бухгалтерка", "я НЕ айтішник", "не пишіть що я філолог", "я живу на гречці"),
        *("Марк перебрався в Дублін", "Сєрий купив собі аутлендер", "снилось, що я переїхав у Токіо"),
        *("якби я був лікарем у Києві, я б жив інакше", "наша кондитерка переїхала в Луцьк", "я в шоці"),
    ],
)
def test_the_same_words_tell_nothing_of_somebody_else(text: str) -> None:
    assert told(text) == []
