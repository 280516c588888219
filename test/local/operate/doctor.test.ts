import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { settingsToPaste } from '../../../functions/operations/doctor/to-paste.ts';
import { parseOptions } from '../../../local/cli/options.ts';
import type { Output } from '../../../local/cli/output.ts';
import { startRunner } from '../../../local/cli/runner.ts';
import { realSource } from '../../../local/cli/source.ts';
import { doctorOf } from '../../../local/operate/doctor.ts';
import { buildWorkspace, type Freedoms, startSimulatedService } from '../../../local/service/server.ts';
import { drawnFreedoms } from '../../operations/doctor/drawn-freedoms.ts';

const RHYTHM = { interval: 60_000, sweepInterval: 60_000, overlap: 1_000 };
const now = async () => undefined;

/** A run of two passes with what the doctor proposes; what it warned of. */
async function warningsOf(freedoms: Partial<Freedoms>, directory: string): Promise<string[]> {
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 9, tasksPerProject: 4 }] });
  const service = await startSimulatedService({ workspace, freedoms });
  const warned: string[] = [];
  try {
    const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
    const addresses = { baseUrl, authUrl, audience };
    const source = realSource({ ...addresses, clientId, clientSecret, processes: ['p'] }, RHYTHM);
    const name = source.watched[0]?.workspace.name ?? '';
    const answer = await doctorOf(source, now)({ workspace: name, processId: 'p' });
    const least = { workspaces: [{ name, ...addresses, processes: [{ id: 'p' }] }] };
    const file = join(directory, 'changewire.json');
    writeFileSync(file, settingsToPaste(answer, addresses) ?? JSON.stringify(least));
    const warn = (text: string) => void warned.push(text);
    const quiet = () => undefined;
    const output: Output = { event: quiet, say: quiet, warn, log: { info: quiet, warn, error: warn } };
    const prefix = name.replaceAll('-', '_').toUpperCase();
    const environment = { [`${prefix}_CLIENT_ID`]: clientId, [`${prefix}_CLIENT_SECRET`]: clientSecret };
    const options = parseOptions(['--config', file, '--memory', '--once']);
    const runner = await startRunner({ options, environment, output, clock: Date.now });
    try {
      if (!(await runner.once())) warned.push('the first pass failed');
      service.workspace.updateTask('p', '1002', '500005', { status: 'Done' });
      if (!(await runner.once())) warned.push('the second pass failed');
    } finally {
      await runner.stop();
    }
  } finally {
    await service.stop();
  }
  return warned;
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'doctor-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test('with the settings that the doctor proposes, a run has nothing to warn of', async () => {
  const directory = scratch();
  await fc.assert(
    fc.asyncProperty(drawnFreedoms, async freedoms => {
      expect(await warningsOf(freedoms, directory)).toEqual([]);
    }),
    { numRuns: 12, examples: [[{ auditDenied: 403, dateHeader: false, maxResponseBytes: 2_000 }]] },
  );
}, 60_000);
