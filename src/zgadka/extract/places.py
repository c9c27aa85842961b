"""Ukrainian words put back into the nominative, where that can be done by rule and not by guess."""

from __future__ import annotations

from zgadka.extract.lexicon import words

# nominative: the other cases in which "з …", "до …", "у …" name a place
_PLACES = {
    "Київ": "Києва Києві",
    "Львів": "Львова Львові",
    "Одеса": "Одеси Одесі Одесу",
    "Харків": "Харкова Харкові",
    "Дніпро": "Дніпра Дніпрі",
    "Запоріжжя": "Запоріжжі",
    "Вінниця": "Вінниці Вінницю",
    "Полтава": "Полтави Полтаві Полтаву",
    "Чернігів": "Чернігова Чернігові",
    "Черкаси": "Черкас Черкасах",
    "Суми": "Сум Сумах",
    "Рівне": "Рівного Рівному",
    "Луцьк": "Луцька Луцьку",
    "Тернопіль": "Тернополя Тернополі",
    "Івано-Франківськ": "Івано-Франківська Івано-Франківську",
    "Ужгород": "Ужгорода Ужгороді",
    "Мукачево": "Мукачева Мукачеві",
    "Хмельницький": "Хмельницького Хмельницькому",
    "Житомир": "Житомира Житомирі",
    "Чернівці": "Чернівців Чернівцях",
    "Миколаїв": "Миколаєва Миколаєві",
    "Херсон": "Херсона Херсоні",
    "Кропивницький": "Кропивницького Кропивницькому",
    "Маріуполь": "Маріуполя Маріуполі",
    "Донецьк": "Донецька Донецьку",
    "Луганськ": "Луганська Луганську",
    "Сімферополь": "Сімферополя Сімферополі",
    "Севастополь": "Севастополя Севастополі",
    "Кременчук": "Кременчука Кременчуці Кременчуку",
    "Буча": "Бучі Бучу",
    "Ірпінь": "Ірпеня Ірпені",
    "Бровари": "Броварів Броварах",
    "Умань": "Умані",
    "Біла Церква": "Білої Церкви Білій Церкві Білу Церкву",
    "Кривий Ріг": "Кривого Рогу Кривому Розі",
    "Крим": "Криму",
    "Україна": "України Україні Україну",
    "Польща": "Польщі Польщу",
    "Німеччина": "Німеччини Німеччині Німеччину",
    "Чехія": "Чехії Чехію",
    "Італія": "Італії Італію",
    "Іспанія": "Іспанії Іспанію",
    "Франція": "Франції Францію",
    "Англія": "Англії Англію",
    "Канада": "Канади Канаді Канаду",
    "Варшава": "Варшави Варшаві Варшаву",
    "Краків": "Кракова Кракові",
    "Вроцлав": "Вроцлава Вроцлаві",
    "Берлін": "Берліна Берліні",
    "Прага": "Праги Празі Прагу",
    "Відень": "Відня Відні",
    "Париж": "Парижа Парижі",
    "Лондон": "Лондона Лондоні",
    "Рим": "Рима Риму Римі",
    "Мадрид": "Мадрида Мадриді",
    "Барселона": "Барселони Барселоні Барселону",
}
_TWO_WORDS = {"Біла Церква": 2, "Кривий Ріг": 2}


def _forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    for nominative, cases in _PLACES.items():
        width = _TWO_WORDS.get(nominative, 1)
        words = cases.split()
        for start in range(0, len(words), width):
            forms[" ".join(words[start : start + width]).casefold()] = nominative
        forms[nominative.casefold()] = nominative
    return forms


_NOMINATIVE = _forms()

# endings of town names whose nominative is certain: Бердянська, Бердянську → Бердянськ
_ENDINGS = (
    ("ська", "ськ"),
    ("ську", "ськ"),
    ("цька", "цьк"),
    ("цьку", "цьк"),
    ("города", "город"),
    ("городі", "город"),
    ("града", "град"),
    ("граді", "град"),
    ("поля", "поль"),
    ("полі", "поль"),
)

_INSTRUMENTS = {
    "гітарі": "гітара",
    "басу": "бас",
    "басі": "бас",
    "кларнеті": "кларнет",
    "акордеоні": "акордеон",
    "баяні": "баян",
    "контрабасі": "контрабас",
    "цимбалах": "цимбали",
    "ударних": "ударні",
    "бас-гітарі": "бас-гітара",
    "скрипці": "скрипка",
    "бандурі": "бандура",
    "кобзі": "кобза",
    "сопілці": "сопілка",
    "флейті": "флейта",
    "трубі": "труба",
    "арфі": "арфа",
    "віолончелі": "віолончель",
    "барабанах": "барабани",
    "саксофоні": "саксофон",
    "синтезаторі": "синтезатор",
}

# professions in the instrumental, "працюю вчителькою": only endings with one possible nominative
_JOBS = (
    ("цею", "ця"),
    ("кою", "ка"),
    ("ником", "ник"),
    ("телем", "тель"),
    ("істом", "іст"),
    ("истом", "ист"),
    ("тором", "тор"),
    ("ером", "ер"),
)


# in the instrumental, and what the nominative may end in: the table of occupations decides
_INSTRUMENTAL = (
    ("ею", ("я", "а")),
    ("єю", ("я",)),
    ("ою", ("а",)),
    ("ем", ("ь", "", "й")),
    ("єм", ("й",)),
    ("ом", ("", "о")),
    ("им", ("ий",)),
)


def is_known_place(word: str) -> bool:
    """Whether the word is a place of the tables, in any of its cases, in small letters too."""
    lower = word.casefold()
    return (
        lower in _NOMINATIVE or lower.removeprefix("the ") in words("place_en") or word.startswith(("the N", "the U"))
    )


def nominative_place(said: str) -> str:
    """Return the place's nominative, or the text as said where the rule is not certain."""
    if said.casefold() in _NOMINATIVE:
        return _NOMINATIVE[said.casefold()]
    if " " not in said and said[:1].isupper():
        return _by_ending(said, _ENDINGS)
    return said


def nominative_instrument(said: str) -> str:
    """Return what is played, "гітарі" as "гітара"; as said where unknown."""
    return _INSTRUMENTS.get(said.casefold(), said)


def nominative_job(said: str) -> str:
    """Return the profession, "вчителькою" as "вчителька"; as said where unknown."""
    if " " in said:
        return said
    for ending, nominatives in _INSTRUMENTAL:
        if said.casefold().endswith(ending):
            for nominative in nominatives:
                word = said[: -len(ending)] + nominative
                if word.casefold() in words("occupation_uk"):
                    return word
    return _by_ending(said, _JOBS)


def nominative_name(said: str) -> str:
    """Return a name given in the instrumental, "Оленою" as "Олена"; as said where unknown."""
    return said if " " in said else _by_ending(said, (("ією", "ія"), ("ою", "а")))


def _by_ending(said: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, nominative in endings:
        if said.endswith(ending) and len(said) > len(ending) + 1:
            return said.removesuffix(ending) + nominative
    return said
