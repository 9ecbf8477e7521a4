"""Brings the two witnesses together: runs proofs and measurements, and computes verdicts."""
