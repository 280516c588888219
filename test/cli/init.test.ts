import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfigFile } from '../../local/settings/config-file.ts';
import { buildWorkspace, type Freedoms, startSimulatedService } from '../../simulator/server.ts';
import { run, type Setting } from '../kit/cli/world.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const BASE = 'https://api.example.com';
const GIVEN = `--workspace main --base-url ${BASE} --auth-url https://auth.example.com --audience a --process launch`;

/** `changewire init` in a folder; `read` reads a file of it. */
async function init(line: string, setting: Setting = {}, directory = temporaryDirectory()) {
  const told = await run(['init', ...line.split(' ').filter(Boolean)], { directory, ...setting });
  const has = (name: string) => existsSync(join(directory, name));
  return {
    ...told,
    directory,
    has,
    read: (name: string) => readFileSync(join(directory, name), 'utf8'),
    config: (name = 'changewire.json') => readConfigFile(join(directory, name)),
  };
}

describe('changewire init', () => {
  it('writes what is given, without asking, and says the next two steps', async () => {
    const { code, out, err, config, has } = await init(GIVEN.replace('--workspace main', ''));
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      'Created changewire.json.\n\nNext steps:\n' +
        '  1. Set MAIN_CLIENT_ID and MAIN_CLIENT_SECRET in the environment or in a file .env in this directory\n' +
        '  2. npx changewire start\n',
    );
    expect(config()).toMatchObject({
      workspaces: [{ name: 'main', baseUrl: BASE, audience: 'a', processes: [{ id: 'launch' }] }],
    });
    expect(has('.env')).toBe(false);
  });

  it('puts credentials into .env alone, from stdin', async () => {
    const line = `${GIVEN.replace('main', 'eu')},onboarding --client-id - --client-secret - --config ours.json`;
    const { out, read, config } = await init(line, { secrets: ['an id', 'hush'] });
    expect(read('.env')).toBe("EU_CLIENT_ID='an id'\nEU_CLIENT_SECRET=hush\n");
    expect(`${read('ours.json')}${out}`).not.toContain('hush');
    expect(out).toContain('Added EU_CLIENT_ID and EU_CLIENT_SECRET to .env, readable only by you.');
    expect(out).toContain('1. npx changewire start --config ours.json');
    expect(config('ours.json').workspaces[0]?.processes).toHaveLength(2);
  });

  it('asks at a terminal for what is not given, again where it is wrong, and for credentials without showing them', async () => {
    const lines = ['api.example.com', BASE, 'https://auth.example.com', 'a', '', 'launch, onboarding,'];
    const { code, err, config, read } = await init('', { says: false, lines, secrets: ['id', 'hush'] });
    expect(code).toBe(0);
    expect(err.split('\n')).toEqual([
      'This command creates changewire.json after the last answer. Press Ctrl-C to cancel.',
      'URL of the API, such as https://api.example.com',
      expect.stringMatching(/^It must be an https:\/\/ address/),
      'URL of the API, such as https://api.example.com',
      'Token URL (auth server), such as https://auth.example.com',
      'OAuth audience of your credentials',
      'Workspace name, which is part of events [main]',
      'Comma-separated ids of the processes to watch',
      'Client id, or press Enter to skip',
      'Client secret, or press Enter to skip',
      expect.stringMatching(/^Probe the service now to find suitable settings/),
      '',
    ]);
    expect(config().workspaces[0]).toMatchObject({
      name: 'main',
      processes: [{ id: 'launch' }, { id: 'onboarding' }],
    });
    expect(read('.env')).toBe('MAIN_CLIENT_ID=id\nMAIN_CLIENT_SECRET=hush\n');
  });

  it('asks for no credentials that are set, or put elsewhere', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, '.env'), 'MAIN_CLIENT_ID=id\n');
    const env = { MAIN_CLIENT_SECRET: 'hush' };
    const set = await init(`${GIVEN} --no-doctor`, { env, says: true }, directory);
    expect(set.err).not.toContain('Client');
    expect([set.code, set.read('.env')]).toEqual([0, 'MAIN_CLIENT_ID=id\n']);
    expect(set.out).toContain('1. npx changewire start (the first pass');
    const elsewhere = await init(`${GIVEN} --no-credentials`, { says: true });
    expect([elsewhere.has('.env'), elsewhere.err]).toEqual([false, expect.not.stringContaining('Client')]);
    expect(elsewhere.out).toContain('Set MAIN_CLIENT_ID and MAIN_CLIENT_SECRET');
  });

  it('tells programs what it wrote', async () => {
    const { out } = await init(`${GIVEN} --json`);
    expect(JSON.parse(out)).toEqual({
      ...{ file: 'changewire.json', variables: [] },
      missing: ['MAIN_CLIENT_ID', 'MAIN_CLIENT_SECRET'],
    });
  });

  const REFUSED: Record<string, string> = {
    '': 'No terminal to prompt on. Use --base-url, --auth-url, --audience, --process (npx changewire help init).',
    '--base-url https://a.example --process p':
      'No terminal to prompt on. Use --auth-url, --audience (npx changewire help init).',
    '--base-url http://a.example': '--base-url must be an https:// address without user name',
    '--workspace a/b': '--workspace must be a name of 1 to 64 letters',
    [`${GIVEN} --doctor`]: '--doctor needs credentials: set MAIN_CLIENT_ID and MAIN_CLIENT_SECRET',
    [`${GIVEN} --stack S`]: '--stack is not supported by this command. init writes a local file.',
  };
  it.each(Object.entries(REFUSED))('refuses "%s", and writes nothing', async (line, message) => {
    const { code, out, err, has } = await init(line);
    expect([code, out, has('changewire.json')]).toEqual([2, '', false]);
    expect(err).toContain(`changewire: ${message}`);
  });

  it('never writes over a file that is there, before it asks anything, unless it is told to', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'changewire.json'), 'ours');
    const { code, err, read } = await init('', { says: true }, directory);
    expect([code, err, read('changewire.json')]).toEqual([
      2,
      'changewire: changewire.json already exists. Use --config FILE or --force to overwrite.\n',
      'ours',
    ]);
    expect((await init(`${GIVEN} --force`, {}, directory)).config().workspaces).toHaveLength(1);
  });
});

/** A service, and the line by which `init` knows it. */
async function service(freedoms: Partial<Freedoms>) {
  const workspace = buildWorkspace({
    processes: ['launch', 'onboarding'].map(id => ({ id, projects: 15, tasksPerProject: 4 })),
  });
  const started = await startSimulatedService({ workspace, freedoms });
  onTestFinished(() => started.stop());
  const { baseUrl, authUrl, audience, clientId, clientSecret } = started;
  const line = `--workspace main --base-url ${baseUrl} --auth-url ${authUrl} --audience ${audience} --process launch,onboarding`;
  return {
    edits: started.workspace,
    line: `${line} --client-id -`,
    env: { MAIN_CLIENT_SECRET: clientSecret },
    secrets: [clientId],
  };
}

describe('changewire init --doctor', () => {
  it('writes the settings that the service asks for, with the reason above each', async () => {
    const denied = { dateHeader: false, auditDenied: 403, maxResponseBytes: 2_000 } as const;
    const freedoms = { ...denied, updateTimeName: 'lastTouch' };
    const { line, ...given } = await service(freedoms);
    const { code, err, read, config } = await init(`${line} --doctor`, given);
    expect(code, err).toBe(0);
    expect(config().workspaces[0]).toMatchObject({
      dateHeader: false,
      pageSize: { tasks: expect.any(Number) },
      processes: [{ auditLog: false }, { auditLog: false }],
    });
    const reason = /\/\/ Answers have no usable Date header.*\n.*\n? +"dateHeader": false,/;
    expect(read('changewire.json')).toMatch(reason);
    const lines = read('changewire.json').split('\n');
    const above = lines.flatMap((text, at) => {
      const [, key] = /"(pageSize|dateHeader|ignoreFields|auditLog)":/.exec(text) ?? [];
      return key === undefined ? [] : [[key, lines[at - 1]]];
    });
    expect(new Set(above.map(([key]) => key)).size).toBe(4);
    for (const [, line] of above) expect(line).toMatch(/^ +\/\/ /);
    expect(err).toContain('Probing the service for onboarding');
    expect(err).toContain('  dateHeader false');
  });

  it('writes settings of the workspace that fit each of its processes, in any order', async () => {
    const { line, edits, ...given } = await service({ maxResponseBytes: 2_000 });
    edits.updateProject('launch', '1001', { name: 'a'.repeat(700) });
    const sizeOf = async (processes: string) => {
      const asked = line.replace('launch,onboarding', processes);
      const { config } = await init(`${asked} --doctor`, given);
      return config().workspaces[0]?.pageSize?.projects;
    };
    const small = await sizeOf('launch');
    expect(await sizeOf('onboarding')).toBeGreaterThan(small ?? Number.POSITIVE_INFINITY);
    expect(await sizeOf('launch,onboarding')).toBe(small);
    expect(await sizeOf('onboarding,launch')).toBe(small);
  });

  it('writes nothing where the service has no such process, and says so', async () => {
    const { line, ...given } = await service({});
    const { code, err, has } = await init(`${line.replace('onboarding', 'onbording')} --doctor`, given);
    expect([code, has('changewire.json')]).toEqual([1, false]);
    expect(err).toMatch(
      /onbording: Its projects cannot be listed\. Response: .*404.* Check the process id, .*Nothing was written\.\n$/,
    );
  });

  it('names the address, not the credentials, where the service can not be reached', async () => {
    const { line, ...given } = await service({});
    const closed = (option: string) => line.replace(new RegExp(`(${option}) \\S+`), '$1 http://127.0.0.1:1');
    const noToken = (await init(`${closed('--auth-url')} --doctor`, given)).err;
    const unreached =
      /Could not get a token\. Response: .*ECONNREFUSED.* No answer from the authentication URL/;
    expect(noToken).toMatch(unreached);
    const noProcess = (await init(`${closed('--base-url')} --doctor`, given)).err;
    expect(noProcess).toMatch(/cannot be listed\. Response: .*ECONNREFUSED.* No answer from the base URL/);
    expect(noToken + noProcess).not.toMatch(/credentials|client secret|id of the process/);
  });

  it('writes nothing where the service gives no token, unless somebody says so', async () => {
    const { line, env } = await service({});
    const wrong = { env, secrets: ['nobody'] };
    const refused = await init(`${line} --doctor`, wrong);
    expect([refused.code, refused.has('changewire.json'), refused.has('.env')]).toEqual([1, false, false]);
    expect(refused.err).toMatch(/launch: Could not get a token\. Response: .*401.*Nothing was written\.\n$/);
    const err = expect.stringMatching(/Save anyway\?\nNothing was written\.\n$/);
    const declined = await init(`${line} --doctor`, { ...wrong, says: false });
    expect(declined).toMatchObject({ code: 1, out: '', err });
    const says = (question: string) => !question.startsWith('Change');
    const asked = await init(`${line} --doctor`, { ...wrong, says });
    expect([asked.code, asked.has('changewire.json'), asked.has('.env')]).toEqual([0, true, true]);
  });

  it('lets wrong answers be changed until the service can be read: Enter keeps one, and the last ones are written', async () => {
    const { line, secrets, env } = await service({});
    const given = line.replace(/ --client-id -$/, '').replace('onboarding', 'onbording');
    const wrongAuth = given.replace(/(--auth-url) \S+/, '$1 http://127.0.0.1:1');
    const authUrl = /--auth-url (\S+)/.exec(given)?.[1] ?? '';
    const typed = [authUrl, '', '', 'launch,onboarding'];
    const hidden = [...secrets, 'wrong', '', env.MAIN_CLIENT_SECRET, '', ''];
    const setting = { says: true, lines: typed, secrets: hidden };
    const { code, err, config, read } = await init(`${wrongAuth} --doctor`, setting);
    expect(code, err).toBe(0);
    const asked = err.split('\n').filter(text => /^(Token|OAuth|URL|Comma|Client|Change)/.test(text));
    expect(asked.slice(2)).toEqual([
      'Change the answers that may be wrong, and try again?',
      'Token URL (auth server), such as https://auth.example.com [http://127.0.0.1:1]',
      expect.stringMatching(/^OAuth audience of your credentials \[.+\]$/),
      'Client id, or press Enter to keep it',
      'Client secret, or press Enter to keep it',
      'Change the answers that may be wrong, and try again?',
      expect.stringMatching(/^URL of the API, .* \[http:.*\]$/),
      'Comma-separated ids of the processes to watch [launch, onbording]',
      'Client id, or press Enter to keep it',
      'Client secret, or press Enter to keep it',
    ]);
    expect(config().workspaces[0]).toMatchObject({
      ...{ authUrl, processes: [{ id: 'launch' }, { id: 'onboarding' }] },
    });
    expect(read('.env')).toBe(`MAIN_CLIENT_ID=${secrets[0]}\nMAIN_CLIENT_SECRET=${env.MAIN_CLIENT_SECRET}\n`);
  });

  it('writes nothing after Ctrl-C during a probe, nor where .env can not hold a value', async () => {
    const { line, env, secrets } = await service({});
    const ending = new AbortController();
    // At the first pause of the probe, which then goes on.
    const setting = { env, secrets, interrupted: ending.signal, sleep: async () => ending.abort() };
    const stopped = await init(`${line} --doctor`, setting);
    expect([stopped.code, stopped.has('changewire.json'), stopped.has('.env')]).toEqual([130, false, false]);
    const unfit = await init(`${GIVEN} --client-id - --client-secret -`, { secrets: ['id', `'"\``] });
    expect([unfit.code, unfit.has('changewire.json'), unfit.has('.env')]).toEqual([2, false, false]);
  });
});
