#!/bin/sh
# Sees to a Chromium for the browser tests: the one without windows, which needs a third less processor time, from the
# system, as root; else any Chromium there is; else Playwright's own, by the Playwright of the virtual environment $1.
# Never fails: without one the browser tests are skipped and say so, or fail where all are required.
found() { for name in "$@"; do command -v "$name" >/dev/null && return; done; return 1; }
apt() { "$(dirname "$0")/apt.sh" "$@"; }
found chromium-headless-shell && exit 0
if found chromium chromium-browser google-chrome google-chrome-stable; then
    apt-cache show chromium-headless-shell >/dev/null 2>&1 && apt chromium-headless-shell
    exit 0
fi
ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium*/ >/dev/null 2>&1 && exit 0
echo "No Chromium found; installing one for the browser tests ..."
apt chromium-headless-shell fonts-noto-cjk || apt chromium fonts-noto-cjk && exit 0
[ -x "$1/bin/playwright" ] || exit 0 # asked again when it is there
"$1/bin/playwright" install --only-shell chromium >/dev/null 2>&1 && exit 0
echo "NO BROWSER: a Chromium could be neither found nor installed. The browser tests will not run; install it with your"
echo "system's package manager, or name one in TERCET_CHROMIUM."
exit 0
