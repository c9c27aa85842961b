-- Episodes and relations are memories of a space, with the people in them as rows; facts may hold for a time only.

ALTER TABLE memory ADD COLUMN topic TEXT;          -- of an episode
ALTER TABLE memory ADD COLUMN importance REAL;     -- of an episode
ALTER TABLE memory ADD COLUMN valence TEXT;        -- of an episode
ALTER TABLE memory ADD COLUMN chat TEXT;           -- of an episode
ALTER TABLE memory ADD COLUMN mutual INTEGER;      -- of a relation: whether it holds both ways
ALTER TABLE memory ADD COLUMN valid_from INTEGER;  -- of a fact; NULL: as far back as is known
ALTER TABLE memory ADD COLUMN valid_to INTEGER;    -- of a fact; NULL: it still holds

-- Who is in an episode, and between whom a relation is. Its subject has place 0, its object place 1.
CREATE TABLE participant (
    owner INTEGER NOT NULL REFERENCES owner (id),
    memory INTEGER NOT NULL,
    person INTEGER NOT NULL REFERENCES owner (id),
    place INTEGER NOT NULL,
    PRIMARY KEY (owner, memory, person),
    FOREIGN KEY (owner, memory) REFERENCES memory (owner, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX participant_person ON participant (owner, person, memory);

CREATE TABLE episode_message (
    owner INTEGER NOT NULL REFERENCES owner (id),
    memory INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (owner, memory, message),
    FOREIGN KEY (owner, memory) REFERENCES memory (owner, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX episode_message_message ON episode_message (owner, message);

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
