#!/bin/sh
# Sees to a Chromium for the browser tests: the system's, or installed by the system (as root), or Playwright's own.
# Never fails: without one the browser tests are skipped and say so.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null && exit 0
done
ls "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}"/chromium*/ >/dev/null 2>&1 && exit 0
echo "No Chromium found; installing one for the browser tests ..."
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq chromium fonts-noto-cjk; } >/dev/null 2>&1 && exit 0
fi
"$1/bin/playwright" install chromium >/dev/null 2>&1 && exit 0
echo "NO BROWSER: a Chromium could be neither found nor installed. The browser tests will be skipped."
exit 0
