import { parseArgs } from 'node:util';
import type { Senders, SentEvent } from './changewire.ts';
import { Copy } from './copy.ts';
import { startReceiver } from './server.ts';

/** `node examples/receiver/main.ts`: see README.md beside this file. */

function settings() {
  const { values } = parseArgs({ options: { 'allow-loopback': { type: 'boolean', default: false } } });
  const allowLoopback = values['allow-loopback'];
  const { HOST = '127.0.0.1', PORT = '8080', SNS_TOPIC_ARN: topicArn, WEBHOOK_SECRETS = '' } = process.env;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > 65_535) throw new Error('PORT must be a number from 0 to 65535.');
  const secrets = WEBHOOK_SECRETS.split(/[\s,]+/).filter(secret => secret !== '');
  if (!secrets.every(secret => /^whsec_[\w+/]+={0,2}$/.test(secret))) {
    throw new Error('WEBHOOK_SECRETS: each secret must be "whsec_" and base64.');
  }
  const senders = new Map<string, Senders>();
  if (topicArn) senders.set('/sns', { topicArn, allowLoopback });
  if (secrets.length > 0) senders.set('/webhook', { secrets });
  if (senders.size === 0) {
    throw new Error('Set SNS_TOPIC_ARN, WEBHOOK_SECRETS or both: they name the accepted senders.');
  }
  return { host: HOST, port, senders };
}

/** Prints an event. Replace this by your own code: store it, queue it, act on it. */
function print({ type, source, subject = '', data }: SentEvent): void {
  const reason = 'reason' in data ? data.reason : '';
  const changes = ('changes' in data ? data.changes : []).map(
    ({ field, from, to }) => `\n    ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
  out(`${type} ${source}/${subject} ${reason}`.trimEnd() + changes.join(''));
}

/** Control characters could forge the output on a terminal. */
const printable = (text: string) => text.replace(/(?!\n)\p{Cc}/gu, '\uFFFD');
const out = (text: string) => process.stdout.write(`${printable(text)}\n`);
const log = (text: string) => process.stderr.write(`${printable(text)}\n`);

try {
  const copy = process.env.COPY ? new Copy(process.env.COPY) : undefined;
  const store = (event: SentEvent) => copy?.apply(event);
  const receiver = await startReceiver({ ...settings(), store, apply: print, log });
  for (const url of receiver.urls) log(`listening at ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.stop());
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
