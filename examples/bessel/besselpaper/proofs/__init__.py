"""Why it is true, or false."""
