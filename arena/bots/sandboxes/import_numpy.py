"""What `import numpy` finds first in a sandbox, as `numpy.py`: standard library only.

Beside it is the arena's numpy, in a folder with the name of what it was compiled for (SOABI of
`sysconfig`). A Python that cannot load it gets its own, if it has one.
"""

import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path


def import_real() -> None:
    """Import numpy in the place of this module; raises ModuleNotFoundError if there is none."""
    here = Path(__file__).absolute().parent
    (numpy,) = here.glob("*/numpy")
    made_for = numpy.parent.name
    fits = f".{made_for}.so" in EXTENSION_SUFFIXES
    before = list(sys.path)
    others = [entry for entry in before if Path(entry).absolute() != here]
    sys.path[:] = [str(numpy.parent), *others] if fits else others
    del sys.modules["numpy"]
    try:
        import_module("numpy")
    except ModuleNotFoundError as error:
        if fits or error.name != "numpy":
            raise
        number = made_for.split("-")[1]
        what = "the arena's numpy is for Python {}.{}, the bot runs Python {}.{}, which has none"
        text = what.format(number[0], number[1:], *sys.version_info)
        raise ModuleNotFoundError(text, name="numpy") from None
    finally:
        sys.path[:] = before


if __name__ == "numpy":
    import_real()
