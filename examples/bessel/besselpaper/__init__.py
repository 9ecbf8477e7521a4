"""The statements of bessel."""
