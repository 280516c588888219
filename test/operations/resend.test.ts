import { afterEach, describe, expect, it } from 'vitest';
import { serialise } from '../../functions/changes/fit-event.ts';
import { placeOf } from '../../functions/delivery/read-event.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { createOperations } from '../../functions/operations/operations.ts';
import { AT, commit, type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askOf } from '../kit/operations/setting.ts';

/** It wants none of the events here. */
const CRM = { name: 'crm', kind: 'webhook', filter: { events: ['source.held'] } } as const;
const OTHER = { name: 'other', kind: 'webhook' } as const;

describe.each(STORES)('over %s, an event that is sent once more', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const [event] = eventsOf(AT) as [ChangeEvent];
  const body = serialise(event);
  const opened = async () => {
    context = openContext(open, [CRM, OTHER]);
    await commit(context, [event]);
    context.state.now = AT + 9_000;
    return context;
  };
  const resend = (eventId: string, to: string) =>
    askOf({ operations: createOperations(context), caller: { who: 'ann', isProven: true } })('resend', {
      ...{ eventId, to },
    });
  const due = (endpoint = 'crm') => context.deliveries.due(endpoint, context.state.now, 9);

  it('invariant 11: comes from the journal byte for byte, to that endpoint alone, whatever its filter', async () => {
    await opened();
    expect(await resend(event.id, 'crm')).toEqual({ endpoint: 'crm', eventId: event.id, result: 'sent' });
    const at = placeOf(body)?.at;
    expect(await due()).toMatchObject([{ eventId: event.id, body, at, replay: true, due: AT + 9_000 }]);
    expect(await due('other')).toEqual([]);
    expect(context.woken).toEqual(['crm']);
    expect((await context.endpoints.read('crm'))?.health.waiting).toEqual({
      added: 1,
      due: AT + 9_000,
      first: false,
    });
  });

  it('is not added while it waits already', async () => {
    await opened();
    await resend(event.id, 'crm');
    expect(await resend(event.id, 'crm')).toEqual({
      ...{ endpoint: 'crm', eventId: event.id, result: 'already waiting' },
    });
    expect(await due()).toHaveLength(1);
    expect(context.woken).toHaveLength(1);
  });

  it('is its dead letter where there is one, and no other comes back', async () => {
    await opened();
    const dead = { endpoint: 'crm', eventId: event.id, at: AT, body: '{"a":1}', attributes: {} };
    await context.deliveries.addDead(dead, { at: AT, reason: 'no' });
    await context.deliveries.addDead({ ...dead, eventId: 'another' }, { at: AT, reason: 'no' });
    expect(await resend(event.id, 'crm')).toMatchObject({ result: 'sent' });
    expect(await due()).toMatchObject([{ body: '{"a":1}', replay: true, attempts: 0 }]);
    expect(await context.deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'another' }]);
  });

  it('waits for an endpoint that may get nothing, and says why', async () => {
    await opened();
    await context.endpoints.change('crm', () => ({ name: 'crm', health: { paused: { at: AT } } }));
    expect(await resend(event.id, 'crm')).toMatchObject({ result: 'sent', closed: 'paused' });
    expect(await due()).toHaveLength(1);
  });

  it('that the journal does not have, or to an unknown endpoint, is refused', async () => {
    await opened();
    await expect(resend('a.b.1.0', 'crm')).rejects.toThrow(
      'There is no event with this id in the last 30 days',
    );
    await expect(resend(event.id, 'unknown')).rejects.toThrow('There is no endpoint with this name.');
    expect([await context.endpoints.list(), context.woken]).toEqual([[], []]);
  });
});
