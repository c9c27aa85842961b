-- What indexes in memory are checked against: grows with every change of an owner's rows of one kind.
CREATE TABLE revision (
    owner INTEGER NOT NULL REFERENCES owner (id),
    what TEXT NOT NULL CHECK (what IN ('memory', 'message')),
    number INTEGER NOT NULL,
    PRIMARY KEY (owner, what)
) STRICT, WITHOUT ROWID;

-- What makes vectors of texts; from the first on, each new text waits for its vector.
CREATE TABLE embedder (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    owner INTEGER NOT NULL,        -- up to this owner, what was there before it waits for its vectors, or has them
    complete INTEGER NOT NULL      -- whether everything does
) STRICT;

CREATE TABLE vector (
    owner INTEGER NOT NULL REFERENCES owner (id),
    what TEXT NOT NULL CHECK (what IN ('memory', 'message')),
    id INTEGER NOT NULL,
    embedder INTEGER NOT NULL,
    numbers BLOB NOT NULL,         -- float16, little-endian
    PRIMARY KEY (owner, what, id)
) STRICT, WITHOUT ROWID;

-- What waits for a vector. The row comes in the transaction that changes the text.
CREATE TABLE unembedded (
    owner INTEGER NOT NULL REFERENCES owner (id),
    what TEXT NOT NULL CHECK (what IN ('memory', 'message')),
    id INTEGER NOT NULL,
    PRIMARY KEY (owner, what, id)
) STRICT, WITHOUT ROWID;
