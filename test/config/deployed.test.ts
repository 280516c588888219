import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { deployedOf, readDeployed, workspaceSettings } from '../../functions/config/read.ts';
import { linkTemplatesOf, workspacesOf } from '../../functions/config/workspace.ts';
import { KEEP } from '../../functions/store/limits.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const SERVICE = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  audience: 'a',
};
const eu = { name: 'eu', ...SERVICE, processes: [{ id: 'p' }] };
const read = (content: object) => deployedOf(JSON.stringify({ workspaces: [eu], ...content }));
const endpoint = { name: 'crm', kind: 'webhook' };

describe('the configuration beside the code of a function', () => {
  it('has the default of each setting that is not configured', () => {
    const minute = { fastest: 60_000, slowest: 60_000 };
    const process = { id: 'p', overlap: 120_000, ignoreFields: [], changes: minute, sweep: 21_600_000 };
    expect(read({})).toEqual({
      changes: minute,
      sweep: 21_600_000,
      workspaces: [{ ...eu, credentials: 'changewire/eu', concurrency: 16, processes: [process] }],
      subscriptions: [],
      endpoints: [],
      networks: [],
      keep: KEEP,
    });
  });

  it('reaches the service through the proxy of all, except in the networks', () => {
    const [workspace] = read({ proxy: 'http://proxy:3128', networks: ['10.0.0.0/8'] }).workspaces;
    expect(workspace?.proxy).toEqual({ url: 'http://proxy:3128', networks: ['10.0.0.0/8'] });
    expect(() => read({ proxy: 'http://user:pw@proxy:3128' })).toThrow('proxy: found');
  });

  it('has each setting of a workspace and a process, durations in ms, and the rhythm of the whole where a process has none', () => {
    const workspace = {
      ...eu,
      credentials: 'a/b',
      concurrency: 2,
      identifiers: { task: 'taskKey' },
      pageSize: { tasks: 50 },
      dateHeader: false,
    };
    const settings = { ignoreFields: ['seen'], auditLog: true, audit: true };
    const processes = [
      { id: 'p', ...settings, overlap: '3m', changes: { fastest: '5s', slowest: '5m' }, sweep: '1d' },
      { id: 'q' },
    ];
    const found = read({ changes: '2m', sweep: '1h', workspaces: [{ ...workspace, processes }] });
    expect(found.workspaces).toEqual([
      {
        ...workspace,
        processes: [
          {
            ...{ id: 'p', ...settings, overlap: 180_000 },
            ...{ changes: { fastest: 5_000, slowest: 300_000 }, sweep: 86_400_000 },
          },
          {
            ...{ id: 'q', overlap: 120_000, ignoreFields: [] },
            ...{ changes: { fastest: 120_000, slowest: 120_000 }, sweep: 3_600_000 },
          },
        ],
      },
    ]);
  });

  it('has the endpoints with their filters, the subscriptions, and the templates of links', () => {
    const filter = {
      events: ['task.updated'],
      ...{ workspaces: ['eu'], processes: ['p'], projects: ['1'], fields: ['f'] },
      values: [{ field: 'status', from: ['New', 1, true], to: ['Done'] }],
      ...{ actors: ['Ann Lee'], exceptActors: ['u-9'] },
    };
    const endpoints = [
      { ...endpoint, filter, perSecond: 100, keepSuccesses: false },
      { name: 'bot', kind: 'slack' },
    ];
    const subscriptions = [{ name: 'warehouse', url: 'https://warehouse.example.com/' }];
    const linkTemplate = 'https://app.example.com/{projectId}';
    const found = read({ endpoints, subscriptions, workspaces: [{ ...eu, linkTemplate }] });
    expect(found.endpoints).toEqual(endpoints);
    expect(found.subscriptions).toMatchObject(subscriptions);
    expect(linkTemplatesOf(found)).toEqual([{ workspace: 'eu', project: linkTemplate, task: linkTemplate }]);
    const [one] = read({
      endpoints: [{ ...endpoint, filter: { values: [{ field: 'f', to: 'Done' }] } }],
    }).endpoints;
    expect(one?.filter?.values).toEqual([{ field: 'f', to: ['Done'] }]);
  });

  it.each([
    [{ workspaces: [] }, /workspaces: found an empty list; allowed: a list of at least one of workspaces/],
    [{ workspaces: [{ name: 'eu' }] }, /workspaces\[0\]\.baseUrl: found nothing/],
    [{ typo: 1 }, /typo: unknown key/],
    [{ stackName: 'Changewire' }, /stackName: unknown key/],
    [{ endpoints: [{ ...endpoint, name: 'a b' }] }, /endpoints\[0\]\.name: found/],
    [{ endpoints: [{ ...endpoint, kind: 'fax' }] }, /endpoints\[0\]\.kind: found "fax"/],
    [{ endpoints: [{ ...endpoint, url: 'x' }] }, /endpoints\[0\]\.url: unknown key/],
    [{ endpoints: [{ ...endpoint, perSecond: 0 }] }, /perSecond: found 0/],
    [{ endpoints: [{ ...endpoint, perSecond: 101 }] }, /perSecond: found 101/],
    [{ endpoints: [{ ...endpoint, filter: { field: ['a'] } }] }, /filter\.field: unknown key/],
    [{ subscriptions: [{ name: 'a', url: 'no url' }] }, /subscriptions\[0\]\.url: found/],
    [{ changes: { fastest: '2m', slowest: '1m' } }, /changes\.slowest: found "1m"/],
    [{ 'whsec_b3BlbiBzZXNhbWU=': 1 }, /^(?!.*whsec)/s],
  ])('that is not as it should be (%j) is refused, with what is wrong and what to do', (content, wrong) => {
    expect(() => read(content)).toThrow(wrong);
    expect(() => read(content)).toThrow(/^Invalid configuration\.json: .*Redeploy\.$/s);
  });

  it('that is not JSON is refused without a word of it', () => {
    expect(() => deployedOf('whsec_b3BlbiBzZXNhbWU=')).toThrow(
      /^configuration\.json is not valid JSON\. Redeploy\.$/,
    );
  });

  it('is the file beside the bundle; without one there is no empty configuration', () => {
    const folder = temporaryDirectory();
    const bundle = pathToFileURL(join(folder, 'index.mjs')).href;
    expect(() => readDeployed(bundle)).toThrow(/ENOENT/);
    writeFileSync(join(folder, 'configuration.json'), JSON.stringify({ workspaces: [eu] }));
    expect(readDeployed(bundle)).toEqual(read({}));
  });
});

describe('the settings of a workspace without a file', () => {
  it('are the defaults of the file, and what is given: times in ms, however short', () => {
    expect(workspaceSettings(eu)).toEqual(read({}).workspaces[0]);
    const given = { id: 'p', changes: { fastest: 100, slowest: 200 }, sweep: 300, overlap: 1 };
    expect(workspaceSettings({ ...eu, concurrency: 3, processes: [given] })).toMatchObject({
      concurrency: 3,
      processes: [{ ...given, ignoreFields: [] }],
    });
  });
});

it('the workspaces of a configuration keep a rhythm of their own', () => {
  const own = { fastest: 1, slowest: 2 };
  const [workspace] = workspacesOf({
    ...{ changes: { fastest: 3, slowest: 4 }, sweep: 5 },
    workspaces: [workspaceSettings({ ...eu, processes: [{ id: 'p', changes: own, sweep: 6 }] })],
  });
  expect(workspace?.processes).toMatchObject([{ changes: own, sweep: 6 }]);
});
