"""Tables in play: their logs, clocks, engines and chat, and what their clients are sent."""
