import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPublish } from '../../functions/handlers/create-publish.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { type Emulator, startEmulator } from '../kit/fauxqs.ts';
import { AT, eventsOf, record } from '../kit/topic/records.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator();
});
afterAll(() => emulator?.close());

it('invariant 3: the embedded SNS gets each event of a change record by the SDK’s client, with the same bytes when it comes twice', async () => {
  const publish = createPublish({
    ...{ sns: emulator.sns, topicArn: emulator.topicArn, sleep: async () => {}, random: () => 1 },
    ...{ reject: async () => {}, log: { info: () => {}, warn: () => {}, error: () => {} } },
    count: () => {},
  });
  const events = eventsOf(AT, 2);
  for (let times = 0; times < 2; times++) {
    const Records = [record('1', events)];
    expect(await publish({ Records }, { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY })).toEqual({
      batchItemFailures: [],
    });
  }
  const got = await emulator.received();
  const distinct = [...new Set(got.map(({ message }) => message))];
  const byId = (left: ChangeEvent, right: ChangeEvent) => (left.id < right.id ? -1 : 1);
  expect([got.length, distinct.map(text => JSON.parse(text)).sort(byId)]).toEqual([4, events]);
  expect(got[0]?.attributes).toEqual({
    eventType: { Type: 'String', Value: 'task.created' },
    workspace: { Type: 'String', Value: 'eu' },
    processId: { Type: 'String', Value: 'onboarding' },
    projectId: { Type: 'String', Value: 'p1' },
  });
});
