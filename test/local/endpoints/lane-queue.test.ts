import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import type { PendingDelivery } from '../../../functions/delivery/deliveries.ts';
import { DELIVERIES_SCHEMA, sqliteDeliveries } from '../../../functions/delivery/sqlite-deliveries.ts';
import { openDatabase } from '../../../functions/snapshots/sqlite/database.ts';
import { Failures } from '../../../local/deliveries/failures.ts';
import { Lane } from '../../../local/deliveries/lane.ts';
import { LaneQueue } from '../../../local/endpoints/lane-queue.ts';
import { AT, delivery } from '../../deliver/deliveries-contract.ts';

type Fate = 'arrives' | 'later' | 'back' | 'dead' | 'unsaid';
const SECONDS: Readonly<Record<string, number>> = { later: 60, back: 0 };

/** A queue over a lane with these events, at a clock that stands. */
async function open(...eventIds: string[]) {
  const deliveries = sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA]));
  await deliveries.add(eventIds.map(id => delivery(id)));
  const lane = new Lane(deliveries, 'crm', () => AT);
  const onRecovery = vi.fn(async () => undefined);
  const failures = new Failures(
    () => undefined,
    () => AT,
  );
  const onArrival = ({ attempts }: PendingDelivery) => failures.arrived(attempts > 0);
  const queue = new LaneQueue(lane, { clock: () => AT, onArrival, onRecovery });
  const take = (max = 10) => lane.take(max, new AbortController().signal);
  /** What `deliver.ts` does with each message, by its id; what it does not know arrives. */
  const deliver =
    (fates: Readonly<Record<string, Fate>>) =>
    async (records: readonly SQSRecord[]): Promise<SQSBatchResponse> => {
      const again: string[] = [];
      for (const { messageId, receiptHandle, body } of records) {
        const fate = fates[messageId] ?? 'arrives';
        if (fate in SECONDS) await queue.changeVisibility('crm', receiptHandle, SECONDS[fate] as number);
        if (fate === 'dead') await queue.moveToDeadLetters('crm', body, { reason: 'answered 410' });
        if (fate !== 'arrives' && fate !== 'dead') again.push(messageId);
      }
      return { batchItemFailures: again.map(itemIdentifier => ({ itemIdentifier })) };
    };
  const fail = (fates: Readonly<Record<string, Fate>>, batch: readonly PendingDelivery[]) => {
    for (const { eventId } of batch)
      if (fates[eventId] === 'later') failures.failed({ eventId, reason: 'answered 500', pause: 60_000 });
  };
  const settle = async (fates: Readonly<Record<string, Fate>>, max = 10) => {
    const batch = await take(max);
    fail(fates, batch);
    await queue.settle(batch, deliver(fates));
    await lane.flush();
    return batch;
  };
  const waiting = async () =>
    (await deliveries.due('crm', Number.MAX_SAFE_INTEGER, 100)).map(
      ({ eventId, due, attempts }) => `${eventId} +${due - AT} ${attempts}`,
    );
  return { deliveries, lane, queue, onRecovery, take, deliver, settle, waiting };
}

describe('what becomes of a message of an endpoint', () => {
  it('that arrived: it is gone', async () => {
    const { settle, waiting, deliveries } = await open('e1', 'e2');
    await settle({});
    expect(await waiting()).toEqual([]);
    expect(await deliveries.standing('crm')).toMatchObject({ pending: 0, dead: 0 });
  });

  it('that is to be shown later: it waits so long, with an attempt more', async () => {
    const { settle, waiting } = await open('e1', 'e2');
    await settle({ e1: 'later' });
    expect(await waiting()).toEqual(['e1 +60000 1']);
  });

  it('that was not tried: it is there again at once, as it was', async () => {
    const { settle, take, waiting } = await open('e1');
    await settle({ e1: 'back' });
    expect(await waiting()).toEqual(['e1 +0 0']);
    expect(await take()).toHaveLength(1);
  });

  it('that failed without a time: it waits half a minute', async () => {
    const { settle, waiting } = await open('e1');
    await settle({ e1: 'unsaid' });
    expect(await waiting()).toEqual(['e1 +30000 1']);
  });

  it('that nobody takes: it is a dead letter, with the reason', async () => {
    const { settle, waiting, deliveries } = await open('e1', 'e2');
    await settle({ e1: 'dead' });
    expect(await waiting()).toEqual([]);
    expect(await deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'e1', reason: 'answered 410' }]);
  });

  it('that is like another: each has its own end', async () => {
    const { deliveries, settle } = await open();
    await deliveries.add(['m1', 'm2'].map(id => delivery(id, { body: 'no event' })));
    await settle({ m1: 'dead', m2: 'dead' });
    expect((await deliveries.dead('crm', 9)).map(({ eventId }) => eventId)).toEqual(['m1', 'm2']);
  });

  it('tells the deliverer its age and its attempts, of earlier runs too', async () => {
    const { deliveries, queue, take } = await open('e1');
    const [first] = await deliveries.due('crm', AT, 1);
    await deliveries.putOff('crm', first?.seq as number, { at: AT - 5000, due: AT });
    const records: SQSRecord[] = [];
    await queue.settle(await take(), async all => {
      records.push(...all);
      return { batchItemFailures: [] };
    });
    expect(records).toMatchObject([
      {
        messageId: 'e1',
        eventSourceARN: 'crm',
        body: '{"id":"e1"}',
        attributes: {
          ApproximateFirstReceiveTimestamp: String(AT - 5000),
          ApproximateReceiveCount: '2',
          SentTimestamp: String(AT),
        },
      },
    ]);
  });

  it('of another batch, or of none: nothing', async () => {
    const { queue, waiting } = await open('e1');
    await queue.changeVisibility('crm', 'e1', 60);
    await queue.moveToDeadLetters('crm', '{"id":"e1"}', {});
    expect(await waiting()).toEqual(['e1 +0 0']);
  });
});

describe('a deliverer that fails', () => {
  it('leaves what it had not settled for half a minute, and what it had as it said', async () => {
    const { queue, take, waiting, deliveries } = await open('e1', 'e2', 'e3');
    const failing = async (records: SQSRecord[]): Promise<SQSBatchResponse> => {
      await queue.changeVisibility('crm', 'e1', 60);
      await queue.moveToDeadLetters('crm', records[1]?.body ?? '', { reason: 'no' });
      throw new Error('out of memory');
    };
    await expect(queue.settle(await take(), failing)).rejects.toThrow('out of memory');
    expect(await waiting()).toEqual(['e3 +30000 1', 'e1 +60000 1']);
    expect(await deliveries.standing('crm')).toMatchObject({ dead: 1 });
  });

  it('invariant 11: gives back what it could not even put off, when the disk is full, and what came behind it', async () => {
    const { queue, lane, take, deliver, deliveries, waiting } = await open('e1', 'e2', 'e3');
    const putOff = vi.spyOn(deliveries, 'putOff').mockRejectedValue(new Error('disk full'));
    const fates = { e1: 'unsaid', e3: 'unsaid' } as const;
    await expect(queue.settle(await take(), deliver(fates))).rejects.toThrow('disk full');
    putOff.mockRestore();
    await lane.flush();
    expect(await waiting()).toEqual(['e1 +0 0', 'e3 +0 0']);
    const again: PendingDelivery[] = await take();
    expect(again.map(({ eventId }) => eventId)).toEqual(['e1', 'e3']);
  });
});

describe('an endpoint that was away', () => {
  const away = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);
  const later = (ids: readonly string[]) => Object.fromEntries(ids.map(id => [id, 'later'] as const));

  it('is asked again at once when an event arrives after three failures in a row', async () => {
    const failing = away(3);
    const { settle, onRecovery } = await open(...failing, 'ok');
    await settle(later(failing), 3);
    expect(onRecovery).not.toHaveBeenCalled();
    await settle({}, 1);
    expect(onRecovery).toHaveBeenCalledTimes(1);
  });

  it('is so once: the next events that arrive bring nothing forward', async () => {
    const failing = away(3);
    const { settle, onRecovery } = await open(...failing, 'ok', 'fine');
    await settle(later(failing), 4);
    expect(onRecovery).toHaveBeenCalledTimes(1);
    await settle({}, 1);
    expect(onRecovery).toHaveBeenCalledTimes(1);
  });

  it('was not away when single events fail among others that arrive', async () => {
    const { settle, onRecovery } = await open('e0', 'e1', 'ok', 'e2', 'fine');
    await settle(later(['e0', 'e1']), 2);
    await settle({}, 1);
    await settle(later(['e2']), 2);
    expect(onRecovery).not.toHaveBeenCalled();
  });

  it('was not away when nothing was tried', async () => {
    const ids = away(4);
    const { settle, onRecovery } = await open(...ids);
    await settle({ e0: 'back', e1: 'back', e2: 'back' });
    expect(onRecovery).not.toHaveBeenCalled();
  });
});
