"""Charts, pictures, marks and fonts of the pages."""
