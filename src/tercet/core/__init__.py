"""A game as data: boards, rules, positions, what a person sees, and what a game may declare."""
