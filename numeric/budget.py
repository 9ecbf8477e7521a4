"""How often a whole audit may raise a false alarm, which `numeric.agreement` divides."""

FALSE_ALARM_BUDGET = 1e-6
"""The probability of any false alarm in an audit."""
