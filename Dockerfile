# Changewire on one machine, in a container: docs/self-hosting.md tells how to build and run it.
# For repeatable builds, pin it by digest: node:24-slim@sha256:… (`docker buildx imagetools inspect node:24-slim` shows it).
FROM node:24-slim

WORKDIR /opt/changewire
# The package: one tarball beside this file, of a release, or what `npm pack` makes of a checkout.
COPY changewire-[0-9]*.tgz ./
# No dependency needs a script. The CDK is for deployments only, and npm leaves it out.
RUN npm install --ignore-scripts --no-audit --no-fund ./changewire-[0-9]*.tgz && npm cache clean --force
# `docker exec NAME changewire status` asks the run that goes on there: what it keeps is in the directory that this begins in.
RUN ln -s /opt/changewire/node_modules/.bin/changewire /usr/local/bin/changewire

# A volume takes owner and mode of the directory that it is mounted over.
RUN install --directory --owner=node --group=node --mode=0700 /data /backups
USER node
WORKDIR /data
VOLUME /data

# In the form of a list, so that no shell stands between: `docker stop` sends SIGTERM, and Node gets it.
ENTRYPOINT ["node", "/opt/changewire/node_modules/changewire/cli/changewire.js"]
CMD ["start", "--config", "/etc/changewire/changewire.json", "--data", "/data", "--health", "8321", "--no-console"]

# Late is not dead: a start anew mends neither the service nor the network. So this is for you to see, and for nobody to kill by.
HEALTHCHECK --interval=1m --timeout=10s --start-period=10m \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8321/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
