-- What was said in a chat, found when it is closed to some, also where no message of it is known any more.

CREATE INDEX memory_chat ON memory (space, chat, owner) WHERE chat IS NOT NULL;
