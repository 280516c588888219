import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { eraseAll } from '../../functions/operations/walk-erase.ts';
import { openStoredOperations } from '../../local/operate/operations.ts';
import { startSimulatedService } from '../../simulator/server.ts';
import { receiver } from '../kit/delivery/receiver.ts';
import { run, until } from '../kit/local/run.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

/** All values of all rows of all tables of a run, by table, in plain text. */
function rowsOf(directory: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.sqlite')) continue;
    const database = new DatabaseSync(join(directory, file), { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables as { name: string }[]) {
      const rows = database.prepare(`SELECT * FROM "${name}"`).all();
      texts.set(name, rows.flatMap(row => Object.values(row).map(plain)).join('\n'));
    }
    database.close();
  }
  return texts;
}

function plain(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  try {
    return zstdDecompressSync(value).toString('utf8');
  } catch {
    return Buffer.from(value).toString('latin1');
  }
}

/** A service, of which a run watches one process by a configuration file, which `configure` writes. */
async function opened() {
  const service = await startSimulatedService();
  onTestFinished(service.stop);
  const { baseUrl, authUrl, audience, clientId, clientSecret, workspace } = service;
  const [id = ''] = workspace.processes();
  const directory = temporaryDirectory();
  const file = join(directory, 'changewire.json');
  const configure = (whole: object, process: object = {}) => {
    const workspaces = [{ name: 'eu', baseUrl, authUrl, audience, processes: [{ id, ...process }] }];
    writeFileSync(file, JSON.stringify({ workspaces, ...whole }));
  };
  const credentials = { EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret };
  return { workspace, id, directory, file, configure, credentials };
}

test('a withheld field is in no row, event, log or chat, before and after the list changed', async () => {
  const { workspace, id, directory, file, configure, credentials } = await opened();
  const receivers = [await receiver(), await receiver(), await receiver()] as const;
  const [hook, slack, teams] = receivers;
  const project = String(workspace.projects(id)[0]?.id);
  const environment = {
    ...credentials,
    ...{ ENDPOINT_HOOK_URL: hook.url, ENDPOINT_SLACK_URL: slack.url, ENDPOINT_TEAMS_URL: teams.url },
  };
  let printed = '';
  const start = (withhold: readonly string[], args: string) => {
    const kinds = { hook: 'webhook', slack: 'slack', teams: 'teams' };
    const endpoints = Object.entries(kinds).map(([name, kind]) => ({ name, kind }));
    configure({ endpoints }, withhold.length > 0 ? { withhold } : {});
    return run(directory, `--json --config ${file} ${args}`, environment);
  };
  const once = async (withhold: readonly string[]) => {
    const only = start(withhold, '--once');
    expect(await only.ended()).toBe(0);
    printed += only.stdout() + only.stderr();
  };
  const edit = (budget: string, summary: string) => workspace.updateProject(id, project, { budget, summary });
  const sent = (after: readonly number[] = []) =>
    receivers.flatMap(({ received }, index) => received.slice(after[index]).map(({ body }) => body)).join();
  const tablesWith = (text: string) =>
    [...rowsOf(directory)].flatMap(([name, all]) => (all.includes(text) ? [name] : []));

  edit('9900471100', 'unused');
  await once(['budget']);
  edit('9900471101', 'first-summary');
  await once(['budget']);
  expect(tablesWith('first-summary')).not.toEqual([]);
  expect(sent() + printed).not.toContain('99004711');
  expect(tablesWith('99004711')).toEqual([]);

  // Without the list, each of these places has the field.
  edit('9900471102', 'second-summary');
  await once([]);
  edit('9900471103', 'third-summary');
  await once([]);
  for (const { received } of receivers)
    expect(received.map(({ body }) => body).join()).toMatch(/9900471103|9,900,471,103/);
  expect(printed).toContain('9900471103');
  expect(tablesWith('9900471103').length).toBeGreaterThan(1);

  const before = receivers.map(({ received }) => received.length);
  edit('9900471104', 'last-summary');
  const last = start(['budget'], '');
  const isTold = ({ received }: typeof hook) => received.some(({ body }) => body.includes('last-summary'));
  await until(() => receivers.every(isTold));
  last.interrupt();
  expect(await last.ended()).toBe(0);
  expect(sent(before) + last.stdout() + last.stderr()).not.toMatch(/99004711|9,900,471,1/);
  expect(rowsOf(directory).get('project')).not.toContain('99004711');
  expect(tablesWith('9900471104')).toEqual([]);

  // What was recorded without the list is erased.
  const { operations, close } = await openStoredOperations(join(directory, '.changewire'), () => undefined);
  const caller = { who: 'ann', isProven: false };
  const ask = async (asked: RequestOf<'erase'>) => (await operations(asked, caller)) as AnswerOf<'erase'>;
  await eraseAll(ask, { operation: 'erase', project });
  close();
  expect(tablesWith('99004711')).toEqual([]);
  expect(tablesWith('last-summary')).toEqual(['project']);
}, 60_000);

test('a run deletes events that are older than its configuration keeps them', async () => {
  const { workspace, id, directory, file, configure, credentials } = await opened();
  configure({ keep: { journal: '2d' } });
  const start = (args: string, days = 0) =>
    run(directory, `--config ${file} ${args}`, credentials, { clock: () => Date.now() + days * 86_400_000 });
  expect(await start('--once').ended()).toBe(0);
  workspace.createProject(id, { name: 'first-name' });
  expect(await start('--once').ended()).toBe(0);
  const events = () => rowsOf(directory).get('change') ?? '';
  expect(events()).toContain('first-name');
  expect(await start('--once', 3).ended()).toBe(0);
  expect(events()).not.toContain('first-name');
});
