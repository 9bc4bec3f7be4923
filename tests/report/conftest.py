"""A headless Chromium, or a reason for having none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from report_paths import made_up_path

import sparsieve as sv

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install playwright"
    )
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        # Containers run as root, where Chromium's own sandbox refuses to start.
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Visit:
    """A loaded report, with everything it complained about or asked the network for."""

    def __init__(self, browser: Any, file: Any, scheme: str = "light") -> None:
        self.page = browser.new_page(
            viewport={"width": 1200, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        self.complaints: list[str] = []
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def _refuse(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def names(self) -> list[str]:
        return self.page.locator("#table tbody td:first-child").all_text_contents()

    def coefficients(self) -> list[float]:
        texts = self.page.locator("#table tbody td:nth-child(2)").all_text_contents()
        return [float(text.replace("\u2212", "-")) for text in texts]


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    visits: list[Visit] = []

    def open_page(file: Any, scheme: str = "light") -> Visit:
        visits.append(Visit(browser, file, scheme))
        return visits[-1]

    yield open_page
    for each in visits:
        assert each.complaints == []
        assert each.dialogs == []
        # The file itself is the only thing ever loaded; downloads are blobs made by the page.
        assert [url for url in each.requests[1:] if not url.startswith("blob:")] == []
        each.page.close()


@pytest.fixture(scope="session")
def big_path() -> sv.Path:
    """20,000 features and 100 alphas, up to 1,500 of them selected."""
    return made_up_path(20_000, list(np.linspace(0, 1500, 100).astype(int)))
