"""The commands of the program `twofold`, one module for a family of them."""
