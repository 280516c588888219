import assert from 'node:assert/strict';
import type { NativeSubscriber } from '../receivers/native.ts';
import { until } from '../until.ts';
import type { World } from '../world.ts';

/** Waits until a subscription of the stack is confirmed. An emulator that somebody else started may send no handshake for
 *  it: then the subscriber subscribes by itself, from another address, with `attributes` as the stack gives them. */
export async function untilConfirmed(
  { stack, aws, own }: World,
  subscriber: NativeSubscriber,
  attributes: Record<string, string> = {},
): Promise<string | undefined> {
  const topic = stack.output('TopicArn');
  const confirmed = () =>
    until(10, () => {
      assert.ok(subscriber.confirmed, 'no handshake came, or it failed');
      assert.deepEqual([...subscriber.topics], [topic]);
    });
  try {
    await confirmed();
    return undefined;
  } catch (error) {
    if (own) throw error;
    await aws.subscribe(topic, `${subscriber.url}?by=hand`, attributes);
    await confirmed();
    return "by hand, for this emulator confirms no stack's subscriptions";
  }
}
