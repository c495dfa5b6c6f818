"""The report: static pages, CSV and JSON made from a league's leaderboards and games."""

import os

# Before NumPy is loaded: with matrices of some hundred bots threads of BLAS wait for each other
# longer than they compute, and the last digits depend on how many there are.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
