# The page, then the package with it, then what runs.
FROM node:22-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --omit=dev
COPY web ./
# the fonts that travel with the page have the characters that the games write
COPY src/tercet/games /src/src/tercet/games
COPY src/tercet/server/web/pages.json /src/src/tercet/server/web/
RUN npm run build -- --outDir /page --emptyOutDir

FROM python:3.12-slim AS run
# Kernels are compiled for this kind of processor, not for the one that builds the image: hosts differ.
ARG CPU=x86-64-v2
ENV NUMBA_CPU_NAME=$CPU NUMBA_CPU_FEATURES=
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 TERCET_CACHE=/var/cache/tercet TERCET_DATA=/var/lib/tercet
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE requirements.lock ./
COPY src ./src
COPY --from=page /page ./src/tercet/server/page
RUN pip install '.[all,large,notices]' -c requirements.lock \
 && useradd --system --uid 10001 tercet \
 && install -d -o tercet -g tercet /var/lib/tercet /var/cache/tercet
USER tercet
# Everything is compiled now, so that the first game of a new container need not wait for it.
RUN tercet warm
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
CMD ["tercet", "serve", "--host", "0.0.0.0", "--port", "8000", "--no-browser", "--log", "json"]
