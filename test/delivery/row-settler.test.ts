import { describe, expect, it } from 'vitest';
import { present } from '../../functions/basics/telemetry.ts';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import type { Delivery } from '../../functions/delivery/settler.ts';
import { RowSettler } from '../../functions/delivery/settlers.ts';
import {
  endpointOf,
  isRowOf,
  openSetting,
  type Setting,
  TABLE_DOWN,
  waitingOnes,
  writes,
} from '../kit/delivery/setting.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

const [first, second] = waitingOnes(2);
const reason = { reason: 'answered 500' };

async function open(more: object = {}, change: (setting: Setting) => void = () => undefined) {
  const setting = openSetting();
  await setting.register();
  await setting.wait(waitingOnes(2, more));
  const health = new EndpointHealth(endpointOf(), await setting.rows.read('crm'), setting.dependencies);
  const settler = new RowSettler('crm', health, await setting.pending(), setting.dependencies);
  change(setting);
  const told = () => {
    settler.tally.report(setting.dependencies.log, { endpoint: 'crm', ms: 0 });
    return setting.lines;
  };
  return { ...setting, settler, told, held: settler.open as readonly [Delivery, Delivery] };
}

describe('a delivery that waited in its row', () => {
  it('is open until it is settled, and goes with its row once it is delivered', async () => {
    const { settler, held, pendingIds } = await open();
    expect(held.map(({ eventId }) => eventId)).toEqual([first?.eventId, second?.eventId]);
    await settler.delivered([held[0]]);
    expect([settler.open, await pendingIds()]).toEqual([[held[1]], [second?.eventId]]);
    expect(present(settler.tally.values)).toEqual({ Delivered: 1 });
    expect([settler.isStuck, settler.isCut]).toEqual([false, false]);
  });

  it('goes with its row where it is not wanted, uncounted', async () => {
    const { settler, held, pendingIds, told } = await open();
    await settler.unwanted(held[0]);
    expect(told()).toMatchObject([{ outcome: 'unwanted', events: [first?.eventId] }]);
    expect([settler.open, await pendingIds()]).toEqual([[held[1]], [second?.eventId]]);
    expect(present(settler.tally.values)).toEqual({});
  });

  it.each([
    ['never before', undefined, 5 * SECOND],
    ['a minute ago first', AT - MINUTE, 2 * MINUTE],
    ['an hour ago first', AT - HOUR, 2 * HOUR],
  ])('and was tried %s is put off by its age when it fails', async (_, triedAt, pause) => {
    const { settler, held, said, pending, state } = await open({ triedAt, attempts: 3 });
    state.now += SECOND;
    await settler.failed(held[0], reason);
    expect((await pending())[0]).toMatchObject({ due: AT + pause, attempts: 4, triedAt: triedAt ?? AT });
    expect([settler.open, present(settler.tally.values)]).toEqual([[held[1]], { DeliveryFailed: 1 }]);
    const about = { endpoint: 'crm', eventId: first?.eventId, ...reason };
    const details = { code: 'delivery.failed', ...about, seconds: pause / 1000 };
    expect(said).toEqual([{ level: 'warn', message: 'Delivery failed; will retry.', details }]);
  });

  it('is a dead letter when it fails three days after its first attempt', async () => {
    const { settler, held, said, pendingIds, deliveries } = await open({ triedAt: AT - 72 * HOUR });
    await settler.failed(held[0], reason);
    expect(await pendingIds()).toEqual([second?.eventId]);
    expect(await deliveries.dead('crm', 9)).toMatchObject([
      { eventId: first?.eventId, attempts: 1, diedAt: AT },
    ]);
    expect(present(settler.tally.values)).toEqual({ DeliveryFailed: 1, DeliveriesDead: 1 });
    const message = 'Gave up on a delivery; moved it to the dead letters.';
    const details = { code: 'delivery.dead-letter', endpoint: 'crm', eventId: first?.eventId, ...reason };
    expect(said).toEqual([{ level: 'error', message, details }]);
  });

  it('stays as it is where its endpoint gets nothing now, and where the time is up', async () => {
    const { settler, held, pending, told } = await open();
    const before = await pending();
    await settler.waits([held[0]]);
    expect(settler.isCut).toBe(false);
    await settler.untried([held[1]]);
    expect([settler.open, settler.isStuck, settler.isCut]).toEqual([[], false, true]);
    expect(await pending()).toEqual(before);
    const events = [first?.eventId, second?.eventId];
    expect(told()).toMatchObject([{ outcome: '1 waiting, 1 untried', events }]);
  });

  it.each([
    ['delivered', (settler: RowSettler, held: Delivery) => settler.delivered([held])],
    ['not wanted', (settler: RowSettler, held: Delivery) => settler.unwanted(held)],
    ['put off', (settler: RowSettler, held: Delivery) => settler.failed(held, reason)],
    ['dead', (settler: RowSettler, held: Delivery) => settler.dead(held, reason)],
  ])('invariant 11: stays as it is when it can not be written that it is %s', async (_, settle) => {
    const { settler, held, said, pending } = await open({}, ({ faults }) => {
      faults.before = command => (writes(command, 'PENDING#') || writes(command, 'DEAD#')) && TABLE_DOWN;
    });
    const before = await pending();
    await settle(settler, held[0]);
    expect([settler.isStuck, settler.open, await pending()]).toEqual([true, [held[1]], before]);
    expect(present(settler.tally.values)).not.toHaveProperty('DeliveriesDead');
    const about = { endpoint: 'crm', events: [held[0].eventId], error: 'Error: table down' };
    const details = { code: 'delivery.status-not-saved', ...about };
    const message = 'Could not save the status of deliveries; they will be retried.';
    expect(said.at(-1)).toEqual({ level: 'error', message, details });
  });

  it('invariant 11: stays as it is when its dead letter alone can not be written', async () => {
    const { settler, held, pending, deliveries, told } = await open({}, ({ faults }) => {
      faults.before = command => writes(command, 'DEAD#') && TABLE_DOWN;
    });
    const before = await pending();
    await settler.dead(held[0], reason);
    expect([settler.isStuck, await pending(), await deliveries.dead('crm', 9)]).toEqual([true, before, []]);
    expect(told()).toMatchObject([{ outcome: 'unsettled', events: [first?.eventId] }]);
  });

  it('is given up only once it is counted: a crash in between may count it twice, but never hides it', async () => {
    const { settler, held, deliveries, pendingIds, healthOf } = await open({}, ({ faults }) => {
      faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
    });
    await settler.dead(held[0], reason);
    expect([await deliveries.dead('crm', 9), (await pendingIds()).length]).toEqual([[], 2]);
    expect((await healthOf())?.reports).toBeUndefined();
  });
});
