import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { open } from '../../cli/context/runner.ts';
import { readAddress } from '../../local/operate/address.ts';
import { type SimulatedService, startSimulatedService } from '../../simulator/server.ts';
import { run as runOver } from '../kit/cli/world.ts';
import { receiver } from '../kit/delivery/receiver.ts';
import { createdIn, run, until } from '../kit/local/run.ts';
import { startReceiver } from '../kit/local/sns-receiver.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

let service: SimulatedService;
beforeAll(async () => {
  service = await startSimulatedService();
});
afterAll(() => service.stop());

const WEBHOOK = { name: 'crm', kind: 'webhook' };

/** A run by a configuration file in a folder of its own, which `configure` writes. */
async function started({ args = '' }: { args?: string } = {}) {
  const [directory, crm] = [temporaryDirectory(), await receiver()];
  const { clientId, clientSecret, baseUrl, authUrl, audience } = service;
  const path = join(directory, 'changewire.json');
  const workspace = (name: string, ids: readonly string[]) => ({
    ...{ name, baseUrl, authUrl, audience },
    processes: ids.map(id => ({ id, changes: '5s' })),
  });
  const configure = (content: object | string) =>
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  configure({ workspaces: [workspace('eu', ['onboarding'])], endpoints: [WEBHOOK] });
  const credentials = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
  const environment = { ...credentials, ENDPOINT_CRM_URL: crm.url };
  const data = join(directory, '.changewire');
  const running = run(directory, `--config ${path} --health 0 --json ${args}`, environment);
  const baselined = (id: string) =>
    until(() => new RegExp(`${id} for the first time: (\\d+) of \\1 `).test(running.stderr()));
  await baselined('onboarding');
  const changewire = async (line: string) => {
    const { code, out, err } = await runOver([...line.split(' '), '--data', data], { open });
    return { code, text: out + err };
  };
  const created = () => createdIn(crm.received);
  return { ...running, directory, data, crm, workspace, configure, changewire, baselined, created };
}

describe('a reload', () => {
  it('takes up what changed, while edits go on, of which none is lost or repeated, no request is refused, and all is counted', async () => {
    const topic = await startReceiver();
    onTestFinished(topic.close);
    const { configure, workspace, changewire, baselined, created, stderr, data, events } = await started({
      args: `--subscribe ${topic.url}`,
    });
    const before = readAddress(data);
    const [url = ''] = /http:\S+healthz/.exec(stderr()) ?? [];
    const names: string[] = [];
    const editing = setInterval(() => {
      names.push(`edit ${names.length}`);
      service.workspace.createProject('onboarding', { name: names.at(-1) ?? '' });
    }, 150);
    onTestFinished(() => clearInterval(editing));
    const statuses: number[] = [];
    const asking = setInterval(async () => {
      const { code } = await changewire('status --json');
      statuses.push(code, (await fetch(url)).status);
    }, 100);
    onTestFinished(() => clearInterval(asking));
    const filtered = { ...WEBHOOK, filter: { events: ['project.created'] } };
    for (const [ids, endpoint, text] of [
      [['onboarding', 'launch'], WEBHOOK, '2 processes \\(added eu/launch\\), 2 endpoints'],
      [['launch', 'onboarding'], filtered, '2 processes, 2 endpoints'],
      [['onboarding'], filtered, '1 process \\(removed eu/launch\\), 2 endpoints'],
    ] as const) {
      configure({ workspaces: [workspace('eu', ids)], endpoints: [endpoint] });
      const isChecked = await changewire('reload --dry-run');
      expect(isChecked.text).toMatch(new RegExp(`^Would reload .*: ${text}\\. Nothing was changed\\.\n$`));
      const { code, text: told } = await changewire('reload');
      expect([code, told]).toEqual([0, expect.stringMatching(new RegExp(`^Reloaded .*: ${text}\\.\n$`))]);
      if (ids.length > 1) await baselined('launch');
    }
    await until(() => statuses.length > 4);
    clearInterval(editing);
    clearInterval(asking);
    await changewire('pass onboarding');
    const notified = (name: string) =>
      topic.notifications().filter(({ body }) => JSON.parse(body).Message.includes(`"${name}"`)).length;
    await until(() => names.every(name => created().includes(name) && notified(name) > 0));
    expect(created().toSorted()).toEqual(names.toSorted());
    const printed = events().map(({ source, id }) => `${source} ${id}`);
    expect(new Set(printed).size).toBe(printed.length);
    expect(names.filter(name => notified(name) !== 1)).toEqual([]);
    expect(topic.confirmations()).toHaveLength(1);
    expect(statuses.filter(status => status !== 0 && status !== 200)).toEqual([]);
    expect(readAddress(data)).toEqual(before);
    const metrics = await (await fetch(url.replace('healthz', 'metrics'))).text();
    for (const counted of ['events', 'attempts', 'passes', 'service_requests'])
      expect(metrics).toMatch(new RegExp(`^changewire_${counted}_total\\{.* [1-9]`, 'm'));
    expect(metrics).toMatch(/^changewire_service_requests_total\{.*status="200"\} [1-9]/m);
    expect(metrics).toMatch(/^changewire_healthy 1$/m);
    expect((await changewire('status')).text).toMatch(/eu\/launch +removed/);
    expect((await changewire('endpoints show crm')).text).toContain('project.created');
    expect((await changewire('actions')).text).toContain('processes: 1 added, 0 removed');
  }, 60_000);

  it('refuses what it can not take up, with the reason, and the run goes on as before', async () => {
    const args = '--slack http://127.0.0.1:9/ --filter processes=onboarding';
    const { configure, workspace, changewire, directory, data, baselined, stderr } = await started({ args });
    const before = readFileSync(join(data, 'operate.json'), 'utf8');
    const eu = workspace('eu', ['onboarding']);
    const both = { workspaces: [eu, workspace('us', ['launch'])], endpoints: [WEBHOOK] };
    for (const [content, reason] of [
      ['{ "workspaces": ', /changewire\.json is not valid JSON \(line 1, column \d+/],
      [{ workspaces: [{ ...eu, procesess: [] }] }, /workspaces\[0\].*procesess/],
      [{ workspaces: [eu], endpoints: [{ name: 'ops', kind: 'slack' }] }, /set ENDPOINT_OPS_URL in the env/],
      [{ workspaces: [eu], keep: { journal: '5d' } }, /keep: restart to change it\./],
      [{ workspaces: [workspace('eu', ['launch'])] }, /^changewire: --filter processes\[0\]: un/],
      [both, /US_CLIENT_ID, US_CLIENT_SECRET are not set/],
    ] as const) {
      configure(content);
      const { code, text } = await changewire('reload');
      expect(text).toMatch(reason);
      expect(code).toBe(1);
      expect(text).toContain(
        'Nothing was changed. A reload reads the configuration and .env; other variables',
      );
    }
    expect((await changewire('status')).text).toMatch(/eu\/onboarding +healthy/);
    expect(stderr()).not.toContain('Reloaded');
    expect(readFileSync(join(data, 'operate.json'), 'utf8')).toBe(before);
    const { clientId, clientSecret } = service;
    const credentials = `US_CLIENT_ID=${clientId}\nUS_CLIENT_SECRET=${clientSecret}\n`;
    appendFileSync(join(directory, '.env'), credentials);
    expect(await changewire('reload')).toMatchObject({ code: 0 });
    await baselined('launch');
  }, 30_000);

  it('goes back to the former configuration where the new one can not be started', async () => {
    const { configure, workspace, changewire, directory, data, created } = await started();
    mkdirSync(join(data, 'team.secret'));
    writeFileSync(join(directory, '.env'), 'ENDPOINT_TEAM_URL=http://127.0.0.1:9/\n');
    const endpoints = [WEBHOOK, { ...WEBHOOK, name: 'team' }];
    configure({ workspaces: [workspace('eu', ['onboarding'])], endpoints });
    const { code, text } = await changewire('reload');
    expect(text).toMatch(/EISDIR.*\. The former configuration is used again\.\n$/);
    expect(code).toBe(1);
    service.workspace.createProject('onboarding', { name: 'after the failure' });
    await changewire('pass onboarding');
    await until(() => created().includes('after the failure'));
    expect((await changewire('endpoints list')).text).not.toContain('team');
    expect((await changewire('reload')).text).toMatch(/The former configuration is used again\.\n$/);
  }, 30_000);

  it('ends the run where the former configuration can not be started again either', async () => {
    const { changewire, data, ended, stderr } = await started();
    rmSync(join(data, 'crm.secret'));
    mkdirSync(join(data, 'crm.secret'));
    expect((await changewire('reload')).code).toBe(1);
    expect(await ended()).toBe(1);
    expect(stderr()).toMatch(/changewire: EISDIR.*\n$/);
  });

  it('is refused without a configuration file, and without a run', async () => {
    const directory = temporaryDirectory();
    const { interrupt, ended, stdout } = run(directory, '');
    await until(() => stdout().includes('Reading launch'));
    const place = ['--data', join(directory, '.changewire/simulated')];
    const reload = async () => (await runOver(['reload', ...place], { open })).err;
    const unconfigured = 'This run has no configuration file to reload: start it again with --config';
    expect(await reload()).toContain(unconfigured);
    interrupt();
    await ended();
    expect(await reload()).toContain('Changewire is not running. The next start reads the configuration.');
  });
});
