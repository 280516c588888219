import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ChangewireProps, SnapshotTable } from '../../infra/index.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { constructIn } from '../kit/infra/construct.ts';
import { findings } from '../kit/infra/nag.ts';
import { leastConfig } from '../kit/infra/synthesise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/deploying.md'), 'utf8');
const [, app = ''] = /```ts\n(.*?)```/s.exec(guide) ?? [];

/** Runs the text of an app as the CDK CLI does, without bundling. */
function runApp(text: string) {
  const outdir = mkdtempSync(join(tmpdir(), 'changewire-app-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const env = {
    ...{ PATH: process.env.PATH, ...COMPILE_CACHE, CDK_OUTDIR: outdir },
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [] }),
  };
  const args = ['--input-type=module-typescript', '--eval', text];
  return new Promise<{ code: number; stderr: string; template: () => string }>(resolve => {
    execFile(process.execPath, args, { cwd: root, env }, (error, _, stderr) =>
      resolve({
        code: error ? Number(error.code ?? -1) : 0,
        stderr,
        template: () => readFileSync(join(outdir, 'Events.template.json'), 'utf8'),
      }),
    );
  });
}

describe('the app of twenty lines in docs/deploying.md', () => {
  const own = app.replace("'changewire/cdk'", `'${root}infra/index.ts'`);

  test('has hardly more lines', () => {
    expect(app.trimEnd().split('\n').filter(Boolean).length).toBeLessThanOrEqual(20);
  });

  test('synthesises with cdk-nag on, which finds nothing', async () => {
    const { code, stderr, template } = await runApp(own);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(template()).toContain('"Events-operate"');
  });

  test('ends with the errors of its properties, and the place of the construct', async () => {
    const { code, stderr } = await runApp(own.replace("kind: 'webhook'", "kind: 'slak'"));
    expect(code).toBe(1);
    expect(stderr).toContain(
      '1 problem in the properties of Events/Changewire:\n' +
        '  - endpoints[0].kind: found "slak"; allowed: one of "webhook", "slack", "teams", "text"; did you mean "slack"?',
    );
  });
});

describe('cdk-nag finds nothing in a stack with the construct, of an app without any flags,', () => {
  const [workspace] = leastConfig().workspaces;
  const workspaces = Array.from({ length: 100 }, (_, n) => ({ ...workspace, name: `workspace-${n}` }));
  const subscriptions = [{ name: 'planner', url: 'https://receiver.example.com' }];

  test.each<[string, (stack: Stack) => object]>([
    ['with the least', () => ({})],
    ['with native subscriptions', () => ({ subscriptions })],
    ['with a hundred workspaces', () => ({ workspaces })],
    [
      'with a key',
      stack => ({ subscriptions, encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }) }),
    ],
    ['with nothing kept', () => ({ subscriptions, removalPolicy: RemovalPolicy.DESTROY })],
    ['with a table of its own', stack => ({ snapshots: new SnapshotTable(stack, 'Kept') })],
  ])('%s', (_name, props) => {
    for (const env of [undefined, { account: '123456789012', region: 'eu-central-1' }]) {
      const stack = new Stack(
        new App({ context: { 'aws:cdk:bundling-stacks': [] } }),
        'Events',
        env && { env },
      );
      constructIn(stack, props(stack) as Partial<ChangewireProps>);
      expect(findings(stack)).toEqual([]);
    }
  });
});
