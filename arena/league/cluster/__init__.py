"""A league on many machines, by way of Dask: the only package that imports it."""
