-- What people had forgotten and whose text is gone: only what they say later is stored again.

CREATE TABLE forgotten (
    owner INTEGER NOT NULL REFERENCES owner (id),
    digest TEXT NOT NULL,          -- of the owner and the canonical value, by the key of wishes
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, digest)
) STRICT, WITHOUT ROWID;
