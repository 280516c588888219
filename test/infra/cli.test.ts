import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../functions/config/schema.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { committedConfig, leastConfig, synthesiseBundled } from '../kit/infra/synthesise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const scratch = mkdtempSync(join(tmpdir(), 'changewire-cli-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise(resolve => {
    execFile(join(bin, file), args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}

/** Runs a command with nothing of AWS around it: no variables, and a home without credentials. */
function run(file: string, ...args: string[]): Promise<Ended> {
  return execute(file, args, { PATH: `${bin}:/usr/bin:/bin`, HOME: scratch, ...COMPILE_CACHE });
}

/** `infra/app.ts` as the CDK CLI starts it. */
async function runApp(changewire: unknown, outdir: string) {
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    ...COMPILE_CACHE,
    CDK_CONTEXT_JSON: JSON.stringify({ changewire }),
    CDK_OUTDIR: outdir,
  };
  return await execute('node', ['infra/app.ts'], env);
}

const bundlesIn = (outdir: string) => readdirSync(outdir).filter(name => name.startsWith('asset.'));

/** The configurations beside the code of the functions. */
const configurationsIn = (outdir: string) =>
  bundlesIn(outdir)
    .map(bundle => join(outdir, bundle, 'configuration.json'))
    .filter(file => existsSync(file))
    .map(file => readFileSync(file, 'utf8'));

describe('cdk synth', () => {
  test('works without account, region and credentials, and gives each function its own bundle, named by content', async () => {
    const [byCdk, byUs] = [join(scratch, 'cdk'), join(scratch, 'us')];
    const { code, stderr } = await run('cdk', 'synth', '--quiet', '--output', byCdk);
    expect(code, stderr).toBe(0);
    synthesiseBundled(byUs);
    const bundles = bundlesIn(byCdk);
    expect(bundles).toHaveLength(6);
    expect(bundlesIn(byUs)).toEqual(bundles);
    const files = ['index.mjs', 'index.mjs.map'];
    const contents = bundles.map(bundle => readdirSync(join(byCdk, bundle)).sort());
    expect(contents.map(names => names.join(' ')).sort()).toEqual(
      [
        // Publish.
        files,
        // The others.
        ...Array(5).fill(['configuration.json', ...files]),
      ]
        .map(names => names.join(' '))
        .sort(),
    );
    const { workspaces, changes, sweep, subscriptions, endpoints } = committedConfig as ConfigInput;
    const polled = { workspaces, changes, sweep };
    expect(configurationsIn(byCdk).toSorted((one, other) => one.length - other.length)).toEqual([
      // Of the poll function, which knows no receivers.
      JSON.stringify(polled),
      ...Array(4).fill(JSON.stringify({ ...polled, subscriptions, endpoints })),
    ]);
  }, 180_000);

  test('takes a configuration without subscriptions, whose stack is empty then', async () => {
    const outdir = join(scratch, 'least');
    const { code, stderr } = await runApp(leastConfig(), outdir);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('Resources section');
    const file = join(outdir, 'Changewire-Subscriptions.template.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).Resources).toBeUndefined();
  }, 60_000);

  test('takes several stacks, each with its own region and workspaces, which the CDK then deploys by name', async () => {
    const outdir = join(scratch, 'regions');
    const [workspace] = leastConfig().workspaces;
    const { code, stderr } = await runApp(
      [
        { stackName: 'Eu', region: 'eu-central-1', ...leastConfig() },
        { stackName: 'Us', region: 'us-east-1', workspaces: [{ ...workspace, processes: [{ id: 'p2' }] }] },
      ],
      outdir,
    );
    expect(code, stderr).toBe(0);
    const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { type: string; environment?: string }>;
    };
    const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
    expect(Object.fromEntries(stacks.map(([name, { environment }]) => [name, environment]))).toEqual(
      Object.fromEntries(
        [
          ['Eu', 'eu-central-1'],
          ['Us', 'us-east-1'],
        ].flatMap(([name, region]) =>
          ['', '-Table', '-Subscriptions'].map(end => [`${name}${end}`, `aws://unknown-account/${region}`]),
        ),
      ),
    );
    const polled = configurationsIn(outdir);
    expect(polled).toHaveLength(10);
    expect(polled.filter(text => text.includes('"p2"'))).toHaveLength(5);
  }, 180_000);

  test('fails with the list of problems, and no stack trace, when the configuration is wrong', async () => {
    expect(await runApp({ workspaces: [], change: '1m' }, join(scratch, 'wrong'))).toEqual({
      code: 1,
      stdout: '',
      stderr:
        '2 problems in the context of cdk.json:\n' +
        '  - changewire.workspaces: found []; allowed: a list of at least one of workspaces\n' +
        '  - changewire.change: unknown key (text of 2 characters); allowed keys: stackName, region, workspaces, changes, sweep, ' +
        'subscriptions, endpoints, pollMemory, logRetentionDays, alarmEmail; did you mean "changes"?\n',
    });
  });
});
