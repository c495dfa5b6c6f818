"""What other sites show of a link: titles, descriptions, a picture; and names in ASCII."""

import zlib
from pathlib import Path
from struct import unpack

import pytest

from arena.publish.links import ascii_name, file_stems
from arena.publish.pages.pictures import HEIGHT, PICTURE, WIDTH, podium
from tests.publish.in_memory import write_site
from tests.publish.pages import XHTML, document
from tests.support import factory

ADDRESS = "https://example.org/cup"


def metas(path: Path) -> dict[str, str]:
    return {
        meta.get("property") or meta.get("name") or "": meta.get("content")
        for meta in document(path).iter(f"{XHTML}meta")
    }


@pytest.mark.slow
def test_every_page_has_a_title_and_a_description_to_share(tmp_path: Path) -> None:
    write_site(*factory.sample(), tmp_path)
    for path in tmp_path.rglob("*.html"):
        found = metas(path)
        assert found["og:title"]
        assert found["description"] == found["og:description"]
        assert "may be first" in found["description"]
        assert "og:image" not in found
    assert not (tmp_path / PICTURE).exists()


@pytest.mark.slow
def test_site_with_an_address_has_absolute_links_and_a_picture(tmp_path: Path) -> None:
    write_site(*factory.sample(), tmp_path, url=ADDRESS)
    for path in tmp_path.rglob("*.html"):
        found, page = metas(path), path.relative_to(tmp_path).as_posix()
        assert found["og:url"] == f"{ADDRESS}/{page}"
        assert found["og:image"] == f"{ADDRESS}/{PICTURE}"
    assert f'href="{ADDRESS}/feed.xml"' in (tmp_path / "feed.xml").read_text()
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")


def pixels(picture: bytes) -> bytes:
    """The colours of a picture, row by row."""
    assert unpack(">II", picture[16:24]) == (WIDTH, HEIGHT)
    start = picture.index(b"IDAT")
    [size] = unpack(">I", picture[start - 4 : start])
    rows = zlib.decompress(picture[start + 4 : start + 4 + size])
    return b"".join(rows[at + 1 : at + 1 + 3 * WIDTH] for at in range(0, len(rows), 3 * WIDTH + 1))


def test_picture_holds_any_names_and_is_the_same_again() -> None:
    long, strange = "W" * 200, "\u9ab0\u5b50\x00\u202e"
    made = [podium(long, " ".join([long] * 5), [strange, long, "Zo\u00eb"]) for _ in range(2)]
    assert made[0] == made[1]
    assert len(pixels(made[0])) == 3 * WIDTH * HEIGHT
    assert len(made[0]) < 60_000
    assert podium("A", "B", []) != podium("A", "C", [])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Zo\u00eb's bot", "Zoe's bot"),
        ("\u041a\u0443\u0431\u0438\u043a", "Kubik"),
        ("\u0391\u03b8\u03ae\u03bd\u03b1", "Athina"),
        ("Stra\u00dfe", "Strasse"),
        ("\u9ab0\u5b50", ""),
        ("plain_1", "plain_1"),
    ],
)
def test_names_are_written_in_ascii(name: str, shown: str) -> None:
    assert ascii_name(name) == shown


def test_file_names_keep_names_readable() -> None:
    names = ["Zo\u00eb", "zoe", "\u041a\u0443\u0431\u0438\u043a", "\u9ab0\u5b50"]
    stems = file_stems(names)
    assert [stem.rpartition("-")[0] or stem for stem in stems.values()] == [
        "zoe",
        "zoe",
        "kubik",
        "x",
    ]
    assert len(set(stems.values())) == len(names)


@pytest.mark.slow
def test_no_two_kinds_of_pages_have_the_same_title_or_description(tmp_path: Path) -> None:
    write_site(*factory.sample(), tmp_path)
    found = [metas(path) for path in tmp_path.glob("*.html")]
    for key in ("og:title", "description"):
        said = [page[key] for page in found]
        assert len({*said}) == len(said), said
