-- Uncertain memories wait for their person; messages are looked at once, in order, also after a crash.

CREATE TABLE question (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the person asked
    id TEXT NOT NULL,                               -- random: what a button carries
    turn TEXT NOT NULL,                             -- JSON: the turn whose words it is about
    items TEXT NOT NULL,                            -- JSON: what to save, each with what became of it
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    reminded_at INTEGER,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;

-- What was observed and not yet looked at; the row goes in the transaction that keeps what was found.
CREATE TABLE observation (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    id INTEGER NOT NULL,                            -- the message's id
    turn TEXT NOT NULL,                             -- JSON
    text TEXT NOT NULL,                             -- the user's own words alone
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
