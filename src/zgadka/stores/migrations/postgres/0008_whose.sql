-- Whose each row is and who may see it: subjects, sources, audiences, and memories that nobody is told any more.

CREATE SEQUENCE id_audience MAXVALUE 9007199254740991;

ALTER TABLE memory ADD COLUMN audience BIGINT NOT NULL DEFAULT 0;   -- 0: all readers of `space`, else a group of them
ALTER TABLE memory ADD COLUMN withheld BIGINT NOT NULL DEFAULT 0;   -- 0, or the change that hid it: its undo lifts it
ALTER TABLE message ADD COLUMN audience BIGINT NOT NULL DEFAULT 0;
ALTER TABLE member ADD COLUMN level BIGINT NOT NULL DEFAULT 0;      -- a copy of the person's privacy level

UPDATE member SET level = (SELECT p.level FROM privacy p WHERE p.owner = member.person)
WHERE person IN (SELECT owner FROM privacy WHERE level > 0);

CREATE INDEX member_level ON member (owner, person) WHERE level > 0;
CREATE INDEX memory_withheld ON memory (owner, withheld) WHERE withheld <> 0;

-- Groups of readers that a host has named in a space.
CREATE TABLE audience (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    id BIGINT NOT NULL,
    readers TEXT COLLATE "C" NOT NULL,         -- JSON array of the host's names, in order
    PRIMARY KEY (owner, id)
) {by_owner};

CREATE UNIQUE INDEX audience_readers ON audience (owner, readers);

-- Whom a row is about, or whose words it holds, besides its owner, its author and whom it was said to.
CREATE TABLE subject (
    owner BIGINT NOT NULL REFERENCES owner (id),
    person BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('memory', 'message')),
    id BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('about', 'said')),
    level BIGINT NOT NULL,            -- a copy of the person's privacy level
    PRIMARY KEY (owner, person, kind, id, role)
) {by_owner};

INSERT INTO subject (owner, person, kind, id, role, level)
SELECT p.owner, p.person, 'memory', p.memory, 'about', coalesce(v.level, 0)
FROM participant p LEFT JOIN privacy v ON v.owner = p.person;
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT DISTINCT e.owner, m.person, 'memory', e.memory, 'said', coalesce(v.level, 0)
FROM episode_message e JOIN message m ON m.owner = e.owner AND m.id = e.message
LEFT JOIN privacy v ON v.owner = m.person WHERE m.role = 'user';
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT m.owner, p.id, 'memory', m.id, 'said', coalesce(v.level, 0)
FROM memory m JOIN owner s ON s.id = m.owner AND s.kind = 'space'
JOIN owner p ON p.platform = s.platform AND p.kind = 'person' AND p.name = m.said_by
LEFT JOIN privacy v ON v.owner = p.id WHERE m.kind = 'note';

CREATE INDEX subject_row ON subject (owner, kind, id);

DROP TABLE participant;

-- The messages that a memory was made from.
CREATE TABLE source (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the memory's
    memory BIGINT NOT NULL,
    space BIGINT NOT NULL,        -- the message's owner
    message BIGINT NOT NULL,
    PRIMARY KEY (owner, memory, space, message)
) {by_owner};

INSERT INTO source (owner, memory, space, message) SELECT owner, memory, owner, message FROM episode_message;

CREATE INDEX source_message ON source (space, message, owner);

DROP TABLE episode_message;

-- The memories that an answer was given: in its context, or by the tools of its turn.
CREATE TABLE given (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    message BIGINT NOT NULL,      -- the answer
    memory BIGINT NOT NULL,
    PRIMARY KEY (owner, message, memory)
) {by_owner};

CREATE INDEX given_memory ON given (owner, memory);

-- What people had forgotten, which nothing may bring back but what they say later: looked at before each new memory.
CREATE INDEX event_forgotten ON event (owner, change)
WHERE action IN ('deleted', 'cleared', 'forgotten') AND change IS NOT NULL AND before IS NOT NULL;
