"""Tables in play: opening one, following it, acting at it, and what its clients are sent."""
