"""Bots: accounts whose programs play over plain requests and streams of JSON lines."""
