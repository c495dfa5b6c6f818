"""What a fixture asked before it was broken off is answered again, once, without a server."""

from pathlib import Path

from arena.bots.models.config import Cap, Caps
from arena.bots.models.gateway import Access
from arena.bots.models.ledger import journal_file
from tests.bots.models.callers import HELLO, model, open_seats
from tests.support.model_server import say, serving

BOTH = ("small",), ("small",)


def test_answers_are_taken_once_each_by_their_seat(tmp_path: Path) -> None:
    with serving(say("hi")) as server:
        access = Access(
            {"small": model(server.url)}, str(tmp_path), journals=str(tmp_path / "kept")
        )
        with access.gateway(["ann", "bob"], "f") as gateway:
            for seat in open_seats(gateway, *BOTH):
                assert seat.ask().text == "hi"
        server.reply = say("other")
        with journal_file(tmp_path / "kept", "f").open("ab") as file:
            file.write(b'\n["ann",{"seat":0,"ga')  # whoever wrote it was killed
        with access.gateway(["ann", "eve"], "f") as gateway:
            [ann, eve] = open_seats(gateway, *BOTH)
            assert [ann.ask().text, ann.ask().text, eve.ask().text] == ["hi", "other", "other"]
        # A third time, ann asks something else first.
        with access.gateway(["ann", "eve"], "f") as gateway:
            [ann, _] = open_seats(gateway, *BOTH)
            assert ann.ask(messages=[*HELLO, *HELLO]).text == "other"
            noted = gateway.sorted_exchanges()
    assert len(server.asked) == 5
    assert [(one.seat, one.answer, one.tokens_in) for one in noted] == [
        *[(0, "other", 100), (0, "", 100), (0, "", 100)],
        (1, "", 100),
    ]


def test_answers_from_a_journal_count_for_the_caps_of_their_game(tmp_path: Path) -> None:
    with serving(say("hi")) as server:
        small = model(server.url, caps=Caps(game=Cap(tokens=200)))
        access = Access({"small": small}, str(tmp_path), journals=str(tmp_path / "kept"))
        codes = []
        for _ in range(2):
            with access.gateway(["ann"], "f") as gateway:
                [ann] = open_seats(gateway, ("small",))
                codes += [ann.ask().status for _ in range(3)]
    assert codes == [200, 200, 429] * 2
    assert len(server.asked) == 2
