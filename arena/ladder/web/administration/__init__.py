"""The pages and orders of administrators."""
