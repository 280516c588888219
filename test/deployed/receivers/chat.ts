import assert from 'node:assert/strict';
import { type Certificate, startReceiver } from './server.ts';

/** A chat that takes messages of the right shape only. */
export interface ChatReceiver {
  readonly port: number;
  /** The JSON of each message taken, in their order. */
  readonly messages: readonly string[];
  /** What was refused, and why. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

/** An incoming webhook of Slack: Block Kit, 50 blocks of 3,000 characters at most, 12,000 in all. */
export const startSlack = (certificate: Certificate) => startChat(certificate, checkSlack, 200);

/** A Workflows URL of Teams: one Adaptive Card 1.5, 28 KB at most. */
export const startTeams = (certificate: Certificate) => startChat(certificate, checkTeams, 202);

async function startChat(
  certificate: Certificate,
  check: (body: string) => void,
  status: number,
): Promise<ChatReceiver> {
  const messages: string[] = [];
  const problems: string[] = [];
  const server = await startReceiver(({ headers, body }) => {
    try {
      assert.match(headers['content-type'] ?? '', /^application\/json/);
      check(body);
      messages.push(body);
      return status;
    } catch (error) {
      problems.push(`${error}: ${body.slice(0, 500)}`);
      return 400;
    }
  }, certificate);
  return { port: server.port, messages, problems, stop: server.stop };
}

function checkSlack(body: string): void {
  const message = JSON.parse(body) as { text?: string; blocks: { type: string; text?: { text: string } }[] };
  assert.ok(
    message.blocks.length > 0 && message.blocks.length <= 50,
    'a number of blocks that Slack refuses',
  );
  const texts = message.blocks.map(block => block.text?.text ?? '');
  assert.ok(
    texts.every(text => text.length <= 3_000),
    'a block that is too long',
  );
  assert.ok(texts.join('').length <= 12_000, 'a message that is too long');
  assert.ok((message.text ?? '') !== '', 'no text for notifications');
}

function checkTeams(body: string): void {
  assert.ok(Buffer.byteLength(body) <= 28 * 1024, 'a message that is too long');
  const message = JSON.parse(body) as {
    type: string;
    attachments: { contentType: string; content: { type: string; version: string; body: unknown[] } }[];
  };
  assert.equal(message.type, 'message');
  assert.equal(message.attachments.length, 1);
  const [card] = message.attachments;
  assert.equal(card?.contentType, 'application/vnd.microsoft.card.adaptive');
  assert.equal(card?.content.type, 'AdaptiveCard');
  assert.equal(card?.content.version, '1.5');
  assert.ok((card?.content.body.length ?? 0) > 0, 'an empty card');
}
