# Changewire on one machine, in a container: docs/self-hosting.md tells how to run it.
FROM node:24-slim

WORKDIR /opt/changewire
COPY package.json package-lock.json ./
# Without development tools, and without the optional packages: Node 24 is here, and none needs a script.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY functions functions/
COPY infra/config infra/config/
COPY local local/
COPY cli cli/
# `docker exec NAME changewire status` asks the run that goes on there: what it keeps is in the directory that this begins in.
RUN ln -s /opt/changewire/cli/changewire.js /usr/local/bin/changewire

# A volume takes owner and mode of the directory that it is mounted over.
RUN install --directory --owner=node --group=node --mode=0700 /data /backups
USER node
WORKDIR /data
VOLUME /data

# In the form of a list, so that no shell stands between: `docker stop` sends SIGTERM, and Node gets it.
ENTRYPOINT ["node", "/opt/changewire/local/main.ts"]
CMD ["--config", "/etc/changewire/changewire.json", "--data", "/data", "--health", "8321", "--no-console"]

# Late is not dead: a start anew mends neither the service nor the network. So this is for you to see, and for nobody to kill by.
HEALTHCHECK --interval=1m --timeout=10s --start-period=10m \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8321/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
