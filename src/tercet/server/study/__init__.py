"""What needs no table: games and rules, boards to analyse, records, drawings."""
