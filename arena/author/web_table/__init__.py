"""A table in the browser, at which a person plays: what is shown, the page, and its server."""
