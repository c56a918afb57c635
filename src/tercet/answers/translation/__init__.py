"""What the server and the games say, in other languages than English."""
