"""What the door knows of ladder.yaml, and what it allows itself."""

from msgspec import Struct

from arena.io.yaml_file import convert, parse_yaml
from arena.ladder.door.door import MAX_UPLOAD
from arena.ladder.folder import Folder
from arena.ladder.quota import Quotas


class Terms(Struct, frozen=True):
    """What ladder.yaml says that matters here; the ladder reads and checks all of it."""

    name: str
    quotas: Quotas = Quotas()


class Limits(Struct, frozen=True, kw_only=True):
    """What visitors may use up; times in seconds."""

    body_bytes: int = MAX_UPLOAD
    """Of a submission."""
    body_seconds: float = 60.0
    form_seconds: float = 10.0
    head_seconds: float = 15.0
    """For the head of a request."""
    drain_seconds: float = 5.0
    """For the rest of a body that was refused."""
    uploads: int = 2
    """Submissions of an author at a time."""
    listeners: int = 1_000
    """Streams of events at a time."""
    rate: float = 50.0
    """Requests a second of one address."""
    burst: int = 1_000
    """Requests of one address at once."""
    tries: int = 30
    """Wrong links, cookies and tokens of one address in a minute."""


def terms_of(folder: Folder) -> Terms:
    """Read ladder.yaml; raises ArenaError if it cannot be read."""
    data, marks = parse_yaml(folder.config)
    return convert(data, marks, folder.config, Terms)
