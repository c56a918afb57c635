"""The simulated world: the real server, its clients and what goes wrong between them, in one thread, from one seed."""
