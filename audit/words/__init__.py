"""A record of an audit in words: sentences, counterexamples, rows of a measurement."""
