"""Scenario text and links are data: nothing in them runs."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
from lab_page import LabPage
from scenarios import SHORT, deflated, fragment

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext
    from static_site import Site

CODE = (
    '<img src="x" onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    "</title></style></textarea><svg onload=window.hacked=1>",
    "javascript:window.hacked=1//${window.hacked = 1}",
)


def hostile(code: str) -> str:
    """Return SHORT with code wherever a scenario has text of its author."""
    text = json.dumps(code)
    return f"# {code}\nname = {text}\n" + SHORT.replace("count = 2", f"name = {text}").replace(
        'direction = "up"', f'direction = "up", name = {text}'
    ).replace('direction = "down"', f'direction = "down", name = {json.dumps(code + " 2")}')


def see_everything(lab: LabPage) -> None:
    lab.page.get_by_role("button", name="Pin as A").click()
    lab.field("cell.queue").select_option("las")
    lab.settle()
    for tab in lab.page.get_by_role("tab").all():
        tab.click()


def assert_nothing_ran(lab: LabPage) -> None:
    assert lab.page.evaluate("window.hacked") is None
    scripts = lab.page.locator("script").evaluate_all("all => all.map((script) => script.src)")
    assert [script.rpartition("/")[2] for script in scripts] == ["main.js"]
    assert lab.page.locator("img[src=x], svg[onload]").count() == 0


@pytest.mark.parametrize("code", CODE)
def test_text_of_a_scenario_is_never_executed(lab: LabPage, code: str) -> None:
    lab.edit(hostile(code))
    lab.settle()
    assert lab.page.get_by_role("alert").count() == 0
    see_everything(lab)
    assert_nothing_ran(lab)


@pytest.mark.parametrize("code", CODE)
def test_a_link_runs_no_code(
    context: BrowserContext, site: Site, code: str, tmp_path: Path
) -> None:
    lab = LabPage(context, site.address)
    lab.open(fragment(hostile(code)))
    see_everything(lab)
    assert_nothing_ran(lab)
    lab.show("Pictures")
    figure = lab.page.locator('figure[data-picture="goodput"]')
    figure.locator("summary").click()
    with lab.page.expect_download() as download:
        figure.get_by_role("button", name="Picture (SVG)").click()
    download.value.save_as(tmp_path / "picture.svg")
    # A picture that is opened on its own may not run it either.
    other = context.new_page()
    other.goto((tmp_path / "picture.svg").as_uri())
    assert other.evaluate("window.hacked") is None
    assert lab.errors == []


@pytest.mark.parametrize(
    "link",
    [
        "#scenario=%00%ff",
        "#scenario=!!!!",
        "#scenario=" + base64.urlsafe_b64encode(deflated(b"\xff\xfe\x00")).decode(),
        "#scenario=" + base64.urlsafe_b64encode(deflated(SHORT.encode())[:-20]).decode(),
        "#scenario=" + base64.urlsafe_b64encode(deflated(bytes(200_000_000))).decode(),
        "#seed=1e99&seeds=-5&section=%3Cb%3E&tour=../../etc/passwd/9",
        "#javascript:window.hacked=1",
        "#" + "&" * 10_000,
    ],
    ids=["bytes", "letters", "utf-8", "cut", "bomb", "fields", "scheme", "empty fields"],
)
def test_a_broken_link_leaves_a_working_page(
    context: BrowserContext, site: Site, link: str
) -> None:
    """One line says so, where the scenario cannot be read."""
    lab = LabPage(context, site.address)
    lab.page.goto(site.address + link)
    if link.startswith("#scenario"):
        assert "link" in lab.error()
    lab.settle()
    lab.edit(SHORT)
    lab.settle()
    assert_nothing_ran(lab)
    assert lab.errors == []


def test_the_policy_refuses_inline_scripts_and_other_hosts(
    context: BrowserContext, site: Site
) -> None:
    lab = LabPage(context, site.address).open(fragment(SHORT))
    # From a timer: the policy does not hold for what the test itself evaluates.
    refused = lab.page.evaluate(
        """() => new Promise((resolve) => setTimeout(async () => {
          const refused = [];
          addEventListener("securitypolicyviolation", (event) =>
            refused.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.hacked = 1";
          document.body.append(script);
          const picture = document.createElement("div");
          picture.innerHTML = '<img src="data:," onerror="window.hacked = 1">';
          document.body.append(picture);
          await fetch("http://127.0.0.2:9/").catch(() => undefined);
          try { window.hacked = eval("1"); } catch { /* as it should be */ }
          setTimeout(() => resolve(refused), 200);
        }))"""
    )
    assert lab.page.evaluate("window.hacked") is None
    assert {"script-src-elem", "script-src-attr", "script-src", "connect-src"} <= set(refused)
