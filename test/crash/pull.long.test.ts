import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { seededRandom } from '../../simulator/data/random.ts';
import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { environmentOf, launch, until } from '../kit/local/run.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { temporaryDirectory } from '../kit/temporary.ts';
import { editOnce } from './edits.ts';

const PROCESS = 'launch';
const KILLS = 100;
const EDIT_EVERY_MS = 40;
const LEAST_EVENTS = 300;

/** Writes down each event as processed, before it asks for the next one. */
const CONSUMER = `
import { appendFileSync } from 'node:fs';
import { consume } from ${JSON.stringify(join(ROOT, 'receiver/index.ts'))};
for await (const { id, source, subject = '', sequence } of consume({ endpoint: 'crm', from: { data: '.' }, limit: 5, lease: 1 })) {
  const project = source + /^(projects.[^/]+)?/.exec(subject)[0];
  appendFileSync('processed.jsonl', JSON.stringify({ id, project, sequence }) + '\\n');
}`;

interface Processed {
  readonly id: string;
  readonly project: string;
  readonly sequence: string;
}

test('invariant 11: two consumers that are killed 100 times process each event at least once, and those of a project in order', async () => {
  const service = await startSimulatedService({
    workspace: buildWorkspace({ processes: [{ id: PROCESS, projects: 8, tasksPerProject: 4 }] }),
  });
  onTestFinished(() => service.stop());
  const [directory, random] = [temporaryDirectory(), seededRandom(11)];
  const environment = { ...environmentOf(service), SERVICE_PROCESSES: PROCESS };
  const args = '--interval 100ms --sweep-interval 2s --no-console --json --data .';
  const run = launch(directory, args, environment);
  onTestFinished(() => run.end());
  await until(() => existsSync(join(directory, 'operate.json')) && /8 of 8/.test(run.stderr()), 30_000);
  const command = [join(ROOT, 'cli/changewire.js'), 'endpoints', 'add', 'crm', '--pull', '--data', '.'];
  await promisify(execFile)(process.execPath, command, { cwd: directory });
  writeFileSync(join(directory, 'consumer.mts'), CONSUMER);
  const editing = setInterval(() => editOnce(service.workspace, PROCESS, random), EDIT_EVERY_MS);
  onTestFinished(() => clearInterval(editing));

  const env = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE };
  const start = () => spawn(process.execPath, ['consumer.mts'], { cwd: directory, env, stdio: 'ignore' });
  let kills = 0;
  /** Starts a consumer again and again, and kills it. */
  const consumer = async () => {
    while (kills++ < KILLS) {
      const child = start();
      await sleep(150 + random() * 350);
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    }
  };
  await Promise.all([consumer(), consumer()]);
  // A busy machine reads several edits as one event.
  await until(() => run.events().length > LEAST_EVENTS, 60_000);
  clearInterval(editing);
  const [first, second] = [start(), start()];
  onTestFinished(() => [first, second].forEach(child => void child.kill('SIGKILL')));
  const processed = (): Processed[] =>
    readFileSync(join(directory, 'processed.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
  await vi.waitFor(
    () => {
      const ids = new Set(processed().map(({ id }) => id));
      expect(
        run
          .events()
          .map(({ id }) => id)
          .filter(id => !ids.has(id)),
      ).toEqual([]);
    },
    { timeout: 60_000, interval: 500 },
  );
  const all = processed();
  const firsts = new Map(all.toReversed().map(one => [one.id, one]));
  const inOrder = all.filter((one, index) => all.findIndex(({ id }) => id === one.id) === index);
  expect(inOrder).toHaveLength(firsts.size);
  for (const [project, some] of Map.groupBy(inOrder, one => one.project)) {
    const sequences = some.map(({ sequence }) => Number(sequence));
    expect(sequences, project).toEqual(sequences.toSorted((one, other) => one - other));
  }
}, 240_000);
