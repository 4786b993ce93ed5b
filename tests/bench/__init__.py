"""Benchmarks: each prints ratios of commands that were run side by side in one go, never a bare time.
`python -m tests.bench` (or `make bench`) runs them all."""
