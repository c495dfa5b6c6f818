"""Data that unpacks to far more than it should: no more is unpacked than is allowed."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.io.files import inflate


@given(st.binary(max_size=300), st.integers(0, 10))
def test_data_within_the_limit_is_returned(data: bytes, spare: int) -> None:
    assert inflate(zlib.compress(data), len(data) + spare) == data


@given(st.binary(min_size=1, max_size=300))
def test_data_beyond_the_limit_is_refused(data: bytes) -> None:
    with pytest.raises(zlib.error, match="unpacks to more than"):
        inflate(zlib.compress(data), len(data) - 1)


@given(st.binary(max_size=300), st.data())
def test_data_that_is_cut_off_is_refused(data: bytes, draw: st.DataObject) -> None:
    packed = zlib.compress(data)
    with pytest.raises(zlib.error):
        inflate(packed[: draw.draw(st.integers(0, len(packed) - 1))], 1000)
