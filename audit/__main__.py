"""`python -m audit` is the same program as `twofold`."""

from audit.cli import main

main(prog_name="twofold")
