-- What people had forgotten and whose text is gone: only what they say later is stored again.

CREATE TABLE forgotten (
    owner BIGINT NOT NULL REFERENCES owner (id),
    digest TEXT COLLATE "C" NOT NULL,   -- of the owner and the canonical value, by the key of wishes
    at BIGINT NOT NULL,
    PRIMARY KEY (owner, digest)
) {by_owner};
