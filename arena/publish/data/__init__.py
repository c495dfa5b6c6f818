"""The data files of a site: CSV, JSON, Parquet and their schemas."""
