"""English statements of what somebody works as, where and for whom, and what they study."""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.english_words import ADVERB, IM, JOB, LATELY
from zgadka.extract.lexicon import any_of
from zgadka.extract.statement import Statement, one

WORK = (
    Statement("job", rf"(?P<value>{JOB}) here", one(values.job)),
    Statement(
        "employer",
        rf"i {ADVERB}work (?:at|for) (?P<value>.+?) as (?:an? |the )?(?P<job>[\w -]+?){LATELY}",
        one(values.organisation),
        more=(("job", "job", one(values.job), True),),
    ),
    Statement(
        "education",
        rf"{IM} {ADVERB}(?:(?:in|at) (?:college|university|school|uni) (?:studying|for|majoring in)"
        rf"|majoring in) (?P<value>.+?)"
        rf"{LATELY}",
        one(values.liked),
    ),
    Statement(
        "education",
        r"i (?:go|went) to (?:school|college|university) at (?:the )?(?P<value>.+?)",
        one(values.organisation),
    ),
    Statement("job", rf"{IM} (?P<value>self employed){LATELY}", one(values.said)),
    Statement(
        "job",
        rf"{IM} {ADVERB}(?:an? )?(?P<value>stay[- ]at[- ]home (?:mom|mum|mother|dad|father))(?: (?:of|to|with) .+)?",
        one(values.job),
    ),
    Statement(
        "job",
        rf"i (?:work|{IM} working) (?:from home|remotely|full[- ]time|part[- ]time|nights|days) as "
        rf"(?:an? )?(?P<value>.+?)"
        rf"(?: (?:at|for) (?P<org>.+?))?{LATELY}",
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement(
        "employer",
        rf"i {ADVERB}work (?:full[- ]time|part[- ]time|remotely|nights|weekends|on weekends) (?:at|for) (?P<value>.+?)"
        rf"{LATELY}",
        one(values.organisation),
    ),
    Statement(
        "job",
        rf"(?:i've|i have) been (?:working as )?an? (?P<value>{JOB}|[\w -]+?)(?: (?:at|for) (?P<org>[A-Z].+?))?"
        rf" (?:for|since) .+",
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement(
        "education",
        rf"i {ADVERB}study at (?:the )?(?P<value>.+?){LATELY}",
        one(values.organisation),
    ),
    Statement(
        "education",
        r"i (?:\w+ )?graduated from (?:the )?(?P<value>.+?)(?: in (?:19|20)\d\d| last year| this year| (?:with|in) .+)",
        one(values.organisation),
    ),
    Statement(
        "job",
        (
            rf"{IM} {ADVERB}(?:an? )?(?P<value>(?:{any_of('occupation_before')} )*student) (?:at|of) "
            rf"(?P<school>.+?){LATELY}"
        ),
        one(values.job),
        more=(("school", "education", one(values.organisation), True),),
    ),
    Statement(
        "job",
        rf"(?:{IM}|i work as) {ADVERB}(?:an? |the )?(?P<value>{JOB})(?: by (?:trade|profession|training))?"
        r"(?:(?: (?:at|for) (?P<org>.+?))|(?: in (?P<place>.+?))|(?: from (?P<origin>.+?)))?" + LATELY,
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
            rf"(?:i work|{IM} (?:working|employed)) as (?:an? |the )?(?P<value>[\w' -]+?) (?:at|for|in) "
            rf"(?P<org>.+?){LATELY}"
        ),
        one(values.job),
        more=(("org", "employer", one(values.organisation), True),),
    ),
    Statement("job", rf"as an? (?P<value>{JOB}), i\b.*", one(values.job), sure=False),
    Statement("job", rf"i work as (?:an? )?(?P<value>.+?){LATELY}", one(values.job)),
    Statement(
        "job",
        rf"{IM} {ADVERB}(?P<value>(?:self-employed|retired|unemployed))(?: from [\w' ]+)?{LATELY}",
        one(values.said),
    ),
    Statement(
        "employer",
        rf"(?:i|we) {ADVERB}(?:work|{IM} working) (?:at|for) (?P<value>.+?){LATELY}",
        one(values.organisation),
    ),
    Statement(
        "employer",
        rf"{IM} (?:currently |now )?(?:working|employed) (?:at|for|by) (?P<value>.+?){LATELY}",
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
    Statement("employer", r"i work in (?P<value>an? [\w' -]+?)" + LATELY, one(values.organisation)),
    Statement(
        "industry",
        (
            r"i (?:currently |now )?work in (?P<value>(?:it|finance|marketing|sales|healthcare|education|"
            r"advertising|retail|insurance|construction|hospitality|tech|law|real estate|human resources|hr|"
            r"banking|logistics|publishing|medicine|software|security))"
        )
        + LATELY,
        one(values.said),
    ),
    Statement(
        "education",
        (
            rf"{IM} {ADVERB}(?:in|attending|at) (?P<value>(?:college|university|high school|middle school|grad "
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
    Statement("education", rf"{IM} {ADVERB}(?:studying) (?P<value>.+?){LATELY}", one(values.liked)),
    Statement(
        "education",
        rf"i {ADVERB}study (?!hard|a lot|for |every|at night|alone|too|well|better)(?P<value>.+?){LATELY}",
        one(values.liked),
    ),
    Statement(
        "education",
        (
            rf"i {ADVERB}(?:major(?:ed)? in|graduated (?:from|in)|have an? (?=(?:degree|diploma|phd|master|"
            rf"bachelor))) ?(?P<value>.+?){LATELY}"
        ),
        one(values.said),
    ),
)
