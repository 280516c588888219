import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers with the result of `status` for the number of the request. */
export async function startReceiver(status: (count: number) => number) {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    response.writeHead(status(count)).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
