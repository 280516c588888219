import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildWorkspace,
  type EditApi,
  type SimulatedService,
  startSimulatedService,
} from '../simulator/server.ts';
import { installInto } from '../test/kit/package/tarball.ts';

/** `node package/keep-data.ts`: installs the tarball of this version, lets it watch a small simulated service, and
 *  keeps its data in test/package/data/VERSION/, with the configuration and the state of the service, for the upgrade
 *  tests of later versions. */
const ROOT = join(import.meta.dirname, '..');
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
const tarball = join(ROOT, `${name}-${version}.tgz`);
const kept = join(ROOT, 'test/package/data', version);
/** Each process of the service, and how it is watched. */
const PROCESSES = [{ id: 'plain' }, { id: 'audited', audit: true }];

if (existsSync(tarball)) await keep();
else {
  process.stderr.write(`${tarball} is missing: run "npm run release" or "npm pack".\n`);
  process.exitCode = 1;
}

async function keep(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'changewire-keep-'));
  const serviceFile = join(scratch, 'service.json');
  const workspace = buildWorkspace({
    processes: PROCESSES.map(({ id }) => ({ id, projects: 3, tasksPerProject: 2 })),
  });
  const service = await startSimulatedService({ file: serviceFile, workspace });
  try {
    await installInto(scratch, tarball);
    writeFileSync(join(scratch, 'changewire.json'), configurationOf(service));
    await pass(scratch, service);
    edit(service.workspace);
    await pass(scratch, service);
    rmSync(kept, { recursive: true, force: true });
    mkdirSync(kept, { recursive: true });
    copyFileSync(join(scratch, 'changewire.json'), join(kept, 'changewire.json'));
    copyFileSync(serviceFile, join(kept, 'service.json'));
    // The rest of the data directory is of no use: locks, and no secrets of endpoints.
    copyFileSync(join(scratch, 'data/changewire.sqlite'), join(kept, 'changewire.sqlite'));
  } finally {
    await service.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
  process.stdout.write(`Wrote ${kept}. Commit it.\n`);
}

function configurationOf({ baseUrl, authUrl, audience }: SimulatedService): string {
  const workspace = { name: 'eu', baseUrl, authUrl, audience, processes: PROCESSES };
  return `// Of ${version}.\n${JSON.stringify({ workspaces: [workspace] }, null, 2)}\n`;
}

/** Makes changes of each kind, so that each kind of row is kept. */
function edit(edits: EditApi): void {
  for (const id of edits.processes()) {
    const [first, second] = edits.projects(id).map(project => String(project.id)) as [string, string];
    edits.updateProject(id, first, { summary: 'emitted before the upgrade' });
    edits.createTask(id, first, { name: 'emitted before the upgrade' });
    edits.deleteProject(id, second);
    edits.addField(id, 'task', { externalId: 'added', name: 'Added', type: 'text' });
  }
}

/** One pass of each process, after its baseline if it has none. @throws if the run fails */
async function pass(folder: string, { clientId, clientSecret }: SimulatedService): Promise<void> {
  const command = join(folder, 'node_modules', name, 'cli/changewire.js');
  const child = spawn(process.execPath, [command, 'start', '--once', '--data', 'data'], {
    cwd: folder,
    env: { PATH: process.env.PATH, EU_CLIENT_ID: clientId, EU_CLIENT_SECRET: clientSecret },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The run exited with ${code}.`);
}
