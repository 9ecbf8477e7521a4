"""Errors that a user can mend: one clear line with the value, the rule and the remedy."""

from __future__ import annotations

__all__ = ["UNDEFINED", "BadDefinition", "OnlyMeasured", "UserError"]

UNDEFINED = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a definition raises where it has no value, or none that it can be followed to."""


class UserError(ValueError):
    """Raised for unusable input; the command line prints its message and exits with status 2."""


class BadDefinition(TypeError):
    """A definition returned what is no value of any quantity."""


class OnlyMeasured(LookupError):
    """A quantity that nothing but a measurement evaluates was asked for exactly."""
