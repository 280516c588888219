import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import {
  addEndpoint,
  attemptsOf,
  finishRotation,
  listEndpoints,
  pauseEndpoint,
  removeEndpoint,
  resumeEndpoint,
  rotateSecret,
  updateEndpoint,
} from '../../functions/operations/endpoints.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { SECRET } from '../kit/delivery/given.ts';
import { AT, type OpenHouse, openHouse, STORES } from '../kit/operations/house.ts';

const URL = 'https://crm.example/hooks/one';
const CRM = { name: 'crm', kind: 'webhook', url: URL } as const;
const FIXED: EndpointSettings = { name: 'fixed', kind: 'webhook' };
const waiting = (endpoint: string, eventId: string) => ({
  endpoint,
  eventId,
  at: AT,
  body: '{}',
  attributes: {},
});

describe.each(STORES)('over %s, an endpoint', (_, open) => {
  let house: OpenHouse;
  const opened = (...configured: EndpointSettings[]) => {
    house = openHouse(open, configured);
    return house;
  };
  afterEach(() => house.close());
  const secretOf = async (name: string) => JSON.parse(await house.secrets.read(name));

  it('that is added has its secret before its row, which holds none of it', async () => {
    opened();
    const { secret } = await addEndpoint({ ...CRM, perSecond: 3 }, house);
    expect(new Webhook(secret as string).sign('id', new Date(AT), '')).toMatch(/^v1,/);
    expect(await secretOf('crm')).toEqual({ url: URL, secrets: [secret] });
    expect(house.steps.slice(0, 2)).toEqual(['secret crm', 'row crm']);
    const rows = await house.rows.list();
    expect(rows).toEqual([
      {
        name: 'crm',
        settings: { name: 'crm', kind: 'webhook', perSecond: 3 },
        health: {},
        secretRevision: AT,
        origin: 'https://crm.example',
        addedAt: AT,
      },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/whsec|hooks/);
  });

  it('is kept with its filter as the configuration would have it', async () => {
    opened();
    const filter = { values: [{ field: 'status', to: 'Done' }] } as unknown as EndpointSettings['filter'];
    await addEndpoint({ name: 'chat', kind: 'slack', url: URL, filter }, house);
    expect((await house.rows.read('chat'))?.settings?.filter).toEqual({
      values: [{ field: 'status', to: ['Done'] }],
    });
    expect(await secretOf('chat')).toEqual({ url: URL });
  });

  it.each([
    [{ ...CRM, name: 'a b' }, /name/],
    [{ ...CRM, name: 'fixed' }, /There is an endpoint of this name/],
    [{ ...CRM, perSecond: 0 }, /perSecond: found 0; allowed: a whole number from 1 to 100/],
    [{ ...CRM, colour: 'red' }, /colour: unknown key/],
    [{ ...CRM, filter: { events: ['source.held'], fields: ['a'] } }, /which never has any of filter.fields/],
    [{ ...CRM, filter: { events: ['changewire.test'] } }, /filter.events\[0\]: found "changewire.test"/],
    [{ ...CRM, url: 'http://crm.example/' }, /not https/],
    [{ ...CRM, url: 'https://10.0.0.1/' }, /not public/],
    [{ ...CRM, url: 'https://u:p@crm.example/' }, /user name/],
    [{ ...CRM, url: 'https://crm.example:0/' }, /port 0/],
    [{ ...CRM, secrets: ['whsec_short'] }, /base64 of 24 to 64 bytes/],
    [{ ...CRM, kind: 'slack', secrets: ['whsec_x'] }, /no signing secret/],
  ])('%j is refused, and nothing of it is kept', async (asked, why) => {
    opened(FIXED);
    const adding = addEndpoint(asked as Parameters<typeof addEndpoint>[0], house);
    await expect(adding).rejects.toThrow(why);
    await expect(adding).rejects.toBeInstanceOf(Refused);
    await expect(adding).rejects.toMatchObject({ isUsage: asked.name !== 'fixed' });
    expect([await house.rows.list(), house.steps]).toEqual([[], []]);
  });

  it('is refused a second time under its name, and stays as it is', async () => {
    opened();
    await addEndpoint(CRM, house);
    const before = await secretOf('crm');
    await expect(addEndpoint({ ...CRM, url: 'https://other.example/' }, house)).rejects.toThrow(
      'Take another name',
    );
    expect(await secretOf('crm')).toEqual(before);
  });

  it('invariant 10: no refusal quotes a secret or what stands in the address behind its host', async () => {
    opened();
    await addEndpoint(CRM, house);
    const text = fc.string({
      minLength: 9,
      unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyzABCDEF23456789'),
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (path, key) => {
        const asked = [
          addEndpoint({ ...CRM, name: 'x', url: `http://10.0.0.1/${path}` }, house),
          addEndpoint({ ...CRM, name: 'x', secrets: [`whsec_${key}`, key, key] }, house),
          updateEndpoint('crm', { url: `https://127.0.0.2:0/${path}` }, house),
          rotateSecret('crm', house, key),
          pauseEndpoint(key, house),
        ];
        for (const one of asked) {
          const told = String(await one.then(() => '', String));
          expect(told).toMatch(/^Refused/);
          expect(told.includes(path) || told.includes(key)).toBe(false);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('invariant 11: that is paused and resumed has all that waited tried at once, also one of the configuration', async () => {
    opened(FIXED);
    await house.deliveries.add([{ ...waiting('fixed', 'e1'), due: AT + 60_000 }]);
    await pauseEndpoint('fixed', house);
    expect((await house.rows.read('fixed'))?.health).toEqual({ paused: { at: AT } });
    await resumeEndpoint('fixed', house);
    expect((await house.rows.read('fixed'))?.health).toEqual({ waiting: { added: 1, due: AT, first: true } });
    expect(await house.deliveries.due('fixed', AT, 9)).toMatchObject([{ eventId: 'e1' }]);
    expect(house.woken).toEqual(['fixed']);
  });

  it('is resumed also when nobody can be woken: the next tick finds what waits', async () => {
    opened(FIXED);
    house.queues.wake = () => Promise.reject(new Error('no queue'));
    await resumeEndpoint('fixed', house);
    expect((await house.rows.read('fixed'))?.health.waiting).toBeDefined();
    expect(house.said).toHaveLength(1);
  });

  it('that is updated keeps what is not given, and loses what is null', async () => {
    opened();
    await addEndpoint({ ...CRM, perSecond: 3, keepSuccesses: false }, house);
    const signed = (await secretOf('crm')).secrets;
    await pauseEndpoint('crm', house);
    const url = 'https://new.example/';
    const filter = { events: ['task.updated'] } as const;
    expect((await updateEndpoint('crm', { filter, perSecond: null, url }, house)).settings).toEqual({
      ...{ name: 'crm', kind: 'webhook', keepSuccesses: false },
      filter,
    });
    expect((await house.rows.read('crm'))?.health.paused).toBeDefined();
    expect(await secretOf('crm')).toEqual({ url, secrets: signed });
    await expect(updateEndpoint('crm', { perSecond: 1.5 }, house)).rejects.toThrow('perSecond');
  });

  it('of the configuration is changed and removed there, and no other', async () => {
    opened(FIXED);
    await expect(updateEndpoint('fixed', { perSecond: 1 }, house)).rejects.toThrow(
      'change it there, and start again',
    );
    await expect(removeEndpoint('fixed', house)).rejects.toThrow('remove it there, and start again');
    expect(house.steps.filter(step => step.includes('secret'))).toEqual([]);
  });

  it('that the configuration overrides loses what was added, and keeps its secret and health', async () => {
    opened(FIXED);
    await house.secrets.write('fixed', '{}');
    const health = { paused: { at: AT } };
    await house.rows.change('fixed', () => ({
      name: 'fixed',
      settings: { ...FIXED, kind: 'slack' },
      health,
    }));
    expect(await listEndpoints(house)).toMatchObject([
      { settings: FIXED, isConfigured: true, overrides: true },
    ]);
    await removeEndpoint('fixed', house);
    expect(await house.rows.read('fixed')).toEqual({ name: 'fixed', health });
    expect(await house.secrets.read('fixed')).toBe('{}');
  });

  it('that is removed leaves neither row, secret nor deliveries: the next of its name gets none of them', async () => {
    opened();
    await addEndpoint(CRM, house);
    await house.deliveries.add([waiting('crm', 'e1'), { ...waiting('crm', 'e2'), due: AT * 2 }]);
    await house.deliveries.addDead(waiting('crm', 'e3'), { at: AT, reason: 'no' });
    house.steps.length = 0;
    await removeEndpoint('crm', house);
    expect(house.steps).toEqual(['row crm', 'no secret crm']);
    expect([await house.rows.list(), house.secrets.texts.size]).toEqual([[], 0]);
    expect(await house.deliveries.standing('crm')).toEqual({ pending: 0, oldest: undefined, dead: 0 });
    // A run that had its last messages in hand.
    await house.deliveries.add([waiting('crm', 'e4')]);
    await addEndpoint(CRM, house);
    expect((await house.deliveries.standing('crm')).pending).toBe(0);
  });

  it('whose removal was cut short is removed whole by the next', async () => {
    opened();
    await addEndpoint(CRM, house);
    await house.rows.change('crm', () => 'removed');
    await expect(removeEndpoint('crm', house)).rejects.toThrow('no endpoint of this name');
    expect(house.secrets.texts.size).toBe(0);
  });

  it.each(['../crm', 'crm/x', 'crm.json', 'x'.repeat(65)])(
    'that is called %s there is none, and no secret of such a name is removed',
    async name => {
      opened();
      await addEndpoint(CRM, house);
      house.steps.length = 0;
      await expect(removeEndpoint(name, house)).rejects.toThrow('There is no endpoint of this name.');
      expect(house.steps).toEqual([]);
    },
  );

  it('has a new revision of its secret after each change of it, written after the secret', async () => {
    opened(FIXED);
    const revision = async (name = 'crm') => (await house.rows.read(name))?.secretRevision;
    await addEndpoint(CRM, house);
    expect(await revision()).toBe(AT);
    const changes = [
      () => rotateSecret('crm', house),
      () => finishRotation('crm', house),
      () => updateEndpoint('crm', { url: 'https://new.example/' }, house),
    ];
    for (const [index, change] of changes.entries()) {
      house.steps.length = 0;
      await change();
      expect([await revision(), house.steps]).toEqual([AT + 1 + index, ['secret crm', 'row crm']]);
    }
    await pauseEndpoint('crm', house);
    await updateEndpoint('crm', { perSecond: 3 }, house);
    expect(await revision()).toBe(AT + 3);
    house.state.now += 60_000;
    await rotateSecret('crm', house);
    expect(await revision()).toBe(AT + 60_000);
    await house.secrets.write('fixed', JSON.stringify({ url: 'https://fixed.example/', secrets: [SECRET] }));
    await rotateSecret('fixed', house);
    expect(await house.rows.read('fixed')).toEqual({
      name: 'fixed',
      health: {},
      secretRevision: AT + 60_000,
      origin: 'https://fixed.example',
    });
  });

  it('has the origin of its address in its row, which changes with the address', async () => {
    opened();
    const origin = async () => (await house.rows.read('crm'))?.origin;
    await addEndpoint({ ...CRM, url: 'https://crm.example:8443/hush?hush' }, house);
    expect(await origin()).toBe('https://crm.example:8443');
    await updateEndpoint('crm', { url: 'https://new.example/hush' }, house);
    expect(await origin()).toBe('https://new.example');
    await updateEndpoint('crm', { perSecond: 3 }, house);
    await rotateSecret('crm', house);
    expect(await origin()).toBe('https://new.example');
    expect(JSON.stringify(await house.rows.list())).not.toContain('hush');
  });

  it('has its old secret beside the new one until the change is finished, however often it begins', async () => {
    opened();
    const { secret: old } = await addEndpoint(CRM, house);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async times => {
        const [, before = (await secretOf('crm')).secrets[0]] = (await secretOf('crm')).secrets;
        let last = '';
        for (let time = 0; time < times; time++) {
          last = (await rotateSecret('crm', house)).secret;
          expect(await secretOf('crm')).toEqual({ url: URL, secrets: [last, before] });
        }
        await finishRotation('crm', house);
        expect(await secretOf('crm')).toEqual({ url: URL, secrets: [last] });
      }),
      { numRuns: 8 },
    );
    expect((await secretOf('crm')).secrets).not.toContain(old);
    await expect(finishRotation('crm', house)).rejects.toThrow('not being changed');
  });

  it('is listed by name with its health, its standing and its attempts', async () => {
    opened(FIXED);
    await addEndpoint(CRM, house);
    await house.deliveries.add([waiting('crm', 'e1')]);
    const attempt = {
      endpoint: 'crm',
      at: AT,
      events: [{ id: 'e1', type: 'task.updated' }],
      took: 1,
      status: 500,
    };
    await house.deliveries.note([attempt]);
    expect(await listEndpoints(house)).toEqual([
      {
        ...{ settings: { name: 'crm', kind: 'webhook' }, isConfigured: false, overrides: false, health: {} },
        ...{ replay: undefined, standing: { pending: 1, oldest: AT, dead: 0 } },
      },
      {
        ...{ settings: FIXED, isConfigured: true, overrides: false, health: {}, replay: undefined },
        standing: { pending: 0, oldest: undefined, dead: 0 },
      },
    ]);
    expect(await attemptsOf('crm', 9, house)).toEqual([attempt]);
    await expect(attemptsOf('nobody', 9, house)).rejects.toBeInstanceOf(Refused);
  });
});
