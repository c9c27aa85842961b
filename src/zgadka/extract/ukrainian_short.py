"""Ukrainian statements short of words: ages in words, bare introductions, what is said of the household."""

from __future__ import annotations

import re

from zgadka.extract import places, values
from zgadka.extract.lexicon import any_of
from zgadka.extract.statement import Statement, one
from zgadka.extract.ukrainian_words import ADVERB, DASH, LATELY, SELF, SINCE

_UNIT = r"(?:один|одна|два|дві|три|чотири|п'ять|шість|сім|вісім|дев'ять)"
_TENS = r"(?:двадцять|тридцять|сорок|п'ятдесят|шістдесят|сімдесят|вісімдесят|дев'яносто)"
_AGE = rf"(?:(?:один|два|три|чотир|п'ят|шіст|сім|вісім|дев'ят)надцять|{_TENS}(?: {_UNIT})?)"
_YEARS = r"(?:років|роки|рік|рочків|рочки|р\.?)"

_MONTH = r"(?:січня|лютого|березня|квітня|травня|червня|липня|серпня|вересня|жовтня|листопада|грудня)"
_NUMBER = (
    r"(?:один|одна|одну|одного|два|дві|двоє|двох|три|троє|трьох|чотири|четверо|чотирьох|п'ять|п'ятеро|кілька|\d{1,2})"
)
_ANIMAL = (
    rf"(?:(?:{_NUMBER} )?(?:[\w']+(?:ий|а|ого|у|і|их|ій) )?{any_of('pet_uk')}(?: (?:на ім'я )?(?-i:[А-ЯІЇЄҐ])[\w']+)?)"
)
_OWN = r"(?:(?:у|в) мене(?: є)?|(?:я )?маю)"
_CHILD = (
    r"(?:діти|дітей|дітки|діток|дитина|дитину|дитинка|син|сина|синок|синочок|синочка|сини|синів|донька|доньку|донечка"
    r"|донечку|дочка|дочку|доньки|доньок|дочок|хлопці|хлопців|дівчат|дівчинка|дівчинку|двійнята|двійнят|близнюки"
    r"|близнюків|малюк|малюка)"
)

_DATIVE = {
    "доньці": "daughter",
    "дочці": "daughter",
    "донечці": "daughter",
    "сину": "son",
    "синові": "son",
    "синочку": "son",
    "мамі": "mother",
    "татові": "father",
    "тату": "father",
    "батькові": "father",
    "чоловікові": "husband",
    "дружині": "wife",
    "брату": "brother",
    "братові": "brother",
    "сестрі": "sister",
    "бабусі": "grandmother",
    "дідусю": "grandfather",
    "дідусеві": "grandfather",
}


def _town(said: str) -> str | None:
    value = values.place(_TOWN_OF.sub("", said))
    return None if value is None else places.nominative_place(value)


_TOWN_OF = re.compile(r"^(?:міст[аоі]|містечк[аоу]|сел[аоі]|смт|м\.) (?=[А-ЯІЇЄҐ])", re.IGNORECASE)


def _known_town(said: str) -> str | None:
    return _town(said) if places.is_known_place(said) else None


def _both(said: str) -> tuple[str, ...]:
    return tuple(re.split(r",? (?:і|та|й) |, ", said))


def ages_of_family() -> tuple[Statement, ...]:
    """A statement for each relative: "моїй доньці 5 років"."""
    return tuple(
        Statement(
            key,
            rf"(?:а )?(?:мо(?:їй|єму) |наш(?:ій|ому) )?(?:(?:старш|молодш|менш)(?:ій|ому) )?"
            rf"(?:{'|'.join(form for form, of in _DATIVE.items() if of == key)})"
            rf" (?:вже |уже |скоро )?(?P<value>(?:\d{{1,2}}|{_AGE}|{_UNIT}|десять)(?: {_YEARS})?)",
            one(values.said),
        )
        for key in sorted(set(_DATIVE.values()))
    )


SHORT = (
    Statement(
        "age",
        rf"мені (?:вже |уже |зараз |тепер |тільки |лише |всього )*(?P<value>{_AGE})(?: {_YEARS})?{LATELY}",
        one(values.said),
    ),
    Statement(
        "age",
        rf"(?:\w+ )?мені (?:вже |уже |нещодавно |вчора |сьогодні )?(?:виповнилос[яь]|стукнуло"
        rf"|исповнилось) (?P<value>{_AGE})(?: {_YEARS})?",
        one(values.said),
    ),
    Statement(
        "age",
        rf"(?:мені )?(?P<value>\d\d) ?{_YEARS} (?:з|із|зі) (?P<origin>[\w'’ -]+)",
        one(values.age),
        more=(("origin", "hometown", one(_town), True),),
    ),
    Statement(
        "age",
        rf"(?:дівчина|хлопець|жінка|чоловік),? (?P<value>\d\d)(?: {_YEARS})?(?: (?:з|із|зі) (?P<origin>[\w'’ -]+))?",
        one(values.age),
        more=(("origin", "hometown", one(_town), True),),
    ),
    Statement("age", rf"(?:мій )?вік(?: ?[-–—:])? (?P<value>\d\d)(?: {_YEARS})?", one(values.age)),
    Statement("name", r"мене (?P<value>[^\W\d_][\w'’]*) (?:звати|звуть)", one(values.known_name)),
    Statement(
        "name", r"для (?:друзів|своїх|близьких) (?:я )?(?:просто )?(?P<value>[^\W\d_][\w'’]*)", one(values.known_name)
    ),
    Statement(
        "hometown",
        rf"{SELF}(?:переселен(?:ець|ка)|родом|внутрішньо переміщена особа|впо|біженка|біженець) (?:з|із"
        rf"|зі) (?P<value>[\w'’ -]+)",
        one(_town),
    ),
    Statement("hometown", rf"(?:моє )?рідне місто{DASH} (?P<value>[\w'’ -]+)", one(values.place_of_origin)),
    Statement(
        "blood_type",
        r"(?:(?:моя|у мене|в мене) )?(?:(?P<value>(?:перша|друга|третя|четверта)(?: (?:позитивна"
        r"|негативна))?) група крові"
        r"(?: (?P<sign>позитивна|негативна|\+|-))?)",
        one(values.said),
    ),
    Statement(
        "blood_type",
        rf"(?:(?:моя|у мене|в мене) )?група крові{DASH} (?P<value>(?:перша|друга|третя|четверта|[1-4]|[IV]+)"
        rf"(?:[ ,]*(?:позитивна|негативна|плюс|мінус|\+|-))?)",
        one(values.said),
    ),
    Statement("name", r"(?P<value>[^\W\d_][\w'’]*) (?:мене )?(?:звати|звуть)(?: мене)?", one(values.known_name)),
    Statement(
        "birth_year", r"я (?P<value>(?:19|20)\d\d)(?:-го)? (?:року(?: народження)?|р\.? ?н\.?)", one(values.said)
    ),
    Statement(
        "hometown",
        rf"(?:а )?{SELF}{ADVERB}(?:родом )?(?:я )?(?:з|із|зі) (?P<value>[\w'’ -]+?),? (?:але |а |проте )?"
        rf"(?:зараз|тепер|нині|наразі|вже) (?:я )?(?:живу |мешкаю )?(?:у|в|на) (?P<place>[\w'’ -]+)",
        one(lambda said: _town(said) if said[:1].isupper() or places.is_known_place(said) else None),
        more=(("place", "location", one(_town), True),),
    ),
    Statement(
        "location",
        r"(?:я )?(?:тимчасово|зараз|наразі|тепер|нині)(?: тимчасово)? (?:у|в) (?P<value>[\w'’-]+(?: [\w'’-]+)?)",
        one(_known_town),
        sure=False,
    ),
    Statement("location", r"я тут,? (?:у|в) (?P<value>[\w'’-]+)", one(_known_town), sure=False),
    Statement(
        "location",
        rf"{SELF}{ADVERB}(?:живу|мешкаю|проживаю) (?:і|й|та) (?:працюю|вчуся|вчусь|навчаюся|навчаюсь) (?:у"
        rf"|в) (?P<value>.+?){SINCE}{LATELY}",
        one(_town),
    ),
    Statement(
        "location",
        rf"{SELF}{ADVERB}(?:живу|мешкаю|проживаю) {ADVERB}(?:у|в) (?P<value>(?:місті|містечку|селі"
        rf"|селищі) (?-i:[А-ЯІЇЄҐ])[\w'’-]+){SINCE}{LATELY}",
        one(lambda said: said.partition(" ")[2]),
    ),
    Statement(
        "hometown",
        rf"{SELF}{ADVERB}(?:родом )?(?:з|із) (?P<value>(?:міста|містечка|села|селища) (?-i:[А-ЯІЇЄҐ])[\w'’-]+)",
        one(_town),
    ),
    Statement(
        "location",
        rf"(?:ми )?(?:(?:всією|усією) )?(?:родиною |сім'єю )?(?:(?:нещодавно|недавно|вже|торік) )*(?:переїхали"
        rf"|перебралис[яь])"
        rf" (?:(?:всією|усією) )?(?:родиною |сім'єю |з дітьми )?(?:до|у|в|на) (?P<value>[\w'’ -]+?){LATELY}"
        r"(?:,? (?:(?:у|в) \d{4}(?: році| року)?|торік|минулого \w+|цього \w+|\w+ тому|навесні|влітку|восени|взимку))?",
        one(_town),
        change="update",
    ),
    Statement(
        "pet",
        rf"(?:(?:у|в) нас|маємо|тримаємо|(?:я )?тримаю|(?:я )?держу) (?:вдома |дома |є |живе |живуть "
        rf"|тепер )*(?P<value>{_ANIMAL}(?:(?:,|,? (?:і|та|й)) {_ANIMAL})*)(?: вдома)?",
        one(values.said),
    ),
    Statement(
        "pet",
        rf"(?:я |ми )?(?:вже |нещодавно |недавно |торік |вчора |сьогодні |нарешті )*(?:завів|завела|завели|взяв|взяла"
        rf"|взяли|придбав|придбала|придбали|купив|купила|купили|підібрала|підібрав|підібрали|прихистив|прихистила"
        rf"|прихистили)(?: собі| додому)? (?P<value>{_ANIMAL})(?: (?:з притулку|з вулиці|додому|собі))?",
        one(values.said),
    ),
    Statement(
        "pet",
        rf"(?:у|в) мене (?:є |живе |вдома )*(?P<value>(?:собака|кіт|кішка|пес|папуга),? {any_of('pet_uk')})",
        one(values.said),
    ),
    Statement(
        "child",
        rf"(?:я є|(?:у|в) (?:мене|нас)(?: є| росте| ростуть| вже| вдома)*|(?:я |ми )?(?:маю|маємо|виховую|виховуємо"
        rf"|ростимо))"
        rf"(?: (?P<wife>дружин[ау]|чоловік\w?) (?:і|та|й))? (?P<value>(?:(?:{_NUMBER}|маленьк\w+|доросл\w+|старш\w+"
        rf"|молодш\w+|прекрасн\w+|чудов\w+) ){{0,2}}{_CHILD}(?:(?: (?:і|та|й)|,) (?:{_NUMBER} )?(?:{_CHILD}|внук\w*"
        rf"|онук\w*"
        rf"))?(?:,? \d{{1,2}} {_YEARS})?){LATELY}",
        one(values.said),
        more=(
            (
                "wife",
                "marital_status",
                lambda said: ("одружений" if said.startswith("дружин") else "одружена",) if said else (),
                False,
            ),
        ),
    ),
    Statement(
        "child",
        rf"(?:я )?(?:щаслив(?:а|ий) )?(?:мама|мати|тато|батько) (?P<value>{_NUMBER} (?:\w+ )?\w+)",
        one(values.said),
    ),
    Statement("sibling", r"(?:я )?(?P<value>єдина дитина(?: (?:в|у) (?:сім'ї|родині|батьків))?)", one(values.said)),
    Statement(
        "sibling",
        r"(?:я є|(?:у|в) мене(?: є)?|(?:я )?маю) (?P<value>(?:(?:старш|молодш|рідн|двоюрідн|зведен)\w+ )?"
        r"(?:брат|брата|братик|братика|сестричка|сестричку|сестра|сестру)(?: (?:і|та|й) (?:(?:старш|молодш|рідн"
        r"|двоюрідн)\w+ )?"
        r"(?:брат|брата|сестра|сестру))?)",
        _both,
    ),
    Statement("niece", r"(?:(?:у|в) мене(?: є)?|(?:я )?маю) (?P<value>племінниця|племінницю)", one(values.said)),
    Statement(
        "marital_status",
        rf"{SELF}{ADVERB}(?P<value>(?:у|в) шлюбі|в розлученні|у розлученні){SINCE}{LATELY}",
        one(values.said),
    ),
    Statement(
        "marital_status",
        rf"{SELF}{ADVERB}(?P<value>одружений|одружена|заміжня|розлучений|розлучена|вдівець|вдова)"
        rf"(?: (?:з|із) (?:\d{{4}}(?: року)?|українкою|українцем|\w+кою|\w+цем))?{SINCE}{LATELY}",
        one(values.said),
    ),
    Statement(
        "marital_status",
        r"ми з (?P<value>чоловіком|дружиною) (?:разом|у шлюбі|в шлюбі|одружені) (?:вже |уже )?[\w' ]+",
        one(lambda said: "одружена" if said.casefold() == "чоловіком" else "одружений"),
        sure=False,
    ),
    Statement("location", rf"{ADVERB}(?:живемо|мешкаємо) {ADVERB}(?:у|в|на) (?P<value>.+?){SINCE}{LATELY}", one(_town)),
    Statement("education", rf"{SELF}(?P<value>{any_of('occupation_uk')}) за освітою", one(values.said)),
    Statement(
        "eye_color",
        rf"{_OWN} (?P<value>(?:темно|світло)?-?(?:блакитні|сині|карі|зелені|сірі|чорні|сіро-\w+|зелено-\w+)) очі"
        r"(?: (?:і|та|й) (?P<hair>руде|чорне|русяве|світле|темне|каштанове|біляве|сиве|рожеве|синє|русе) волосся)?",
        one(values.said),
        more=(("hair", "hair_color", one(values.said), True),),
    ),
    Statement(
        "hair_color",
        rf"{_OWN} (?:(?:довге|коротке|кучеряве|пряме) )*(?P<value>руде|чорне|русяве|світле|темне|каштанове|біляве"
        rf"|сиве|рожеве"
        r"|синє|русе) (?:(?:довге|коротке|кучеряве) )?волосся",
        one(values.said),
    ),
    Statement(
        "pet", rf"(?:це )?(?:мій|моя) (?P<value>{any_of('pet_uk')} (?-i:[А-ЯІЇЄҐ])[\w']+)", one(values.said), sure=False
    ),
    Statement("vehicle", rf"{_OWN} (?P<value>(?:нов\w+ |стар\w+ )?{any_of('vehicle_uk')}\w{{0,2}})", one(values.liked)),
    Statement("native_language", rf"(?:моя )?рідна (?:мова)?{DASH} (?P<value>\w+[сзц]ька)", one(values.said)),
    Statement(
        "height",
        rf"(?:мій )?зріст(?: у мене| в мене)?{DASH} (?P<value>\d[\d.,]* ?(?:см|м|сантиметрів)?)",
        one(values.said),
    ),
    Statement(
        "weight",
        rf"(?:моя )?вага(?: у мене| в мене)?{DASH} (?P<value>\d{{2,3}} ?(?:кг|кіло|кілограмів)?)",
        one(values.said),
    ),
    Statement(
        "vehicle",
        r"(?:(?:у|в) мене(?: є)?|(?:я )?маю) (?P<value>(?:\w+ )?(?:машина|машину|авто|автомобіль|мотоцикл) [\w-]+)",
        one(values.liked),
    ),
    Statement(
        "birthday",
        rf"день народження (?:у|в) мене(?: ?[-–—])? (?P<value>\d{{1,2}}(?:-?го)? {_MONTH})",
        lambda said: (said,),
    ),
    Statement(
        "date",
        rf"(?P<value>(?:іспит|екзамен|співбесіда|весілля|операція|захист|залік) (?:у|в) (?:мене"
        rf"|нас) \d{{1,2}}(?:-?го)? {_MONTH})",
        lambda said: (re.sub(r" (?:у|в) (?:мене|нас) ", ": ", said, count=1),),
    ),
    *ages_of_family(),
)
