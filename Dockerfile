# Two images, neither of which runs as root:
#
#   docker build -t lycosa .                          the command alone: docker run --rm -it -v "$PWD:/crawls" lycosa crawl …
#   docker build -t lycosa-source --target source .   the project:       docker run --rm -it lycosa-source make demo (or make test)

FROM python:3.12-slim AS source
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 1000 spider
USER spider
# WORKDIR alone would create the folder for root, and nothing could be installed into it.
RUN mkdir /home/spider/lycosa
WORKDIR /home/spider/lycosa
COPY --chown=spider . .
RUN make install
CMD ["make", "demo"]

FROM python:3.12-slim AS command
COPY pyproject.toml README.md LICENSE /tmp/lycosa/
COPY native /tmp/lycosa/native
COPY tools/build_native.py /tmp/lycosa/tools/build_native.py
COPY src /tmp/lycosa/src
# The compiler makes what is in native, and goes again.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && pip install --no-cache-dir '/tmp/lycosa[learn,ontology,parquet]' \
    && apt-get purge --yes --auto-remove gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/* /tmp/lycosa
RUN useradd --create-home --uid 1000 spider \
    && install --directory --owner spider /crawls
USER spider
WORKDIR /crawls
VOLUME /crawls
ENTRYPOINT ["lycosa"]
CMD ["--help"]
