"""Formulas for readers: read into trees, compared, broken into lines, as LaTeX, MathML and Unicode."""
