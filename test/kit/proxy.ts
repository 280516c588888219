import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import tls from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { listenInTest } from './listen-in-test.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let made: ReturnType<typeof generate> | undefined;

/** A server whose certificate is for these names, and trusted until the end of the test. Its port is that of `https`. */
export async function startHttps(names: readonly string[], answer: Answer) {
  made ??= generate([{ name: 'commonName', value: 'test' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: names.map(value => ({ type: 2 as const, value })) },
    ],
  });
  const { private: key, cert } = await made;
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
  return listenInTest(createHttps({ key, cert }, (request, response) => answer(response, request)));
}

/** An HTTP proxy that leads every tunnel to this port, or answers each request for one with `status`. */
export async function startProxy({ to, status = 200 }: { readonly to: number; readonly status?: number }) {
  const asked: string[] = [];
  const server = createHttp().on('connect', (request, socket) => {
    asked.push(String(request.url));
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const beyond = connect(to, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  const { url, stop } = await listenInTest(server);
  return { url, stop, asked };
}
