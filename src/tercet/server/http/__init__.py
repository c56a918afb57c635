"""What every endpoint shares: middleware, errors, limits, sockets, the requests' common fields, the page's files."""
