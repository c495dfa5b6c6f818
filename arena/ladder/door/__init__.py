"""The door: authors, submissions and orders, from this machine or over HTTP; it runs nothing."""
