"""The API of the web door and its description."""
