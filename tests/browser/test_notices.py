"""Notifications while the page is closed, as a browser shows them; pushes come from the browser's developer tools."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.support.push_service import Receiver
from tests.support.waiting import until

from .seats import Meet
from .table import Server, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.page]

# Chromium would ask its push service, which no test can reach.
SUBSCRIBED = """(given) => {
    let made = null;
    PushManager.prototype.getSubscription = async () => made;
    PushManager.prototype.subscribe = async (how) => {
        if (!how.userVisibleOnly || how.applicationServerKey.length !== 87) throw new Error("wrong options");
        const { endpoint, p256dh, auth } = given;
        made = { toJSON: () => ({ endpoint, keys: { p256dh, auth } }), unsubscribe: async () => (made = null) };
        return made;
    };
}"""


def signed_up(meet: Meet, server: Server, handle: str) -> Page:
    page = meet(service_workers="allow")
    sign_up(page, server, handle)
    return page


def at_work(page: Page, server: Server) -> None:
    page.goto(server.base)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def settings(page: Page, server: Server) -> None:
    at_work(page, server)
    page.get_by_role("button", name="Settings").click()


def test_notices_are_switched_on_for_a_device(meet: Meet, server: Server) -> None:
    page = signed_up(meet, server, "nadia")
    page.context.grant_permissions(["notifications"], origin=server.base)
    page.add_init_script(f"({SUBSCRIBED})({json.dumps(Receiver('nadia', '9.9.9.9').data)})")
    settings(page, server)
    notices = page.get_by_role("group", name="Notifications while the page is closed")
    here = notices.get_by_role("checkbox", name="Show notifications on this device")
    expect(here).not_to_be_checked()
    assert notices.get_by_role("checkbox").count() == 1, "what for is asked afterwards"
    here.focus()
    page.keyboard.press("Space")
    occasions = notices.get_by_role("group", name="Notify me about").get_by_role("checkbox")
    expect(occasions).to_have_count(5)
    notices.get_by_role("checkbox", name="Challenges").uncheck()
    until(lambda: page.request.get(f"{server.base}/api/me/notices").json()["occasions"][2]["on"] is False)
    here.uncheck()
    expect(occasions).to_have_count(0)
    assert page.request.get(f"{server.base}/api/me/notices").json()["device"] is False


def test_a_page_says_why_there_are_no_notices(meet: Meet, server: Server) -> None:
    page = meet(service_workers="allow")
    settings(page, server)
    page.get_by_role("link", name="Sign in to get notifications while the page is closed.").wait_for()
    page = signed_up(meet, server, "olaf")
    page.add_init_script("delete window.PushManager")
    settings(page, server)
    page.get_by_text("This browser cannot show notifications while the page is closed.").wait_for()
    page = signed_up(meet, server, "petra")
    page.add_init_script("Notification.requestPermission = async () => 'denied'")
    settings(page, server)
    here = page.get_by_role("checkbox", name="Show notifications on this device")
    here.click()
    page.get_by_role("alert").get_by_text("Your browser blocks notifications for this site.").wait_for()
    expect(here).not_to_be_checked()


# A browser without windows lets no page show notices: what the worker would show is kept instead.
KEEPING = """() => {
    self.shown = [];
    registration.showNotification = async (title, about) => void shown.push({ title, ...about });
}"""
CLICKED = """async () => {
    const to = [], waiting = [];
    WindowClient.prototype.focus = async function () { return this; };
    WindowClient.prototype.navigate = async function (address) { to.push(address); };
    const notification = { data: shown[0].data, close: () => to.push("closed") };
    const event = Object.assign(new Event("notificationclick"), { notification });
    event.waitUntil = (work) => waiting.push(work);
    dispatchEvent(event);
    await Promise.all(waiting);
    return to;
}"""


def test_the_worker_shows_what_is_pushed_and_a_click_opens_the_table(meet: Meet, server: Server) -> None:
    page = meet(service_workers="allow")
    network = page.context.new_cdp_session(page)
    registrations: list[str] = []
    network.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: registrations.extend(one["registrationId"] for one in told["registrations"]),
    )
    at_work(page, server)
    network.send("ServiceWorker.enable")
    until(lambda: page.evaluate("1") and registrations)
    (worker,) = page.context.service_workers
    worker.evaluate(KEEPING)
    notice = {"title": "Your turn", "body": "SanQi · Ann", "path": "/t/abc"}
    pushed = {"origin": server.base, "registrationId": registrations[-1], "data": json.dumps(notice)}
    network.send("ServiceWorker.deliverPushMessage", pushed)
    until(lambda: worker.evaluate("shown.length"))
    icon = "/assets/icon192.png"
    about = {"title": "Your turn", "body": "SanQi · Ann", "tag": "/t/abc", "data": "/t/abc", "icon": icon}
    assert worker.evaluate("shown") == [about]
    assert page.request.get(server.base + icon).ok
    assert worker.evaluate(CLICKED) == ["closed", f"{server.base}/t/abc"]


CHANGED = """async (given) => {
    PushManager.prototype.subscribe = async (how) => {
        if (!how.userVisibleOnly || how.applicationServerKey.length !== 87) throw new Error("wrong options");
        return { toJSON: () => given };
    };
    const waiting = [];
    const event = Object.assign(new Event("pushsubscriptionchange"), { waitUntil: (work) => waiting.push(work) });
    dispatchEvent(event);
    await Promise.all(waiting);
}"""


def test_a_subscription_that_the_browser_ends_is_made_again(meet: Meet, server: Server) -> None:
    """By the worker, though no page is open; and not for who wants no notices here."""
    page = signed_up(meet, server, "quinn")
    at_work(page, server)
    (worker,) = page.context.service_workers
    old, new = Receiver("old", "9.9.9.9").data, Receiver("new", "9.9.9.9").data
    given = {"endpoint": new["endpoint"], "keys": {"p256dh": new["p256dh"], "auth": new["auth"]}}

    def endpoints() -> list[str]:
        told = page.request.get(f"{server.base}/api/me/export").json()
        return [one["endpoint"] for one in told["noticeDevices"]]

    worker.evaluate(CHANGED, given)
    assert endpoints() == []
    assert page.request.post(f"{server.base}/api/me/notices/device", data=old).ok
    worker.evaluate(CHANGED, given)
    assert endpoints() == [new["endpoint"]]
