"""Habits, fears, machines, work by what one does: how very differently people say them; and who only seems to."""

from __future__ import annotations

import pytest
from inferred import certain, uncertain

from zgadka.extract.rules import extract


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("i've been scared of needles since i was tiny", "fear: needles"),
        ("heights freak me out, i stay on the ground floor", "fear: heights"),
        ("not gonna lie i'm petrified of clowns", "fear: clowns"),
        ("я панічно боюся щурів", "fear: щури"),
        ("собак боюсь ще з дитинства", "fear: собаки"),
        ("мене лякають клоуни", "fear: клоуни"),
        ("i smoke, sorry, a pack a day", "smoker: yes"),
        ("i don't smoke btw", "smoker: no"),
        ("я не курю і вам не раджу", "smoker: ні"),
        ("курю як паровоз", "smoker: так"),
        ("i don't drink, never have", "diet: no alcohol"),
        ("алкоголь не вживаю зовсім", "diet: без алкоголю"),
        ("i'm on linux mint so that exe won't run", "operating system: linux mint"),
        ("switched to fedora last month", "operating system: fedora"),
        ("сиджу на убунті, а воно не ставиться", "operating system: убунту"),
        ("у мене вінда 11, нічого не працює", "operating system: вінда 11"),
        ("i drive the number 14 tram", "job: drive the number 14 tram"),
        ("кермую тролейбусом, 12 маршрут", "job: кермую тролейбусом"),
        ("кручу баранку, дома раз на тиждень", "job: водій"),
        ("роблю торти на замовлення", "job: роблю торти на замовлення"),
        ("speaking as a nurse: nobody cares", "job: nurse"),
        ("got laid off in september and im still looking", "job: unemployed"),
        ("im at siemens, on the turbine side", "employer: siemens"),
        ("сиджу в бухгалтерії на молокозаводі", "employer: молокозавод"),
        ("i pull night shifts in a bakery mon-fri", "job: pull night shifts in a bakery"),
        ("can't eat kiwi, my lips go up like balloons", "allergy: kiwi"),
        ("у ліфт не сяду, клаустрофобія, на 11 пішки", "health: клаустрофобія"),
        ("we settled in cork two years ago", "location: cork"),
        ("вдома балакаєм румунською, я з-під Герци", "hometown: Герца"),
        ("я корінна одеситка", "hometown: Одеса"),
        ("been with my girlfriend 7 yrs, her name's Aiko", "girlfriend: Aiko"),
        ("got woken up by pickle again. pickle is my cat", "pet: cat Pickle"),
        ("мій пес Рекс усіх любить", "pet: пес Рекс"),
        ("я з Мукачева originally, timezone CET", "timezone: CET"),
        ("peanuts put me in hospital", "allergy: peanuts"),
        ("на горіхи в мене набряк квінке", "allergy: горіхи"),
        ("kharkiv girl here, all my life", "hometown: kharkiv"),
        ("та я вже третій рік у франику живу", "location: Івано-Франківськ"),
        ("взяли з притулку кота, назвали Борсук", "pet: кіт Борсук"),
        ("pickle is my cat", "pet: cat Pickle"),
        ("брат у мене пілот", "brother: пілот"),
        ("рідна мова в мене кримськотатарська", "native language: кримськотатарська"),
        ("my first language is hungarian so forgive the articles", "native language: hungarian"),
        ("ya ne pju zovsim", "diet: ne pju zovsim"),
    ],
)
def test_habits_fears_machines_and_work_without_a_title_are_found(text: str, item: str) -> None:
    assert item in certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *("i'm scared of mondays", "i'm afraid i can't help", "i'm terrified of this deadline", "боюсь, що не встигну"),
        *("я боюся спізнитись", "i'm not scared of spiders", "i used to be scared of dogs", "раніше боялась темряви"),
        *("who here is scared of flying?", "my sister is scared of spiders", "вона боїться собак"),
        *("i smoke brisket every sunday", "i smoked him in chess", "курю мануали другий день", "брат курить"),
        *("i never said i smoke", "do you smoke", "він не курить", "i used to smoke", "колись курив"),
        *("i don't drink coffee after 5", "сестра не п'є і не курить", "п'ю воду"),
        *("my mum is on linux now", "i'm not on linux", "arch is overrated", "подруга на арчі сидить"),
        *("i put linux on my mum's laptop", "used to run arch back in the day", "anyone here on linux?"),
        *(
            "i drive my mum crazy",
            "i drive a hard bargain",
            "кручу баранку в гта",
            "i worked as a waiter when i was young",
        ),
        *("i'm at ikea, need anything?", "as a large language model i am afraid of nothing"),
        *("peanuts put my cousin in hospital", "strawberries give my son hives", "peanuts are great"),
        *("new girl here, hi", "monday girl here", "забрали з притулку двох котів", "messi is my goat"),
        *("in my dream i had three kids", "стою за касою думок", "у сусіда вінда"),
    ],
)
def test_who_only_seems_to_tells_nothing(text: str) -> None:
    assert certain(text) == set()


def test_what_is_doubted_of_them_is_asked_about() -> None:
    assert uncertain("трохи, мабуть, боюсь води, але це ще під питанням") == {"fear: вода"}
    assert uncertain("i guess i'm sort of a night person? hard to say") == {"personality: night person"}
    assert uncertain("As a nurse, I see that every day") == {"job: nurse"}


@pytest.mark.parametrize(
    "text",
    [
        "((ooc: ok starting)) I am Seraphine, elven healer of the northern woods, three hundred years old.",
        "you are an interviewer. i'm a junior accountant called Neil applying for the job. start.",
        "you be the waiter, i'm a rude customer named Greg",
        "imagine you're a recruiter. i'm Anna, 29, a designer from Lviv",
        "уяви, що ти психолог, а я твій пацієнт: мені 30, я боюся висоти",
        "давай ти продавець, а я покупець, в мене алергія на горіхи",
        "хай я буду слідчий, мені 50",
        "davaj ya budu korol a ty mij blazen. ya korol Stepan, maiu tsarstvo i try dochky",
        "🎵 i'm a poor wayfaring stranger, i'm from tennessee 🎵",
        "🎶 я козак, я з дону, маю коня 🎶",
        "the chorus is i am a cowboy, i have a horse named bill",
        "chorus goes like this, i am seventeen, i drive a stolen cadillac",
        "dear diary, i am a teapot, short and stout, goodbye",
    ],
)
def test_roles_that_are_dealt_out_and_songs_are_nobodys_life(text: str) -> None:
    assert certain(text) | uncertain(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        *("stop sending me pictures of your toe", "summarise the last 50 messages please", "short and sweet, like me"),
        *("don't send me your homework", "скинь останні 20 повідомлень", "summarize the last 20 messages"),
    ],
)
def test_an_errand_is_no_wish_about_answers(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "[fwd] Dear all, my name is Roman and I am afraid of spiders.",
        "the show has this guy, i'm a pilot he says, and crashes",
        "dreamt i own a red bike",
        "had that dream again where i live in Paris",
        "dreamt що я співаю в опері",
        "наснилося, що я вагітна",
    ],
)
def test_what_was_forwarded_dreamt_or_said_by_others_is_nobodys(text: str) -> None:
    assert not extract(text).certain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I'm a nurse, she says I'm great", "nurse"),
        ("I dreamt about you. I live in Lviv", "Lviv"),
        ("I work as a nurse now", "nurse"),
        ("i go by she/her now", "she/her"),
        ("I love rain and", "rain"),
        ("обожнюю сніг і щоб тихо", "сніг"),
    ],
)
def test_a_value_ends_where_it_is_said(text: str, value: str) -> None:
    assert value in [item.value for item in extract(text).certain]
