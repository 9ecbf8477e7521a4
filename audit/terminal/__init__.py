"""What the program prints: one claim in full, and the table of many."""
