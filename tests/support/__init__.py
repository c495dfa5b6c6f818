"""Shared by several test packages."""
