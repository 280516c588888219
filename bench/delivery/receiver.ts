import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The receiver of all endpoints, in a process of its own, so that its work is not measured. It reports
 *  the path and event of each request, and when it came, in ms since 1970. It answers with the status in
 *  the last part of the path, never for `hangs`, else with 204. */
const server = createServer((request, response) => {
  const { url = '', headers } = request;
  process.send?.([url, headers['webhook-id'], performance.timeOrigin + performance.now()]);
  request.resume().once('end', () => answer(url.split('/')[2], response));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));

function answer(manner: string | undefined, response: ServerResponse): void {
  if (manner !== 'hangs') response.writeHead(Number(manner ?? 204)).end();
}
