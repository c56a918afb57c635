"""What a game may offer beyond its rules: each ability is declared in its `GameDefinition`,
as one of the objects here or None, and never looked for in any other way."""
