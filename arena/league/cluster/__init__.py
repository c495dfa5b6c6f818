"""A league on many machines, by way of Dask: the only package that imports it.

`client` is the arena's end, `scheduler_plugin` runs in the scheduler, `tasks` and `worker` run in
each worker.
"""
