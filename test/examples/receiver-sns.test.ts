import { describe, expect, it } from 'vitest';
import { exampleEvent, post, type RunningReceiver, runReceiver } from '../kit/examples/receiver.ts';
import { eventually, type RunningSns, receiver, startSns } from '../kit/local/sns.ts';
import type { Received } from '../kit/local/sns-receiver.ts';

const listening = (local: RunningSns, args = ['--allow-loopback']) =>
  runReceiver({ SNS_TOPIC_ARN: local.sns.topicArn }, { args });

/** A receiver with its subscription confirmed. */
async function subscribed(): Promise<{ local: RunningSns; running: RunningReceiver }> {
  const local = await startSns();
  const running = await listening(local);
  const { confirmed } = await local.sns.subscribe({ url: running.sns });
  await confirmed;
  return { local, running };
}

/** A message as SNS signs it, to be sent again with what an attacker may change. */
async function recorded(local: RunningSns, message: string): Promise<Received> {
  const recorder = await receiver();
  const { confirmed } = await local.sns.subscribe({ url: recorder.url });
  await confirmed;
  await local.publish([message]);
  await eventually(() => expect(recorder.notifications()).toHaveLength(1));
  return recorder.notifications()[0] as Received;
}

describe('the receiver, subscribed to a topic', () => {
  it('confirms its subscription, applies what is published, and drops duplicates by id, and what is older than what it applied to the same record', async () => {
    const { local, running } = await subscribed();
    const [created, updated] = [exampleEvent('task.created'), exampleEvent('task.updated')];
    const other = { ...created, id: `${created.id}0`, subject: 'projects/1015/tasks/500016' };
    for (const event of [updated, updated, created, other, exampleEvent('source.held')]) {
      await local.publish([JSON.stringify(event)]);
      await local.sns.idle();
    }
    await eventually(() => expect(running.applied()).toHaveLength(3));
    expect(running.applied()).toEqual([
      'task.updated /workspaces/eu/processes/onboarding/projects/1015/tasks/500015',
      expect.stringMatching(/^task.created .*\/500016$/),
      expect.stringContaining('source.held /workspaces/eu/processes/onboarding'),
    ]);
    expect(running.said()).toContain('handled SubscriptionConfirmation\n');
    expect(running.said()).toContain(
      `dropped as duplicate: ${updated.id}\ndropped as stale: ${created.id}\n`,
    );
  });

  it('applies once what SNS sends twice at the same moment', async () => {
    const { local, running } = await subscribed();
    const { body, headers } = await recorded(local, JSON.stringify(exampleEvent('task.updated')));
    const again = { 'x-amz-sns-message-type': String(headers['x-amz-sns-message-type']) };
    const answers = await Promise.all([1, 2, 3].map(() => post(running.sns, body, again)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(running.applied()).toHaveLength(1);
  });

  it('takes a certificate from this machine only when it is told to', async () => {
    const local = await startSns();
    const running = await listening(local, []);
    await local.sns.subscribe({ url: running.sns });
    await eventually(() => expect(running.said()).toContain('answered 403: Invalid SigningCertURL'));
  });
});
