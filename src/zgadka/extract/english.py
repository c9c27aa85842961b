"""Further English statements, each of which must fit a whole clause."""

from __future__ import annotations

import re
from collections.abc import Callable

from zgadka.extract import values
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.plain_english import ENGLISH as PLAIN
from zgadka.extract.statement import Statement, Told, fits, one

_IM = r"i(?:'m| am)"
_HAVE = r"i(?:'ve got| have got| got| have| own)"
_ADVERB = (
    r"(?:(?:also|still|really|actually|currently|now|just|always|often|sometimes|usually|absolutely|truly|totally|very"
    r"|definitely|mostly|mainly|honestly|personally|particularly|especially|simply|only|already|recently|even|much|do"
    r"|generally|normally|both|so|regularly|mainly|strongly) )*"
)
_LATELY = (
    r"(?:,? (?:now|too|as well|also|again|currently|at the moment|these days|nowadays|though|actually|"
    r"myself|right now|today))*"
)
_NUMBER = (
    r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|several|a few|many|some|a couple "
    r"of|no fewer than two|the cutest)"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:{_MONTH}\.? {_DAY}(?:,? \d{{4}})?|(?:the )?{_DAY} (?:of )?{_MONTH}\.?(?:,? \d{{4}})?"
    r"|\d{1,2}[./-]\d{1,2}(?:[./-]\d{2,4})?|\d{4}-\d\d-\d\d)"
)
_WHEN = rf"(?:{_DATE}|(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next (?:week|month|year))"
_RELATIVE = (
    r"(?:parents|mother|mom|mum|father|dad|brother|sister|wife|husband|son|daughter|grandmother|grandma|"
    r"grandfather|grandpa"
    r"|uncle|aunt|cousin|nephew|niece|girlfriend|boyfriend|fiance|fiancée|fiancé|partner|twin)"
)
_SAME_RELATIVE = {"mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather"}
_JOB = rf"(?:{any_of('occupation_before')} ){{0,3}}{any_of('occupation_en')}"
_AIM = (
    r"(?:learn|become|be an? |buy an?|buy my|move (?:to|out|abroad|back)|travel|visit|write an?|graduate|lose|run an?"
    r"|finish (?:my|school|college|university|high school|writing|an?)|start (?:an?|my|learning|studying)|"
    r"build|improve|save|quit|master"
    r"|get (?:(?:an? )?(?:new )?(?:job|degree|promotion|phd|dog|cat|puppy|kitten|house|car|motorcycle|"
    r"tattoo|certificate|diploma)"
    r"|married|fit|better at|in shape|into|my)|stop (?:smoking|drinking|eating)|publish|open an?|climb|"
    r"study|live|own|adopt|retire|win"
    r"|read|see the|swim|pass|earn|pay off|create|launch|speak|major|teach|go to (?:college|university|"
    r"space|medical|law|grad)"
    r"|compete|attend|find (?:an? (?:new )?job|love|a girlfriend|a boyfriend|a wife|a husband))"
)
_SINGLE = r"(?:married|single|divorced|widowed|engaged|separated)"
_TOGETHER = r"(?:,? (?:to [\w'-]+|with (?:\w+ )?(?:kids|children)|for \d+ years|again|now|too))*"
_TASTE = r"(?:like|love|enjoy|adore)"


def _listed(head: str) -> Callable[[str], tuple[str, ...]]:
    """Accept a list of words all of which the entry has."""

    def rule(text: str) -> tuple[str, ...]:
        parts = [part for part in re.split(r"\s*,\s*(?:and )?|\s+and\s+", text.strip()) if part]
        return tuple(parts) if parts and all(part.casefold() in words(head) for part in parts) else ()

    return rule


def _named(text: str) -> str | None:
    value = values.proper_name(text)
    return value if value is not None and value.casefold() in words("name") else None


def _counted(text: str) -> str | None:
    value = values.said(text)
    return None if value is None else re.sub(r"^an? ", "", value, flags=re.IGNORECASE)


def _dated(text: str) -> str | None:
    """Make "exam is on June 3" to "exam: June 3"."""
    what, _, when = re.sub(
        r" (?:is|are|starts|begins)(?: due)?(?: on| at| by)? ", "\n", text, flags=re.IGNORECASE
    ).partition("\n")
    event = values.said(re.sub(r" ?deadline$", "", what, flags=re.IGNORECASE), most_words=4)
    return f"{event}: {when}" if event else when


def _relative(text: str) -> str:
    word = text.casefold()
    return _SAME_RELATIVE.get(word, word)


FURTHER = (
    Statement(
        "job",
        (
            rf"{_IM} {_ADVERB}(?:an? )?(?P<value>(?:{any_of('occupation_before')} )*student) (?:at|of) "
            rf"(?P<school>.+?){_LATELY}"
        ),
        one(values.job),
        more=(("school", "education", one(values.organisation), True),),
    ),
    Statement(
        "job",
        rf"(?:{_IM}|i work as) {_ADVERB}(?:an? |the )?(?P<value>{_JOB})(?: by (?:trade|profession))?"
        r"(?:(?: (?:at|for) (?P<org>.+?))|(?: in (?P<place>.+?))|(?: from (?P<origin>.+?)))?" + _LATELY,
        one(values.job),
        more=(
            ("org", "employer", one(values.organisation), True),
            ("place", "location", one(values.place_of_origin), False),
            ("origin", "hometown", one(values.place_of_origin), True),
        ),
    ),
    Statement(
        "job",
        (
            rf"(?:i work|{_IM} (?:working|employed)) as (?:an? |the )?(?P<value>[\w' -]+?) (?:at|for|in) "
            rf"(?P<org>.+?){_LATELY}"
        ),
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement("job", rf"as an? (?P<value>{_JOB}), i\b.*", one(values.job), sure=False),
    Statement("job", rf"i work as (?:an? )?(?P<value>.+?){_LATELY}", one(values.job)),
    Statement("job", rf"{_IM} (?P<value>(?:self-employed|retired|unemployed)){_LATELY}", one(values.said)),
    Statement(
        "employer",
        rf"(?:i|we) {_ADVERB}(?:work|{_IM} working) (?:at|for) (?P<value>.+?){_LATELY}",
        one(values.organisation),
    ),
    Statement(
        "employer",
        rf"{_IM} (?:currently |now )?(?:working|employed) (?:at|for|by) (?P<value>.+?){_LATELY}",
        one(values.organisation),
    ),
    Statement(
        "employer",
        (
            r"i(?: have|'ve)? (?:just |recently |finally )*(?:got|started|landed|found) an? (?:new |great |"
            r"part-time |full-time )*job (?:as an? (?P<job>[\w -]+?) )?(?:at|with) (?P<value>.+?)"
        ),
        one(values.organisation),
        more=(("job", "job", one(values.job), True),),
    ),
    Statement(
        "industry",
        r"i (?:currently |now )?work in the (?P<value>[\w -]+? (?:field|industry|sector|business))",
        one(values.said),
    ),
    Statement("job", r"i (?P<value>[a-z]+ [\w' -]+?) for a living", one(values.liked)),
    Statement("employer", r"i work in (?P<value>an? [\w' -]+?)" + _LATELY, one(values.organisation)),
    Statement(
        "industry",
        (
            r"i (?:currently |now )?work in (?P<value>(?:it|finance|marketing|sales|healthcare|education|"
            r"advertising|retail|insurance|construction|hospitality|tech|law|real estate|human resources|hr|"
            r"banking|logistics|publishing|medicine|software|security))"
        )
        + _LATELY,
        one(values.said),
    ),
    Statement(
        "education",
        (
            rf"{_IM} {_ADVERB}(?:in|attending|at) (?P<value>(?:college|university|high school|middle school|grad "
            r"school|graduate school|law school|med school|medical school|nursing school|art school))"
        ),
        one(values.said),
    ),
    Statement(
        "education",
        (
            r"i (?:go to|attend) (?!(?:the )?(?:school|church|work|bed|gym)\b)(?P<value>[\w' -]*?(?:college|"
            r"university|high school|school of [\w ]+|academy|institute)(?: of [\w ]+)?)"
        ),
        one(values.said),
    ),
    Statement("education", rf"{_IM} {_ADVERB}(?:studying) (?P<value>.+?){_LATELY}", one(values.liked)),
    Statement(
        "education",
        rf"i {_ADVERB}study (?!hard|a lot|for |every|at night|alone|too|well|better)(?P<value>.+?){_LATELY}",
        one(values.liked),
    ),
    Statement(
        "education",
        (
            rf"i {_ADVERB}(?:major(?:ed)? in|graduated (?:from|in)|have an? (?=(?:degree|diploma|phd|master|"
            rf"bachelor))) ?(?P<value>.+?){_LATELY}"
        ),
        one(values.said),
    ),
    Statement(
        "location",
        rf"my (?P<spouse>wife|husband) and i {_ADVERB}(?:live|are living|are based) in (?P<value>.+?)",
        one(values.place),
        more=(("spouse", "marital_status", lambda said: ("married",), False),),
    ),
    Statement(
        "location",
        (
            rf"(?:we|my (?:wife|husband|partner|family|girlfriend|boyfriend) and i) {_ADVERB}(?:live|are living|"
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
        rf"i {_ADVERB}live (?:alone|with (?:my|our) [\w' -]+?|by myself) in (?P<value>.+?)",
        one(values.place),
    ),
    Statement(
        "location",
        (
            rf"{_IM} (?:based|living) in (?P<value>.+?)(?:,? (?:these days|now|at the "
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
        rf"{_IM} {_ADVERB}(?:originally )?from (?P<value>.+?)(?: originally| actually)*",
        one(values.place_of_origin),
    ),
    Statement("hometown", r"i (?:grew up|was raised) in (?P<value>.+?)", one(values.place_of_origin)),
    Statement(
        "birthplace",
        r"i was born (?:and raised )?in (?!(?:19|20)\d\d|the (?:19)?\d0s)(?P<value>.+?)",
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
            rf"(?:{_IM}|it's|this is) (?P<value>[^\W\d_]+)(?: here)?(?:,? (?:nice|pleased|glad|good) to meet you.*)"
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
            rf"(?:{_IM}|my age is) (?:now |already |only |currently )?(?P<value>\d{{1,3}})(?:[ -]years?[ -]old| "
            rf"y/?o|yo)?{_LATELY}"
        ),
        one(values.age),
    ),
    Statement(
        "pet",
        (
            rf"{_ADVERB}{_HAVE} {_ADVERB}(?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}? {any_of('pet_en')}(?: and "
            rf"{_NUMBER}(?: [a-z-]+)? {any_of('pet_en')})?(?: (?:named|called) [^\W\d_]+(?: and [^\W\d_]+)?)?)"
            rf"{_LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "child",
        (
            rf"{_HAVE} {_ADVERB}(?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}? (?:kids?|child|children|sons?|daughters?|"
            rf"boys?|girls?|toddlers?|grandchildren|grandkids?)(?: and {_NUMBER}(?: [a-z-]+)? (?:sons?|daughters?))"
            rf"?){_LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "sibling",
        (
            rf"{_HAVE} {_ADVERB}(?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}? (?:brothers?|sisters?|siblings?|twins?)(?: "
            rf"and {_NUMBER}(?: [a-z-]+)? (?:brothers?|sisters?))?){_LATELY}"
        ),
        one(_counted),
    ),
    Statement(
        "child",
        (
            rf"{_IM} {_ADVERB}(?:an? |the )?(?:proud |single |busy |happy |stay at home |stay-at-home )*(?:mom|mum|"
            rf"mother|dad|father|parent) (?:of|to) (?P<value>{_NUMBER}(?: [a-z-]+){{0,2}}?)"
        ),
        one(_counted),
    ),
    Statement("sibling", rf"{_IM} an (?P<value>only child)", one(values.said)),
    Statement(
        "hair_color",
        (
            rf"{_HAVE} (?:long |short |curly |straight |wavy )*(?P<value>red|brown|blonde?|black|dark|grey|gray|"
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
        rf"{_IM} (?:happily |newly |recently |already |still |currently |now )*(?P<value>{_SINGLE}){_TOGETHER}",
        one(values.said),
    ),
    Statement(
        "language",
        (
            rf"i {_ADVERB}speak (?:fluent |good |some |a little |a bit of |basic |native )?(?P<value>.+?)(?:,? "
            r"(?:fluently|well|too|as well|a little|a bit|at home|at work|quite well|pretty well|now))*"
        ),
        _listed("language_en"),
    ),
    Statement("native_language", r"my (?:native|first|mother) (?:language|tongue) is (?P<value>.+?)", one(values.said)),
    Statement(
        "allergy",
        (
            rf"{_IM} {_ADVERB}(?:severely |deadly |badly |terribly |highly |extremely |mildly )?allergic to "
            rf"(?P<value>.+?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "allergy", rf"{_HAVE} an? (?:severe |bad |mild |deadly )?(?P<value>[\w ]+?) allergy{_LATELY}", one(values.said)
    ),
    Statement(
        "diet",
        rf"{_IM} {_ADVERB}(?:an? |on a )?(?:strict |lifelong )?(?P<value>{any_of('diet_en')}){_LATELY}",
        one(values.said),
    ),
    Statement(
        "diet",
        (
            r"i (?P<value>(?:don't|do not|never) eat (?!much|well|enough|a lot|out|here|there|that|this|it|"
            rf"anything|breakfast|lunch|dinner|before|after|at |in )[\w ]+?){_LATELY}"
        ),
        lambda said: (said,),
    ),
    Statement("health", rf"{_HAVE} {_ADVERB}(?P<value>{any_of('health_en')}){_LATELY}", one(values.said)),
    Statement("health", rf"{_IM} {_ADVERB}(?P<value>{any_of('condition_en')}){_LATELY}", one(values.said)),
    Statement(
        "blood_type",
        r"my blood (?:type|group) is (?P<value>(?:a|b|ab|o|0)(?:[+-]| positive| negative)?)",
        lambda said: (said,),
    ),
    Statement("pronouns", r"my pronouns are (?P<value>[a-z]+(?:[/ ,]+[a-z]+){1,2})", one(values.pronouns)),
    Statement(
        "height",
        (
            rf"{_IM} (?P<value>1[2-9]\d ?cm|2[0-2]\d ?cm|[12][.,]\d\d? ?m(?:eters?)?|(?:[4-7]|four|five|six|seven) "
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
        rf"{_IM} (?:an? )?(?:proud )?(?P<value>{any_of('nationality_en')})(?: american| citizen)?{_LATELY}",
        one(values.said),
    ),
    Statement(
        "vehicle",
        (
            rf"i {_ADVERB}(?:drive|ride) (?:an? |my )?(?P<value>(?:[a-z0-9]+ )?(?:[a-z]+ )?(?-i:[A-Z])[\w-]+(?: "
            rf"[\w-]+)?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "vehicle",
        (
            rf"i {_ADVERB}(?:drive|ride) an? (?P<value>(?:\w+ )?(?:car|truck|motorcycle|motorbike|van|pickup|jeep|"
            rf"minivan|scooter|sedan|suv)){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "like",
        (
            rf"i {_ADVERB}{_TASTE} (?P<value>.+?)(?:,? (?:very much|a lot|so much|too|as well|the most|more than "
            r"anything|though|btw|by the way|also))*"
        ),
        one(values.liked),
    ),
    Statement(
        "like",
        (
            rf"{_IM} {_ADVERB}(?:into|fond of|keen on|passionate about|crazy about|interested in|obsessed with) "
            rf"(?P<value>.+?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "like",
        (
            rf"{_IM} {_ADVERB}(?:an? |the )?(?:big |huge |massive |great |biggest |avid |die-hard |lifelong |real )"
            rf"*(?:fan|lover) of (?P<value>.+?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement("like", r"i (?:❤️?|♥️?) (?P<value>.+?)", one(values.liked)),
    Statement(
        "like",
        (
            rf"{_IM} {_ADVERB}an? (?:big |huge |massive |avid |die-hard |lifelong |real )*(?P<value>[a-z-]+(?: "
            rf"[a-z-]+)?) (?:fan|lover|enthusiast|addict|nerd|geek){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement(
        "dislike",
        (
            rf"i {_ADVERB}(?:hate|dislike|despise|loathe|detest|can't stand|cannot stand|can not stand|don't "
            rf"{_ADVERB}(?:like|enjoy)|do not {_ADVERB}(?:like|enjoy)) (?P<value>.+?)(?: (?:at all|very much|too|"
            r"either|so much|a lot|that much|much))*"
        ),
        one(values.liked),
    ),
    Statement(
        "preference",
        rf"i {_ADVERB}(?:prefer|'d rather have) (?P<value>.+?)(?: (?:myself|too|personally))*",
        one(values.preferred),
    ),
    Statement(
        "hobby",
        (
            r"i (?:also |still |really |often |sometimes |usually |currently |regularly )*play (?:the )"
            r"?(?P<value>(?:guitar|bass|bass guitar|piano|violin|cello|drums?|flute|trumpet|saxophone|sax|"
            r"clarinet|harp|ukulele|banjo|harmonica|chess|checkers|tennis|table tennis|golf|football|soccer|"
            r"basketball|baseball|hockey|volleyball|rugby|cricket|badminton|poker|bridge|go|video games|board "
            r"games|card games|computer games|softball|bass|viola|keyboard)(?:(?:,| and|, and) (?:the )?\w+)*)"
            r"\b.{0,40}"
        ),
        values.things,
    ),
    Statement(
        "hobby",
        (
            r"in my (?:free|spare) time,? i (?:also |usually |often |like to |love to |enjoy |mostly )"
            r"*(?P<value>.+?)"
        ),
        one(values.liked),
    ),
    Statement(
        "hobby",
        r"i (?:also |usually |often |like to |love to |mostly )*(?P<value>.+?) in my (?:free|spare) time",
        one(values.liked),
    ),
    Statement("hobby", rf"i {_ADVERB}(?P<value>collect (?!my|the|it|them)[\w' -]+?){_LATELY}", one(values.said)),
    Statement("hobby", rf"i {_ADVERB}(?P<value>volunteer (?:at|with|for) [\w' -]+?){_LATELY}", one(values.said)),
    Statement(
        "hobby",
        (
            r"my (?:favou?rite |main |biggest |only )?(?:hobby is|hobbies are|hobbies include|pastime is) "
            rf"(?P<value>.+?){_LATELY}"
        ),
        values.things,
    ),
    Statement(
        "hobby",
        (
            r"i (?:also |still |usually |often |regularly |go )*(?P<value>run|jog|swim|cycle|paint|draw|knit|sew|"
            r"garden|hike|fish|surf|ski|bake|dance|skate|skateboard|climb|meditate|box|row|bowl|camp|hunt|crochet|"
            r"do yoga|practice yoga|go hiking|go fishing|go camping|lift weights|write poetry|write poems|write "
            r"songs|ride horses)(?:,? (?:every|each|on|once|twice|three times|daily|regularly|for fun|as a hobby|"
            r"a lot|in the|at|before|after|all the time)\b.{0,40})"
        ),
        one(values.said),
    ),
    Statement(
        "programming_language",
        (
            rf"i {_ADVERB}(?:code|program|write code|develop|write programs) (?:mostly |mainly )?in "
            rf"(?P<value>[\w+#.]+(?:(?:,| and) [\w+#.]+)*){_LATELY}"
        ),
        values.things,
    ),
    Statement(
        "skill",
        (
            rf"{_IM} (?:very |really |pretty |quite |so )?(?:good|great|excellent|skilled|talented) (?:at|in) "
            rf"(?P<value>.+?){_LATELY}"
        ),
        one(values.liked),
    ),
    Statement("skill", rf"i know how to (?P<value>.+?){_LATELY}", one(values.liked)),
    Statement(
        "skill",
        (
            rf"i can {_ADVERB}(?P<value>(?:speak|play|cook|swim|sing|draw|paint|dance|juggle|code|knit|sew|ski|"
            r"bake|drive|type|read music)\b(?! (?:to|with|for|if|when|you|it|that|this|my|later|now|tomorrow))[\w "
            rf"]{{0,30}})"
        ),
        one(values.said),
    ),
    Statement(
        "goal",
        (
            rf"i {_ADVERB}(?:want|wanna|plan|aim|intend|(?:'m|am) (?:planning|aiming|hoping)|have decided|decided)"
            rf"(?: to)? (?P<value>{_AIM}\b.*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal", rf"{_IM} {_ADVERB}(?:planning|aiming|determined|trying) to (?P<value>{_AIM}\b.*?)", one(values.goal)
    ),
    Statement(
        "goal",
        (
            rf"{_IM} {_ADVERB}going to (?P<value>(?:become|be an? |study|learn|write an?|run a (?:half )?marathon|"
            r"graduate|retire|get married|start my|open my|open an?|buy a (?:house|car|flat))\b.*?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        (
            r"my (?:main |big |biggest |next |new year |ultimate |life |lifelong |current )*(?:goal|dream|"
            r"ambition|aim|resolution|plan)(?: (?:for|this|in) [\w ]+?)? is (?:to (?:be able to )?)?(?P<value>.+?)"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        (
            rf"{_IM} {_ADVERB}(?P<value>(?:learning (?:to [\w' -]+|how to [\w' -]+|{any_of('language_en')}|the "
            r"(?:guitar|piano|violin)|guitar|piano|python|java|rust|chess)|saving (?:up |money )*for [\w' -]+|"
            r"working on (?:an?|my) (?:novel|book|thesis|phd|dissertation|album|startup|app|degree|masters?|"
            r"memoir|screenplay|game|website|blog|project)[\w' -]*|training for [\w' -]+|preparing for [\w' -]+|"
            r"writing (?:an?|my) (?:novel|book|thesis|dissertation|memoir|screenplay)[\w' -]*|building an? [\w' "
            r"-]+))"
        ),
        one(values.goal),
    ),
    Statement(
        "goal",
        rf"(?:i'll|i will|i might|i may) (?:also |still |just |soon )*(?P<value>{_AIM}\b.*?)",
        one(values.goal),
        sure=False,
    ),
    Statement(
        "goal", rf"(?:{_IM} {_ADVERB}hoping|i {_ADVERB}hope) to (?P<value>{_AIM}\b.*?)", one(values.goal), sure=False
    ),
    Statement(
        "goal",
        (
            r"(?:i'd|i would) (?:really )?(?:like|love) to (?P<value>(?:live|be an?|learn|become|visit|travel|"
            r"move|study|write|see the|own|buy|start|have (?:a|my own)|try|work (?:as|in|at|for))\b.*?)"
        ),
        one(values.goal),
        sure=False,
    ),
    Statement("birthday", rf"my birthday(?:'s| is)(?: on)? (?P<value>{_DATE})", one(lambda said: said)),
    Statement("birthday", rf"i was born on (?P<value>{_DATE})", one(lambda said: said)),
    Statement(
        "anniversary",
        rf"(?:my|our) (?:wedding )?anniversary(?:'s| is)(?: on)? (?P<value>{_DATE})",
        one(lambda said: said),
    ),
    Statement(
        "deadline",
        (
            r"(?:the |my |our )?deadline (?:for|of) (?:my |the |our )?(?P<value>[\w' -]+? is (?:on |at |by )"
            rf"?{_WHEN})"
        ),
        one(_dated),
    ),
    Statement("deadline", rf"(?:the|my|our) (?P<value>[\w' -]*?deadline is (?:on |at |by )?{_WHEN})", one(_dated)),
    Statement("deadline", rf"my (?P<value>[\w' -]+? is due (?:on |at |by )?{_WHEN})", one(_dated)),
    Statement(
        "date",
        (
            r"(?:my|our) (?P<value>(?:[a-z]+ )?(?:exams?|interview|wedding|flight|surgery|operation|appointment|"
            r"graduation|concert|presentation|defen[cs]e|trip|vacation|holiday|test|party|baby|competition|race|"
            rf"marathon|move) (?:is|are|starts|begins) (?:on |at )?{_WHEN})"
        ),
        one(_dated),
    ),
    Statement(
        "date",
        (
            r"i have (?:an? |my )(?P<value>(?:[a-z]+ )?(?:exam|interview|flight|surgery|operation|appointment|"
            rf"presentation|test|concert) (?:on |at )?{_WHEN})"
        ),
        one(lambda said: re.sub(r" (?:on |at )?(?=\S+(?: \S+)?$)", ": ", said, count=1)),
    ),
)

ENGLISH = (*FURTHER, *PLAIN)


_PREDICATE = "|".join(
    (
        r"(?:lives?|works?|stud(?:ies|y)|grew up) (?:in|at|as|for) .+?",
        rf"is (?:an? )?{_JOB}(?: (?:at|in) .+?)?",
        r"is \d{1,3}(?: years old)?",
        r"is from (?-i:[A-Z]).+?",
        r"(?:loves|likes|hates|plays|speaks|studies|teaches|collects|owns|adores|enjoys) .+?",
        r"was born (?:in|on) .+?",
        rf"has (?:an? |two |three )(?:[a-z]+ )?(?:{any_of('pet_en')}|kids?|children|sons?|daughters?)",
        rf"is (?:{_SINGLE}|allergic to .+?|{any_of('nationality_en')}|{any_of('diet_en')})",
    )
)

# Of relatives: their names, and what they plainly are, have and do; the key is the relative.
FAMILY = (
    (
        (
            rf"my (?:older |younger |elder |little |big |late |twin |own )*(?P<who>{_RELATIVE})(?:'s name is| is "
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
            rf"my (?:older |younger |elder |little |big |late |twin |own )*(?P<who>{_RELATIVE}) (?:also |still |"
            rf"really |just |now )*(?P<value>(?:{_PREDICATE}))(?: too| as well| now)?"
        ),
        one(values.lasting),
    ),
)


def family(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a relative of the speaker."""
    for pattern, rule in FAMILY:
        fit = fits(pattern, sentence)
        if fit is not None:
            return tuple(Told(_relative(fit["who"]), value) for value in rule(fit["value"]))
    named = fits(_ANIMAL_NAMED, sentence)
    if named is not None and values.proper_name(named["value"]):
        return (Told("pet", f"{named['who']} {named['value']}"),)
    return ()


_ANIMAL_NAMED = rf"my (?P<who>{any_of('pet_en')})(?:'s name is| is called| is named|'s called) (?P<value>.+?)"
_FAVORITE_IS = (
    r"my (?:all-time |absolute |most |number one )?(?:favou?rite|favou?rites|fav|fave) (?P<what>[a-z]+(?: "
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
}


def favorite(sentence: str) -> tuple[Told, ...]:
    """Return what a sentence tells of a favourite."""
    fit = fits(_FAVORITE_IS, sentence) or fits(_IS_FAVORITE, sentence)
    value = None if fit is None else values.liked(fit["value"])
    if fit is None or value is None or fit["what"].casefold() in {"thing", "part", "one", "line", "of"}:
        return ()
    what = fit["what"].casefold()
    return (Told(f"favorite_{_SAME_FAVORITE.get(what, what).replace(' ', '_')}", value),)
