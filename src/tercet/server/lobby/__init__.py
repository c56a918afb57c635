"""The lobby: who waits for players, what is being played."""
