"""A paper's LaTeX source, read for the statements that it numbers."""
