import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import { addEndpoint } from '../../functions/operations/endpoint-settings.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { SECRET } from '../kit/delivery/setting.ts';
import { AT, type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { type Ask, askIn } from '../kit/operations/setting.ts';

const URL = 'https://crm.example/hooks/one';
const CRM = { endpoint: 'crm', kind: 'webhook', url: URL } as const;
const UNKNOWN = 'There is no endpoint with this name.';
const FIXED: EndpointSettings = { name: 'fixed', kind: 'webhook' };
const waiting = (endpoint: string, eventId: string) => ({
  ...{ endpoint, eventId, at: AT, body: '{}', attributes: {} },
});

describe.each(STORES)('over %s, an endpoint', (_, open) => {
  let context: OpenContext;
  let ask: Ask;
  const opened = (...configured: EndpointSettings[]) => {
    context = openContext(open, configured);
    ask = askIn(context);
  };
  afterEach(() => context.close());
  const secretOf = async (name: string) => JSON.parse(await context.secrets.read(name));

  it('that is added has its secret before its settings, which hold none of it', async () => {
    opened();
    const { secret } = await ask('add-endpoint', { ...CRM, perSecond: 3 });
    expect(new Webhook(secret as string).sign('id', new Date(AT), '')).toMatch(/^v1,/);
    expect(await secretOf('crm')).toEqual({ url: URL, secrets: [secret] });
    expect(context.steps.slice(0, 3)).toEqual(['row crm', 'secret crm', 'row crm']);
    const rows = await context.endpoints.list();
    const settings = { name: 'crm', kind: 'webhook', perSecond: 3 };
    expect(rows).toEqual([
      { name: 'crm', settings, health: {}, secretRevision: AT, origin: 'https://crm.example', addedAt: AT },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/whsec|hooks/);
    const again = ask('add-endpoint', { ...CRM, url: 'https://other.example/' });
    await expect(again).rejects.toThrow('Choose another name');
    expect(await secretOf('crm')).toEqual({ url: URL, secrets: [secret] });
  });

  it('is kept with its filter as the configuration would have it', async () => {
    opened();
    const filter = { values: [{ field: 'status', to: 'Done' }] } as unknown as EndpointSettings['filter'];
    await ask('add-endpoint', { endpoint: 'chat', kind: 'slack', url: URL, filter });
    const kept = (await context.endpoints.read('chat'))?.settings?.filter;
    expect(kept).toEqual({ values: [{ field: 'status', to: ['Done'] }] });
    expect(await secretOf('chat')).toEqual({ url: URL });
    await expect(ask('rotate-secret', { endpoint: 'chat' })).rejects.toThrow('has no signing secret');
  });

  it.each([
    [{ ...CRM, endpoint: 'a b' }, /name/],
    [{ ...CRM, endpoint: 'fixed' }, /There is an endpoint of this name/],
    [{ ...CRM, endpoint: 'Fixed' }, /There is an endpoint of this name/],
    [{ ...CRM, perSecond: 0 }, /perSecond: found 0; allowed: a whole number from 1 to 100/],
    [{ ...CRM, colour: 'red' }, /colour: unknown key/],
    [{ ...CRM, filter: { events: ['source.held'], fields: ['a'] } }, /which never matches filter.fields/],
    [{ ...CRM, filter: { events: ['changewire.test'] } }, /filter.events\[0\]: found "changewire.test"/],
    [{ ...CRM, url: 'http://crm.example/' }, /not https/],
    [{ ...CRM, url: 'https://10.0.0.1/' }, /not public/],
    [{ ...CRM, url: 'https://u:p@crm.example/' }, /user name/],
    [{ ...CRM, url: 'https://crm.example:0/' }, /port 0/],
    [{ ...CRM, secrets: ['whsec_short'] }, /base64 of 24 to 64 bytes/],
    [{ ...CRM, secrets: Array(3).fill(SECRET) }, /two signing secrets at most/],
    [{ ...CRM, kind: 'slack', secrets: ['whsec_x'] }, /no signing secret/],
  ])('%j is refused, and nothing of it is kept', async (asked, why) => {
    opened(FIXED);
    const request = { operation: 'add-endpoint', ...asked } as Parameters<typeof addEndpoint>[1];
    const adding = addEndpoint(context, request);
    await expect(adding).rejects.toThrow(why);
    await expect(adding).rejects.toBeInstanceOf(Refused);
    await expect(adding).rejects.toMatchObject({ isUsage: !/^fixed$/i.test(asked.endpoint) });
    expect([await context.endpoints.list(), context.steps]).toEqual([[], []]);
  });

  it('invariant 11: that is paused and resumed has all that waited tried at once, also one of the configuration', async () => {
    opened(FIXED);
    await context.deliveries.add([{ ...waiting('fixed', 'e1'), due: AT + 60_000 }]);
    await ask('pause-endpoint', { endpoint: 'fixed' });
    expect((await context.endpoints.read('fixed'))?.health).toEqual({ paused: { at: AT } });
    await ask('resume-endpoint', { endpoint: 'fixed' });
    const waits = { waiting: { added: 1, due: AT, first: true } };
    expect((await context.endpoints.read('fixed'))?.health).toEqual(waits);
    expect(await context.deliveries.due('fixed', AT, 9)).toMatchObject([{ eventId: 'e1' }]);
    expect(context.woken).toEqual(['fixed']);
  });

  it('is resumed also when nobody can be woken: the next tick finds what waits', async () => {
    opened(FIXED);
    context.queues.wake = () => Promise.reject(new Error('no queue'));
    await ask('resume-endpoint', { endpoint: 'fixed' });
    expect((await context.endpoints.read('fixed'))?.health.waiting).toBeDefined();
    expect(context.said).toHaveLength(1);
  });

  it('that is updated keeps what is not given, and loses what is null', async () => {
    opened();
    await ask('add-endpoint', { ...CRM, perSecond: 3, keepSuccesses: false });
    const signed = (await secretOf('crm')).secrets;
    await ask('pause-endpoint', { endpoint: 'crm' });
    const url = 'https://new.example/';
    const filter = { events: ['task.updated'] } as const;
    await ask('update-endpoint', { endpoint: 'crm', filter, perSecond: null, url });
    const row = await context.endpoints.read('crm');
    expect(row?.settings).toEqual({ name: 'crm', kind: 'webhook', keepSuccesses: false, filter });
    expect(row?.origin).toBe('https://new.example');
    expect(row?.health.paused).toBeDefined();
    expect(await secretOf('crm')).toEqual({ url, secrets: signed });
    await expect(ask('update-endpoint', { endpoint: 'crm', perSecond: 1.5 })).rejects.toThrow('perSecond');
  });

  it('of the configuration is changed and removed there, and no other', async () => {
    opened(FIXED);
    const isDefined = 'Endpoint fixed is defined in the configuration';
    const changing = ask('update-endpoint', { endpoint: 'fixed', perSecond: 1 });
    await expect(changing).rejects.toThrow(`${isDefined}: change it in its "endpoints", then start again.`);
    const refusal = `${isDefined}: remove it from its "endpoints", then start again.`;
    for (const dryRun of [true, false])
      await expect(ask('remove-endpoint', { endpoint: 'fixed', dryRun })).rejects.toThrow(refusal);
    expect(context.steps.filter(step => step.includes('secret'))).toEqual([]);
  });

  it('of which the secret can not be read at the moment keeps it, and no answer has the command that replaces it', async () => {
    opened();
    await ask('add-endpoint', CRM);
    context.secrets.read = async () => {
      throw Object.assign(new Error('hush'), { name: 'ThrottlingException' });
    };
    const refusal =
      /cannot be read \(ThrottlingException\)\. Try again, or restore the permission to read it\.$/;
    for (const operation of ['rotate-secret', 'test-endpoint'] as const)
      await expect(ask(operation, { endpoint: 'crm' })).rejects.toThrow(refusal);
  });

  it('that the configuration overrides loses what was added, and keeps its secret and health', async () => {
    opened(FIXED);
    await context.secrets.write('fixed', '{}');
    const health = { paused: { at: AT } };
    const settings = { ...FIXED, kind: 'slack' as const };
    await context.endpoints.change('fixed', () => ({ name: 'fixed', settings, health }));
    const overriding = { ...FIXED, isConfigured: true, overrides: true };
    expect((await ask('endpoints')).endpoints).toMatchObject([overriding]);
    await ask('remove-endpoint', { endpoint: 'fixed' });
    expect(await context.endpoints.read('fixed')).toEqual({ name: 'fixed', health });
    expect(await context.secrets.read('fixed')).toBe('{}');
  });

  it('that is removed leaves neither row, secret nor deliveries: the next of its name gets none of them', async () => {
    opened();
    await ask('add-endpoint', CRM);
    await context.deliveries.add([waiting('crm', 'e1'), { ...waiting('crm', 'e2'), due: AT * 2 }]);
    await context.deliveries.addDead(waiting('crm', 'e3'), { at: AT, reason: 'no' });
    context.steps.length = 0;
    await ask('remove-endpoint', { endpoint: 'crm' });
    expect(context.steps).toEqual(['row crm', 'no secret crm', 'row crm', 'row crm']);
    expect([await context.endpoints.list(), context.secrets.texts.size]).toEqual([[], 0]);
    expect(await context.deliveries.counts('crm')).toEqual({ pending: 0, oldest: undefined, dead: 0 });
    // A run that had its last messages in hand.
    await context.deliveries.add([waiting('crm', 'e4')]);
    await ask('add-endpoint', CRM);
    expect((await context.deliveries.counts('crm')).pending).toBe(0);
  });

  it('that is removed has its name claimed as long as that takes', async () => {
    opened();
    await ask('add-endpoint', CRM);
    await context.deliveries.add([waiting('crm', 'e1')]);
    const { deliveries, endpoints, state } = context;
    const { remove, due } = deliveries;
    const removeLate: typeof remove = async (...rows) => {
      await remove(...rows);
      state.now += 60_001;
    };
    const claims: (number | undefined)[] = [];
    const dueOf: typeof due = async (...asked) => {
      claims.push((await endpoints.read('crm'))?.secretClaim?.until);
      return due(...asked);
    };
    Object.assign(deliveries, { remove: removeLate, due: dueOf });
    await ask('remove-endpoint', { endpoint: 'crm' });
    expect(claims).toEqual([AT + 60_000, AT + 120_001]);
  });

  it('that can not be added tells why, also where its claim can not be taken back', async () => {
    opened();
    Object.assign(context.secrets, {
      write: async () => {
        Object.assign(context.endpoints, { change: () => Promise.reject(new Error('no table')) });
        throw new Error('no store');
      },
    });
    await expect(ask('add-endpoint', CRM)).rejects.toThrow('no store');
  });

  it('whose removal was cut short is removed whole by the next', async () => {
    opened();
    await ask('add-endpoint', CRM);
    await context.endpoints.change('crm', () => 'removed');
    await expect(ask('remove-endpoint', { endpoint: 'crm' })).rejects.toThrow(UNKNOWN);
    expect(context.secrets.texts.size).toBe(0);
  });

  it.each(['../crm', 'crm/x', 'crm.json', 'x'.repeat(65)])(
    'that is called %s there is none, and no secret of such a name is removed',
    async name => {
      opened();
      await ask('add-endpoint', CRM);
      context.steps.length = 0;
      await expect(ask('remove-endpoint', { endpoint: name })).rejects.toThrow(UNKNOWN);
      expect(context.steps).toEqual([]);
    },
  );

  it('has a new revision of its secret after each change of it, written after the secret', async () => {
    opened(FIXED);
    const revision = async (name = 'crm') => (await context.endpoints.read(name))?.secretRevision;
    await ask('add-endpoint', CRM);
    expect(await revision()).toBe(AT);
    const changes = [
      () => ask('rotate-secret', { endpoint: 'crm' }),
      () => ask('finish-rotation', { endpoint: 'crm' }),
      () => ask('update-endpoint', { endpoint: 'crm', url: 'https://new.example/' }),
    ];
    for (const [index, change] of changes.entries()) {
      context.steps.length = 0;
      await change();
      expect(await revision()).toBe(AT + 1 + index);
      expect(context.steps).toEqual(['row crm', 'secret crm', 'row crm']);
    }
    await ask('pause-endpoint', { endpoint: 'crm' });
    await ask('update-endpoint', { endpoint: 'crm', perSecond: 3 });
    expect(await revision()).toBe(AT + 3);
    context.state.now += 60_000;
    await ask('rotate-secret', { endpoint: 'crm' });
    expect(await revision()).toBe(AT + 60_000);
    const secret = { url: 'https://fixed.example/', secrets: [SECRET] };
    await context.secrets.write('fixed', JSON.stringify(secret));
    await ask('rotate-secret', { endpoint: 'fixed' });
    const written = { secretRevision: AT + 60_000, origin: 'https://fixed.example' };
    expect(await context.endpoints.read('fixed')).toEqual({ name: 'fixed', health: {}, ...written });
  });

  it('stays with the operation that has claimed it meanwhile, when one ends that took longer than its claim', async () => {
    opened();
    await ask('add-endpoint', CRM);
    const { secrets, endpoints, state } = context;
    const { read } = secrets;
    const readLate: typeof read = async name => {
      state.now += 60_001;
      const secretClaim = { by: 'another', until: state.now + 60_000 };
      await endpoints.change(name, row => row && { ...row, secretClaim });
      return read(name);
    };
    Object.assign(secrets, { read: readLate });
    await ask('rotate-secret', { endpoint: 'crm' });
    expect((await endpoints.read('crm'))?.secretClaim?.by).toBe('another');
  });

  it('has its old secret beside the new one until the change is finished, however often it begins', async () => {
    opened();
    const { secret: old } = await ask('add-endpoint', CRM);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async times => {
        const [, before = (await secretOf('crm')).secrets[0]] = (await secretOf('crm')).secrets;
        let last = '';
        for (let time = 0; time < times; time++) {
          last = (await ask('rotate-secret', { endpoint: 'crm' })).secret ?? '';
          expect(await secretOf('crm')).toEqual({ url: URL, secrets: [last, before] });
        }
        await ask('finish-rotation', { endpoint: 'crm' });
        expect(await secretOf('crm')).toEqual({ url: URL, secrets: [last] });
      }),
      { numRuns: 8 },
    );
    expect((await secretOf('crm')).secrets).not.toContain(old);
    await expect(ask('finish-rotation', { endpoint: 'crm' })).rejects.toThrow('No rotation');
  });

  it('is listed by name with its health, its counts and its attempts', async () => {
    opened(FIXED);
    await ask('add-endpoint', CRM);
    await context.deliveries.add([waiting('crm', 'e1')]);
    const events = [{ id: 'e1', type: 'task.updated' }];
    const attempt = { endpoint: 'crm', at: AT, events, took: 1, status: 500 };
    await context.deliveries.note([attempt]);
    const at = new Date(AT).toISOString();
    const shared = { kind: 'webhook', overrides: false, keepSuccesses: true, perSecond: 10 };
    const none = { atLeast: 0, isExact: true };
    expect((await ask('endpoints')).endpoints).toEqual([
      {
        ...{ ...shared, name: 'crm', isConfigured: false, origin: 'https://crm.example', state: 'healthy' },
        ...{ waiting: { atLeast: 1, isExact: true }, oldestWaiting: at, dead: none },
      },
      { ...shared, name: 'fixed', isConfigured: true, state: 'healthy', waiting: none, dead: none },
    ]);
    expect((await ask('attempts', { endpoint: 'crm', limit: 9 })).attempts).toEqual([{ ...attempt, at }]);
    await expect(ask('attempts', { endpoint: 'unknown' })).rejects.toBeInstanceOf(Refused);
  });
});
