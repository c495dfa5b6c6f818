"""The filter denies exactly what the table says."""

import errno
from struct import iter_unpack, pack, unpack_from

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.sandboxes.kernel.denied import ARCHES, NUMBERS, Denial, bpf_filter, denials
from tests.support.depth import depth

ALLOWED, ERROR, KILLED = 0x7FFF0000, 0x00050000, 0x80000000
X32 = 0x40000000
EDGES = (0, 1, 2, 3, 10, 11, 38, 40, 0x21, 0x22, 1024, 1026, 1 << 17, 1 << 28, 0x11, 0xFFFFFFFF)


def verdict(program: bytes, number: int, arguments: list[int], arch: int) -> int:
    """Run a filter as the kernel does: a machine with one register that only jumps forward."""
    data = pack("=IIQ6Q", number, arch, 0, *arguments)
    steps = list(iter_unpack("=HBBI", program))
    register = at = 0
    while True:
        code, then, otherwise, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (register,) = unpack_from("=I", data, value)
        elif code == 0x54:
            register &= value
        else:
            holds = {0x15: register == value, 0x25: register > value, 0x45: register & value != 0}
            at += then if holds[code] else otherwise


def applies(denial: Denial, arguments: list[int]) -> bool:
    argument = arguments[denial.argument]
    return {
        "": True,
        "==": argument & denial.mask == denial.value,
        ">": argument > denial.value,
    }[denial.op]


def numbers(machine: str) -> dict[str, int]:
    column, _ = ARCHES[machine]
    # mypy does not see that the condition rules out None.
    return {name: row[column] for name, row in NUMBERS.items() if row[column] is not None}  # type: ignore[misc]


@settings(max_examples=depth(100, 400), deadline=None)
@given(
    machine=st.sampled_from(sorted(ARCHES)),
    memory_capped=st.booleans(),
    name=st.sampled_from(sorted(NUMBERS)),
    low=st.lists(st.sampled_from(EDGES) | st.integers(0, 2**32 - 1), min_size=6, max_size=6),
    high=st.sampled_from([0, 0, 0, 1 << 32]),
)
def test_filter_denies_what_the_table_denies(
    machine: str, memory_capped: bool, name: str, low: list[int], high: int
) -> None:
    if name not in numbers(machine):
        return
    arguments = [value | high for value in low]
    table = [
        one
        for one in denials(memory_capped=memory_capped)
        if one.name == name and applies(one, arguments)
    ]
    filter_ = bpf_filter(denials(memory_capped=memory_capped), machine)
    result = verdict(filter_, numbers(machine)[name], arguments, ARCHES[machine][1])
    assert result == (ERROR | table[0].errno if table else ALLOWED)


@pytest.mark.parametrize("machine", sorted(ARCHES))
def test_other_calls_pass_and_other_architectures_die(machine: str) -> None:
    filter_ = bpf_filter(denials(), machine)
    arch = ARCHES[machine][1]
    known = set(numbers(machine).values())
    others = set(range(460)) - known
    assert {verdict(filter_, number, [2**64 - 1] * 6, arch) for number in others} == {ALLOWED}
    assert verdict(filter_, 0, [0] * 6, arch ^ 1) == KILLED
    assert verdict(filter_, X32, [0] * 6, arch) == ERROR | errno.EPERM


def test_machine_with_unknown_call_numbers_allows_everything() -> None:
    assert verdict(bpf_filter(denials(), "riscv64"), 0, [0] * 6, 0) == ALLOWED


def test_every_number_is_used_and_unique() -> None:
    assert {denial.name for denial in denials(memory_capped=False)} == set(NUMBERS)
    for machine in ARCHES:
        assert len(set(numbers(machine).values())) == len(numbers(machine))


def test_uncapped_memory_denies_shared_memory() -> None:
    more = {denial.name for denial in set(denials(memory_capped=False)) - set(denials())}
    assert more == {"memfd_create", "mmap", "shmget"}


def test_threads_and_children_are_allowed() -> None:
    """The flags that the C library's fork and pthread_create pass to clone."""
    clone = [one for one in denials() if one.name == "clone"]
    for flags in (0x01200011, 0x003D0F00, 0x00004111):
        assert not any(applies(one, [flags]) for one in clone)
    assert all(applies(one, [one.value | 0x11]) for one in clone)
    namespaces = {1 << 28, 1 << 30, 1 << 17}
    assert namespaces <= {one.value for one in clone}, "user, network, mount"
