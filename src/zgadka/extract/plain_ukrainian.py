"""Plain Ukrainian statements of where people live, their name, age, job, and what they play and like.

The stand-in of the chat understands these and no others.
"""

from __future__ import annotations

from zgadka.extract import places, values
from zgadka.extract.statement import Statement, one

_NOW = r"(?:тепер|зараз|нині|наразі|віднедавна)"
_TAIL = (
    r"(?:,? (?:сьогодні|вчора|нещодавно|недавно|вже|уже|також|теж|знову|торік|цього року|минулого (?:року|місяця"
    r"|тижня)"
    r"|(?:рік|місяць|тиждень|\d+ \w+) тому|(?:у|в|з) (?:19|20)\d\d(?: році| року)?))*"
)
_LIVE = r"(?:живу|мешкаю|проживаю)"
_MOVED = r"(?:переїхав|переїхала|перебрався|перебралася|перебралась)"
_MOVING_TIME = r"(?:(?:вже|уже|нещодавно|недавно|щойно|нарешті|вчора|торік|знову|теж|також|тепер|жити) )*"


def _town(said: str) -> str | None:
    value = values.place(said)
    return None if value is None else places.nominative_place(value)


def _origin(said: str) -> str | None:
    value = values.place_of_origin(said)
    return None if value is None else places.nominative_place(value)


def _named(said: str) -> str | None:
    value = values.name(said)
    return None if value is None else places.nominative_name(value)


def _profession(said: str) -> str | None:
    value = values.job(said)
    # "працюю багато", "працюю вдома" tell no profession; the instrumental does
    endings = ("ом", "ем", "єм", "ою", "ею", "єю", "им", "їм", "ям")
    if value is None or not all(word.endswith(endings) for word in value.casefold().split()):
        return None
    return places.nominative_job(value)


def _played(said: str) -> tuple[str, ...]:
    return tuple(places.nominative_instrument(value) for value in values.things(_without_prepositions(said)))


def _without_prepositions(said: str) -> str:
    words = [word for word in said.split(" ") if word.casefold() not in {"у", "в", "на"}]
    return " ".join(words)


UKRAINIAN = (
    Statement(
        "location",
        rf"(?:я )?(?:{_MOVING_TIME}){_MOVED} (?:{_MOVING_TIME})(?:(?:з|із|зі) [\w’'ʼ -]+? )?(?:до|у|в|на)"
        rf" (?P<value>.+?)"
        rf"(?: жити)?{_TAIL}(?: {_NOW})?",
        one(_town),
        change="update",
    ),
    Statement(
        "location",
        rf"(?:{_NOW},? (?:я )?{_LIVE}|(?:я )?{_NOW} {_LIVE}|(?:я )?{_LIVE} {_NOW}) (?:у|в|на) (?P<value>.+?){_TAIL}",
        one(_town),
        change="update",
    ),
    Statement("location", rf"(?:я )?{_LIVE} (?:у|в|на) (?P<value>.+?),? {_NOW}", one(_town), change="update"),
    Statement("hometown", rf"{_NOW},? я (?:з|із|зі) (?P<value>.+?)", one(_origin), change="update"),
    Statement(
        "location",
        rf"(?:насправді|взагалі-то),? (?:я )?{_LIVE} (?:у|в|на) (?P<value>.+?){_TAIL}",
        one(_town),
        change="correction",
    ),
    Statement(
        "location",
        rf"(?:я )?(?:(?:досі|постійно|також|теж) )?{_LIVE} (?:(?:досі|постійно|вже|уже) )?(?:у|в|на)"
        rf" (?P<value>.+?){_TAIL}",
        one(_town),
    ),
    Statement("hometown", r"(?:а )?я (?:сам |сама )?(?:з|із|зі) (?P<value>.+?)", one(_origin)),
    Statement(
        "name",
        r"(?:мене звати|мене звуть|моє ім['’ʼ]?я(?: є)?(?: ?[-–—:])?) (?P<value>.+?)",
        one(values.name),
    ),
    Statement(
        "name",
        r"(?:будь ласка,? )?(?:називай(?:те)? мене|клич(?:те)? мене|зви мене|звертай(?:ся|теся) до мене|можеш"
        r" звати мене"
        r"|можеш називати мене|можна звати мене|звати мене) (?P<value>.+?)(?:,? будь ласка)?",
        one(_named),
    ),
    Statement("age", r"мені (?:вже |уже |зараз |тепер )?(?P<value>\d{1,3})(?: років| роки| рік)?", one(values.age)),
    Statement(
        "job",
        rf"(?:{_NOW} (?:я )?працюю|(?:я )?{_NOW} працюю|(?:я )?працюю {_NOW}) (?P<value>.+?)",
        one(_profession),
        change="update",
    ),
    Statement("job", rf"(?:я )?працюю (?P<value>.+?) {_NOW}", one(_profession), change="update"),
    Statement("job", r"(?:я )?працюю (?P<value>.+?)", one(_profession)),
    Statement("job", r"моя (?:професія|робота)(?: ?[-–—:])? (?P<value>.+?)", one(values.job)),
    Statement(
        "hobby",
        r"(?:я )?(?:(?:також|теж|ще|ще й|іноді|часто|зараз|тепер) )*граю (?:(?:також|теж|ще|ще й|іноді|часто) )*"
        r"(?:у|в|на) (?P<value>.+?)(?: (?:також|теж|щодня|щотижня|іноді|часто|у вихідні|що\w+))*",
        _played,
    ),
    Statement("hobby", r"мо(?:є|ї) хобі(?: ?[-–—:]| це)? (?P<value>.+?)", values.things),
    Statement(
        "like",
        r"(?:я )?(?:(?:дуже|також|теж|ще|справді|просто) )*(?:люблю|обожнюю|полюбляю) (?P<value>.+?)(?: (?:також"
        r"|теж))?",
        one(values.thing),
    ),
    Statement(
        "like",
        r"мені (?:(?:дуже|також|теж|справді) )*подоба(?:ється|ються) (?P<value>.+?)(?: (?:також|теж))?",
        one(values.thing),
    ),
)
