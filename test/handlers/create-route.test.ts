import { describe, expect, it } from 'vitest';
import type { Routed } from '../../functions/delivery/queues.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import type { Message, Queue } from '../../functions/queue/queue.ts';
import { endpointOf, messageOf, openSetting, someEvents, TABLE_DOWN } from '../kit/delivery/setting.ts';
import { SECOND } from '../kit/time.ts';

function open(
  configured: readonly EndpointSettings[],
  unsent: (routed: Routed, index: number) => boolean = () => false,
  extend?: Queue['extend'],
  moveToFailed?: MoveToFailed,
) {
  const setting = openSetting();
  const { dependencies, rows, state } = setting;
  const sent: Routed[] = [];
  const route = createRoute({
    ...dependencies,
    ...(moveToFailed && { moveToFailed }),
    registry: createRegistry(configured, rows, () => state.now),
    send: async (messages, hasTime) => {
      const indexes = messages.flatMap((message, index) => {
        if (!hasTime?.() || unsent(message, index)) return [index];
        sent.push(message);
        return [];
      });
      return { indexes, ...(indexes.length > 0 && { reason: 'queue down' }) };
    },
  });
  const queue = { ...dependencies.queue, ...(extend && { extend }) };
  const run = (all: readonly Message[], remaining = () => 60 * SECOND) =>
    route({ messages: all, queue }, { awsRequestId: 'r', getRemainingTimeInMillis: remaining });
  return { ...setting, sent, route: run };
}
const events = someEvents(3) as [ChangeEvent, ChangeEvent, ChangeEvent];
const TWO = ['one', 'two'].map(name => endpointOf('webhook', name));
const messages = events.map((event, index) => messageOf(`m${index}`, JSON.stringify(event)));

describe('the router', () => {
  it('sends each event, byte for byte, once to each endpoint that wants it', async () => {
    const wanting = (name: string, filter: EndpointSettings['filter']) => ({
      ...endpointOf('webhook', name),
      filter,
    });
    const { route, sent } = open([
      endpointOf('webhook', 'all'),
      wanting('none', { projects: ['p.2'] }),
      wanting('updates', { events: ['task.updated'], fields: ['Note'] }),
      wanting('values', { values: [{ field: 'note', from: ['x'] }] }),
      endpointOf('slack', 'chat'),
    ]);
    expect(await route(messages)).toEqual([]);
    const bodies = messages.map(({ body }) => body);
    for (const name of ['all', 'updates', 'chat'])
      expect(sent.filter(({ to }) => to.name === name).map(({ body }) => body)).toEqual(bodies);
    expect(sent).toHaveLength(9);
  });

  it('sends to those that are paused, stopped or failing, too: it is their deliveries that wait', async () => {
    const { route, sent, register } = open([]);
    await register({ paused: { at: 1 }, stopped: { at: 1, reason: '' }, failing: { since: 1, probes: 1 } });
    await route(messages);
    expect(sent).toHaveLength(3);
  });

  it('invariant 11: keeps an event of which one message is not in its queue, and no other', async () => {
    const { route, lines, hidden, said } = open(
      TWO,
      ({ to, body }) => to.name === 'two' && body === messages[1]?.body,
    );
    expect(await route(messages)).toEqual(['m1']);
    const [first, second, third] = events.map(({ id }) => id);
    const routed = { events: [first, third], deliveries: 5, again: [second] };
    expect(lines).toEqual([{ code: 'route.batch-ended', message: 'Route batch ended.', ...routed }]);
    expect(hidden).toEqual([['m1', 5]]);
    const message = 'Could not queue some deliveries; their events are routed again.';
    const details = { code: 'route.unsent', unsent: 1, reason: 'queue down' };
    expect(said).toEqual([{ level: 'warn', message, details }]);
  });

  it('sends a repeated event only to the endpoints that lack it', async () => {
    const down = new Set(['two']);
    const { route, sent } = open(
      ['one', 'two', 'three'].map(name => endpointOf('webhook', name)),
      ({ to }) => down.has(to.name),
    );
    const first = messages.slice(0, 1);
    expect(await route(first)).toEqual(['m0']);
    expect(await route(first)).toEqual(['m0']);
    down.clear();
    expect(await route(first)).toEqual([]);
    expect(sent.map(({ to }) => to.name)).toEqual(['one', 'three', 'two']);
    await route(first);
    expect(sent).toHaveLength(6);
  });

  it('remembers the endpoints that lack an event for the last hundred events', async () => {
    let isDown = true;
    const { route, sent } = open(TWO, ({ to }) => isDown && to.name === 'two');
    const many = Array.from({ length: 101 }, (_, index) => messageOf(`x${index}`, JSON.stringify(events[0])));
    await route(many);
    isDown = false;
    sent.length = 0;
    await route(many.slice(0, 2));
    expect(sent.map(({ to }) => to.name)).toEqual(['one', 'two', 'two']);
  });

  it('returns the events that it does not reach before its time is up', async () => {
    const { route, sent, hidden, said } = open(TWO);
    const left = [10_000, 10_000, 9_999];
    expect(await route(messages, () => left.shift() ?? 0)).toEqual(['m1', 'm2']);
    expect(sent.map(({ body }) => body)).toEqual([messages[0]?.body, messages[0]?.body]);
    expect(hidden.map(([id]) => id)).toEqual(['m1', 'm2']);
    expect(said).toHaveLength(1);
  });

  it('shows an event again in 5 to 30 s, and after ten receives when its queue does', async () => {
    const { route, hidden } = open(TWO, () => true);
    for (const receives of [1, 2, 3, 4, 10, 11]) {
      const message = messageOf('m0', JSON.stringify(events[0]), { receives });
      // Once, of however many endpoints lack it.
      expect(await route([message])).toEqual(['m0']);
    }
    expect(hidden.map(([, seconds]) => seconds)).toEqual([5, 10, 20, 30, 30]);
  });

  it('leaves it to the queue when an event comes again, where that can not be set, and says so', async () => {
    const extend = () => Promise.reject(new Error('queue down'));
    const { route, said } = open([endpointOf()], () => true, extend);
    expect(await route(messages.slice(0, 1))).toEqual(['m0']);
    const message = 'Could not set when a message is received again; its queue decides.';
    const details = { code: 'queue.delay-not-set', messageId: 'm0', error: 'Error: queue down' };
    expect(said).toContainEqual({ level: 'warn', message, details });
  });

  it('sets a malformed message aside at once, says why, and routes the others', async () => {
    const { route, sent, said, hidden, aside } = open([endpointOf()]);
    expect(await route([messageOf('odd', 'hush'), ...messages])).toEqual([]);
    expect(sent).toHaveLength(3);
    expect(hidden).toEqual([]);
    const details = { messageId: 'odd', reason: 'the message is not valid JSON' };
    expect(aside).toEqual([['odd', details.reason]]);
    expect(said).toMatchObject([{ level: 'error', details }]);
    expect(JSON.stringify(said)).not.toContain('hush');
  });

  it('keeps a malformed message for moments that can not be set aside, and routes the others', async () => {
    const fails = () => Promise.reject(new Error('queue down'));
    const { route, sent, said, hidden } = open([endpointOf()], undefined, undefined, fails);
    expect(await route([messageOf('odd', 'hush'), ...messages])).toEqual(['odd']);
    expect(sent).toHaveLength(3);
    expect(hidden).toEqual([['odd', 5]]);
    const details = expect.objectContaining({ error: 'Error: queue down' });
    expect(said).toContainEqual(expect.objectContaining({ level: 'error', details }));
  });

  it('keeps all for moments while the registry can not be read, and says so', async () => {
    const { route, faults, sent, hidden, said } = open([endpointOf()]);
    faults.before = () => TABLE_DOWN;
    expect(await route(messages)).toEqual(['m0', 'm1', 'm2']);
    expect(hidden.map(([, seconds]) => seconds)).toEqual([5, 5, 5]);
    expect(sent).toEqual([]);
    const message = 'Could not read the endpoints; the events are routed again.';
    const details = { code: 'route.endpoints-unreadable', error: 'Error: table down' };
    expect(said).toEqual([{ level: 'error', message, details }]);
  });
});
