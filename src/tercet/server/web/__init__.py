"""The layer between the network and the routes: connections, middleware, translation, logs, the page's files."""
