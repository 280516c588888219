import assert from 'node:assert/strict';
import { type Received, ReceivedEvents, startReceiver } from './server.ts';

/** An HTTP endpoint as SNS wants it: it confirms its subscription, then takes notifications, raw ones or envelopes. */
export interface NativeSubscriber {
  readonly url: string;
  readonly events: ReceivedEvents;
  readonly confirmed: boolean;
  /** The topics that sent something: one, if all is well. */
  readonly topics: ReadonlySet<string>;
  /** What was refused, and why. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

export async function startNativeSubscriber(): Promise<NativeSubscriber> {
  const events = new ReceivedEvents();
  const topics = new Set<string>();
  const problems: string[] = [];
  let confirmed = false;

  async function confirm(body: string): Promise<void> {
    const { SubscribeURL, TopicArn } = JSON.parse(body) as Record<'SubscribeURL' | 'TopicArn', string>;
    assert.equal(new URL(SubscribeURL).hostname, '127.0.0.1', 'a handshake that leads elsewhere');
    topics.add(TopicArn);
    confirmed = (await fetch(SubscribeURL)).ok;
  }

  async function receive({ headers, body }: Received): Promise<void> {
    if (headers['x-amz-sns-message-type'] === 'SubscriptionConfirmation') return confirm(body);
    const envelope = JSON.parse(body) as { Type?: string; Message: string; TopicArn: string };
    if (envelope.Type !== 'Notification') return events.add(body);
    topics.add(envelope.TopicArn);
    events.add(envelope.Message);
  }

  const server = await startReceiver(async request => {
    try {
      await receive(request);
      return 200;
    } catch (error) {
      problems.push(String(error));
      return 400;
    }
  });
  return {
    url: `http://127.0.0.1:${server.port}/changes`,
    events,
    topics,
    problems,
    get confirmed() {
      return confirmed;
    },
    stop: server.stop,
  };
}
