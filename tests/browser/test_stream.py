"""Pages that follow a ladder, behind a proxy that fails for a while."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Response, Route

from tests.browser.test_door import link, log_in, visiting
from tests.ladder.web.doors import door_of, ladder

pytestmark = pytest.mark.slow

EVENTS = "**/events*"


def test_a_stream_comes_back_after_an_error_of_a_proxy(browser: Browser, tmp_path: Path) -> None:
    with door_of(ladder(tmp_path)) as door, visiting(browser) as page:
        log_in(page, link(door, "ann"))
        failures, statuses = [502, 503], list[int]()

        def answer(route: Route) -> None:
            if failures:
                route.fulfill(status=failures.pop(0), body="the door starts again")
            else:
                route.continue_()

        def note(response: Response) -> None:
            if "/events" in response.url:
                statuses.append(response.status)

        page.clock.install()
        page.route(EVENTS, answer)
        page.on("response", note)
        page.goto(f"{door.base}/")
        for _ in range(1_000):
            page.clock.run_for(1_000)
            if 200 in statuses:
                break
        assert statuses == [502, 503, 200]
