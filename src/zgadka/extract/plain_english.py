"""Plain English statements of where people live, their name, age, job, and what they play and like.

The stand-in of the chat understands these and no others.
"""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.statement import Statement, one

_BEFORE = r"(?:also |still |really |actually |currently |now |just |always |often |sometimes |usually )*"
_AGO = r"(?:(?:a|an|one|two|three|few|a few|\d+) (?:day|week|month|year)s? ago)"
_TAIL = (
    r"(?P<tail>(?:,? (?:today|yesterday|recently|already|finally|too|as well|again|last \w+|this (?:week|month"
    r"|year|summer"
    rf"|spring|autumn|winter|fall)|{_AGO}|in (?:19|20)\d\d|since \w+(?: \d{{4}})?|for (?:\w+ )?(?:days|weeks"
    rf"|months|years?)"
    r"|with (?:my|our|two|three|four|some|an?) (?:\w+ ){0,2}\w+))*)"
)
_NOW_TAIL = r",? (?:now|these days|nowadays|currently|at the moment|at present)"
_LIKED_TAIL = r"(?: (?:very much|a lot|so much|too|as well|the most))?"
_PLAYED_TAIL = (
    r"(?: (?:too|as well|a lot|well|badly|sometimes|often|every (?:day|week|month|evening|weekend)|on weekends"
    r"|on \w+days?|with my \w+|in my free time))*"
)

ENGLISH = (
    Statement(
        "location",
        r"i(?:'ve| have)? (?:just |recently |finally |already )*(?:moved|relocated) "
        rf"(?:over |back )?(?:from [\w' -]+? )?to (?P<value>.+?){_TAIL}(?:{_NOW_TAIL})?",
        one(values.place),
        change="update",
    ),
    Statement(
        "location",
        rf"(?:i now live|now,? i live|i live now|these days,? i live|i(?:'m| am) now (?:living|based)) in"
        rf" (?P<value>.+?){_TAIL}",
        one(values.place),
        change="update",
    ),
    Statement(
        "location",
        rf"i(?:'m| am)? (?:live|living|based) in (?P<value>.+?){_NOW_TAIL}",
        one(values.place),
        change="update",
    ),
    Statement("location", rf"actually,? i live in (?P<value>.+?){_TAIL}", one(values.place), change="correction"),
    Statement(
        "location",
        rf"(?:i (?:also |still |currently )?(?:live|reside)|i(?:'m| am) (?:still |currently )?(?:living|based))"
        rf" in (?P<value>.+?){_TAIL}",
        one(values.place),
    ),
    Statement(
        "hometown", r"(?:i(?:'m| am) (?:originally )?from|i come from) (?P<value>.+?)", one(values.place_of_origin)
    ),
    Statement(
        "name",
        r"(?:my name is|my name's|i(?:'m| am) called|please call me|call me|you (?:can|may) call me|people call me"
        r"|everyone calls me|everybody calls me) (?P<value>.+?)(?:,? please)?",
        one(values.name),
    ),
    Statement("age", r"(?:i(?:'m| am)|my age is) (?P<value>\d{1,3})(?: years? old| years? of age)?", one(values.age)),
    Statement("job", r"(?:now i|i now) work as (?:an? |the )?(?P<value>.+?)", one(values.job), change="update"),
    Statement("job", rf"i work as (?:an? |the )?(?P<value>.+?){_NOW_TAIL}", one(values.job), change="update"),
    Statement(
        "job",
        r"(?:i work|i(?:'m| am) working|i(?:'m| am) employed) as (?:an? |the )?(?P<value>.+?)",
        one(values.job),
    ),
    Statement("job", r"my (?:job|profession|occupation) is (?:an? |the )?(?P<value>.+?)", one(values.job)),
    Statement("hobby", rf"i {_BEFORE}play (?P<value>.+?){_PLAYED_TAIL}", values.things),
    Statement("hobby", r"my hobb(?:y is|ies are) (?P<value>.+?)", values.things),
    Statement("like", rf"i {_BEFORE}(?:like|love|enjoy|adore) (?P<value>.+?){_LIKED_TAIL}", one(values.thing)),
)
