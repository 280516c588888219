import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { createOperations } from '../../../functions/operations/operations.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import { verifyDeliveries } from '../../../functions/operations/walk-deliveries.ts';
import { KEEP } from '../../../functions/store/limits.ts';
import { AT, commit, type OpenContext, openContext, STORES, storesOf } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';
import { openModel } from '../../kit/table.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NAME = 'crm';
const CALLER = { who: 'ann', isProven: true };

describe.each(STORES)('the deliveries of a process, over %s', (_, open) => {
  let context: OpenContext;
  beforeEach(() => {
    context = openContext(open);
  });
  afterEach(() => context.close());

  /** Commits an event, this long ago. */
  const committed = async (ago: number): Promise<ChangeEvent> => {
    const [event] = eventsOf(AT - ago);
    await commit(context, [event as ChangeEvent], { at: AT - ago });
    return event as ChangeEvent;
  };
  const endpoint = (more: object = {}, addedAt = AT - 5 * DAY) =>
    context.endpoints.change(NAME, () => ({
      ...{ name: NAME, settings: { name: NAME, kind: 'webhook', ...more }, health: {}, addedAt },
    }));
  const attempted = ({ id, type, sequence }: ChangeEvent, failure?: string) =>
    context.deliveries.note([
      {
        ...{ endpoint: NAME, at: Number(sequence) + 1_000, took: 5 },
        events: [{ id, type, at: Number(sequence) }],
        ...(failure !== undefined && { failure }),
      },
    ]);
  const placeOf = ({ id, sequence }: ChangeEvent) => ({ endpoint: NAME, eventId: id, at: Number(sequence) });
  const row = (event: ChangeEvent) => ({
    ...{ ...placeOf(event), body: JSON.stringify(event), attributes: {}, due: AT },
  });
  type Options = NonNullable<Parameters<typeof verifyDeliveries>[2]>;
  const verify = (options: Partial<Options> = {}, configured: readonly EndpointSettings[] = []) =>
    verifyDeliveries(
      asked => createOperations({ ...context, configured })(asked, CALLER),
      { process: 'on boarding' },
      { wait: async () => undefined, ...options },
    );
  /** An endpoint that got an event five days ago, so that each later one has a trace. */
  const known = async (more?: object) => {
    await endpoint(more);
    await attempted(await committed(4 * DAY));
  };
  const nothing = { delivered: 0, waiting: 0, dead: 0, unknown: 0, missing: [] };

  it('are delivered, in the backlog or dead', async () => {
    await known();
    const [failed, sent] = [await committed(5 * HOUR), await committed(4 * HOUR)];
    const [waiting, dead] = [await committed(3 * HOUR), await committed(2 * HOUR)];
    await attempted(failed, 'answered 500');
    await attempted(sent);
    await context.deliveries.add([row(failed), row(waiting)]);
    await context.deliveries.addDead(row(dead), { at: AT, reason: 'answered 500' });
    expect(await verify()).toEqual({ ...nothing, delivered: 2, waiting: 2, dead: 1 });
  });

  it('are missing without a trace, unless the attempt was only saved later', async () => {
    await known();
    const [lost, late] = [await committed(2 * HOUR), await committed(HOUR)];
    const queued = row(await committed(HOUR / 2));
    const wait = () => attempted(late).then(() => context.deliveries.add([queued]));
    expect(await verify({ wait })).toEqual({
      ...{ ...nothing, delivered: 2, waiting: 1 },
      missing: [{ event: lost.id, endpoint: NAME }],
    });
  });

  it('are unknown once the journal has the event no longer, but not when they cannot be looked for', async () => {
    await known();
    await committed(HOUR);
    const find = vi.spyOn(context.journal, 'find').mockResolvedValueOnce(undefined);
    expect(await verify()).toEqual({ ...nothing, delivered: 1, unknown: 1 });
    find.mockRejectedValueOnce(new Refused('Lambda throttled the request. Try again in a moment.'));
    await expect(verify()).rejects.toThrow('Lambda throttled the request.');
  });

  it('are not looked for when the event is young, older than the attempts or the endpoint, or not wanted', async () => {
    await committed(6.5 * DAY);
    await committed(5.5 * DAY);
    await known({ filter: { events: ['task.updated'] } });
    await committed(60_000);
    const [created] = eventsOf(AT - HOUR, 1, { action: 'created' });
    await commit(context, [created as ChangeEvent], { at: AT - HOUR });
    expect(await verify()).toEqual({ ...nothing, delivered: 1 });
  });

  it('are not looked for when the event is as old as attempts by the configuration', async () => {
    await known();
    await committed(1.5 * DAY);
    expect((await verify()).missing).toHaveLength(1);
    Object.assign(context, { keep: { ...KEEP, attempts: 2 * DAY } });
    expect((await verify()).missing).toEqual([]);
  });

  it('are unknown where an event need not have a trace', async () => {
    await known({ keepSuccesses: false });
    await committed(HOUR);
    expect(await verify()).toMatchObject({ delivered: 1, unknown: 1, missing: [] });

    await endpoint();
    const update = { ...CALLER, operation: 'update-endpoint', subject: { endpoint: NAME } } as const;
    await context.actions.note({ ...update, at: AT - 2 * HOUR });
    const later = await committed(HOUR / 2);
    expect(await verify()).toMatchObject({ unknown: 0, missing: [expect.anything(), { event: later.id }] });
    await context.actions.note({ ...update, at: AT - 0.7 * HOUR });
    expect(await verify()).toMatchObject({ delivered: 1, unknown: 2, missing: [] });
  });

  it('are unknown while nothing runs', async () => {
    await known();
    await committed(HOUR);
    context.isRunning = false;
    expect(await verify()).toMatchObject({ delivered: 1, unknown: 1, missing: [] });
  });

  it('are unknown for an endpoint of the configuration with a filter', async () => {
    await known();
    await committed(HOUR);
    const configured = { name: NAME, kind: 'webhook', filter: { events: ['task.updated'] } } as const;
    expect(await verify({}, [configured])).toEqual({ ...nothing, delivered: 1, unknown: 1 });
  });

  it('come in slices', async () => {
    await known();
    for (let index = 0; index < 3; index += 1) {
      const at = AT - DAY + index * HOUR;
      await commit(context, eventsOf(at, 300), { at });
    }
    const slices: number[] = [];
    const found = await verify({ report: ({ deliveries }) => void slices.push(deliveries) });
    expect([slices, found.delivered, found.missing.length]).toEqual([[601, 901], 1, 900]);
  });

  it('are unknown where the table may have deleted their attempts, since these were kept for a shorter time', async () => {
    context.close();
    const written = { ...openModel(), keep: { ...KEEP, attempts: 3 * DAY } };
    context = openContext(() => ({ ...storesOf(written), keep: KEEP, close: () => undefined }));
    await known();
    await committed(3.5 * DAY);
    await attempted(await committed(DAY));
    expect(await verify()).toEqual({ ...nothing, delivered: 2, unknown: 1 });
  });
});
