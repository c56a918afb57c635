#!/bin/sh
# Sees to a Chromium for the browser tests: the system's, or installed by the system (as root), or Playwright's own,
# by the Playwright of the virtual environment $1.
# Never fails: without one the browser tests are skipped and say so, or fail where all are required.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done
ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium*/ >/dev/null 2>&1 && exit 0
echo "No Chromium found; installing one for the browser tests ..."
"$(dirname "$0")/apt.sh" chromium fonts-noto-cjk && exit 0
[ -x "$1/bin/playwright" ] || exit 0 # asked again when it is there
"$1/bin/playwright" install chromium >/dev/null 2>&1 && exit 0
echo "NO BROWSER: a Chromium could be neither found nor installed. The browser tests will not run; install it with your"
echo "system's package manager, or name one in TERCET_CHROMIUM."
exit 0
