import { describe, expect, it } from 'vitest';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import type { EndpointKind } from '../../functions/model/kinds.ts';
import { AT, endpointOf, HOUR, isRowOf, openSetting, SECOND, TABLE_DOWN } from '../kit/delivery/setting.ts';

async function open(kind?: EndpointKind) {
  const setting = openSetting();
  const row = await setting.register({}, endpointOf(kind));
  const written: object[] = [];
  setting.faults.before = command => void (isRowOf('crm')(command) && written.push(command));
  return { ...setting, written, health: new EndpointHealth(endpointOf(kind), row, setting.dependencies) };
}

describe('what a run tells of its endpoint', () => {
  it('leaves the endpoint itself as it is', async () => {
    const { health, rows } = await open();
    await health.failed('answered 500');
    await health.backlogAdded(AT, true);
    await health.gone('answered 410');
    const waiting = { added: 1, due: AT, first: true };
    const stopped = { at: AT, reason: 'answered 410' };
    const reports = {
      problem: { as: 'stopped', since: AT, depth: 0 },
      open: [{ type: 'endpoint.stopped', depth: 0, since: AT, reason: 'answered 410', version: AT, at: AT }],
      version: AT,
    };
    expect(await rows.read('crm')).toEqual({
      ...{ name: 'crm', settings: endpointOf() },
      health: { failures: { count: 1, since: AT }, waiting, stopped, reports },
    });
  });

  it('tells of rows with the earliest that is due, and whether any goes first, however many are told at once', async () => {
    const { health, healthOf, written } = await open();
    await Promise.all([
      health.backlogAdded(AT + HOUR, false),
      health.backlogAdded(AT + 5, true),
      health.backlogAdded(AT + 2 * HOUR, false),
    ]);
    expect(await healthOf()).toEqual({ waiting: { added: 3, due: AT + 5, first: true } });
    // None found the row changed by another.
    expect(written).toHaveLength(3);
  });

  it('tells all whose write failed, and the next are written again', async () => {
    const { health, healthOf, faults } = await open();
    faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
    const all = await Promise.allSettled([health.backlogAdded(AT, true), health.backlogAdded(AT, true)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(health.isStuck).toBe(true);
    faults.before = () => undefined;
    await health.backlogAdded(AT, true);
    expect(await healthOf()).toEqual({ waiting: { added: 1, due: AT, first: true } });
  });

  it('saves with the next change what could not be saved, once: a Retry-After is not forgotten', async () => {
    const { health, healthOf, faults, state } = await open();
    faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
    const failed = health.failed('answered 429', { for: 60 * SECOND });
    await expect(failed).rejects.toThrow();
    const held = { failures: { count: 1, since: AT, slowedAt: AT }, notBefore: AT + 60 * SECOND };
    expect(health.now).toEqual(held);
    faults.before = () => undefined;
    await health.backlogAdded(AT, true);
    const waiting = { added: 1, due: AT, first: true };
    expect(await healthOf()).toEqual({ ...held, waiting });
    state.now += SECOND;
    await health.failed('answered 500');
    expect((await healthOf())?.failures).toEqual({ count: 2, since: AT, slowedAt: AT });
    expect(health.now).toEqual(await healthOf());
  });

  it.each([
    ['webhook', 15],
    ['email', 45],
  ] as const)('tells once that an attempt of kind %s is slow, however many are', async (kind, seconds) => {
    const { health, healthOf, state, written } = await open(kind);
    await health.slow();
    state.now += SECOND;
    await health.slow();
    expect(await healthOf()).toEqual({ notBefore: AT + seconds * SECOND });
    expect(written).toHaveLength(1);
  });

  it('leaves what waits to its own time where an attempt was slow and nothing failed', async () => {
    const { health, healthOf } = await open();
    await health.slow();
    await health.backlogAdded(AT + HOUR, false);
    await health.succeeded(AT);
    expect(health.isBack).toBe(false);
    expect(await healthOf()).toEqual({ waiting: { added: 1, due: AT + HOUR, first: false } });
  });

  it('has somebody look after what waits only because an attempt was slow, once one succeeded', async () => {
    const { health, rows } = await open();
    expect(health.hasBacklog).toBe(false);
    await health.slow();
    expect(health.hasBacklog).toBe(false);
    await health.backlogAdded(AT, true);
    expect(health.hasBacklog).toBe(false);
    await health.succeeded(AT);
    expect(health.hasBacklog).toBe(true);
    const other = await open();
    await other.health.backlogAdded(AT, true);
    expect(other.health.hasBacklog).toBe(false);
    await other.health.slow();
    await other.health.succeeded(AT);
    expect(other.health.hasBacklog).toBe(true);
    await rows.change('crm', () => 'removed');
    await health.slow();
    await health.failed('answered 500');
    expect(health.hasBacklog).toBe(false);
  });

  it('tells nobody that an endpoint stopped that was removed meanwhile', async () => {
    const { health, rows, counts, said } = await open();
    await rows.change('crm', () => 'removed');
    await health.gone('answered 410');
    expect([health.now, counts, said]).toEqual([{}, {}, []]);
  });

  it('knows what it knew where the table is down and there is nothing to change', async () => {
    const { register, dependencies, faults } = await open();
    const stopped = { at: AT - 1, reason: 'answered 410' };
    const health = new EndpointHealth(endpointOf(), await register({ stopped }), dependencies);
    faults.before = command =>
      (isRowOf('crm')(command) || command.constructor.name === 'GetItemCommand') && TABLE_DOWN;
    await expect(health.gone('answered 410')).rejects.toThrow('table down');
    expect(health.now).toEqual({ stopped });
  });
});
