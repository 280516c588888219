import type { DynamoDBRecord } from 'aws-lambda';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { encode } from '../../../functions/store/codec.ts';

export const AT = Date.UTC(2026, 10, 21, 12);

/** The `count` events of a commit. SNS refuses those with an empty project id. */
export function eventsOf(version: number, count: number, projectId = 'p1'): ChangeEvent[] {
  const observed = { after: AT - 1, before: AT };
  const commit = {
    ...{ workspace: 'eu', processId: 'onboarding', projectId, projectRecord: { name: 'Acme' }, version },
    observed: { project: observed, task: observed },
  };
  const change = (id: string) => ({ entity: 'task', action: 'created', id, record: {}, fields: [] }) as const;
  return buildEvents(
    commit,
    Array.from({ length: count }, (_, index) => change(`t${index}`)),
  );
}

export const keysOf = (sequence: string) => ({
  pk: 'W#eu#P#onboarding',
  sk: `CHANGE#${AT}#p1#${sequence}`,
});

/** A change record in the stream; bytes stand as they are. */
export function record(sequence: string, of: readonly ChangeEvent[] | Uint8Array): DynamoDBRecord {
  const bytes = of instanceof Uint8Array ? of : encode(of);
  const { pk, sk } = keysOf(sequence);
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: sequence,
      Keys: { pk: { S: pk }, sk: { S: sk } },
      NewImage: { events: { B: Buffer.from(bytes).toString('base64') } },
    },
  };
}
