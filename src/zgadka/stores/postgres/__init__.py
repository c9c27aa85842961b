"""The back end on PostgreSQL: one server, or several with Citus."""
