import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { open } from '../../cli/context/runner.ts';
import { KNOWN_TEXTS, knownPartsOf } from '../../cli/report/known-texts.ts';
import { Names } from '../../cli/report/rules.ts';
import { REPORT } from '../../cli/report/shape.ts';
import { packageVersion } from '../../local/basics/package-file.ts';
import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';
import { run as command } from '../kit/cli/world.ts';
import { answer, receiver } from '../kit/delivery/receiver.ts';
import { ROOT } from '../kit/docs/documents.ts';
import { run, until } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const AT = '2026-11-21T11:00:00.000Z';

/** What a report may never hold, and what only an anonymous one may not: each value is unique. */
const SECRETS = {
  clientSecret: 'simulated-secret-8Qm2vXw5',
  audience: 'https://api.simulated.example',
  path: 'sesame-path',
  query: 'sesame-query',
  header: 'Sesame-Header',
  headerValue: 'sesame-bearer',
  signing: 'c2VzYW1lLXNpZ25pbmctc2VzYW1lLXNpZ25pbmc=',
  projectName: 'Project Minotaur',
  value: 'minotaur-budget',
  user: 'Ariadne Minotaur',
  taskName: 'Task Minotaur',
  answered: 'minotaur-answer',
  page: 'minotaur-page',
  rejected: 'minotaur-rejected',
  filterValue: 'minotaur-wanted',
  recipient: 'minotaur@example.com',
};
const NAMES = {
  workspace: 'Wanda-Workspace',
  process: 'Petra-Process',
  project: 'Theseus-Id',
  endpoint: 'Edgar-Endpoint',
  field: 'Frida-Field',
  network: 'nora-network',
};

/** A run with failures everywhere, stopped. */
async function failedRun() {
  const directory = temporaryDirectory();
  const service = await startSimulatedService({
    workspace: buildWorkspace({ processes: [{ id: NAMES.process, projects: 2, tasksPerProject: 1 }] }),
  });
  onTestFinished(service.stop);
  const hook = await receiver(answer(500, {}, `${SECRETS.answered} ${SECRETS.projectName}`));
  const { baseUrl, authUrl, audience, clientId, clientSecret, workspace } = service;
  writeFileSync(
    join(directory, 'changewire.json'),
    JSON.stringify({
      networks: [NAMES.network],
      workspaces: [
        {
          ...{ name: NAMES.workspace, baseUrl, authUrl, audience },
          processes: [{ id: NAMES.process, ignoreFields: [NAMES.field] }],
        },
      ],
      endpoints: [
        {
          ...{ name: NAMES.endpoint, kind: 'webhook' },
          filter: { events: ['project.created'], projects: [NAMES.project, SECRETS.filterValue] },
        },
        { name: 'all', kind: 'webhook' },
        { name: 'mail', kind: 'email', from: 'a@example.com', to: SECRETS.recipient, digest: '08:00 UTC' },
      ],
    }),
  );
  const url = `${hook.url}/${SECRETS.path}?token=${SECRETS.query}`;
  const headers = JSON.stringify({ [SECRETS.header]: SECRETS.headerValue });
  const environment = {
    WANDA_WORKSPACE_CLIENT_ID: clientId,
    WANDA_WORKSPACE_CLIENT_SECRET: clientSecret,
    ENDPOINT_EDGAR_ENDPOINT_URL: url,
    ENDPOINT_EDGAR_ENDPOINT_HEADERS: headers,
    ENDPOINT_EDGAR_ENDPOINT_SECRET: `whsec_${SECRETS.signing}`,
    ENDPOINT_ALL_URL: url,
    ENDPOINT_MAIL_URL: 'smtps://u:p@mail.example.com',
  };
  const start = (args: string) =>
    run(directory, `--json --config ${join(directory, 'changewire.json')} ${args}`, environment);
  expect(await start('--once').ended()).toBe(0);
  const fields = { name: SECRETS.projectName, summary: SECRETS.value };
  workspace.createProject(NAMES.process, fields, { id: NAMES.project });
  await start('--once').ended();
  // One project answers with a page that quotes records; then everything fails.
  const isOfProject = ({ path }: { path: string }) => path.includes(`/projects/${NAMES.project}/tasks`);
  const fault = { status: 200, body: `<html>${SECRETS.page} "${SECRETS.user}"` };
  const ofProject = service.fail({ times: 1_000, when: isOfProject, fault });
  workspace.updateProject(NAMES.process, NAMES.project, { summary: `${SECRETS.value}2` });
  await start('--once').ended();
  ofProject.cancel();
  service.fail({ times: 1_000, fault: { status: 403, body: { error: { message: SECRETS.page } } } });
  await start('--once').ended();
  const data = join(directory, '.changewire');
  const file = new DatabaseSync(join(data, 'changewire.sqlite'));
  // Deliveries die after days; the reason could quote anything.
  file.exec(`INSERT INTO dead (endpoint, event_id, at, body, attributes, replay, attempts, died_at, reason)
    VALUES ('${NAMES.endpoint}', 'e', 1, '{}', '{}', 0, 3, ${Date.now()}, 'answered 413 ${SECRETS.answered} ECONNRESET')`);
  file.close();
  const rejected = { reason: `InvalidParameter: ${SECRETS.rejected}`, body: SECRETS.projectName };
  appendFileSync(join(data, 'rejected.jsonl'), `${JSON.stringify(rejected)}\n{"rea`);
  const report = async (...args: string[]) => {
    const setting = { open, directory, clock: Date.now };
    const told = await command(['report', '-', '--data', data, ...args], setting);
    expect(told).toMatchObject({ code: 0, err: expect.stringContaining('read it before you send it') });
    return told.out;
  };
  return { directory, data, start, report };
}

const found = (text: string, all: object) => Object.values(all).filter(each => text.includes(each));

describe('report', () => {
  it('of a run with failures, active or stopped, has names, and neither secrets nor records', async () => {
    const { data, start, report } = await failedRun();
    const stopped = await report();
    const active = start('');
    await until(() => existsSync(join(data, 'operate.json')));
    const running = await report();
    const anonymous = [await report('--anonymous')];
    active.interrupt();
    await active.ended();
    anonymous.push(await report('--anonymous'));
    for (const text of [stopped, running])
      expect([found(text, SECRETS), found(text, NAMES)]).toEqual([[], Object.values(NAMES)]);
    for (const text of anonymous)
      expect(found(text, { ...SECRETS, ...NAMES, host: '127.0.0.1' })).toEqual([]);
    expect([JSON.parse(stopped).run.isRunning, JSON.parse(running).run.isRunning]).toEqual([false, true]);
    const reason = expect.stringMatching(/expected JSON/);
    const { processes, endpoints, rejected, configuration, store, versions } = JSON.parse(anonymous[1] ?? '');
    expect(versions).toMatchObject({ changewire: packageVersion(), node: process.versions.node });
    expect(processes).toMatchObject([
      {
        ...{ workspace: 'workspace-1', process: 'process-1', state: 'failing' },
        failures: { changes: { reason: 'POST; /oauth; /token; status 403; access is denied' } },
        rechecks: { first: [{ project: 'project-1', cause: 'unreadable', reason }] },
      },
    ]);
    const polled = { id: 'process-1', overlap: 120_000 };
    expect(configuration).toMatchObject({
      workspaces: [{ name: 'workspace-1', baseUrl: 'host-1', processes: [polled] }],
      endpoints: [
        { name: 'endpoint-1', filter: { events: ['project.created'], projects: 2 } },
        { name: 'endpoint-2' },
        { name: 'endpoint-3' },
      ],
    });
    expect(endpoints).toMatchObject([
      {
        ...{ name: 'endpoint-1', kind: 'webhook', origin: 'host-2', dead: { atLeast: 1 } },
        attempts: {
          tookP50: expect.any(Number),
          lastFailures: expect.arrayContaining([expect.objectContaining({ failure: 'answered 500' })]),
        },
        deadLetters: [{ attempts: 3, reason: 'answered 413; ECONNRESET' }],
      },
      { name: 'endpoint-2' },
      { name: 'endpoint-3' },
    ]);
    expect(rejected).toEqual({ count: 2, last: ['a text of 35 characters', 'a text of 0 characters'] });
    expect(store).toMatchObject({ layout: 6, journal: { records: 1 }, rows: { project: 3, dead: 1 } });
  });

  it('of a stack has the codes of its log and the reasons of failed messages, without their texts', async () => {
    const details = { code: 'delivery.failed', reason: 'minotaur-answer' };
    const reason = 'the message is not valid JSON';
    const failed = { at: AT, reason: `${reason}: minotaur`, about: { event: 'minotaur-answer' } };
    const answers = {
      status: { at: AT, deployment: 'Stella', isRunning: true, processes: [], endpoints: [] },
      logs: ({ function: name }: { function: string }) => ({
        function: name,
        entries: [{ at: AT, level: 'error', message: `Project Minotaur`, details }],
      }),
      'failed-messages': ({ queue }: { queue: string }) => ({ queue, messages: 1, first: [failed] }),
    };
    const place = ['--stack', 'Stella', '--region', 'eu-central-1'];
    const { out } = await command(['report', '-', ...place], { answers });
    const { logs, failedMessages, run, store } = JSON.parse(out);
    const entry = { at: AT, level: 'error', code: details.code };
    expect(logs[0]).toEqual({ function: 'poll', entries: [entry] });
    expect(failedMessages[0]).toEqual({ queue: 'rejected', messages: 1, reasons: [reason] });
    expect([run.deployment, store, /minotaur/i.test(out)]).toEqual(['Stella', undefined, false]);
  });

  it('is written to a new file for its user alone, and also where the store is damaged', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'changewire.sqlite'), 'no database, but Minotaur');
    writeFileSync(join(directory, 'changewire.json'), '{"minotaur": 1}');
    const setting = { open, directory };
    const file = 'changewire-report-2026-11-21T12-00-00.json';
    const { code, out, err } = await command(['report', '--data', directory], setting);
    const unopened = `Could not open ${join(directory, 'changewire.sqlite')}`;
    expect(err).toContain(`Could not read the status: ${unopened}`);
    expect([code, out]).toEqual([0, expect.stringMatching(`^Wrote ${file}. It has versions,`)]);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(directory, file), 'utf8');
    expect(JSON.parse(text).problems).toEqual([
      { part: 'status', reason: 'Could not open; file is not a database' },
      { part: 'configuration', reason: 'found nothing' },
      { part: 'store', reason: 'file is not a database' },
    ]);
    expect(text).not.toMatch(/minotaur/i);
    const again = await command(['report', file, '--data', directory], setting);
    const taken = `changewire: Could not write ${join(directory, file)}: it already exists. Name another file.\n`;
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining(taken) });
    for (const args of [
      ['--data', join(directory, 'none')],
      ['--config', 'none.json', '--data', directory],
    ])
      expect(await command(['report', ...args], setting)).toMatchObject({ code: 2 });
  });

  it('shows a text in no place but that of a name, whatever the answers have there', () => {
    const keys = new Set<string>();
    REPORT(everywhere('', undefined, keys), new Names(true));
    expect(keys.size).toBeGreaterThan(100);
    fc.assert(
      fc.property(hostile, text => {
        for (const key of keys) {
          const [plain = '', anonymous = ''] = [false, true].map(isAnonymous =>
            JSON.stringify(REPORT(everywhere(text, key, new Set()), new Names(isAnonymous))),
          );
          expect(anonymous).not.toContain(text);
          expect([key, plain.split(text).length]).toEqual([key, anonymous.split(/"[a-z]+-1"/).length]);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('shows of a reason its known parts, which the sources still have, and numbers', () => {
    for (const [text, parts] of Object.entries({
      'answered 500': 'answered 500',
      'no answer (ECONNREFUSED)': 'no answer; ECONNREFUSED',
      'no answer (MINOTAUR)': 'no answer',
      'GET /v1/processes/p/projects?after=x: at $.paging.minos: expected a boolean, found string':
        'GET; /processes; /projects; at $.paging; expected a boolean; found string',
      'at $: expected JSON, found 9 characters that begin "answered 404, no answer"; check':
        'at $; expected JSON',
      'Project answered is too large': 'a text of 29 characters',
    }))
      expect(knownPartsOf(text)).toBe(parts);
    const sources = ['functions', 'local'].flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter(path => path.endsWith('.ts'))
        .map(path => readFileSync(join(ROOT, folder, path), 'utf8')),
    );
    // A long text may be continued on the next line.
    const all = sources.join('\n').replaceAll(/['"`] \+\n\s*['"`]/g, '');
    expect(KNOWN_TEXTS.filter(text => !all.includes(text))).toEqual([]);
  });
});

const hostile = fc.string({ minLength: 3 }).map(text => `Ж${text}`.replaceAll(/["\\\p{C}]/gu, ''));

/** A list and an object at once, which has `text` in each list and under `key`, and itself under all other keys. Adds
 *  the keys that were asked for to `keys`. */
function everywhere(text: string, key: string | undefined, keys: Set<string>): object {
  const under = (name: string | symbol) => {
    if (name === '1' || name === key) return text;
    return everywhere(text, key, keys);
  };
  return new Proxy([0, 0], {
    get: (list, name, self) =>
      typeof name === 'symbol' || (name in list && !/^\d$/.test(name))
        ? Reflect.get(list, name, self)
        : under(name),
    getOwnPropertyDescriptor: (list, name) => {
      if (name in list) return Reflect.getOwnPropertyDescriptor(list, name);
      keys.add(String(name));
      return { value: under(name), configurable: true, enumerable: true, writable: true };
    },
  });
}
