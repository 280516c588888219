import { Webhook } from 'standardwebhooks';
import { Copy } from '../../../examples/receiver/copy.ts';
import type { SentEvent } from '../../../receiver/index.ts';
import { type Certificate, ReceivedEvents, startReceiver } from './server.ts';

/** A webhook that verifies every delivery with the official package. */
export interface WebhookReceiver {
  readonly port: number;
  readonly secret: string;
  readonly events: ReceivedEvents;
  /** Of all records that it was sent, as the documentation keeps one. */
  readonly copy: Copy;
  /** What did not verify, and why. */
  readonly problems: readonly string[];
  /** How many test events it was sent. */
  readonly tests: number;
  /** The next `times` deliveries get this status, and are not taken. */
  refuse(status: number, times: number): void;
  /** `happens` when so many more were taken, before the sender of the last one knows. */
  afterTaking(count: number, happens: () => void): void;
  /** How many deliveries were refused so far. */
  readonly refused: number;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(certificate: Certificate): Promise<WebhookReceiver> {
  const secret = `whsec_${Buffer.from('a secret of the deployed test...').toString('base64')}`;
  const webhook = new Webhook(secret);
  const [events, copy] = [new ReceivedEvents(), new Copy()];
  const problems: string[] = [];
  let tests = 0;
  const refusal = { status: 503, times: 0, refused: 0 };
  const taking = { left: 0, happens: () => {} };
  const server = await startReceiver(({ headers, body }) => {
    if (refusal.times > 0) {
      refusal.times -= 1;
      refusal.refused += 1;
      return refusal.status;
    }
    try {
      const verified = webhook.verify(body, headers as Record<string, string>) as SentEvent;
      if (verified.id !== headers['webhook-id']) throw new Error('webhook-id is not the id of the event');
      if (verified.type === 'changewire.test') tests += 1;
      else if (!('snapshot' in verified.data)) events.add(body);
      copy.apply(verified);
      taking.left -= 1;
      if (taking.left === 0) taking.happens();
      return 204;
    } catch (error) {
      problems.push(String(error));
      return 400;
    }
  }, certificate);
  return {
    port: server.port,
    secret,
    events,
    copy,
    problems,
    refuse: (status, times) => void Object.assign(refusal, { status, times }),
    afterTaking: (left, happens) => void Object.assign(taking, { left, happens }),
    get tests() {
      return tests;
    },
    get refused() {
      return refusal.refused;
    },
    stop: server.stop,
  };
}
