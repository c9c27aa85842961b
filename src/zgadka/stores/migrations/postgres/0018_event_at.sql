-- What happened last, found without reading all that happened.

CREATE INDEX event_at ON event (at, memory, number);
