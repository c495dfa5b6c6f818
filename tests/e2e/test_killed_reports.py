"""Reports that are killed while they are written: a reader never sees half a page."""

import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

from arena.publish.site_folder import FRONT, MANIFEST, STAGING
from tests.cli.command import league, run
from tests.e2e import kills
from tests.e2e.live import Live
from tests.publish.pages import broken_links, read, tree
from tests.support import sampling
from tests.support.depth import depth

KILLS = depth(1, 20)


class Report(NamedTuple):
    """A league that is at its end, so that `arena run` only writes its report, and that report."""

    arguments: tuple[str, ...]
    pages: dict[str, bytes]


def _report(folder: Path, name: str, bots: list[str]) -> Report:
    """Play a league in a folder; its report is written to the `site` there."""
    league(folder, bots=bots, games=1, name=name).rename(folder / f"{name}.yaml")
    arguments = ("run", f"{name}.yaml", *kills.PLAY, "--store", f"{name}.sqlite", "--site", "site")
    ran = run(*arguments, cwd=folder)
    assert ran.code == int("cheat" in bots), ran.err
    return Report(arguments, _pages(folder / "site"))


def _pages(site: Path) -> dict[str, bytes]:
    """Return all that a reader sees of a site."""
    found = tree(site).items()
    return {path: page for path, page in found if STAGING not in path and path != MANIFEST}


def _wait_for_pages(
    live: Live, site: Path, report: Report, part: float, read: Callable[[], None]
) -> None:
    """Wait until a part of a report is written (0 to 1), or moved into its place (1 to 2).

    Meanwhile `read` is called again and again.
    """
    most, pages = 0, len(report.pages)
    while live.process.poll() is None:
        now = sum(len(files) for one in site.glob(f"{STAGING}*") for _, _, files in os.walk(one))
        most = max(most, now)
        if (now and now >= part * pages) or (part > 1 and most - now > (part - 1) * pages):
            return
        read()
        kills.wait(live, 0.001)


def _check_links(site: Path, copy: Path) -> None:
    """Check the links of all pages to which links lead; anchors may be those of another report.

    Pages of an earlier report that were about to be removed may still be there.
    """
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns(f"{STAGING}*"))
    for page in set(copy.rglob("*.html")) - _linked(copy / FRONT):
        page.unlink()
    assert [link for link in broken_links(copy) if "#" not in link] == []
    shutil.rmtree(copy)


def _linked(front: Path) -> set[Path]:
    """Return the pages that a reader gets to from the front page, by any number of links."""
    found, new = set[Path](), {front}
    while new:
        found |= new
        links = ((page, urlsplit(link).path) for page in new for link in read(page).links)
        targets = {page.parent.joinpath(unquote(path)).resolve() for page, path in links if path}
        new = {page for page in targets - found if page.suffix == ".html" and page.exists()}
    return found


@pytest.mark.slow
def test_a_report_that_is_killed_leaves_a_site_that_can_be_read(tmp_path: Path) -> None:
    rng, killed, site = sampling.random("killed reports"), 0, tmp_path / "site"
    mark = kills.write_bots(tmp_path)
    one = _report(tmp_path, "one", ["ann", "bob"])
    two = _report(tmp_path, "two", ["bob", "cheat", "sample:honest"])
    both = sorted(one.pages.keys() & two.pages.keys())

    def read() -> None:
        path = rng.choice(both)
        assert (site / path).read_bytes() in (one.pages[path], two.pages[path])

    for report in itertools.cycle((one, two)):
        with Live(*report.arguments, cwd=tmp_path, mark=mark) as live:
            _wait_for_pages(live, site, report, rng.uniform(0.0, 2.0), read)
            if live.process.poll() is None:
                kills.kill(kills.family(live))
                killed += 1
            kills.wait_until_all_are_gone(live)
        for path, page in _pages(site).items():
            assert page in (one.pages.get(path), two.pages.get(path)), path
        _check_links(site, tmp_path / "copy")
        if killed == KILLS:
            break
    env = {"TMPDIR": str(tmp_path / "temporary")}
    for code, last in enumerate((one, two)):
        assert run(*last.arguments, cwd=tmp_path, env=env).code == code
    assert _pages(site) == two.pages
    kills.check_nothing_is_left(tmp_path, mark)
