import { describe, expect, it } from 'vitest';
import { present } from '../../functions/basics/telemetry.ts';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import type { Delivery } from '../../functions/delivery/settler.ts';
import { QueueSettler } from '../../functions/delivery/settlers.ts';
import type { Message } from '../../functions/queue/queue.ts';
import {
  endpointOf,
  isRowOf,
  messageOf,
  openSetting,
  type Setting,
  someEvents,
  TABLE_DOWN,
  writes,
} from '../kit/delivery/setting.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

const [event, other] = someEvents(2).map(one => ({ id: one.id, body: JSON.stringify(one) })) as [Text, Text];
interface Text {
  readonly id: string;
  readonly body: string;
}
const reason = { reason: 'answered 500' };

async function open(records: readonly Message[], change: (setting: Setting) => void = () => undefined) {
  const setting = openSetting();
  await setting.register();
  change(setting);
  const { dependencies, rows } = setting;
  const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
  const settler = new QueueSettler('crm', health, records, dependencies);
  const told = () => {
    settler.tally.report(dependencies.log, { endpoint: 'crm', ms: 0 });
    return setting.lines;
  };
  return { ...setting, settler, told, held: settler.open as readonly [Delivery, Delivery] };
}
const one = (age = 0, more: Parameters<typeof messageOf>[2] = {}) =>
  messageOf('m0', event.body, { age, ...more });
const rowOf = (eventId: string, body: string) => ({
  ...{ endpoint: 'crm', eventId, at: AT, body, attributes: {} },
});

it('a message of the queue is a delivery with its event’s id and its place, and untried however often it was received', async () => {
  const odd = { ...messageOf('m1', 'no event', { replay: true }) };
  const { held } = await open([one(MINUTE, { receives: 4 }), odd]);
  const given = { endpoint: 'crm', at: AT, attributes: {} };
  expect(held).toEqual([
    { id: 'm0', eventId: event.id, body: event.body, ...given },
    { id: 'm1', eventId: 'm1', body: 'no event', ...given, replay: true },
  ]);
});

describe('a message whose attempt failed', () => {
  it.each([
    ['at its first receive', 0, 1],
    ['first received three days ago and not tried until now', 72 * HOUR, 90],
  ])('%s becomes a row, due 5 s after the beginning of the run', async (_, age, receives) => {
    const { settler, held, hidden, said, state, pending, healthOf } = await open([one(age, { receives })]);
    state.now += 10 * SECOND;
    await settler.failed(held[0], reason);
    const due = AT + 5 * SECOND;
    expect([hidden, settler.again, settler.open, settler.dueAt]).toEqual([[], [], [], due]);
    expect(await pending()).toEqual([
      {
        ...{ endpoint: 'crm', eventId: event.id, body: event.body, attributes: {}, at: AT },
        ...{ place: expect.any(String), due, attempts: 1, triedAt: AT },
      },
    ]);
    // New ones do not wait behind it.
    expect(await healthOf()).toEqual({ waiting: { added: 1, due, first: false } });
    expect(present(settler.tally.values)).toEqual({ DeliveryFailed: 1 });
    const details = { code: 'delivery.failed', endpoint: 'crm', eventId: event.id, ...reason, seconds: 5 };
    expect(said).toEqual([{ level: 'warn', message: 'Delivery failed; will retry.', details }]);
  });

  it('beside others has the earliest retry looked after', async () => {
    const { settler, held, dependencies, rows } = await open([one(), messageOf('m1', other.body)]);
    expect(settler.dueAt).toBeUndefined();
    for (const each of held) await settler.failed(each, reason);
    expect(settler.dueAt).toBe(AT + 5 * SECOND);
    const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    const randoms = [0, 1];
    const mixed = { ...dependencies, random: () => randoms.shift() ?? 1 };
    const second = new QueueSettler('crm', health, [one(), messageOf('m1', other.body)], mixed);
    await second.failed(second.open[0] as Delivery, reason);
    await second.failed(second.open[0] as Delivery, reason);
    expect(second.dueAt).toBe(AT + 5 * SECOND);
  });

  it('is given up at once where the timing has no retry', async () => {
    const { dependencies, rows, deliveries, said } = await open([]);
    const timing = { ...dependencies.timing, giveUpAfter: 0 };
    const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    const settler = new QueueSettler('crm', health, [one()], { ...dependencies, timing });
    await settler.failed(settler.open[0] as Delivery, reason);
    expect(await deliveries.dead('crm', 9)).toMatchObject([{ eventId: event.id, diedAt: AT, ...reason }]);
    expect(present(settler.tally.values)).toEqual({ DeliveryFailed: 1, DeliveriesDead: 1 });
    const message = 'Gave up on a delivery; moved it to the dead letters.';
    const details = { code: 'delivery.dead-letter', endpoint: 'crm', eventId: event.id, ...reason };
    expect(said).toEqual([{ level: 'error', message, details }]);
  });
});

it('a message whose endpoint gets nothing now becomes a row that is due at once, before which new ones may not be tried', async () => {
  const { settler, held, hidden, pending, healthOf, said } = await open([one(MINUTE, { replay: true })]);
  await settler.waits([held[0]]);
  expect([hidden, settler.again, said]).toEqual([[], [], []]);
  const row = { eventId: event.id, due: AT, attempts: 0, triedAt: undefined, replay: true };
  expect(await pending()).toMatchObject([row]);
  expect(await healthOf()).toEqual({ waiting: { added: 1, due: AT, first: true } });
});

it('a message whose endpoint gets nothing now beside many others: the endpoint’s row is written a few times, not once for each', async () => {
  const records = someEvents(50).map((each, index) => messageOf(`m${index}`, JSON.stringify(each)));
  let written = 0;
  const { settler, healthOf, pending } = await open(records, ({ faults }) => {
    faults.after = command => void (isRowOf('crm')(command) && written++);
  });
  await settler.waits(settler.open);
  expect(await pending()).toHaveLength(50);
  expect(written).toBe(1);
  expect(settler.again).toEqual([]);
  expect(await healthOf()).toMatchObject({ waiting: { added: written, first: true } });
});

describe('invariant 11: a message leaves the queue only once what became of it stands', () => {
  const rowOfDelivery = (command: object) => writes(command, 'PENDING#');
  const deadLetter = (command: object) => writes(command, 'DEAD#');
  const about = { endpoint: 'crm', events: [event.id], error: 'Error: table down' };
  const NOT_SAVED = {
    level: 'error',
    message: 'Could not save the status of deliveries; they will be retried.',
    details: { code: 'delivery.status-not-saved', ...about },
  };

  it.each([
    ['waits', 'its row', 'before', rowOfDelivery],
    ['waits', 'the endpoint’s row', 'after', isRowOf('crm')],
    ['fails', 'the endpoint’s row', 'before', isRowOf('crm')],
    ['is dead', 'its dead letter', 'after', deadLetter],
  ] as const)('one that %s stays where %s can not be written (%s)', async (how, _, when, isIt) => {
    const { settler, held, said, hidden, told } = await open([one()], ({ faults }) => {
      faults[when] = command => isIt(command) && TABLE_DOWN;
    });
    if (how === 'waits') await settler.waits([held[0]]);
    else if (how === 'is dead') await settler.dead(held[0], reason);
    else await settler.failed(held[0], reason);
    expect([settler.open, settler.again, hidden]).toEqual([[], ['m0'], [['m0', 5]]]);
    expect(present(settler.tally.values)).not.toHaveProperty('DeliveriesDead');
    expect(told()).toMatchObject([{ outcome: 'unsettled', events: [event.id] }]);
    expect(said.at(-1)).toEqual(NOT_SAVED);
  });

  it('one that was received before goes with the row that an earlier run may have left; a new one has none', async () => {
    const [early, late] = [one(HOUR), messageOf('m1', other.body)];
    for (const how of ['delivered', 'unwanted'] as const) {
      const setting = await open([early, late]);
      const { settler, held, wait, pendingIds } = setting;
      await wait([event, other].map(({ id, body }) => rowOf(id, body)));
      if (how === 'delivered') await settler.delivered(held);
      else for (const each of held) await settler.unwanted(each);
      expect([settler.open, settler.again, await pendingIds()]).toEqual([[], [], [other.id]]);
    }
  });

  it('one that is new costs no look for its row', async () => {
    const { dependencies, rows } = await open([]);
    const asked: object[] = [];
    const forget = async (all: object) => void asked.push(all);
    const deliveries = { ...dependencies.deliveries, forget };
    const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    for (const record of [one(), one(HOUR)]) {
      const settler = new QueueSettler('crm', health, [record], { ...dependencies, deliveries });
      await settler.delivered(settler.open);
    }
    expect(asked).toMatchObject([[rowOf(event.id, event.body)]]);
  });

  it('one that was received before stays where its row can not be removed; new ones beside it leave', async () => {
    const { settler, held, said, faults, hidden } = await open([one(HOUR), messageOf('m1', other.body)]);
    faults.before = () => TABLE_DOWN;
    await settler.delivered(held);
    expect([settler.open, settler.again, hidden]).toEqual([[], ['m0'], [['m0', 10]]]);
    expect(present(settler.tally.values)).toEqual({ Delivered: 1 });
    expect(said).toEqual([NOT_SAVED]);
  });

  it('one that came twice waits once', async () => {
    const { settler, held, pendingIds, healthOf } = await open([one(), messageOf('m1', event.body)]);
    await settler.waits([held[0]]);
    await settler.waits([held[1]]);
    expect([settler.again, await pendingIds()]).toEqual([[], [event.id]]);
    expect(await healthOf()).toMatchObject({ waiting: { added: 2 } });
  });
});
