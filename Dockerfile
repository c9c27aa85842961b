# zgadka serve: the REST API, the dashboard, and MCP over HTTP. Other commands: docker run zgadka worker, … doctor
#
#   docker build -t zgadka .
#   docker run -p 8765:8765 -v zgadka:/data zgadka
#
# Behind a company's package index: --secret id=pip,src=$HOME/.config/pip/pip.conf

# To pin it: --build-arg BASE=python:3.13-slim@sha256:…, as `docker buildx imagetools inspect python:3.13-slim` says
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
# What of the optional packages goes in. A bot needs chat, and telegram or discord: --build-arg EXTRAS=chat,postgres,telegram
ARG EXTRAS=embed,mcp,postgres,serve
WORKDIR /source
# With requirements.txt (docs/deployment.md: how it is made), every package has the version and the hash that it names.
COPY pyproject.toml README.md LICENSE requirements.tx[t] ./
COPY src ./src
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    python -m venv /opt/zgadka \
    && if [ -f requirements.txt ]; then \
        /opt/zgadka/bin/pip install --no-cache-dir --no-compile --require-hashes -r requirements.txt \
        && /opt/zgadka/bin/pip install --no-cache-dir --no-compile --no-deps . \
        && /opt/zgadka/bin/pip check; \
    else \
        /opt/zgadka/bin/pip install --no-cache-dir --no-compile ".[${EXTRAS}]"; \
    fi \
    && /opt/zgadka/bin/pip uninstall --yes --quiet pip \
    && /opt/zgadka/bin/python -m compileall -q -j 0 /opt/zgadka/lib

FROM ${BASE}
RUN groupadd --system --gid 10001 zgadka \
    && useradd --system --uid 10001 --gid zgadka --home-dir /data --shell /usr/sbin/nologin zgadka \
    && install --directory --owner=zgadka --group=zgadka --mode=0700 /data
COPY --from=build /opt/zgadka /opt/zgadka
ENV PATH=/opt/zgadka/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ZGADKA_DATABASE=sqlite:////data/memory.db \
    ZGADKA_SERVE_LISTEN=0.0.0.0:8765
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
# Of `zgadka serve`; for other commands: docker run --no-healthcheck
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/health/live', timeout=4)"]
ENTRYPOINT ["zgadka"]
CMD ["serve"]
