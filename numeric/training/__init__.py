"""Transformers that are trained: model, corpora, optimisers, decoding and scores.

Used by the figures and claims of papers that report training runs.  Every parameter has a leading
axis of runs, so that several seeds are trained at once and error bars come for free; the loss is a
sum over runs, hence each run moves as if it were alone.
"""
