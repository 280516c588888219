import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createEndpointRows } from '../../functions/store/dynamo/endpoints.ts';
import { AT, endpointOf, openSetting, SECOND, TABLE_DOWN } from '../kit/delivery/setting.ts';

async function open() {
  const setting = openSetting();
  let listed = 0;
  const rows = {
    ...setting.rows,
    list: () => {
      listed += 1;
      return setting.rows.list();
    },
  };
  const crm = endpointOf('webhook', 'crm');
  const registry = createRegistry([crm], rows, () => setting.state.now, setting.dependencies.log);
  return { ...setting, crm, registry, listed: () => listed };
}
const health = { paused: { at: AT } };
const erp = endpointOf('webhook', 'erp');

describe('the registry of endpoints', () => {
  it('knows those of the configuration, with their health once they have a row, and those of rows', async () => {
    const { registry, register, crm } = await open();
    expect(await registry.read('crm')).toEqual({ endpoint: crm, row: undefined });
    expect(await registry.read('erp')).toBeUndefined();
    expect(await registry.all()).toEqual([{ endpoint: crm, row: undefined }]);
    const [one, two] = [await register(health, null, 'crm'), await register(health, erp, 'erp')];
    expect(await registry.read('crm')).toEqual({ endpoint: crm, row: one });
    expect(await registry.read('erp')).toEqual({ endpoint: erp, row: two });
  });

  it('lets the configuration win over a row of the same name, of which it takes the health alone', async () => {
    const { registry, register, crm } = await open();
    await register(health, endpointOf('slack', 'crm'), 'crm');
    const known = { endpoint: crm, row: { name: 'crm', health } };
    expect(await registry.read('crm')).toEqual(known);
    expect(await registry.all()).toEqual([known]);
  });

  it('says once, until it starts anew, that one of the configuration was added, too, and what to do', async () => {
    const { registry, register, state, said } = await open();
    await register(health, null, 'crm');
    await register({}, erp, 'erp');
    await registry.all();
    expect(said).toEqual([]);
    await register(health, endpointOf('slack', 'crm'), 'crm');
    for (const later of [10, 20]) {
      state.now = AT + later * SECOND;
      await registry.all();
    }
    const message =
      'Endpoint crm is in the configuration and was also added at runtime; the configured one is used. ' +
      'Remove the added one, or rename the configured one.';
    expect(said).toEqual([
      { level: 'warn', message, details: { code: 'endpoint.overridden', endpoint: 'crm' } },
    ]);
  });

  it('leaves out a row without an endpoint: it stood in a former configuration', async () => {
    const { registry, register } = await open();
    await register(health, null, 'old');
    expect(await registry.read('old')).toBeUndefined();
    expect(await registry.all()).toHaveLength(1);
  });

  it('obeys a change within 10 s, and asks the table no more often for all of them', async () => {
    const { registry, register, state, listed } = await open();
    for (const ms of [0, 1, 9_999]) {
      state.now = AT + ms;
      expect(await registry.all()).toHaveLength(1);
      await register({}, erp, 'erp');
    }
    expect(listed()).toBe(1);
    // One endpoint is always read as it is.
    expect(await registry.read('erp')).toBeDefined();
    state.now = AT + 10 * SECOND;
    expect(await registry.all()).toHaveLength(2);
    expect(listed()).toBe(2);
  });

  it('fails while the table does, and keeps no failure', async () => {
    const { registry, faults } = await open();
    faults.before = () => TABLE_DOWN;
    await expect(registry.all()).rejects.toThrow('table down');
    await expect(registry.read('crm')).rejects.toThrow('table down');
    faults.before = () => undefined;
    expect(await registry.all()).toHaveLength(1);
  });

  it('reads the rows for routing only when their revision changed: health writes cost one small read in 10 s', async () => {
    const { table, state, register, rows } = openSetting();
    for (let number = 0; number < 200; number++)
      await register({}, endpointOf('webhook', `e${number}`), `e${number}`);
    const asked: string[] = [];
    const client = {
      send: async (command: never) => {
        asked.push((command as object).constructor.name);
        return table.client.send(command);
      },
    } as unknown as typeof table.client;
    const registry = createRegistry([], createEndpointRows({ ...table, client }), () => state.now);
    for (let second = 0; second < 600; second++) {
      state.now = AT + second * SECOND;
      expect(await registry.settings()).toHaveLength(200);
      await rows.change('e1', row => row && { ...row, health: { added: second } });
    }
    expect(asked.filter(name => name === 'QueryCommand')).toHaveLength(1);
    expect(asked.filter(name => name === 'GetItemCommand')).toHaveLength(60);
    expect(asked).toHaveLength(61);
  });

  it('obeys each change of settings within 10 s, for routing, too', async () => {
    const { registry, rows, register, state, listed } = await open();
    const names = async () =>
      (await registry.settings()).map(({ name, perSecond = 0 }) => `${name} ${perSecond}`);
    const later = async (ms: number) => {
      state.now += ms;
      return names();
    };
    expect(await names()).toEqual(['crm 0']);
    await register({}, erp, 'erp');
    expect(await later(9_999)).toEqual(['crm 0']);
    expect(await later(1)).toEqual(['crm 0', 'erp 0']);
    await rows.change('erp', row => row && { ...row, settings: { ...erp, perSecond: 3 } });
    expect(await later(10_000)).toEqual(['crm 0', 'erp 3']);
    await rows.change('erp', row => row && { ...row, health });
    expect(await later(10_000)).toEqual(['crm 0', 'erp 3']);
    expect(listed()).toBe(3);
    await rows.change('erp', () => 'removed');
    expect(await later(10_000)).toEqual(['crm 0']);
    expect(listed()).toBe(4);
  });

  it('reads the rows again, for routing, where one was added while it read them', async () => {
    const setting = openSetting();
    await setting.register({}, erp, 'erp');
    const list = async () => {
      const listed = await setting.rows.list();
      if (listed.length === 1) await setting.register({}, endpointOf('webhook', 'crm'), 'crm');
      return listed;
    };
    const registry = createRegistry([], { ...setting.rows, list }, () => setting.state.now);
    expect(await registry.settings()).toHaveLength(1);
    setting.state.now += 10 * SECOND;
    expect(await registry.settings()).toHaveLength(2);
  });

  it('reads the rows again after 15 minutes, for a table that was restored', async () => {
    const { registry, register, state, listed } = await open();
    await register({}, erp, 'erp');
    for (let second = 0; second < 901; second += 10) {
      state.now = AT + second * SECOND;
      await registry.settings();
    }
    expect(listed()).toBe(2);
  });

  it('reads the rows each time, for routing, too, while they have no revision', async () => {
    const { registry, state, listed } = await open();
    for (const second of [0, 9, 10, 20]) {
      state.now = AT + second * SECOND;
      await registry.settings();
    }
    expect(listed()).toBe(3);
  });
});
