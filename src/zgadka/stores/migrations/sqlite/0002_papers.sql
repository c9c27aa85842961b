-- Episodes and relations are memories of a space, with the people in them as rows; facts may hold for a time only.

ALTER TABLE memory ADD COLUMN topic TEXT;          -- of an episode
ALTER TABLE memory ADD COLUMN importance REAL;     -- of an episode
ALTER TABLE memory ADD COLUMN valence TEXT;        -- of an episode
ALTER TABLE memory ADD COLUMN chat TEXT;           -- of an episode
ALTER TABLE memory ADD COLUMN mutual INTEGER;      -- of a relation: whether it holds both ways
ALTER TABLE memory ADD COLUMN valid_from INTEGER;  -- of a fact; NULL: as far back as is known
ALTER TABLE memory ADD COLUMN valid_to INTEGER;    -- of a fact; NULL: it still holds

ALTER TABLE memory ADD COLUMN people TEXT;         -- JSON array of owner ids: an episode's participants, a relation's two
ALTER TABLE memory ADD COLUMN messages TEXT;       -- JSON array of message ids: what an episode is about

-- Episodes and relations by person, and episodes by message: an index over `people` and `messages`.
CREATE TABLE participant (
    owner INTEGER NOT NULL REFERENCES owner (id),
    person INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (owner, person, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE episode_message (
    owner INTEGER NOT NULL REFERENCES owner (id),
    message INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (owner, message, memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_change ON event (owner, change) WHERE change IS NOT NULL;

ALTER TABLE message ADD COLUMN keep_until INTEGER;  -- marked as important until then
CREATE INDEX message_at ON message (owner, at);

CREATE TABLE privacy (
    owner INTEGER PRIMARY KEY REFERENCES owner (id),
    level INTEGER NOT NULL
) STRICT;

-- A change that waits for the consent of the person whom it is about.
CREATE TABLE consent (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the person asked
    id INTEGER NOT NULL,
    asker TEXT NOT NULL,                            -- the platform's id of the person whose turn asked
    space INTEGER NOT NULL,
    tool TEXT NOT NULL,
    version INTEGER NOT NULL,
    arguments TEXT NOT NULL,                        -- JSON
    turn TEXT NOT NULL,                             -- JSON
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
