import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Copy } from '../../examples/receiver/copy.ts';
import { seededRandom } from '../../simulator/data/random.ts';
import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';
import { stateOf } from '../kit/copied.ts';
import { freePort } from '../kit/dynamodb/free-port.ts';
import { runReceiver } from '../kit/examples/receiver.ts';
import { environmentOf, launch, until } from '../kit/local/run.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { secretOf } from '../kit/receiver/requests.ts';
import { temporaryDirectory } from '../kit/temporary.ts';
import { servedState } from '../kit/told.ts';
import { editOnce, unarchiveAll } from './edits.ts';

const PROCESS = 'launch';
const SECRET = secretOf('copy');
/** 500 edits a minute. */
const EDIT_EVERY_MS = 120;
const KILLS = 8;

test('invariant 4: a receiver that begins empty while edits go on, with kills of the run and of itself, has what the service has after one snapshot', async () => {
  const service = await startSimulatedService({
    workspace: buildWorkspace({ processes: [{ id: PROCESS, projects: 10, tasksPerProject: 5 }] }),
  });
  onTestFinished(() => service.stop());
  const [directory, port, random] = [temporaryDirectory(), await freePort(), seededRandom(7)];
  const [url, file] = [`http://127.0.0.1:${port}/webhook`, join(directory, 'copy.sqlite')];
  const args = `--interval 300ms --sweep-interval 2s --no-console --webhook ${url} --webhook-secret ${SECRET} --name copy`;
  const environment = { ...environmentOf(service), SERVICE_PROCESSES: PROCESS };
  const startRun = () => launch(directory, args, environment);
  const startReceiver = () => runReceiver({ WEBHOOK_SECRETS: SECRET, COPY: file, PORT: String(port) });
  let run = startRun();
  onTestFinished(() => run.end());
  await until(() => /10 of 10/.test(run.stdout()), 30_000);
  const edit = service.workspace;
  const editing = setInterval(() => editOnce(edit, PROCESS, random), EDIT_EVERY_MS);
  onTestFinished(() => clearInterval(editing));
  await sleep(1_000);
  let receiver = await startReceiver();
  const command = [join(ROOT, 'cli/changewire.js'), 'snapshot', '--to', 'copy', '--yes'];
  await promisify(execFile)(process.execPath, command, { cwd: directory });
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(200 + random() * 1_200);
    if (kill % 2 === 0) {
      await run.end();
      run = startRun();
    } else {
      receiver.child.kill('SIGKILL');
      await receiver.ended();
      receiver = await startReceiver();
    }
  }
  clearInterval(editing);
  unarchiveAll(edit, PROCESS);
  const copy = new Copy(file);
  await vi.waitFor(() => expect(stateOf(copy)).toEqual(servedState(edit, PROCESS)), {
    timeout: 60_000,
    interval: 500,
  });
  expect(receiver.said()).not.toContain('answered 5');
}, 180_000);
