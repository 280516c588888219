import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startControl } from '../../../local/sns/control.ts';

async function control(pem = async () => 'certificate') {
  const started = await startControl(
    { name: 'c.pem', pem },
    { confirm: async () => 'arn', unsubscribe: async () => true },
  );
  onTestFinished(started.close);
  return started;
}

/** Sends a request target as it stands, which `fetch` does for none of these. @returns the status of the answer */
function statusOf(base: string, target: string, host = new URL(base).host): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => (text += chunk));
    socket.once('error', reject).once('close', () => resolve(Number(text.split(' ')[1])));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

it.each(['//', '///', '/\\', '//[', 'http://', 'http://[', '//a:b'])(
  'refuses the request target %s, which is no URL, and goes on',
  async target => {
    const { signingCertUrl } = await control();
    expect(await statusOf(signingCertUrl, target)).toBe(400);
    expect(await (await fetch(signingCertUrl)).text()).toBe('certificate');
  },
);

it('answers no request for another host, which a web page could make by DNS', async () => {
  const { signingCertUrl } = await control();
  const { host, pathname } = new URL(signingCertUrl);
  expect(await statusOf(signingCertUrl, pathname)).toBe(200);
  for (const foreign of ['evil.example.com', host.replace('127.0.0.1', 'evil.example.com'), '127.0.0.1', '['])
    expect(await statusOf(signingCertUrl, pathname, foreign)).toBe(403);
});

it('answers 500 when an action throws', async () => {
  const { signingCertUrl } = await control(() => {
    throw new Error('disk');
  });
  expect((await fetch(signingCertUrl)).status).toBe(500);
});
