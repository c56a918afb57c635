"""Every address that clients ask, by subject: routes and sockets, and what they have in common."""
