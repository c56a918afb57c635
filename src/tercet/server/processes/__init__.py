"""Several server processes on one database: the lease that says who is alive, and publish/subscribe."""
