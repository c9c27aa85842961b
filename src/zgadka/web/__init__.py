"""The REST API, and what else is served over HTTP; it translates and decides nothing."""
