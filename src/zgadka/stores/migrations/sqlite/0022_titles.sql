-- What the platform calls a space, and its chats and threads; nothing of direct chats, which are called by their person.

CREATE TABLE title (
    owner INTEGER NOT NULL REFERENCES owner (id),   -- the space
    chat TEXT NOT NULL,            -- '' of the space itself
    thread TEXT NOT NULL,          -- '' of a chat
    text TEXT NOT NULL,
    since INTEGER NOT NULL,        -- when it was first reported: who left before does not know it
    PRIMARY KEY (owner, chat, thread)
) STRICT, WITHOUT ROWID;
