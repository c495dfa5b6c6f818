"""All games of some fixtures as arrays, and what a report says of them."""
