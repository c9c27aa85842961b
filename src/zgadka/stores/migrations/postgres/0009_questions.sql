-- All questions to people are one table, and people may keep somebody from asking them.

CREATE TEMP TABLE saving AS SELECT * FROM question;

DROP TABLE question;

CREATE TABLE question (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the person asked
    id TEXT COLLATE "C" NOT NULL,              -- what a button carries: random, but of a consent, whose number it is
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('delete', 'clear', 'erase', 'consent', 'save')),
    space BIGINT,                 -- where a deletion or a consent was asked
    chat TEXT COLLATE "C",                     -- of a deletion
    thread TEXT COLLATE "C",                   -- of a deletion: where a plain yes answers it; NULL outside threads
    memory BIGINT NOT NULL DEFAULT 0,   -- of a deletion; 0: everything
    mark BYTEA,                     -- hash of what the person was shown
    said_in TEXT,                  -- of a deletion: what tells the turn that asked from others
    said_at BIGINT,
    turn TEXT,                     -- JSON: the turn that a consent or uncertain memories come from
    asker TEXT COLLATE "C",                    -- of a consent: the platform's id of the person whose turn asked
    tool TEXT,
    version BIGINT,
    content TEXT,                  -- JSON: the tool's arguments; or what to save, each with what became of it
    requests BIGINT NOT NULL DEFAULT 1,
    asked_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    plain_until BIGINT,           -- until when the person's next message answers it by a plain yes or no
    reminded_at BIGINT,
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE UNIQUE INDEX question_deletion ON question (owner, space, chat, memory)
WHERE kind IN ('delete', 'clear', 'erase');

INSERT INTO question (owner, id, kind, turn, content, asked_at, expires_at, reminded_at)
SELECT owner, id, 'save', turn, items, asked_at, expires_at, reminded_at FROM saving;
INSERT INTO question (owner, id, kind, space, turn, asker, tool, version, content, asked_at, expires_at)
SELECT owner, CAST(id AS TEXT), 'consent', space, turn, asker, tool, version, arguments, asked_at, expires_at
FROM consent;
INSERT INTO question (owner, id, kind, space, chat, memory, mark, said_in, said_at, requests, asked_at,
    expires_at)
SELECT owner, 'moved' || row_number() OVER (ORDER BY owner, space, chat, memory),
    CASE memory WHEN 0 THEN 'clear' ELSE 'delete' END, space, chat, memory, content_hash, turn, said_at, requests,
    coalesce(said_at, expires_at - 300000000), expires_at
FROM pending;

DROP TABLE saving;
DROP TABLE consent;
DROP TABLE pending;

CREATE TABLE mute (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the person who wants no questions
    asker BIGINT NOT NULL,        -- of this person
    PRIMARY KEY (owner, asker)
) {by_owner};
