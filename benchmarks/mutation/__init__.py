"""Mutation testing of the modules that decide: is every change of a judge noticed by its tests?

`settings.toml` names the modules, their tests and the operators; `make mutation` runs what is not yet
run and writes `benchmarks/results/mutation.json`.  A mutant that no test kills is explained in
`survivors.toml`, or is a fault of the tests.
"""
