import { describe, expect, it } from 'vitest';
import { Settler } from '../../functions/delivery/settler.ts';
import { AT } from './given.ts';
import { endpointOf, openMemory, recordOf } from './memory.ts';

const HOUR = 3_600_000;
const [young, old] = [recordOf('young', 'Y'), recordOf('old', 'O', 72 * HOUR)];

function open() {
  const memory = openMemory();
  return { ...memory, settler: new Settler(endpointOf('webhook'), [young, old], memory.dependencies) };
}
const down = () => Promise.reject(new Error('queue down'));

describe('a message of a batch', () => {
  it('is open until it is settled', async () => {
    const { settler } = open();
    expect(settler.open).toEqual([young, old]);
    settler.delivered([old]);
    expect(settler.open).toEqual([young]);
    await settler.later(young, 0);
    expect(settler.open).toEqual([]);
  });

  it('that was delivered leaves the queue, and is counted', () => {
    const { settler, counts } = open();
    settler.delivered([young, old]);
    expect([settler.open, settler.again]).toEqual([[], []]);
    expect(counts).toEqual([['EventsDelivered', 2, { endpoint: 'crm' }]]);
  });

  it('that failed is shown again when its age says so, counted from its first receive to the start of the batch', async () => {
    const { settler, visible, said, counts, state } = open();
    const late = recordOf('late', 'L', 5_000);
    state.now += 10 * HOUR;
    await settler.failed(young, { reason: 'answered 500' });
    await settler.failed(late, { reason: 'answered 500' });
    expect(visible).toEqual([
      ['queue', 'receipt-young', 5],
      ['queue', 'receipt-late', 300],
    ]);
    expect(settler.again).toEqual(['young', 'late']);
    expect(counts).toEqual(Array(2).fill(['DeliveriesPostponed', 1, { endpoint: 'crm' }]));
    expect(said[0]).toEqual([
      'warn',
      'A delivery failed; it is tried again.',
      { endpoint: 'crm', messageId: 'young', reason: 'answered 500', seconds: 5 },
    ]);
  });

  it('first received after now, by SQS’s clock, is shown again as a new one is', async () => {
    const { settler, visible } = open();
    await settler.failed(recordOf('ahead', 'A', -HOUR), { reason: 'answered 500' });
    expect(visible).toEqual([['queue', 'receipt-ahead', 5]]);
  });

  it('that failed is shown again when its endpoint says so', async () => {
    const { settler, visible } = open();
    await settler.failed(young, { reason: 'answered 429' }, 120_000);
    expect(visible).toEqual([['queue', 'receipt-young', 120]]);
  });

  it('that failed and is too old becomes a dead letter, whole, with what happened to it', async () => {
    const { settler, visible, dead, said, counts } = open();
    await settler.failed(old, { reason: 'answered 500' }, 1_000);
    expect([visible, settler.again]).toEqual([[], []]);
    expect(settler.open).toEqual([young]);
    const firstReceived = new Date(AT - 72 * HOUR).toISOString();
    expect(dead).toEqual([
      ['dead-letters', 'O', { endpoint: 'crm', reason: 'answered 500', receives: '3', firstReceived }],
    ]);
    expect(counts).toEqual([['EventsDeadLettered', 1, { endpoint: 'crm' }]]);
    expect(said).toEqual([
      [
        'error',
        "An event was not delivered; it is in the endpoint's dead-letter queue.",
        { endpoint: 'crm', messageId: 'old', reason: 'answered 500' },
      ],
    ]);
  });

  it('that can not be shown again later stays, until its visibility time-out', async () => {
    const { dependencies, said, counts } = openMemory();
    const queues = { ...dependencies.queues, changeVisibility: down };
    const settler = new Settler(endpointOf('webhook'), [young], { ...dependencies, queues });
    await settler.later(young, 7);
    expect([settler.open, settler.again, counts]).toEqual([[], ['young'], []]);
    expect(said).toEqual([
      [
        'warn',
        'When a message is tried again could not be set; the queue decides.',
        { endpoint: 'crm', messageId: 'young', error: 'Error: queue down' },
      ],
    ]);
  });

  it('that can not become a dead letter stays where it is', async () => {
    const { dependencies, said, counts } = openMemory();
    const queues = { ...dependencies.queues, moveToDeadLetters: down };
    const settler = new Settler(endpointOf('webhook'), [young], { ...dependencies, queues });
    await settler.dead(young, { reason: 'answered 410' });
    expect([settler.open, settler.again, counts]).toEqual([[], ['young'], []]);
    expect(said).toEqual([
      [
        'error',
        'An event could not be put into the dead-letter queue; it stays.',
        { endpoint: 'crm', messageId: 'young', reason: 'answered 410', error: 'Error: queue down' },
      ],
    ]);
  });
});
