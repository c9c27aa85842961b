"""English statements of what somebody does: work without a title, service, studies, habits that are hobbies."""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.english_words import ADVERB, IM, JOB, LATELY
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.statement import Statement, one

# How often, when and with whom; nothing of a single day.
_OFTEN = (
    r"(?:,? (?:every (?:(?:single|other) )?(?:day|morning|evening|night|week|weekend|month|year|summer|winter|\w+day)"
    r"|(?:on|at) (?:the )?(?:weekends?|weeknights|\w+days)|(?:once|twice) a (?:day|week|month|year)"
    r"|(?:two|three|four|five|six|\d|a few|several|a couple(?: of)?) times (?:a|per) \w+"
    r"|daily|regularly|a lot|sometimes|often|for fun|as a hobby|to relax|to unwind|to stay (?:fit|in shape)"
    r"|in (?:the|my) (?:mornings?|evenings?|summer|winter|park|pool|gym|(?:free|spare) time)"
    r"|before work|after (?:work|school)|with (?:my|some) [\w' ]+?|when(?:ever)? i can|too|as well|now|these days"
    r"|lately"
    r"|almost every \w+|most (?:days|weekends|mornings)"
    r"|since (?:i was )?\w+|for (?:\w+ )?(?:years|months)))*"
)

_FORCES = (
    r"(?:(?:us |british |royal |ukrainian |israeli |canadian |national )*(?:army|navy|air force|marines|marine corps"
    r"|military|coast guard|national guard|armed forces|reserves|territorial defen[cs]e|special forces))"
)

_BUSINESS = (
    r"(?:bakery|caf[eé]|coffee shop|shop|restaurant|salon|company|business|bar|pub|farm|hotel|hostel|store|agency"
    r"|studio"
    r"|gym|startup|bookstore|bookshop|barbershop|food truck|brewery|flower shop|pizzeria|garage|nursery|dance school"
    r"|music school|bed and breakfast|b&b|clinic|dental practice|law firm|ranch|vineyard|workshop|tattoo parlou?r"
    r"|boutique|daycare|kennel|laundromat|pet shop|online shop|etsy shop)"
)

_GOING = (
    r"(?:jogging|running|hiking|swimming|fishing|camping|climbing|bouldering|dancing|skiing|snowboarding|surfing"
    r"|cycling"
    r"|biking|bowling|hunting|skating|kayaking|sailing|birdwatching|birding|rowing|for (?:long )?(?:walks|runs|hikes"
    r"|bike rides))"
)

_DONE = (
    rf"(?:go (?:{_GOING}|to (?:the gym|(?:yoga|dance|ballet|pilates|karate|boxing|art|pottery|guitar|piano|swimming)"
    rf" (?:classes|class|lessons)))|work out|lift weights|do (?:yoga|pilates|karate|judo|crossfit|ballet|gymnastics"
    r"|martial arts|boxing|kickboxing|taekwondo|jiu[- ]jitsu|bjj|archery|pottery|ceramics|photography|calligraphy"
    r"|embroidery|origami|cosplay|parkour|crosswords|jigsaw puzzles|stand-?up(?: comedy)?|improv|woodworking)"
    r"|practi[cs]e (?:yoga|karate|judo|meditation|calligraphy|martial arts|taekwondo|archery)"
    r"|run (?:half[- ])?marathons|sing in (?:an? |the |my )(?:[\w']+ )?(?:choir|band)"
    r"|play in an? (?:[\w']+ )?(?:band|orchestra)"
    r"|dance (?:salsa|bachata|tango|ballet|hip[- ]hop|ballroom|swing|kizomba|flamenco)"
    r"|write (?:poetry|poems|songs|short stories|fan ?fiction|music|fiction)|ride horses|make (?:pottery|jewelry"
    r"|jewellery|candles|soap|music|beats|quilts|my own (?:beer|wine|clothes|jewelry|music))"
    r"|brew (?:my own )?beer|build (?:model \w+|lego|pcs|keyboards)|restore (?:old )?(?:cars|furniture|bikes)"
    r"|grow (?:my own )?(?:vegetables|tomatoes|roses|orchids|succulents)|read tarot|knit|crochet|sew|paint|draw"
    r"|garden|hike|surf|ski|snowboard|skateboard|rock climb|birdwatch|scuba dive|embroider|jog|paint miniatures"
    r"|take (?:dance|guitar|piano|singing|art|pottery|cooking|swimming|language) (?:lessons|classes)|cycle)"
)

_SUBJECTS = any_of("study")
_PUPILS = (
    r"(?:kindergarten|preschool|pre-?k|(?:(?:first|second|third|fourth|fifth|sixth|\dth|1st|2nd|3rd) grade)"
    r"|(?:high|middle|primary|elementary|secondary) school|(?:little |small |young )?(?:kids|children)|toddlers|adults"
    r"|yoga|pilates|swimming|soccer|football|basketball|tennis|volleyball|hockey|baseball|track|gymnastics|dance"
    r"|ballet|karate|piano|guitar|violin|drums|singing|driving|esl|pe|gym|special ed"
    r"|special education|social studies|geography|biology|math|reading|cooking|skiing|surfing|cello|drawing|painting)"
)


def _listed(head: str, said: str) -> tuple[str, ...]:
    found = values.things(said)
    return found if all(item.casefold() in words(head) for item in found) else ()


def _code(said: str) -> tuple[str, ...]:
    return _listed("programming", said)


def _as_said(said: str) -> tuple[str, ...]:
    return (said,)


DOINGS = (
    Statement(
        "goal",
        rf"{IM} {ADVERB}(?:studying|training|going to school|in (?:school|college|training)) to "
        rf"(?P<value>(?:be|become) an? (?:[\w-]+ )?{JOB})",
        one(values.goal),
    ),
    Statement("goal", rf"(?:{IM} )?planning on (?P<value>(?!it\b)\w+ing\b.+?)", one(values.goal)),
    Statement(
        "job",
        rf"i(?:'ve| have)? (?:also )?(?P<value>(?:teach|been teaching|tutor|coach) (?:(?:{_SUBJECTS}|{_PUPILS})"
        rf"(?:,? (?:and|to|for) (?:{_SUBJECTS}|{_PUPILS}))?))"
        rf"(?: (?:at|in) [\w' -]+?| to (?:(?:little |small |young )?(?:kids|children)|adults|students|beginners"
        rf"|refugees"
        rf"|seniors|teens|teenagers|immigrants|foreigners)(?: in [\w' -]+?)?)?(?: online| part[- ]time"
        rf"| for a living)?{_OFTEN}{LATELY}",
        _as_said,
    ),
    Statement("job", rf"i {ADVERB}(?P<value>serve in the {_FORCES}){LATELY}", _as_said),
    Statement("job", rf"{IM} {ADVERB}(?:serving )?in the (?P<value>{_FORCES}){LATELY}", _as_said),
    Statement(
        "job",
        rf"i {ADVERB}(?P<value>(?:own|run|manage) (?:an?|my own) (?:(?!own)[\w'-]+ ){{0,2}}?{_BUSINESS})"
        rf"(?: (?:with|together with) my [\w ]+)?(?: in (?P<place>.+?))?{LATELY}",
        _as_said,
        more=(("place", "location", one(values.place_of_origin), False),),
    ),
    Statement(
        "job",
        rf"i(?:'ve| have) been (?:working|employed) (?:here |there )?(?:for [\w ]+? )?as (?:an? )?"
        rf"(?P<value>{JOB})(?: (?:for|since) .+)?",
        one(values.job),
    ),
    Statement(
        "job",
        rf"{IM} {ADVERB}working (?:full[- ]time |part[- ]time |remotely )?as (?:an? )?(?P<value>{JOB})"
        rf"(?: (?:at|for|in) (?P<org>.+?))?{LATELY}",
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement(
        "job",
        rf"i {ADVERB}work as (?:an? |the )?(?P<value>{JOB}) in an? (?P<org>[\w' -]+?){LATELY}",
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement(
        "employer",
        rf"i {ADVERB}work (?:part[- ]time |full[- ]time )?in an? (?P<value>[\w' -]+?) as (?:an? |the )?"
        rf"(?P<job>[\w -]+?){LATELY}",
        one(values.organisation),
        more=(("job", "job", one(values.job), True),),
    ),
    Statement(
        "employer",
        rf"i {ADVERB}work (?:part[- ]time|full[- ]time|nights|weekends|evenings|remotely) (?:in|at|for) (?:an? )?"
        rf"(?P<value>[\w' -]+?){LATELY}",
        one(values.organisation),
    ),
    Statement(
        "industry",
        rf"{IM} {ADVERB}in (?P<value>sales|marketing|finance|it|tech|construction|real estate|healthcare|retail"
        rf"|logistics|hr|human resources|advertising|insurance|banking|software|hospitality|publishing|education"
        rf"|cyber ?security|accounting){LATELY}",
        one(values.said),
    ),
    Statement(
        "job",
        rf"{IM} {ADVERB}(?:an? )?(?P<value>(?:{any_of('occupation_before')} )*student) (?:studying|majoring in|doing)"
        rf" (?P<study>[\w ]+?)(?: (?:at|in) (?:the )?(?P<school>[\w' ]+?))?{LATELY}",
        one(values.job),
        more=(
            ("study", "education", one(values.liked), True),
            ("school", "education", one(values.organisation), False),
        ),
    ),
    Statement(
        "employer",
        rf"i(?:'ve| have| was)? ?(?:(?:just|recently|finally) )*(?:got|been|was)? ?hired (?:at|by) (?P<value>.+?)"
        rf"(?: as (?:an? )?(?P<job>{JOB}))?(?:,? (?:last|this) \w+)?{LATELY}",
        one(values.organisation),
        more=(("job", "job", one(values.job), True),),
    ),
    Statement("education", rf"{IM} {ADVERB}in (?:the )?(?P<value>\d{{1,2}}th grade){LATELY}", _as_said),
    Statement(
        "education",
        rf"{IM} {ADVERB}an? (?:freshman|sophomore|junior|senior) at (?:the )?(?P<value>[\w' ]+?){LATELY}",
        one(values.organisation),
    ),
    Statement(
        "education",
        rf"i {ADVERB}(?:go to|attend) (?:the )?(?P<value>(?:mit|ucla|nyu|kpi|harvard|stanford|oxford|cambridge|yale"
        rf"|princeton"
        rf"|berkeley|cornell|columbia university|duke|brown university|university of [\w ]+)){LATELY}",
        _as_said,
    ),
    Statement(
        "vehicle",
        rf"(?:my car is|i(?:'ve| have)? (?:just |recently |finally )+(?:bought|got)(?: myself)?|i own|i have"
        rf"|i've got) an? "
        rf"(?:new |used |second-hand )?(?P<value>(?:(?:19|20)\d\d )?(?:[\w-]+ )?{any_of('vehicle_brand')}(?: [\w-]+)?)"
        rf"{LATELY}",
        one(values.liked),
    ),
    Statement(
        "like",
        rf"i {ADVERB}(?:can't|cannot) (?:live without|get enough of) (?P<value>.+?){LATELY}",
        one(values.liked),
        sure=False,
    ),
    Statement("hobby", rf"i {ADVERB}(?:like to |love to )?(?P<value>hit the gym){_OFTEN}", _as_said),
    Statement("hobby", rf"i {ADVERB}(?P<value>{_DONE}){_OFTEN}", _as_said),
    Statement(
        "hobby",
        r"(?:i've|i have) been (?P<value>knitting|painting|drawing|sewing|crocheting|dancing|surfing|skiing"
        r"|snowboarding"
        r"|skateboarding|hiking|climbing|bouldering|gardening|baking|fishing|horse riding|riding horses"
        r"|doing (?:yoga|pilates"
        r"|karate|judo|ballet|photography|martial arts)|collecting [\w ]+?|running marathons|lifting weights|boxing)"
        r" (?:for (?:\w+ )?(?:years|months|decades|\w+ years)|since .+|all my life)",
        _as_said,
    ),
    Statement(
        "hobby",
        r"(?:one of my (?:\w+ )?hobbies is|(?:another|a) hobby of mine is) (?P<value>.+)",
        values.things,
    ),
    Statement(
        "hobby", r"(?P<value>[\w' ,-]+?) (?:is|are) my (?:main |biggest |only )?(?:hobby|hobbies)", values.things
    ),
    Statement(
        "hobby",
        rf"i {ADVERB}play (?P<value>(?:the )?(?:{any_of('played_en')})(?:(?:,| and|, and) (?:the )?"
        rf"{any_of('played_en')})*){_OFTEN}",
        values.things,
    ),
    Statement("programming_language", rf"i {ADVERB}(?:know|use|write|speak) (?P<value>.+?){LATELY}", _code),
    Statement(
        "dislike",
        rf"{IM} not {ADVERB}(?:an? |the )?(?:big |huge |great |real )?(?:fan of|into|fond of|keen on) (?P<value>.+?)"
        rf"(?: at all| either)?{LATELY}",
        one(values.liked),
    ),
    Statement(
        "diet",
        r"i (?P<value>(?:can't|cannot|can not) eat (?:gluten|dairy|nuts|meat|pork|beef|eggs|fish|seafood|lactose|sugar"
        r"|wheat|shellfish|peanuts|soy)(?: (?:or|and) \w+)?)(?: anymore| either)?",
        _as_said,
    ),
    Statement(
        "vehicle",
        rf"i {ADVERB}ride (?:an? |my )?(?P<value>(?:[\w-]+ )?(?:bike|bicycle|scooter|motorcycle|motorbike|moped))"
        rf"(?: (?:to (?:work|school|uni)|everywhere))?{_OFTEN}",
        one(values.liked),
    ),
    Statement(
        "vehicle",
        rf"i {ADVERB}(?:drive|own|have) an? (?P<value>(?:[\w-]+ ){{0,3}}(?:car|truck|motorcycle|motorbike|van|jeep"
        rf"|minivan|sedan|suv|convertible|campervan|camper van)){_OFTEN}",
        one(values.liked),
    ),
)
