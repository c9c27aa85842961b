"""Everything that is understood in Ukrainian; and what is said of relatives, animals and favourites."""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.plain_ukrainian import UKRAINIAN as PLAIN
from zgadka.extract.statement import Told, fits, one
from zgadka.extract.ukrainian_doings import DOINGS
from zgadka.extract.ukrainian_life import LIFE
from zgadka.extract.ukrainian_short import SHORT
from zgadka.extract.ukrainian_wishes import WISHES
from zgadka.extract.ukrainian_words import JOB

UKRAINIAN = (*DOINGS, *SHORT, *LIFE, *WISHES, *PLAIN)

_RELATIVES = {
    "brother": "брат брата братові братом",
    "sister": "сестра сестру сестрі сестричка",
    "mother": "мама мати маму маму мамі мамуся",
    "father": "тато батько тата батька татові",
    "wife": "дружина дружину дружині жінка",
    "husband": "чоловік чоловіка чоловікові",
    "son": "син сина синові синочок",
    "daughter": "донька дочка доньку дочку доньці дочці",
    "grandmother": "бабуся бабусю бабусі бабця",
    "grandfather": "дідусь дід дідуся дідусеві",
    "girlfriend": "дівчина дівчину",
    "boyfriend": "хлопець хлопця",
    "parents": "батьки",
    "uncle": "дядько дядька",
    "aunt": "тітка тітку",
}


_KEY_OF_RELATIVE = {form: key for key, forms in _RELATIVES.items() for form in forms.split()}


_RELATIVE = f"(?:{'|'.join(sorted(_KEY_OF_RELATIVE, key=len, reverse=True))})"


_FAVORITES = {
    "колір": "color",
    "кольор": "color",
    "страва": "food",
    "страви": "food",
    "фільми": "movie",
    "книги": "book",
    "гурти": "band",
    "їжа": "food",
    "фільм": "movie",
    "кіно": "movie",
    "серіал": "series",
    "книга": "book",
    "книжка": "book",
    "гурт": "band",
    "група": "band",
    "пісня": "song",
    "музика": "music",
    "гра": "game",
    "місто": "city",
    "країна": "country",
    "тварина": "animal",
    "пора року": "season",
    "напій": "drink",
    "спорт": "sport",
    "вид спорту": "sport",
    "письменник": "writer",
    "письменниця": "writer",
    "поет": "poet",
    "автор": "author",
    "співак": "singer",
    "співачка": "singer",
    "актор": "actor",
    "актриса": "actress",
    "предмет": "subject",
    "свято": "holiday",
    "день": "day",
    "число": "number",
    "квіти": "flower",
    "квітка": "flower",
    "фрукт": "fruit",
    "десерт": "dessert",
    "команда": "team",
    "мова": "language",
}


_FAVORITE = "|".join(sorted(_FAVORITES, key=len, reverse=True))


_ANIMALS = {
    "кота": "кіт",
    "кішку": "кішка",
    "собаку": "собака",
    "пса": "пес",
    "папугу": "папуга",
    "хом'яка": "хом'як",
    "кролика": "кролик",
    "котика": "котик",
    "песика": "песик",
    "черепаху": "черепаха",
    "мого кота": "кіт",
    "кицьку": "кицька",
    "кішечку": "кішечка",
    "цуценя": "цуценя",
    "кошеня": "кошеня",
    "рибку": "рибка",
    "щура": "щур",
    "коня": "кінь",
}


_PREDICATIVE = (
    r"(?:(?:родом )?(?:з|із|зі) (?-i:[А-ЯІЇЄҐ])[\w'’-]+|(?:живе|мешкає|працює|вчиться|навчається|народи(?:вся|лася"
    r"|лась)) .+?|(?:любить|обожнює|"
    r"ненавидить|грає|розмовляє|вивчає"
    rf"|викладає|має|колекціонує) .+?|[-–—]? ?{JOB}(?: .{{0,30}})?)"
)


FAMILY = (
    (rf"(?:(?:мого|мою|моєї) )?(?P<who>{_RELATIVE}) (?:звати|звуть) (?P<value>.+?)", one(values.proper_name)),
    (
        rf"(?:у|в) мене є (?:\w+ )?(?P<who>{_RELATIVE}) (?:на ім'я )?(?P<value>(?-i:[А-ЯІЇЄҐ])[\w']+)",
        one(values.proper_name),
    ),
    (
        (
            rf"(?:мій|моя|наш|наша) (?:старший |старша |молодший |молодша |рідний "
            rf"|рідна )?(?P<who>{_RELATIVE}) (?:також |"
            rf"теж |дуже |зараз |вже )*(?P<value>{_PREDICATIVE})"
        ),
        one(values.lasting),
    ),
    (
        (
            r"мої (?P<who>батьки) (?:також |теж |зараз |вже |обоє )*(?P<value>(?:(?:живуть|мешкають|працюють|родом) "
            r"(?:у|в|на|з|із|зі|під|біля) .+?|[-–—]? ?"
            r"(?:пенсіонери|вчителі|лікарі|інженери|військові|фермери|юристи|підприємці|викладачі|музиканти)))"
        ),
        one(values.lasting),
    ),
    # Of the closest, whose they are goes without saying.
    (
        rf"(?P<who>мама|тато|донька|дочка|син|дружина|бабуся|дідусь) (?:теж |зараз |вже )*(?P<value>{_PREDICATIVE})",
        one(values.lasting),
    ),
)


_ANIMAL_NAMED = rf"(?:(?:мого|мою|моє|нашого|нашу|наше) )?(?P<who>{'|'.join(_ANIMALS)}) (?:звати|звуть) (?P<value>.+?)"


_FAVORITE_IS = (
    rf"(?:а )?(?:(?:мій|моя|моє|мої) )?(?:най)?улюблен\w+ (?P<what>{_FAVORITE}):?(?: (?:[-–—:]|це|[-–—] це))? "
    r"(?P<value>.+?)"
)


def family(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a relative of the speaker, of an animal's name, of a favourite."""
    for pattern, rule in FAMILY:
        fit = fits(pattern, sentence)
        if fit is not None:
            return tuple(
                Told(_KEY_OF_RELATIVE[fit["who"].casefold()], value.lstrip("-–— ")) for value in rule(fit["value"])
            )
    named = fits(_ANIMAL_NAMED, sentence)
    if named is not None and values.proper_name(named["value"]):
        return (Told("pet", f"{_ANIMALS[named['who'].casefold()]} {named['value']}"),)
    favorite = fits(_FAVORITE_IS, sentence)
    if favorite is not None:
        value = values.liked(favorite["value"])
        return () if value is None else (Told(f"favorite_{_FAVORITES[favorite['what'].casefold()]}", value),)
    return ()
