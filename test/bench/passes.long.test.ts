import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { Measurement } from '../../bench/passes/measurement.ts';
import { measureSweep } from '../../bench/passes/sweep.ts';
import { countTable } from '../../bench/passes/table-counts.ts';
import { TABLE_NAME, usesModel } from '../kit/table.ts';

const size = { projects: 7, tasksPerProject: 3 };

describe('the parts of a measurement', () => {
  it('hold a sweep against a loop that reads every task of the service once', async () => {
    await using measurement = new Measurement();
    // One project more than a page of the listing holds.
    const { origin, takeCounts } = await measurement.service({ projects: 201, tasksPerProject: 2 });
    const bare = await measurement.start('bare.ts', { origin, concurrency: 2 });
    expect(await bare.ask({})).toMatchObject({ result: { projects: 201, tasks: 402 } });
    expect(await takeCounts()).toMatchObject({ served: 203, refused: 0 });
  });

  it('run passes that read what the service has', async () => {
    await using measurement = new Measurement();
    const { origin } = await measurement.service(size);
    const poller = await measurement.poller({ origin, store: measurement.sqlite() });
    const baseline = await poller.pass({ mode: 'changes' });
    expect(baseline.report).toMatchObject({ mode: 'baseline', projects: 7, commits: 7, events: 0 });
    const sweep = await poller.pass({ mode: 'sweep', watchesHeap: true, profiles: true });
    expect(sweep.report).toMatchObject({ mode: 'sweep', commits: 0, events: 0 });
    expect(sweep.heap?.used).toBeGreaterThan(2 ** 20);
    expect(sweep.profile?.self.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('tell that a pass failed, and that a process died', async () => {
    await using measurement = new Measurement();
    const { origin } = await measurement.service(size);
    // Where no token is to be had.
    const poller = await measurement.poller({ origin: `${origin}/nowhere`, store: measurement.sqlite() });
    await expect(poller.pass({ mode: 'changes' })).rejects.toThrow('access_token');
    expect((await poller.try({ mode: 'changes' })).failed).toContain('access_token');
    await expect(measurement.start('poller.ts', { origin: 'no address' })).rejects.toThrow('poller.ts ended');
  });

  it('bound the requests at once', async () => {
    await using measurement = new Measurement();
    const { origin, control, takeCounts } = await measurement.service(size);
    await control({ latency: 60 });
    const poller = await measurement.poller({ origin, store: measurement.sqlite(), concurrency: 1 });
    const { ms } = await poller.pass({ mode: 'changes' });
    expect((await takeCounts()).served * 59).toBeLessThan(ms);
  });

  it('answer no more requests a second than they allow', async () => {
    await using measurement = new Measurement();
    const { origin, control } = await measurement.service(size);
    await control({ rate: 5 });
    const began = performance.now();
    const ask = () => fetch(`${origin}/api/processes/measured/auditlog?first=1`);
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    const seconds = (performance.now() - began) / 1000;
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect(count(200)).toBeGreaterThanOrEqual(5);
    expect(count(200)).toBeLessThanOrEqual(5 * (1 + seconds));
    expect(count(429)).toBe(40 - count(200));
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    expect(await control({})).toMatchObject({ served: count(200), refused: count(429) });
  });
});

if (!usesModel)
  describe('a measurement over the embedded DynamoDB', () => {
    it('counts requests, those for snapshots apart, and units, those of a refused write included', async () => {
      await using measurement = new Measurement();
      const { client } = await measurement.dynamodb();
      const take = countTable(client);
      const TableName = TABLE_NAME;
      const key = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } });
      const Item = { ...key('PROJECT#1'), blob: { B: new Uint8Array(1_500) } };
      await client.send(new PutItemCommand({ TableName, Item }));
      expect(take()).toEqual({ requests: 1, snapshotRequests: 1, readUnits: 0, writeUnits: 2 });
      const refused = { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' };
      await expect(client.send(new PutItemCommand(refused))).rejects.toThrow();
      const get = { TableName, ConsistentRead: true };
      await client.send(new GetItemCommand({ ...get, Key: key('STATE') }));
      await client.send(new GetItemCommand({ ...get, Key: key('PROJECT#1') }));
      expect(take()).toEqual({ requests: 3, snapshotRequests: 2, readUnits: 2, writeUnits: 1 });
      expect(take().requests).toBe(0);
    });

    it('holds sweeps over both stores against the loop, with the same bytes and with others', async () => {
      const steps: string[] = [];
      const { lines, notes } = await measureSweep({ size, rounds: 4, seconds: 0 }, step => steps.push(step));
      expect(lines).toHaveLength(5);
      // There is no time for a fourth.
      expect(steps.filter(step => / bytes, round \d/.test(step))).toHaveLength(6);
      for (const { measured } of lines.slice(0, 4)) expect(measured).toMatch(/^\d/);
      const [, perMegabyte, requests] = /^(\S+) \((\d+) requests/.exec(lines[4]?.measured ?? '') ?? [];
      expect(Number(requests)).toBeGreaterThan(0);
      expect(lines[4]?.isMet).toBe(Number(perMegabyte?.replace(',', '')) <= 1);
      const explained = notes?.slice(0, 4).map(note => /^Where the time of (.*): \S.* \d+ %/.exec(note)?.[1]);
      expect(explained).toEqual([
        'the sweep with the same bytes goes, over SQLite',
        'the sweep with the same bytes goes, over DynamoDB',
        'the sweep with other bytes goes, over SQLite',
        'the sweep with other bytes goes, over DynamoDB',
      ]);
    });
  });
