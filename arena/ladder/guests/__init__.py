"""Tables at which visitors play against versions of the field; nothing of them is rated."""
