"""How often the suite errs, counted: `python -m benchmarks.rates` measures, and writes the record.

`benchmarks/results/error-rates.json` holds what it finds, `benchmarks/results/README.md` says what each
field means, and the site's page of error rates shows it.
"""
