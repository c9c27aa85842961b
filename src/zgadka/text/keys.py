"""Keys of facts: one spelling for each, which hold a single value, which name places, which words ask for them."""

import re
import unicodedata
from functools import lru_cache

MAX_KEY_LENGTH = 64

# Standard key: the other names it goes by. Everything is written as `_slug` leaves it.
_ALIASES = {
    "location": "city town residence home lives lives_in living_in live_in resides_in resides based_in located_in"
    " place_of_residence home_city home_town_now location_city residence_city home_location current_city"
    " current_residence where_lives address_city place місто проживання місце_проживання місце_перебування живе живе_в"
    " локація місцезнаходження місцеположення город место_жительства проживание живет_в живёт_в локация местоположение",
    "hometown": "home_town native_city native_town рідне_місто родной_город",
    "birthplace": "place_of_birth birth_place born_in birth_city city_of_birth місце_народження место_рождения",
    "country": "nation country_of_residence home_country країна страна",
    "nationality": "національність национальность",
    "citizenship": "громадянство гражданство",
    "address": "home_address street_address postal_address адреса адрес",
    "name": "full_name fullname real_name display_name called is_called імя повне_імя піб имя полное_имя фио",
    "first_name": "given_name firstname forename",
    "last_name": "family_name surname lastname прізвище фамилия",
    "nickname": "nick nicknames nick_name alias aliases псевдонім прізвисько нік ник прозвище",
    "age": "years_old age_years вік возраст",
    "birthday": "birth_date birthdate date_of_birth dob bday birth_day born born_on день_народження дата_народження"
    " день_рождения дата_рождения др",
    "timezone": "tz time_zone часовий_пояс часовой_пояс",
    "pronouns": "pronoun preferred_pronouns preferred_pronoun займенники займенник местоимения местоимение",
    "gender": "sex gender_identity стать пол",
    "job": "occupation profession work works_as job_title jobs position current_job employment vocation career role_at_work"
    " робота професія посада фах працює работа профессия должность работает",
    "employer": "company workplace works_at works_for employed_by current_employer place_of_work роботодавець компанія"
    " місце_роботи работодатель компания место_работы",
    "marital_status": "relationship_status married civil_status family_status сімейний_стан сімейний_статус"
    " семейное_положение",
    "native_language": "mother_tongue first_language native_tongue рідна_мова родной_язык",
    "language": "languages spoken_language spoken_languages speaks languages_spoken language_spoken мова мови язык языки",
    "programming_language": "programming_languages coding_language coding_languages мова_програмування"
    " мови_програмування язык_программирования языки_программирования",
    "hobby": "hobbies pastime pastimes free_time leisure хобі захоплення хобби увлечение увлечения",
    "interest": "interests interested_in інтерес інтереси интерес интересы",
    "pet": "pets animal_companion домашня_тварина домашні_тварини улюбленець домашнее_животное питомец питомцы",
    "skill": "skills ability abilities skilled_in навичка навички вміння навык навыки умение умения",
    "goal": "goals ціль цілі мета цель цели",
    "allergy": "allergies allergic_to allergic алергія алергії аллергия аллергии",
    "child": "children kids kid дитина діти ребенок ребёнок дети",
    "sibling": "siblings",
    "friend": "friends друг друзі друзья",
    "education": "studies studied degree освіта образование",
    "school": "university college alma_mater університет школа университет",
    "religion": "faith релігія религия",
    "height": "зріст рост",
    "weight": "вага вес",
    "email": "e_mail mail emails email_address e_mail_address email_addresses пошта почта",
    "phone": "phone_number phones telephone mobile mobile_number cell_phone телефон номер_телефону номер_телефона",
    "zodiac_sign": "zodiac star_sign знак_зодіаку знак_зодиака",
    "blood_type": "blood_group група_крові группа_крови",
    "eye_color": "eyes_color color_of_eyes колір_очей цвет_глаз",
    "dislike": "dislikes hates",
    "like": "likes loves enjoys",
    "preference": "preferences вподобання уподобання предпочтение предпочтения",
}
_SINGLE_VALUED = frozenset(
    "location hometown birthplace country address name first_name last_name age birthday timezone pronouns gender job"
    " employer marital_status native_language height weight zodiac_sign blood_type eye_color hair_color spouse".split()
)
_PLACES = frozenset({"location", "hometown", "birthplace"})

# What people say when they mean a key. Whole words, as `cues` receives them: in lower case, without apostrophes.
_CUES = {
    "location": "live lives living lived reside resides residing residence home moved move relocate relocated city town"
    " where located address based живу живе живеш живете живуть жив жила жити мешкаю мешкає мешкаєш мешкати проживає проживаю"
    " місто місті міста де звідки переїхав переїхала живет живёт живёшь живешь жить живут город городе где откуда"
    " проживает переехал переехала",
    "hometown": "hometown родом",
    "birthplace": "birthplace",
    "job": "job jobs work works working worked profession occupation career employed living_as працюю працює працюєш"
    " працювати працював працювала робота роботі роботу професія професії фах посада работаю работает работаешь работать"
    " работа работе работу профессия должность",
    "employer": "employer company employed компанія компанії компания компании",
    "name": "name names named called звати звуть імя імені зовут имя",
    "age": "old age aged років рік вік лет возраст скільки_років",
    "birthday": "born birthday birth bday birthdate народився народилася народилась народження родился родилась рождения",
    "timezone": "timezone часовий часовой",
    "pronouns": "pronoun pronouns займенник займенники местоимения",
    "marital_status": "married marital single wife husband spouse divorced одружений одружена заміжня дружина чоловік"
    " женат замужем",
    "hobby": "hobby hobbies pastime leisure enjoy enjoys interests хобі захоплення дозвілля хобби увлечение увлечения",
    "preference": "prefer prefers preference preferences favorite favorites favourite favourites like likes love loves люблю"
    " любить любиш улюблений улюблена улюблене улюблені подобається любит любишь любимый любимая любимое нравится",
    "pet": "pet pets cat cats dog dogs тварина тварини улюбленець кіт кішка собака питомец кот кошка",
    "language": "language languages speak speaks мова мови мовою розмовляє розмовляєш язык языки языке говорит говоришь",
    "skill": "skill skills навички вміє вмієш навыки умеет умеешь",
    "allergy": "allergy allergies allergic алергія алергії аллергия аллергии",
    "height": "tall height зріст рост",
    "weight": "weigh weighs weight важить вага весит вес",
    "email": "email mail пошта почта",
    "phone": "phone телефон",
}

_CAMEL = re.compile(r"(?<=[a-zа-яіїєґё0-9])(?=[A-ZА-ЯІЇЄҐЁ])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile("['\u2018\u2019\u02bc`\u00b4]s?(?![^\\W_])|['\u2018\u2019\u02bc`\u00b4]")
_SEPARATORS = re.compile(r"[\W_]+")
_BELONGING = re.compile(r"(?:user|users|my|his|her|their|person|persons|current|primary)_(?=.)")
_NUMBERED = re.compile(r"_\d{1,3}$")
_BRITISH = {"favourite": "favorite", "favourites": "favorites", "colour": "color", "colours": "colors"}

_STANDARD = {key: key for key in (*_ALIASES, *_SINGLE_VALUED)}
_STANDARD.update((alias, key) for key, aliases in _ALIASES.items() for alias in aliases.split())
_KEY_OF_CUE: dict[str, tuple[str, ...]] = {}
for _key, _words in _CUES.items():
    for _word in _words.split():
        _KEY_OF_CUE[_word] = (*_KEY_OF_CUE.get(_word, ()), _key)


@lru_cache(maxsize=4096)
def normalise_key(key: str) -> str:
    """Give a key its one spelling: ``Programming Language`` and ``programmingLanguage`` are ``programming_language``.

    Other names of standard keys become the standard key (``city``, ``lives_in``, ``місто``: ``location``), also
    after ``my_``, ``user_`` or ``current_`` and before a number (``hobby_2``).

    Returns:
        Words joined by single underscores, at most 64 characters; empty when the key has no letter or digit.
    """
    slug = _slug(key)
    for candidate in (slug, _NUMBERED.sub("", slug)):
        bare = _BELONGING.sub("", candidate, count=1) if _BELONGING.match(candidate) else candidate
        standard = _STANDARD.get(candidate) or _STANDARD.get(bare)
        if standard is not None:
            return standard
    return slug


def _slug(key: str) -> str:
    text = unicodedata.normalize("NFKC", key[:1000])
    text = _SEPARATORS.sub("_", _APOSTROPHE.sub("", _CAMEL.sub("_", text)))
    text = unicodedata.normalize("NFKC", text.casefold())
    words = (_BRITISH.get(word, word) for word in _SEPARATORS.split(text) if word)
    return "_".join(words)[:MAX_KEY_LENGTH].strip("_")


def is_single_valued(key: str) -> bool:
    """Tell whether a person has one value of this key at a time, so that a second value is a conflict.

    Unknown keys hold several values: nothing may be refused because a key was invented.
    """
    return normalise_key(key) in _SINGLE_VALUED


def is_place(key: str) -> bool:
    """Tell whether values of this key name a town or another place inside a country."""
    return normalise_key(key) in _PLACES


def cued_keys(word: str) -> tuple[str, ...]:
    """Return the standard keys that a word of a question asks for: "lives" and "живе" ask for ``location``.

    Args:
        word: One word in lower case, without apostrophes.
    """
    return _KEY_OF_CUE.get(word, ())
