"""What the papers state."""

from time import time_ns

BEGAN = time_ns()
"""When this process began to load the project: a file changed later may not be the code that runs."""
