-- What indexes in memory are checked against: grows with every change of an owner's rows of one kind.
CREATE TABLE revision (
    owner INTEGER NOT NULL REFERENCES owner (id),
    what TEXT NOT NULL CHECK (what IN ('memory', 'message')),
    number INTEGER NOT NULL,
    PRIMARY KEY (owner, what)
) STRICT, WITHOUT ROWID;
