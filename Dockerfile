# The service as an image: built once, run as `node` without root, on a read-only file system (only /data is written, and only by embedded stores).
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY client/package.json client/tsconfig.json client/tsconfig.commonjs.json ./client/
COPY web/package.json ./web/
COPY test/mutants/package.json ./test/mutants/
COPY test/client/compilers ./test/client/compilers
# The sources come later, so the packages stay cached; `prepare` would build them.
RUN npm ci --ignore-scripts
COPY src ./src
COPY client ./client
COPY client-python ./client-python
COPY web ./web
# The pages of the documentation are made of these.
COPY docs ./docs
COPY deploy ./deploy
COPY examples ./examples
COPY CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24.21.0-bookworm-slim
# Room for what requests hold while they wait for a store: less of it is copied (as in `npm start`).
ENV NODE_OPTIONS=--max-semi-space-size=64
ENV NODE_ENV=production COUNTERFOIL_HOST=0.0.0.0 COUNTERFOIL_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json README.md LICENSE ./
RUN ln -s /app/dist/cli/main.js /usr/local/bin/counterfoil && install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 4000
# Alive, not ready: a node that waits for its stores must not be restarted for it. Readiness is the balancer's to ask.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.COUNTERFOIL_PORT || 4000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["counterfoil"]
CMD ["serve"]
