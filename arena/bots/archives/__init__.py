"""Archives of bots: read entry by entry, nothing but plain files and folders."""
