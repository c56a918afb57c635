"""The protocol between the server and its clients, as types: docs/server.md in a form that programs read."""
