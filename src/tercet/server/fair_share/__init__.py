"""What one person or one network may use of what is scarce, so that nobody's use keeps others waiting."""
