"""The checks of submitted versions, before they play for anything."""
