"""The display face, embedded: browsers load no fonts from a file system."""

from base64 import b64encode

from arena.io import shipped

FAMILY = "Perudo Display"


def font_css() -> str:
    """Return the style sheet that holds the face; reports/fonts/ says where it is from."""
    data = shipped.font().read_bytes()
    source = f"url(data:font/woff2;base64,{b64encode(data).decode()}) format('woff2')"
    return (
        f"@font-face {{ font-family: '{FAMILY}'; font-weight: 700; font-display: swap;"
        f" src: {source}; }}\n"
    )
