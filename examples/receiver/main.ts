import { parseArgs } from 'node:util';
import type { ChangeEvent } from './event.ts';
import { startReceiver } from './server.ts';

/** `node examples/receiver/main.ts`: see README.md beside this file. */

function settings() {
  const { values } = parseArgs({ options: { 'allow-loopback': { type: 'boolean', default: false } } });
  const allowLoopback = values['allow-loopback'];
  const { HOST = '127.0.0.1', PORT = '8080', SNS_TOPIC_ARN, WEBHOOK_SECRETS = '' } = process.env;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > 65_535) throw new Error('PORT: a number from 0 to 65535.');
  const secrets = WEBHOOK_SECRETS.split(/[\s,]+/).filter(secret => secret !== '');
  if (!SNS_TOPIC_ARN && secrets.length === 0) {
    throw new Error('Set SNS_TOPIC_ARN, WEBHOOK_SECRETS or both: they say whose events are taken.');
  }
  return { host: HOST, port, topicArn: SNS_TOPIC_ARN || undefined, secrets, allowLoopback };
}

/** One line per event. Here yours begins: store it, queue it, act on it. */
function print({ type, source, subject = '', data }: ChangeEvent): void {
  const changes = (data.changes ?? []).map(
    ({ field, from, to }) => `\n    ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  );
  out(`${type} ${source}/${subject} ${data.reason ?? ''}`.trimEnd() + changes.join(''));
}

/** Control characters could make a terminal show what was not said. */
const printable = (text: string) => text.replace(/(?!\n)\p{Cc}/gu, '\uFFFD');
const out = (text: string) => process.stdout.write(`${printable(text)}\n`);
const say = (text: string) => process.stderr.write(`${printable(text)}\n`);

try {
  const receiver = await startReceiver({ ...settings(), apply: print, say });
  for (const url of receiver.urls) say(`listening at ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.stop());
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
