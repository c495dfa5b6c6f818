"""A league in which every text is an attack: nothing of it runs, loads or leads anywhere."""

from pathlib import Path

import html5lib
import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import address, watched
from tests.browser.sites import ATTACK
from tests.publish.pages import broken_links, read
from tests.support.sampling import sample

TRIED = """() => ({
  title: document.title,
  scripts: [...document.scripts].map(one => one.getAttribute("src")),
  handlers: [...document.querySelectorAll("*")].flatMap(
    one => one.getAttributeNames().filter(name => name.startsWith("on") || name == "style")),
  strange: document.querySelectorAll("style, img, iframe, object, embed, base, form").length,
  hidden: getComputedStyle(document.querySelector("h1")).display == "none",
  wide: document.documentElement.scrollWidth - innerWidth,
})"""


@pytest.mark.slow
def test_every_page_is_harmless_in_a_browser(browser: Browser, hostile: Path) -> None:
    pages = sorted(hostile.rglob("*.html"))
    assert len(pages) >= 8 + len(ATTACK)
    with watched(browser, viewport={"width": 360, "height": 800}) as page:
        for path in sample(pages, 12, "pages of enemies"):
            page.goto(address(path))
            page.wait_for_load_state()
            found = page.evaluate(TRIED)
            assert all(src and (path.parent / src).is_file() for src in found.pop("scripts"))
            assert found.pop("title") != "owned"
            assert found == {"handlers": [], "strange": 0, "hidden": False, "wide": 0}, path


def test_no_link_leads_out_of_the_site(hostile: Path) -> None:
    assert broken_links(hostile) == []
    for path in hostile.rglob("*.html"):
        assert not any(link.lower().startswith("javascript") for link in read(path).links)


def test_every_page_is_valid(hostile: Path) -> None:
    for path in hostile.rglob("*.html"):
        html5lib.HTMLParser(strict=True).parse(path.read_bytes(), transport_encoding="utf-8")


def test_attacks_are_shown_as_text(browser: Browser, hostile: Path) -> None:
    """Harmless because it is shown as text, not because it was left out."""
    with watched(browser) as page:
        page.goto(address(hostile / "conditions.html"))
        shown = page.inner_text("#bots")
        for name in ATTACK[:4]:
            assert name in shown
        assert r"\x1b[31m\x1b]0;owned\x07\u{202e}gnorts\u{2066}\x00\u{dc80}" in shown


def test_content_security_policy_blocks_injected_scripts(
    browser: Browser, hostile: Path, tmp_path: Path
) -> None:
    """Were a text not escaped, the policy alone would keep scripts, styles and requests away."""
    whole = (hostile / "faults.html").read_text()
    broken = tmp_path / "broken.html"
    attack = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    attack += "<img src='http://192.0.2.1/x.png'><style>h1{display:none}</style>"
    broken.write_text(whole.replace('<main id="main">', f'<main id="main">{attack}'))
    said: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.goto(address(broken))
    page.wait_for_load_state()
    assert not page.title().startswith("owned")
    assert page.locator("h1").is_visible()
    assert sum("Content Security Policy" in text for text in said) >= 3
    page.close()
