-- Who reads a chat now, and which spaces the program was removed from.

CREATE TABLE readership (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT COLLATE "C" NOT NULL,
    audience BIGINT NOT NULL,      -- a group of its readers; 0: all who read the space
    PRIMARY KEY (owner, chat)
) {by_owner};

CREATE TABLE removal (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    at BIGINT NOT NULL,
    PRIMARY KEY (owner)
) {by_owner};

-- Names of spaces that became part of others: who still uses one means the other.
CREATE TABLE moved (
    platform TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    space BIGINT NOT NULL REFERENCES owner (id),
    PRIMARY KEY (platform, name)
);
