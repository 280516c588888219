import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The receiver of all endpoints, in a process of its own: what it costs is nobody's affair. It tells of each request its path and event, and when
 *  it came, in ms since 1970. */
const server = createServer((request, response) => {
  process.send?.([request.url, request.headers['webhook-id'], performance.timeOrigin + performance.now()]);
  request.resume().once('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
