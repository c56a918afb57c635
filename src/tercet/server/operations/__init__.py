"""For whoever runs the server: health, metrics, logs."""
