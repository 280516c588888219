import { afterEach, describe, expect, it } from 'vitest';
import { AT, commit, type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { askIn } from '../kit/operations/setting.ts';

const CHANGE = { field: 'remark', name: 'Notes', kind: 'custom', type: 'text', from: '', to: 'x' } as const;

describe.each(STORES)('over %s, the preview of an endpoint', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const opened = () => {
    context = openContext(open);
    return askIn(context);
  };
  const url = 'https://receiver.example/hush-hush';

  it('shows the message of a chat for the last event that its filter selects, and sends nothing', async () => {
    const ask = opened();
    const filter = { events: ['task.updated'] } as const;
    await ask('add-endpoint', { endpoint: 'team', kind: 'slack', url, filter, locale: 'de-DE' });
    const due = { ...CHANGE, field: 'due', name: 'Due', type: 'date', to: '2026-12-08' };
    const [wanted, other] = [eventsOf(AT, 2, { field: due }), eventsOf(AT + 9, 1, { action: 'created' })];
    await commit(context, wanted);
    await commit(context, other, { at: AT + 9 });
    const preview = await ask('preview', { endpoint: 'team' });
    expect(preview).toMatchObject({
      ...{ endpoint: 'team', kind: 'slack', isSample: false, committedAt: new Date(AT).toISOString() },
      event: { id: wanted[1]?.id, type: 'task.updated' },
      notification: 'Task "t1" in "Acme": Due empty → 08.12.2026',
      text: expect.stringMatching(/^Acme\n1 change in 1 task · .*\n.*\n• t1 · Due: empty → 08\.12\.2026$/),
      headers: { 'content-type': 'application/json' },
      body: { blocks: expect.anything() },
    });
    expect(preview).not.toHaveProperty('leftOut');
    const left = await ask('preview', { endpoint: 'team', eventId: other[0]?.id as string });
    expect(left).toMatchObject({ leftOut: 'its type is task.created', text: expect.stringContaining('t0') });
    expect(preview).not.toHaveProperty('nextMessageAt');
    await ask('update-endpoint', { endpoint: 'team', digest: '23:00 UTC' });
    const nextMessageAt = new Date(Date.UTC(2026, 10, 21, 23)).toISOString();
    expect(await ask('preview', { endpoint: 'team' })).toMatchObject({ nextMessageAt });
    expect(await ask('preview', { endpoint: 'team', eventId: other[0]?.id as string })).toEqual(left);
    expect(context.posts).toEqual([]);
  });

  it('shows that no change has a field that its filter names, likely a typo', async () => {
    const ask = opened();
    const where = { due: { exists: true }, Notez: { exists: true } };
    await ask('add-endpoint', { endpoint: 'crm', kind: 'webhook', url, filter: { where } });
    const wanted = eventsOf(AT, 1, { field: { ...CHANGE, field: 'due', name: 'Due' } });
    await commit(context, wanted);
    const other = eventsOf(AT + 9, 1, { field: CHANGE });
    await commit(context, other, { at: AT + 9 });
    const leftOut = async ([event]: typeof other) =>
      (await ask('preview', { endpoint: 'crm', eventId: event?.id as string })).leftOut;
    const typo = 'no change in the journal has the field "Notez"; did you mean "Notes"?';
    expect(await leftOut(wanted)).toBe(typo);
    expect(await leftOut(other)).toBe('the event does not show `due`');
  });

  it('shows the headers and the body of a webhook without its secrets', async () => {
    const ask = opened();
    const headers = { Authorization: 'Bearer hush-hush' };
    const { secret = '' } = await ask('add-endpoint', { endpoint: 'crm', kind: 'webhook', url, headers });
    const [event] = eventsOf(AT);
    await commit(context, [event as never]);
    const preview = await ask('preview', { endpoint: 'crm' });
    expect(preview).toMatchObject({
      headers: { 'webhook-id': event?.id, 'webhook-signature': '(signature)', Authorization: '(secret)' },
      body: event,
    });
    expect(preview).not.toHaveProperty('text');
    expect(JSON.stringify(preview)).not.toMatch(new RegExp(`hush|${RegExp.escape(secret)}`));
    await ask('add-endpoint', { endpoint: 'many', kind: 'webhook', url, batch: 5, record: false });
    context.secrets.texts.clear();
    expect((await ask('preview', { endpoint: 'many' })).body).toMatchObject([{ id: event?.id }]);
    await ask('add-endpoint', { endpoint: 'own', kind: 'pull' });
    const taken = await ask('preview', { endpoint: 'own' });
    expect(taken.body).toEqual(event);
    expect(taken).not.toHaveProperty('headers');
  });

  it('shows a test event while the filter selects none, and refuses an event that is not there', async () => {
    const ask = opened();
    await ask('add-endpoint', { endpoint: 'chat', kind: 'text', url, filter: { projects: ['p9'] } });
    await commit(context, eventsOf(AT));
    expect(await ask('preview', { endpoint: 'chat' })).toMatchObject({
      ...{ isSample: true, event: { type: 'changewire.test' } },
      text: expect.stringMatching(/^This is a test\nendpoint chat\n/),
    });
    const unknown = ask('preview', { endpoint: 'chat', eventId: 'a.b.1.0' });
    await expect(unknown).rejects.toThrow('There is no event with this id in the journal.');
  });
});
