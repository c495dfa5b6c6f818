"""What visitors may use up, taken by many threads of the door at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.ladder.web.served import Buckets


@pytest.mark.usefixtures("hasty")
def test_no_token_is_taken_twice() -> None:
    bucket = Buckets(0.0, 500)
    with ThreadPoolExecutor(8) as threads:
        taken = threads.map(bucket.take, ["an address"] * 2_000)
    assert sum(taken) == 500
