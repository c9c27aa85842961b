"""Which texts have the word of a value in another sense: in doubt, a text says the value."""

from __future__ import annotations

import pytest

from zgadka.text.other_senses import has_other_sense, has_somebody_at_work


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("This is nuts!", "nuts", "allergy"),
        ("Nuts and bolts are in the drawer", "nuts", "allergy"),
        ("Hot dog for lunch", "dog", "pet"),
        ("The dog next door barks", "dog", "pet"),
        ("he quit cold turkey", "turkey", "food"),
        ("він на цьому собаку з'їв", "собака", "pet"),
        ("дарованому коню в зуби не дивляться", "кінь", "pet"),
        ("The rose is red", "Rose", "name"),
        ("she rose to the occasion", "Rose", "name"),
        ("our baker was ill today", "Baker", "surname"),
        ("he ran a hot bath", "Bath", "location"),
        ("на клумбі розквітла роза", "Роза", "name"),
        ("мій стрий помер торік", "Стрий", "location"),
        ("мій знак не Риби", "риба", "food"),
    ],
)
def test_a_saying_and_an_ordinary_word_are_no_value(text: str, value: str, key: str) -> None:
    assert has_other_sense(text, value, key)


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("my problem is nuts", "nuts", "allergy"),
        ("nuts and bolts of it: nuts close my throat", "nuts", "allergy"),
        ("another hot dog", "hot dogs", "food"),
        ("rose here, back from holiday", "Rose", "name"),
        ("Rose is my name", "Rose", "name"),
        ("rose got a tooth today", "Rose", "daughter"),
        ("our rose got a tooth", "Rose", "daughter"),
        ("надія знову не їсть суп", "Надія", "daughter"),
        ("надія на дроті", "Надія", "name"),
        ("у сумах знову сирена", "Суми", "location"),
        ("the toronto tram is late", "Toronto", "location"),
        ("люблю рибу", "риба", "food"),
    ],
)
def test_beside_a_saying_and_where_a_name_may_stand_it_is_said(text: str, value: str, key: str) -> None:
    assert not has_other_sense(text, value, key)


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("The nurse was kind to grandma", "nurse", "job"),
        ("Медсестра була добра до бабусі", "медсестра", "job"),
        ("продавець обрахував бабусю", "продавець", "job"),
        ("шахіст із третього під'їзду переїхав", "шахи", "hobby"),
        ("a piano fell on the pavement", "piano", "instrument"),
    ],
)
def test_what_somebody_at_work_did_is_not_the_writers_doing(text: str, value: str, key: str) -> None:
    assert has_somebody_at_work(text, value, key)


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("nurse life: twelve hours on my feet", "nurse", "job"),
        ("this nurse slept badly", "nurse", "job"),
        ("the nurse slept badly, I mean me", "nurse", "job"),
        ("nurses are on strike", "nurse", "job"),
        ("Working as a nurse was hard", "nurse", "job"),
        ("being a nurse taught you a lot", "nurse", "job"),
        ("the nurse uniform shrank", "nurse", "job"),
        ("a piano lesson went badly", "piano", "instrument"),
        ("медсестра після нічної, не чіпайте", "медсестра", "job"),
        ("медсестра втомилась", "медсестра", "job"),
        ("a spider fell into the shower", "spiders", "fear"),
        ("the Olena that you know slept", "Olena", "sister"),
    ],
)
def test_whoever_may_be_the_writer_is(text: str, value: str, key: str) -> None:
    assert not has_somebody_at_work(text, value, key)
