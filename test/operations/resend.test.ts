import { afterEach, describe, expect, it } from 'vitest';
import { serialise } from '../../functions/changes/serialise.ts';
import { placeOf } from '../../functions/delivery/read-event.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { resend } from '../../functions/operations/resend.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { AT, commit, type OpenHouse, openHouse, STORES } from '../kit/operations/house.ts';

/** It wants none of the events here. */
const CRM = { name: 'crm', kind: 'webhook', filter: { events: ['source.held'] } } as const;
const OTHER = { name: 'other', kind: 'webhook' } as const;

describe.each(STORES)('over %s, an event that is sent once more', (_, open) => {
  let house: OpenHouse;
  afterEach(() => house.close());
  const [event] = eventsOf(AT) as [ChangeEvent];
  const body = serialise(event);
  const opened = async () => {
    house = openHouse(open, [CRM, OTHER]);
    await commit(house, [event]);
    house.state.now = AT + 9_000;
    return house;
  };
  const due = (endpoint = 'crm') => house.deliveries.due(endpoint, house.state.now, 9);

  it('invariant 11: comes from the journal byte for byte, to that endpoint alone, whatever its filter', async () => {
    await opened();
    expect(await resend(event.id, 'crm', house)).toEqual({ answer: 'sent', closed: undefined });
    const at = placeOf(body)?.at;
    expect(await due()).toMatchObject([{ eventId: event.id, body, at, replay: true, due: AT + 9_000 }]);
    expect(await due('other')).toEqual([]);
    expect(house.woken).toEqual(['crm']);
    expect((await house.rows.read('crm'))?.health.waiting).toEqual({
      added: 1,
      due: AT + 9_000,
      first: false,
    });
  });

  it('is not added while it waits already', async () => {
    await opened();
    await resend(event.id, 'crm', house);
    expect(await resend(event.id, 'crm', house)).toEqual({ answer: 'already waiting', closed: undefined });
    expect(await due()).toHaveLength(1);
    expect(house.woken).toHaveLength(1);
  });

  it('is its dead letter where there is one, and no other comes back', async () => {
    await opened();
    const dead = { endpoint: 'crm', eventId: event.id, at: AT, body: '{"a":1}', attributes: {} };
    await house.deliveries.addDead(dead, { at: AT, reason: 'no' });
    await house.deliveries.addDead({ ...dead, eventId: 'another' }, { at: AT, reason: 'no' });
    expect(await resend(event.id, 'crm', house)).toMatchObject({ answer: 'sent' });
    expect(await due()).toMatchObject([{ body: '{"a":1}', replay: true, attempts: 0 }]);
    expect(await house.deliveries.dead('crm', 9)).toMatchObject([{ eventId: 'another' }]);
  });

  it('waits for an endpoint that may get nothing, and says why', async () => {
    await opened();
    await house.rows.change('crm', () => ({ name: 'crm', health: { paused: { at: AT } } }));
    expect(await resend(event.id, 'crm', house)).toEqual({ answer: 'sent', closed: 'paused' });
    expect(await due()).toHaveLength(1);
  });

  it('that the journal does not have, or to an endpoint that there is not, is told so', async () => {
    await opened();
    expect(await resend('a.b.1.0', 'crm', house)).toEqual({ answer: 'not found' });
    expect(await resend(event.id, 'nobody', house)).toEqual({ answer: 'unknown endpoint' });
    expect([await house.rows.list(), house.woken]).toEqual([[], []]);
  });
});
