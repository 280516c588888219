import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import type { Health } from '../../functions/model/endpoint-row.ts';
import { AT, endpointOf, HOUR, MINUTE, openSetting, SECOND } from '../kit/delivery/setting.ts';

function open(wake?: (name: string) => Promise<void>) {
  const setting = openSetting();
  const { dependencies, rows } = setting;
  const { queues } = dependencies;
  const tick = createTick({
    ...dependencies,
    jobs: async () => undefined,
    registry: createRegistry([], rows, dependencies.clock),
    queues: {
      wake: async (to, seconds) => {
        await wake?.(to.name);
        await queues.wake(to, seconds);
      },
    },
  });
  const add = (name: string, health: Health) => setting.register(health, endpointOf('webhook', name), name);
  return { ...setting, tick, add };
}
const waiting = (due: number) => ({ waiting: { added: 1, due, first: true } });
const failing = (since: number, notBefore = AT) => ({ failing: { since, probes: 1 }, notBefore });

describe('a tick', () => {
  it.each<[string, Health, number | undefined]>([
    ['nothing waits for', {}, undefined],
    ['has something due now', waiting(AT), 0],
    ['has something due in 1 ms', waiting(AT + 1), 1],
    ['has something due in 59.999 s', waiting(AT + MINUTE - 1), 60],
    ['has something due when the next tick comes', waiting(AT + MINUTE), undefined],
    ['is held for 20 s', { ...waiting(AT), notBefore: AT + 20 * SECOND }, 20],
    ['is to be probed', { ...waiting(AT), ...failing(AT) }, 0],
    ['is paused', { ...waiting(AT), paused: { at: AT } }, undefined],
  ])('wakes a run for an endpoint that %s: %j in %s s', async (_, health, seconds) => {
    const { tick, add, wakes } = open();
    await add('crm', health);
    await tick();
    expect(wakes).toEqual(seconds === undefined ? [] : [['crm', seconds]]);
  });

  it('wakes one run for each of many endpoints', async () => {
    const { tick, add, wakes } = open();
    const names = Array.from({ length: 55 }, (_, index) => `e${index}`);
    for (const name of names) await add(name, waiting(AT));
    await tick();
    expect(wakes.map(([name]) => name).toSorted()).toEqual(names.toSorted());
  });

  it('invariant 11: wakes the others where one can not be woken, and counts all the same', async () => {
    const { tick, add, register, wakes, said, counts } = open(async name => {
      if (name === 'a') throw new Error('queue down');
    });
    for (const name of ['a', 'b', 'c']) await add(name, { ...waiting(AT), ...failing(AT - HOUR) });
    // As an earlier version accepted it.
    const digest = { ...endpointOf('slack', 'old'), digest: '08:00 PST' };
    await register({ ...waiting(AT), window: { holds: true } }, digest, 'old');
    await tick();
    expect(wakes).toEqual(['b', 'c'].map(name => [name, 0]));
    const message = 'Could not schedule a drain of the backlog; the next tick retries.';
    const details = { code: 'backlog.not-scheduled', endpoint: 'a', error: 'Error: queue down' };
    const old = { ...details, endpoint: 'old', error: expect.stringMatching(/^TypeError/) };
    expect(said.slice(0, 2)).toEqual([old, details].map(details => ({ level: 'error', message, details })));
    expect(counts).toEqual({ EndpointsFailing: 3 });
  });
});
