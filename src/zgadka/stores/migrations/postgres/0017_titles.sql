-- What the platform calls a space, and its chats and threads; nothing of direct chats, which are called by their person.

CREATE TABLE title (
    owner BIGINT NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT COLLATE "C" NOT NULL,   -- '' of the space itself
    thread TEXT COLLATE "C" NOT NULL, -- '' of a chat
    text TEXT NOT NULL,
    since BIGINT NOT NULL,        -- when it was first reported: who left before does not know it
    PRIMARY KEY (owner, chat, thread)
) {by_owner};
