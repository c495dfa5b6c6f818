"""A league on many machines, by way of Dask: the only room that imports it.

`link` is the arena's end, `depot` lives in the scheduler, `outpost` in each worker.
"""
