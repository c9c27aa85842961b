"""English statements short of words: ages in words, bare introductions, what two make of one household."""

from __future__ import annotations

from zgadka.extract import places, values
from zgadka.extract.english_words import ADVERB, IM, JOB, LATELY
from zgadka.extract.lexicon import any_of
from zgadka.extract.statement import Statement, one

_TENS = r"(?:twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety)"
_AGE = (
    r"(?:(?:thir|four|fif|six|seven|eigh|nine)teen|"
    rf"{_TENS}(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|\d{1,2}|several|some)"
_ANIMAL = rf"(?:{_NUMBER} (?:[a-z-]+ ){{0,2}}?{any_of('pet_en')}(?: (?:named|called) [^\W\d_]+(?: and [^\W\d_]+)?)?)"
_HAIR = (
    r"(?:(?:dark|light|dirty|strawberry) )?(?:red|brown|blonde?|black|dark|grey|gray|white|ginger|auburn|pink|blue"
    r"|green"
    r"|purple)"
)
_EYES = r"(?:(?:dark|light) )?(?:blue|green|brown|hazel|grey|gray|black)"
_DATE = r"(?:[a-z]+ \d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]+),? (?:19|20)\d\d"


def _known_place(said: str) -> str | None:
    value = values.place_of_origin(said)
    return value if value is not None and places.is_known_place(value) else None


def _counted(said: str) -> str | None:
    value = values.said(said)
    return None if value is None else value.removeprefix("a ").removeprefix("an ")


SHORT = (
    Statement(
        "age",
        rf"(?:{IM}|my age is) (?:now |already |only |currently )?(?P<value>{_AGE})(?: years old)?{LATELY}",
        one(values.said),
    ),
    Statement(
        "age",
        rf"i(?: have|'ve)? (?:just |already |recently )*turned (?P<value>{_AGE})"
        r"(?:,? (?:last|this) \w+| today| yesterday| recently)*",
        one(values.said),
    ),
    Statement("name", r"(?P<value>[^\W\d_]+) here", one(values.known_name)),
    Statement(
        "name",
        r"(?:i'm |i am |this is |it's )?(?P<value>[^\W\d_]+) from (?P<origin>[\w' -]+?)(?: here)?",
        one(values.known_name),
        more=(("origin", "hometown", one(values.place_of_origin), True),),
    ),
    Statement(
        "name",
        rf"(?:{ADVERB}(?:everyone|everybody|all|people|most people|(?:my |all my )?(?:friends|family))) {ADVERB}"
        r"(?:knows?|calls?) me (?:as )?(?P<value>(?-i:[A-Z])[\w'-]+)",
        one(values.proper_name),
    ),
    Statement("name", r"(?P<value>[^\W\d_]+)(?: is|'s) my (?:first |real )?name", one(values.known_name)),
    Statement("hometown", r"my home ?town(?: is|:) (?P<value>.+)", one(values.place_of_origin)),
    Statement("name", r"this is (?P<value>[^\W\d_]+) speaking", one(values.known_name)),
    Statement(
        "birthday",
        r"my birthday(?: is|'s) in (?P<value>(?:early |late |mid-? ?)?(?:january|february|march|april|may|june|july"
        r"|august"
        r"|september|october|november|december))",
        lambda said: (said,),
    ),
    Statement("location", rf"(?:{IM} )?(?P<value>[\w' -]+?)[- ]based", one(_known_place)),
    Statement("location", rf"(?:{IM} )?based in (?P<value>.+?){LATELY}", one(values.place_of_origin)),
    Statement("location", r"i leave in (?P<value>[a-z' -]+?)", one(_known_place)),
    Statement("location", rf"{IM} (?:now|currently) in (?P<value>.+?)", one(_known_place), sure=False),
    Statement(
        "age",
        rf"(?:{IM} )?(?:an? )?(?P<value>\d\d) ?(?:[fm]|yo|y/o|yrs? old|years? old|year-old)(?: (?:guy|girl|dude|man"
        rf"|woman"
        rf"|male|female|(?P<job>{JOB})))?(?: from (?P<origin>.+?)| in (?P<place>.+?))?(?: here)?",
        one(values.age),
        more=(
            ("job", "job", one(values.job), True),
            ("origin", "hometown", one(values.place_of_origin), True),
            ("place", "location", one(values.place_of_origin), False),
        ),
    ),
    Statement(
        "pet",
        rf"(?:we|my (?:wife|husband|partner|family|girlfriend|boyfriend) and i)(?:'ve got| have got| have| own)"
        rf" (?:also )?(?P<value>{_ANIMAL}(?:(?:,|,? and) {_ANIMAL})*)(?: (?:at home|together|too|as well))?",
        one(_counted),
    ),
    Statement(
        "pet",
        rf"(?:{IM} )?(?:the |an? )?(?:proud )?(?:owner of|(?:dog|cat|pet) (?:mom|mum|dad|parent) (?:of"
        rf"|to)) (?P<value>{_ANIMAL}"
        rf"(?:(?:,|,? and) {_ANIMAL})*)",
        one(_counted),
    ),
    Statement("pet", rf"my pets are (?P<value>{_ANIMAL}(?:(?:,|,? and) {_ANIMAL})*)", one(_counted)),
    Statement(
        "native_language",
        rf"(?:{IM} )?(?:an? )?native (?P<value>{any_of('language_en')}) speaker",
        one(values.said),
    ),
    Statement(
        "child",
        rf"i(?:'ve got| have|'ve) (?P<value>{_NUMBER} (?:kids?|children|sons?|daughters?|boys?|girls?)) and an? "
        r"(?:(?:wonderful|lovely|beautiful|great) )?(?P<spouse>wife|husband)",
        one(_counted),
        more=(("spouse", "marital_status", lambda said: ("married",), False),),
    ),
    Statement(
        "child",
        rf"my (?P<spouse>wife|husband) and i (?:have|'ve got) (?P<value>{_NUMBER} (?:[a-z-]+ )?"
        r"(?:kids?|children|sons?|daughters?|boys?|girls?))(?: together)?",
        one(_counted),
        more=(("spouse", "marital_status", lambda said: ("married",), False),),
    ),
    Statement(
        "child",
        rf"(?:i(?:'ve got| have got| have| got|'ve)|we(?:'ve got| have)) (?P<value>(?:{_NUMBER} )?(?:(?:\d{{1,2}}"
        rf"|[a-z]+)"
        rf"[- ](?:year|month)s?[- ]old|twin|(?:beautiful|wonderful|little|young|adult|grown|amazing|lovely|small"
        rf"|teenage)"
        rf")(?: (?:twin|baby|little))? (?:kids?|children|sons?|daughters?|boys?"
        rf"|girls?)(?: and {_NUMBER} \w+)?){LATELY}",
        one(_counted),
    ),
    Statement(
        "child",
        rf"{IM} (?:an? |the )?(?:proud )?(?:mom|mum|mother|mama|dad|father|parent) (?:of|to) "
        r"(?P<value>an? (?:[a-z-]+ )?(?:girl|boy|son|daughter|toddler|baby|teenager)|twins)",
        one(_counted),
    ),
    Statement(
        "hair_color", rf"my hair is (?:naturally |long and |short and |curly and )?(?P<value>{_HAIR})", one(values.said)
    ),
    Statement("eye_color", rf"my eyes are (?P<value>{_EYES})", one(values.said)),
    Statement(
        "birthday",
        rf"i was born on (?P<value>{_DATE}|[a-z]+ \d{{1,2}}(?:st|nd|rd|th)?) in (?P<place>[\w' ]+)",
        lambda said: (said,),
        more=(("place", "birthplace", one(values.place_of_origin), True),),
    ),
    Statement(
        "marital_status",
        rf"{IM} (?:happily |newly |recently )?(?P<value>engaged|married) to my [\w' -]+?(?: (?:since"
        rf"|for) \w+(?: \w+)?)?",
        one(values.said),
    ),
)
