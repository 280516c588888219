import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call of a function to AWS: the service by its signing name, and the operation where the header tells it. */
export interface Call {
  readonly service: string;
  readonly operation: string;
}

/** How AWS answers: as it does, with errors, or never. */
export type Weather = 'healthy' | 'errors' | 'silence';

/** Stands before the emulator, so that AWS can fail. It also vouches for encryption, which the policies of buckets, queues
 *  and topics ask for: it is what the emulator takes for its TLS end, and nothing leaves the machine. */
export interface Gate {
  readonly endpoint: string;
  /** Of one service, until it is set anew. */
  weather(service: string, weather: Weather): void;
  /** How many calls met errors or silence so far. */
  readonly spoilt: number;
  /** Waits for the next such call that the emulator has carried out, then calls `happens`: before its caller knows. */
  afterNext(matches: (call: Call) => boolean, happens: () => void): void;
  stop(): Promise<void>;
}

/** Starts the gate on a free port of 127.0.0.1; `target()` is the emulator's port. */
export async function startGate(target: () => number): Promise<Gate> {
  const weathers = new Map<string, Weather>();
  const state = {
    spoilt: 0,
    next: undefined as { matches: (call: Call) => boolean; happens: () => void } | undefined,
  };
  const server = createServer((incoming, outgoing) => {
    const call = callOf(incoming);
    const weather = weathers.get(call.service) ?? 'healthy';
    if (weather !== 'healthy') state.spoilt += 1;
    if (weather === 'errors') outgoing.writeHead(500).end();
    if (weather === 'healthy')
      forward(incoming, outgoing, target(), () => {
        if (!state.next?.matches(call)) return;
        const { happens } = state.next;
        state.next = undefined;
        happens();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get spoilt() {
      return state.spoilt;
    },
    weather: (service, weather) => void weathers.set(service, weather),
    afterNext: (matches, happens) => {
      state.next = { matches, happens };
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The signature names the service: `Credential=<key>/<date>/<region>/<service>/aws4_request`. */
function callOf({ headers }: IncomingMessage): Call {
  const service = /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
  return {
    service,
    operation:
      String(headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '',
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  port: number,
  answered: () => void,
): void {
  const { method, url, headers } = incoming;
  const vouched = { ...headers, 'x-forwarded-proto': 'https' };
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers: vouched }, response => {
    answered();
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  // A caller that dies takes its request with it only if it hasn't been sent whole.
  incoming.on('error', () => onward.destroy());
  incoming.pipe(onward);
}
