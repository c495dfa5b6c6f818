"""The images that containers are made of, one for each runtime."""

IMAGES = {
    "python": "perudo-arena/python",
    "node": "perudo-arena/node",
    "c": "perudo-arena/c",
    "any": "perudo-arena/any",
}
"""By runtime; `images` in league.yaml names others."""
