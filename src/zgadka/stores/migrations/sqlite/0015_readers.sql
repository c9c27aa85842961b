-- Who reads a chat now, and which spaces the program was removed from.

CREATE TABLE readership (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT NOT NULL,
    audience INTEGER NOT NULL,     -- a group of its readers; 0: all who read the space
    PRIMARY KEY (owner, chat)
) STRICT, WITHOUT ROWID;

CREATE TABLE removal (
    owner INTEGER PRIMARY KEY REFERENCES owner (id),   -- the space
    at INTEGER NOT NULL
) STRICT;

-- Names of spaces that became part of others: who still uses one means the other.
CREATE TABLE moved (
    platform TEXT NOT NULL,
    name TEXT NOT NULL,
    space INTEGER NOT NULL REFERENCES owner (id),
    PRIMARY KEY (platform, name)
) STRICT, WITHOUT ROWID;
