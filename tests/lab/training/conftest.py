"""Training needs the extra `train`; where there is none, its tests are left out."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["test_training.py"]
