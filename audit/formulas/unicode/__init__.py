"""What a terminal shows of a formula: one line of Unicode with the meaning of the LaTeX."""

from audit.formulas.unicode.formula import unicode_formula
from audit.formulas.unicode.prose import unicode_prose

__all__ = ["unicode_formula", "unicode_prose"]
