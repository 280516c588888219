import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import type { Routed } from '../../functions/delivery/queues.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { createRoute } from '../../functions/handlers/create-route.ts';
import { someEvents } from '../kit/delivery/given.ts';
import { endpointOf, openSetting, recordOf, TABLE_DOWN } from '../kit/delivery/setting.ts';

function open(
  configured: readonly EndpointSettings[],
  unsent: (routed: Routed, index: number) => boolean = () => false,
) {
  const setting = openSetting();
  const { dependencies, rows, state } = setting;
  const sent: Routed[] = [];
  const route = createRoute({
    ...dependencies,
    registry: createRegistry(configured, rows, () => state.now),
    send: async messages => {
      sent.push(...messages);
      return messages.flatMap((message, index) => (unsent(message, index) ? [index] : []));
    },
  });
  return { ...setting, sent, route };
}
const events = someEvents(3) as [ChangeEvent, ChangeEvent, ChangeEvent];
const Records = events.map((event, index) => recordOf(`m${index}`, JSON.stringify(event)));
const failed = (...ids: string[]) => ({ batchItemFailures: ids.map(itemIdentifier => ({ itemIdentifier })) });

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
    expect(await route({ Records })).toEqual(failed());
    const bodies = Records.map(({ body }) => body);
    for (const name of ['all', 'updates', 'chat'])
      expect(sent.filter(({ to }) => to.name === name).map(({ body }) => body)).toEqual(bodies);
    expect(sent).toHaveLength(9);
  });

  it('reaches exactly those of a thousand endpoints that want it', async () => {
    const { route, sent, register } = open([]);
    for (let number = 0; number < 1000; number++) {
      const name = `e${number}`;
      const filter = { processes: [number % 10 === 0 ? 'on boarding' : 'other'] };
      await register({}, { ...endpointOf('webhook', name), filter }, name);
    }
    expect(await route({ Records: Records.slice(0, 1) })).toEqual(failed());
    const names = sent.map(({ to }) => to.name).toSorted();
    expect(names).toEqual(Array.from({ length: 100 }, (_, index) => `e${index * 10}`).toSorted());
  });

  it('sends to those that are paused, stopped or failing, too: it is their deliveries that wait', async () => {
    const { route, sent, register } = open([]);
    await register({ paused: { at: 1 }, stopped: { at: 1, reason: '' }, failing: { since: 1, probes: 1 } });
    await route({ Records });
    expect(sent).toHaveLength(3);
  });

  it('obeys a row that changes within 10 s', async () => {
    const { route, sent, rows, register, state } = open([]);
    await register();
    await route({ Records });
    await rows.change('crm', () => 'removed');
    state.now += 9_999;
    await route({ Records });
    expect(sent).toHaveLength(6);
    state.now += 1;
    await route({ Records });
    expect(sent).toHaveLength(6);
  });

  it('invariant 11: keeps an event of which one message is not in its queue, and no other', async () => {
    const { route, lines } = open(
      [endpointOf('webhook', 'one'), endpointOf('webhook', 'two')],
      ({ to, body }) => to.name === 'two' && body === Records[1]?.body,
    );
    expect(await route({ Records })).toEqual(failed('m1'));
    const [first, second, third] = events.map(({ id }) => id);
    expect(lines).toEqual([
      { message: 'Route batch ended.', events: [first, third], deliveries: 6, again: [second] },
    ]);
  });

  it('keeps each event once, of however many its messages are not in their queues', async () => {
    const { route } = open([endpointOf('webhook', 'one'), endpointOf('webhook', 'two')], () => true);
    expect(await route({ Records })).toEqual(failed('m0', 'm1', 'm2'));
  });

  it('keeps what is no event, says why, and routes the others', async () => {
    const { route, sent, said } = open([endpointOf()]);
    expect(await route({ Records: [recordOf('odd', 'hush'), ...Records] })).toEqual(failed('odd'));
    expect(sent).toHaveLength(3);
    const details = { messageId: 'odd', reason: 'the message is no JSON' };
    expect(said).toMatchObject([{ level: 'error', details }]);
    expect(JSON.stringify(said)).not.toContain('hush');
  });

  it('keeps all while the registry can not be read', async () => {
    const { route, faults, sent } = open([endpointOf()]);
    faults.before = () => TABLE_DOWN;
    await expect(route({ Records })).rejects.toThrow('table down');
    expect(sent).toEqual([]);
  });
});
