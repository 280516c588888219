import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { PassRequest } from '../../../functions/handlers/workspace-run.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { startPolling } from '../../../local/cli/polling.ts';
import { PassWatch } from '../../../local/operate/health.ts';
import { Metrics } from '../../../local/operate/metrics.ts';
import { realSource } from '../../../local/settings/source.ts';
import { createOutput } from '../../../local/terminal/output.ts';
import { buildWorkspace, startSimulatedService } from '../../../simulator/server.ts';

test('a pass that is not due asks the service nothing, unless somebody asks for it', async () => {
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 2, tasksPerProject: 1 }] });
  const service = await startSimulatedService({ workspace });
  onTestFinished(service.stop);
  const timing = { changes: { fastest: 60_000, slowest: 3_600_000 }, sweep: 60_000, overlap: 1_000 };
  const { baseUrl, authUrl, audience, clientId, clientSecret } = service;
  const settings = { baseUrl, authUrl, audience, clientId, clientSecret, processes: ['p'] };
  const source = realSource(settings, timing);
  const [watched] = source.watched;
  const process = { workspace: watched?.workspace.name ?? '', processId: 'p' };
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const output = createOutput(
    { stdout: stream, stderr: stream },
    { json: false, log: 'text', format: () => '', noColour: true, clock: Date.now },
  );
  const { snapshots, workspaces: rows, close: closeStore } = openSqliteStore(':memory:');
  onTestFinished(closeStore);
  const passes = new PassWatch(Date.now());
  const { poll, runPass, close } = startPolling(
    { output, snapshots, rows, clock: Date.now, passes, metrics: new Metrics('0.0.0', Date.now) },
    source,
  );
  onTestFinished(close);
  const outcomes: string[] = [];
  const message: PassRequest = { workspace: process.workspace, processes: ['p'], mode: 'changes' };
  const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 60_000 };
  const scheduled = async () => {
    const one = (await poll(message, context)).processes.get('p');
    if (!one || 'error' in one) throw new Error('not polled');
    return one.report;
  };
  const asked = () => runPass(process, 'changes');
  for (const pass of [asked, scheduled, scheduled, asked]) outcomes.push((await pass()).outcome);
  // The baseline; what finds no change; the same again, too early.
  expect(outcomes).toEqual(['completed', 'completed', 'not-due', 'completed']);
});
