"""The schema of the first release. :func:`tercet.server.store.database.migrate` makes every new database from the
metadata of the code and marks it with the newest revision; later revisions lead on from here."""

revision = "0010"
down_revision = None
