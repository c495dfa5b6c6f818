"""The example answers of hints: legal where they are shown."""

import pytest

from arena.author.check.hints.fault import legal_answer


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        ('{"type": "hello", "seed": 3}', '{"type": "ready"}'),
        (
            '{"type": "turn", "id": 5, "raises": [{"face": 2, "min": 9, "max": 10}], "dudo": true}',
            '{"id": 5, "action": "bid", "quantity": 9, "face": 2}',
        ),
        (
            '{"type": "turn", "id": 6, "raises": [], "dudo": true}',
            '{"id": 6, "action": "dudo"}',
        ),
        ('{"type": "calza", "id": 8}', '{"id": 8, "action": "pass"}'),
        ('{"type": "round_end"}', '{"id": 7, "action": "bid", "quantity": 3, "face": 4}'),
        ("", '{"id": 7, "action": "bid", "quantity": 3, "face": 4}'),
    ],
)
def test_example_is_legal_for_what_was_sent(sent: str, answer: str) -> None:
    assert legal_answer(sent) == answer
