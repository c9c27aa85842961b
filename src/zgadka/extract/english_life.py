"""English statements of who somebody is: name, home, work, body, what and whom they have."""

from __future__ import annotations

import re

from zgadka.extract import values
from zgadka.extract.english_words import ADVERB, IM, JOB, LATELY, SINGLE
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.statement import Statement, one

_HAVE = r"i(?:'ve got|'ve| have got| got| have| own)"


_NUMBER = (
    r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|a few|many|some|a couple "
    r"of|no fewer than two|the cutest)"
)


_SEX = r"(?:year old )?(?:female|male|woman|man|girl|guy|boy|dude|lady|mom|mum|dad|student)"


_TOGETHER = r"(?:,? (?:to [\w'-]+|with (?:\w+ )?(?:kids|children)|for \d+ years|again|now|too))*"


def _languages(text: str) -> tuple[str, ...]:
    """Accept a list of known languages, each with how well it is spoken."""
    parts = (part for part in re.split(r"\s*,\s*(?:and )?|\s+and\s+", text.strip()) if part)
    known = [_HOW_WELL.sub("", part) for part in parts]
    return tuple(known) if all(one.casefold() in words("language_en") for one in known) else ()


_HOW_WELL = re.compile(
    r"^(?:also |both |only )?(?:fluent |good |some |broken |basic |native |decent |(?:just )?an? "
    r"(?:(?:little|tiny|wee) (?:bit )?(?:of )?|bit (?:of )?))?",
    re.IGNORECASE,
)


def _named(text: str) -> str | None:
    value = values.proper_name(text)
    return None if value is None else values.known_name(value)


def _counted(text: str) -> str | None:
    value = values.said(text)
    return None if value is None else re.sub(r"^an? ", "", value, flags=re.IGNORECASE)


LIFE = (
    Statement("name", r"(?:i (?:usually )?go by|name's) (?P<value>(?-i:[A-Z])[\w'-]+)", one(values.proper_name)),
    Statement(
        "health",
        rf"i(?: was| got|'ve been| have been) (?:just |recently )?diagnosed with "
        rf"(?P<value>{any_of('health_en')})(?: .+)?",
        one(values.said),
        sure=False,
    ),
    Statement(
        "location",
        rf"{IM} {ADVERB}(?:living|based) in (?P<value>.+?) (?:since|for) [\w ]+",
        one(values.place),
    ),
    Statement(
        "hometown", r"i (?:grew up|was raised) (?:on|in) an? [a-z' -]+ in (?P<value>.+?)", one(values.place_of_origin)
    ),
    Statement(
        "marital_status",
        rf"i(?:'ve| have)? (?:(?:just|recently|finally) )*(?:got|gotten) (?P<value>engaged|married"
        rf"|divorced)(?:,? (?:last|this) \w+| in (?:19|20)\d\d| \w+ (?:months|weeks|years"
        rf"|days) ago)?{_TOGETHER}{LATELY}",
        one(values.said),
    ),
    Statement(
        "eye_color",
        rf"{_HAVE} (?P<value>(?:dark |light )?(?:blue|green|brown|hazel|grey|gray|black)) eyes and "
        rf"(?:long |short |curly |straight )*"
        r"(?:(?P<hair>(?:dark |light )?(?:red|brown|blonde?|black|dark|grey|gray|white|ginger|auburn)) )?hair",
        one(values.said),
        more=(("hair", "hair_color", one(values.said), True),),
    ),
    Statement(
        "health",
        rf"i {ADVERB}suffer from (?:severe |chronic )?(?P<value>{any_of('health_en')}){LATELY}",
        one(values.said),
    ),
    Statement(
        "age",
        rf"{IM} {ADVERB}an? (?P<value>\d{{1,2}})[ -]?years?[ -]?old (?:single )?(?:mother|father|mom"
        rf"|mum|dad) of (?P<child>{_NUMBER}(?: \w+)?)",
        one(values.age),
        more=(("child", "child", one(_counted), True),),
    ),
    Statement(
        "age",
        rf"{IM} {ADVERB}an? (?P<value>\d{{1,2}})[ -]?(?:years?|yrs?)?[ -]?(?:old|yo|y/o)"
        rf"(?: {_SEX}| (?:{_SEX} )?(?P<job>{JOB}))?(?: from (?P<origin>.+?)| (?:living |based )?in (?P<place>.+?))?",
        one(values.age),
        more=(
            ("job", "job", one(values.job), True),
            ("origin", "hometown", one(values.place_of_origin), True),
            ("place", "location", one(values.place_of_origin), False),
        ),
    ),
    Statement(
        "age",
        r"(?P<value>\d\d) ?(?:[fm]|yo|y/o|years? old)(?: from (?P<origin>.+?)| in (?P<place>.+?))?(?: here)?",
        one(values.age),
        more=(
            ("origin", "hometown", one(values.place_of_origin), True),
            ("place", "location", one(values.place_of_origin), False),
        ),
    ),
    Statement(
        "diet", rf"(?:i've|i have) been (?:an? )?(?P<value>{any_of('diet_en')})(?: (?:for|since) .+)?", one(values.said)
    ),
    Statement(
        "location",
        r"(?:i've|i have) (?:been living|lived) in (?P<value>.+?) (?:for|since|all my life|my whole life)\b.*",
        one(values.place),
    ),
    Statement(
        "marital_status",
        r"(?:i've|i have) been (?:happily )?(?P<value>married|divorced|single|engaged|widowed)(?: (?:for|since) .+)?",
        one(values.said),
    ),
    Statement(
        "location",
        r"i (?:currently |now |still )?live (?:alone |by myself |with (?:my|our) [\w ]+? )?(?:on"
        r"|in) an? [a-z' -]+? in (?P<value>.+?)",
        one(values.place_of_origin),
    ),
    Statement(
        "location",
        r"we (?:also |all |still |currently |now )*live in (?P<value>.+?) with (?:my|our) .+",
        one(values.place),
    ),
    Statement(
        "health",
        rf"{_HAVE} {ADVERB}(?:chronic |severe |mild )(?P<value>{any_of('health_en')}){LATELY}",
        one(values.said),
    ),
    Statement(
        "diet",
        rf"i (?P<value>(?:don't|do not|never) drink (?:alcohol|coffee|milk|soda|beer|wine|tea)){LATELY}",
        lambda said: (said,),
    ),
    Statement(
        "vehicle",
        rf"(?:i {ADVERB}(?:drive|ride)|{_HAVE}) (?:an? |my )(?P<value>(?:[\w'-]+ "
        rf"){{0,4}}?{any_of('vehicle_brand')}(?: [\w-]+){{0,2}}?)"
        rf"(?: to (?:work|school))?{LATELY}",
        one(values.liked),
    ),
    Statement(
        "parents",
        rf"(?:both )?(?:of )?my parents (?:both )?(?P<value>(?:are (?:both )?{JOB}s|live in .+?|are "
        rf"from .+?|own an? .+?|work (?:in|at|as) .+?))",
        one(values.lasting),
    ),
    Statement(
        "pet",
        rf"{_HAVE} (?P<value>(?:{_NUMBER}(?: [a-z-]+){{0,2}}? {any_of('pet_en')}(?:, | and |, and "
        rf")){{1,3}}{_NUMBER}(?: [a-z-]+)? {any_of('pet_en')})",
        one(_counted),
    ),
    Statement(
        "marital_status",
        rf"{IM} (?:happily )?(?P<value>married) with (?P<child>{_NUMBER} (?:kids|children|sons?|daughters?))",
        one(values.said),
        more=(("child", "child", one(_counted), True),),
    ),
    Statement(
        "child",
        rf"we have (?P<value>{_NUMBER}(?: [a-z-]+)? (?:kids|children|sons?|daughters?|boys|girls))",
        one(_counted),
    ),
    Statement(
        "pet",
        rf"my (?P<value>{any_of('pet_en')}(?: (?-i:[A-Z])\w+)?) (?!is (?:called|named)|was|died|passed|used to|had).+",
        one(values.said),
        sure=False,
    ),
    Statement(
        "location",
        rf"my (?P<spouse>wife|husband) and i {ADVERB}(?:live|are living|are based) in (?P<value>.+?)",
        one(values.place),
        more=(("spouse", "marital_status", lambda said: ("married",), False),),
    ),
    Statement(
        "location",
        (
            rf"(?:we|my (?:wife|husband|partner|family|girlfriend|boyfriend) and i) {ADVERB}(?:live|are living|"
            r"are based) in (?P<value>.+?)(?:,? (?:now|together|for \w+ years|since \w+))*"
        ),
        one(values.place),
    ),
    Statement(
        "location",
        (
            r"we(?:'ve| have)? (?:just |recently |finally |already )*(?:moved|relocated) (?:back |over )?(?:from "
            r"[\w' -]+? )?to (?P<value>.+?)(?:,? (?:last \w+|this \w+|\w+ \w+ ago|in \d{4}|recently))?"
        ),
        one(values.place),
        change="update",
    ),
    Statement(
        "location",
        rf"i {ADVERB}live (?:alone|with (?:my|our) [\w' -]+?|by myself) in (?P<value>.+?)",
        one(values.place),
    ),
    Statement(
        "location",
        (
            rf"{IM} (?:based|living) in (?P<value>.+?)(?:,? (?:these days|now|at the "
            r"moment|currently|for now))*"
        ),
        one(values.place),
    ),
    Statement(
        "location",
        r"here in (?P<value>[\w' -]+?)(?:,| (?:it|we|the|there|i)\b).*",
        one(values.place_of_origin),
        sure=False,
    ),
    Statement(
        "hometown",
        rf"{IM} {ADVERB}(?:originally )?from (?P<value>.+?)(?: originally| actually)*",
        one(values.place_of_origin),
    ),
    Statement("hometown", r"i (?:grew up|was raised) in (?P<value>.+?)", one(values.place_of_origin)),
    Statement(
        "birthplace",
        r"(?:i was )?born (?:and raised )?in (?!(?:19|20)\d\d|the (?:19)?\d0s)(?P<value>.+?)",
        one(values.place_of_origin),
    ),
    Statement("birth_year", r"i was born in (?P<value>(?:19|20)\d\d)", one(values.said)),
    Statement(
        "name",
        (
            r"(?:my (?:first |full |real |given )?name(?:'s| is)|(?:they|my friends|friends|people|all) call me) "
            r"(?P<value>.+?)(?:,? (?:by the way|btw))?"
        ),
        one(values.proper_name),
    ),
    Statement(
        "name",
        (
            rf"(?:{IM}|it's|this is) (?P<value>[^\W\d_]+)(?: here)?(?:,? (?:nice|pleased|glad|good) to meet you.*)"
            r"?"
        ),
        one(_named),
    ),
    Statement(
        "age",
        (
            r"i(?: have)? (?:just |already |recently )?turned (?P<value>\d{1,3})(?: years old)?(?:,? (?:last|"
            r"this) \w+| today| yesterday| recently)*"
        ),
        one(values.age),
    ),
    Statement(
        "age",
        (
            rf"(?:{IM}|my age is) (?:now |already |only |currently )?(?P<value>\d{{1,3}})(?:[ -]years?[ -]old| "
            rf"y/?o|yo)?{LATELY}"
        ),
        one(values.age),
    ),
    Statement(
        "pet",
        (
            rf"{ADVERB}{_HAVE} {ADVERB}(?P<value>(?!a lot){_NUMBER}(?: [a-z\d-]+){{0,4}}? {any_of('pet_en')}(?: and "
            rf"{_NUMBER}(?: [a-z-]+)? {any_of('pet_en')})?(?: (?:named|called) [^\W\d_]+(?: and [^\W\d_]+)?)?)"
            rf"{LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "child",
        (
            rf"{_HAVE} {ADVERB}(?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}? (?:kids?|child|children|sons?|daughters?|"
            rf"boys?|girls?|toddlers?|grandchildren|grandkids?)(?: and {_NUMBER}(?: [a-z-]+)? (?:sons?|daughters?))"
            rf"?){LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "sibling",
        (
            rf"{_HAVE} {ADVERB}(?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}? (?:brothers?|sisters?|siblings?|twins?)(?: "
            rf"and {_NUMBER}(?: [a-z-]+)? (?:brothers?|sisters?))?){LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "child",
        (
            rf"{IM} {ADVERB}(?:an? |the )?(?:proud |single |busy |happy |stay at home |stay-at-home )*(?:mom|mum|"
            rf"mother|dad|father|parent) (?:of|to) (?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}?)"
        ),
        one(_counted),
    ),
    Statement("sibling", rf"{IM} an (?P<value>only child)", one(values.said)),
    Statement(
        "hair_color",
        (
            rf"{_HAVE} (?:(?:long|short|curly|straight|wavy|thick|thin|shoulder-length),? "
            rf")*(?P<value>red|brown|blonde?|black|dark|grey|gray|"
            r"white|ginger|auburn|pink|blue|green|purple|dark brown|light brown) hair(?: and (?P<eyes>\w+(?: \w+)"
            r"?) eyes)?"
        ),
        one(values.said),
        more=(("eyes", "eye_color", one(values.said), True),),
    ),
    Statement(
        "eye_color",
        rf"{_HAVE} (?P<value>(?:dark |light )?(?:blue|green|brown|hazel|grey|gray|black)) eyes",
        one(values.said),
    ),
    Statement(
        "marital_status",
        rf"{IM} (?:happily |newly |recently |already |still |currently |now )*(?P<value>{SINGLE}){_TOGETHER}",
        one(values.said),
    ),
    Statement(
        "language",
        (
            rf"(?:i (?:can )?{ADVERB}(?:speak|know)|(?:{IM} )?{ADVERB}(?:fluent|conversational"
            rf"|proficient) in) (?P<value>.+?)(?:,? "
            r"(?:fluently|well|too|as well|a little|a bit|at home|at work|quite well|pretty well|now))*"
        ),
        _languages,
    ),
    Statement("native_language", r"my (?:native|first|mother) (?:language|tongue) is (?P<value>.+?)", one(values.said)),
    Statement(
        "allergy",
        (
            rf"{IM} {ADVERB}(?:severely |deathly |deadly |super |very |badly |terribly |highly "
            rf"|extremely |mildly )?allergic to "
            rf"(?P<value>.+?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "allergy", rf"{_HAVE} an? (?:severe |bad |mild |deadly )?(?P<value>[\w ]+?) allergy{LATELY}", one(values.said)
    ),
    Statement(
        "diet",
        rf"{IM} {ADVERB}(?:an? |on an? )?(?:strict "
        rf"|lifelong )?(?P<value>{any_of('diet_en')})(?: diet)?(?: for [\w ]+ reasons)?"
        rf"{LATELY}",
        one(values.said),
    ),
    Statement(
        "diet",
        (
            r"i (?P<value>(?:don't|do not|never) eat (?!alone|together|standing|on |much|well|enough"
            r"|a lot|out|here|there|that|this|it|"
            rf"anything|breakfast|lunch|dinner|before|after|at |in )[\w ]+?){LATELY}"
        ),
        lambda said: (said,),
    ),
    Statement("health", rf"{_HAVE} {ADVERB}(?P<value>{any_of('health_en')}){LATELY}", one(values.said)),
    Statement("health", rf"{IM} {ADVERB}(?P<value>{any_of('condition_en')}){LATELY}", one(values.said)),
    Statement(
        "blood_type",
        r"my blood (?:type|group) is (?P<value>(?:a|b|ab|o|0)(?:[+-]| positive| negative)?)",
        lambda said: (said,),
    ),
    Statement(
        "pronouns",
        r"(?:my pronouns(?: are|:)|i use|i go by) (?P<value>(?:he|she|they|xe|ze|it"
        r"|any)(?:[/ ,]+[a-z]+){1,2})(?: pronouns)?",
        one(values.pronouns),
    ),
    Statement(
        "height",
        (
            rf"{IM} (?:about |around |roughly |only )?(?P<value>1[2-9]\d ?cm|2[0-2]\d ?cm"
            rf"|[12][.,]\d\d? ?m(?:eters?)?|(?:[4-7]|four|five|six|seven) "
            rf"?(?:feet|ft|foot|')(?: ?(?:\d{{1,2}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven)(?: "
            r"?(?:inch(?:es)?|in|\"))?)?)(?: tall)?"
        ),
        one(lambda said: said.strip()),
    ),
    Statement("height", r"my height is (?P<value>[\d.,]+ ?(?:cm|m|ft))", one(lambda said: said.strip())),
    Statement(
        "weight",
        r"i weigh (?:about )?(?P<value>\d{2,3} ?(?:kg|kilos|kilograms|lbs?|pounds))",
        one(lambda said: said.strip()),
    ),
    Statement("timezone", r"my time ?zone is (?P<value>[\w+:/-]+)", one(values.said)),
    Statement(
        "nationality",
        rf"{IM} (?:an? )?(?:proud )?(?P<value>{any_of('nationality_en')})(?: american| citizen)?{LATELY}",
        one(values.said),
    ),
    Statement(
        "vehicle",
        (
            rf"i {ADVERB}(?:drive|ride) (?:an? |my )?(?P<value>(?:[a-z0-9]+ )?(?:[a-z]+ )?(?-i:[A-Z])[\w-]+(?: "
            rf"[\w-]+)?){LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "vehicle",
        (
            rf"i {ADVERB}(?:drive|ride) an? (?P<value>(?:\w+ )?(?:car|truck|motorcycle|motorbike|van|pickup|jeep|"
            rf"minivan|scooter|sedan|suv))(?: to (?:work|school))?{LATELY}"
        ),
        one(values.liked),
    ),
)
