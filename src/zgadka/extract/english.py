"""Everything that is understood in English; and what is said of relatives, animals and favourites."""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.english_doings import DOINGS
from zgadka.extract.english_life import LIFE
from zgadka.extract.english_short import SHORT
from zgadka.extract.english_wishes import WISHES
from zgadka.extract.english_words import JOB, SINGLE
from zgadka.extract.english_work import WORK
from zgadka.extract.lexicon import any_of
from zgadka.extract.plain_english import ENGLISH as PLAIN
from zgadka.extract.statement import Told, fits, one

ENGLISH = (*DOINGS, *SHORT, *WORK, *LIFE, *WISHES, *PLAIN)

_RELATIVE = (
    r"(?:parents|mother|mom|mum|father|dad|brother|sister|wife|husband|son|daughter|grandmother|grandma|"
    r"grandfather|grandpa"
    r"|uncle|aunt|cousin|nephew|niece|girlfriend|boyfriend|fiance|fiancée|fiancé|partner|twin)"
)


_SAME_RELATIVE = {"mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather"}


def _relative(text: str) -> str:
    word = text.casefold()
    return _SAME_RELATIVE.get(word, word)


_PREDICATE = "|".join(
    (
        r"(?:lives?|works?|stud(?:ies|y)|grew up) (?:in|at|as|for) .+?",
        rf"(?:is|works as) (?:an? )?{JOB}(?: (?:at|in) .+?)?",
        r"is \d{1,3}(?: (?:years|months) old)?",
        rf"is (?:originally )?from (?:(?-i:[A-Z]).+?|{any_of('place_en')})",
        r"(?:has )?(?:just )?turned \d{1,2}",
        r"(?:loves|likes|hates|plays|speaks|studies|teaches|collects|owns|adores|enjoys) .+?",
        r"was born (?:in|on) .+?",
        rf"has (?:an? |two |three )(?:[a-z]+ )?(?:{any_of('pet_en')}|kids?|children|sons?|daughters?)",
        rf"is (?:{SINGLE}|allergic to .+?|{any_of('nationality_en')}|{any_of('diet_en')})",
    )
)


# Of relatives: their names, and what they plainly are, have and do; the key is the _relative.
FAMILY = (
    (
        (
            rf"(?:my|our) (?:older |younger |elder |oldest |youngest |little |big |late |twin |own )*"
            rf"(?P<who>{_RELATIVE})(?:'s name is| is "
            r"called| is named|,? called|'s called) (?P<value>.+?)"
        ),
        one(values.proper_name),
    ),
    (
        (
            rf"i have an? (?:older |younger |elder |little |big |twin |\w+-year-old )*(?P<who>{_RELATIVE}) "
            r"(?:named|called) (?P<value>.+?)"
        ),
        one(values.proper_name),
    ),
    (
        (
            rf"(?:my|our) (?:older |younger |elder |oldest |youngest |little |big |late |twin "
            rf"|own )*(?P<who>{_RELATIVE}) "
            rf"(?:also |still |really |just |now )*(?P<value>(?:{_PREDICATE}))(?: too| as well| now)?"
        ),
        one(values.lasting),
    ),
)


def family(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a _relative of the speaker."""
    for pattern, rule in FAMILY:
        fit = fits(pattern, sentence)
        if fit is not None:
            return tuple(Told(_relative(fit["who"]), value) for value in rule(fit["value"]))
    named = fits(_ANIMAL_NAMED, sentence)
    if named is not None and values.proper_name(named["value"]):
        return (Told("pet", f"{named['who']} {named['value']}"),)
    return ()


_ANIMAL_NAMED = rf"(?:my|our) (?P<who>{any_of('pet_en')})(?:'s name is| is called| is named|'s called) (?P<value>.+?)"


_FAVORITE_IS = (
    r"(?:my )?(?:all-time |absolute |most |number one )?(?:favou?rite|favou?rites|fav|fave) (?P<what>[a-z]+(?: "
    r"[a-z]+)?)(?:'s| is| are|: ?| has always been) (?P<value>.+?)"
)


_IS_FAVORITE = r"(?P<value>[\w' -]+?) (?:is|are) my (?:all-time |absolute )?favou?rite (?P<what>[a-z]+)"


_SAME_FAVORITE = {
    "colour": "color",
    "film": "movie",
    "foods": "food",
    "movies": "movie",
    "films": "movie",
    "colors": "color",
    "colours": "color",
    "animals": "animal",
    "drinks": "drink",
    "fruits": "fruit",
    "bands": "band",
    "songs": "song",
    "books": "book",
    "games": "game",
    "sports": "sport",
}


def favorite(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a favourite."""
    fit = fits(_FAVORITE_IS, sentence) or fits(_IS_FAVORITE, sentence)
    value = None if fit is None else values.liked(fit["value"])
    if fit is None or value is None or fit["what"].casefold() in {"thing", "part", "one", "line", "of"}:
        return ()
    what = fit["what"].casefold()
    if what in {"hobby", "hobbies", "pastime"}:
        return tuple(Told("hobby", one) for one in values.things(value))
    return (Told(f"favorite_{_SAME_FAVORITE.get(what, what).replace(' ', '_')}", value),)
