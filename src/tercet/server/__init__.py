"""The server: tables over HTTP and WebSocket, kept as event logs. One process, nothing to install."""
