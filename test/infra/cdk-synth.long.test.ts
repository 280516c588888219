import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../functions/config/schema.ts';
import { COMPILE_CACHE } from '../kit/compile-cache.ts';
import { committedConfig, leastConfig, synthesiseBundled } from '../kit/infra/synthesise.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runs a command with no settings of AWS: no variables, and a home without credentials. */
function ended(command: string, cwd: string, variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: temporaryDirectory(), ...COMPILE_CACHE, ...variables };
  return new Promise<{ code: number; stdout: string; stderr: string }>(done => {
    execFile('sh', ['-c', command], { cwd, env }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    );
  });
}

/** The app of the checkout's cdk.json, as the CDK starts it. */
function appOfCheckout(changewire: unknown, outdir = temporaryDirectory()) {
  const { app, context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
  const CDK_CONTEXT_JSON = JSON.stringify({ ...context, changewire });
  return ended(app, ROOT, { CDK_CONTEXT_JSON, CDK_OUTDIR: outdir });
}

/** The templates of an output directory, without the metadata that only the CDK's command adds. */
function templatesIn(outdir: string) {
  const names = readdirSync(outdir).filter(name => name.endsWith('.template.json'));
  const read = (name: string) => readFileSync(join(outdir, name), 'utf8');
  const isKept = (key: string, value: unknown) => (key === 'Metadata' ? undefined : value);
  return names.map(name => [name, JSON.parse(read(name), isKept)]);
}

const bundlesIn = (outdir: string) =>
  readdirSync(outdir).flatMap(name => (name.startsWith('asset.') ? [join(outdir, name)] : []));

/** The configurations beside the code of the functions. */
const configurationsIn = (outdir: string) =>
  bundlesIn(outdir)
    .map(bundle => join(bundle, 'configuration.json'))
    .filter(file => existsSync(file))
    .map(file => readFileSync(file, 'utf8'));

test('changewire synth runs the CDK without account, region and credentials, whatever cdk.json the folder has', async () => {
  const directory = temporaryDirectory();
  const flag = '@aws-cdk/aws-iam:minimizePolicies';
  writeFileSync(join(directory, 'cdk.json'), JSON.stringify({ app: 'false', context: { [flag]: false } }));
  writeFileSync(join(directory, 'changewire.json'), JSON.stringify(committedConfig));
  expect(await ended(`'${process.execPath}' '${ROOT}/cli/changewire.js' synth`, directory)).toEqual({
    code: 0,
    stdout: 'Wrote the templates of Changewire-Table, Changewire, Changewire-Subscriptions to cdk.out.\n',
    stderr: '',
  });
  // Bundles contain the path from the output directory to the sources, so that both need the same depth.
  const [made, ours] = [join(directory, 'cdk.out'), join(temporaryDirectory(), 'cdk.out')];
  synthesiseBundled(ours);
  expect(templatesIn(made)).toHaveLength(3);
  expect(templatesIn(made)).toEqual(templatesIn(ours));

  // Each function has its own bundle. Publish has no configuration; that of poll knows the receivers whose filters
  // name fields, which it checks, and no others.
  const files = ['index.mjs', 'index.mjs.map', 'later'];
  const bundles = bundlesIn(made).map(bundle => readdirSync(bundle).sort());
  expect(bundles.sort((one, other) => one.length - other.length)).toEqual([
    files,
    ...Array(5).fill(['configuration.json', ...files]),
  ]);
  const { workspaces, changes, sweep, subscriptions, endpoints } = committedConfig as ConfigInput;
  const polled = { workspaces, changes, sweep };
  const byField = endpoints?.filter(({ filter }) => filter?.fields);
  expect(byField).toHaveLength(1);
  expect(configurationsIn(made).toSorted((one, other) => one.length - other.length)).toEqual([
    JSON.stringify({ ...polled, endpoints: byField }),
    ...Array(4).fill(JSON.stringify({ ...polled, subscriptions, endpoints })),
  ]);
}, 180_000);

test('the app of the checkout makes several stacks, each with its own region and workspaces', async () => {
  const outdir = temporaryDirectory();
  const [workspace] = leastConfig().workspaces;
  const workspaces = [{ ...workspace, processes: [{ id: 'p2' }] }];
  const used = { keep: { journal: '2d' }, networks: ['10.0.0.0/8'], proxy: 'http://10.0.0.1:3128' };
  const { code, stderr } = await appOfCheckout(
    [
      { stackName: 'Eu', region: 'eu-central-1', ...leastConfig() },
      { stackName: 'Us', region: 'us-east-1', workspaces, ...used },
    ],
    outdir,
  );
  expect(code, stderr).toBe(0);
  const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8')) as {
    artifacts: Record<string, { type: string; environment?: string }>;
  };
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const expected = [
    ['Eu', 'eu-central-1'],
    ['Us', 'us-east-1'],
  ].flatMap(([name, region]) =>
    ['', '-Table', '-Subscriptions'].map(end => [`${name}${end}`, `aws://unknown-account/${region}`]),
  );
  expect(Object.fromEntries(stacks.map(([name, { environment }]) => [name, environment]))).toEqual(
    Object.fromEntries(expected),
  );
  const configurations = configurationsIn(outdir).map(text => JSON.parse(text));
  expect(configurations).toHaveLength(10);
  const us = configurations.filter(read => JSON.stringify(read).includes('"p2"'));
  // Of each function: the service is asked through the proxy, too, and what a pass writes is kept as long.
  expect(us).toEqual(Array(5).fill(expect.objectContaining(used)));
}, 180_000);

test('the app of the checkout ends with the list of problems, and no stack trace', async () => {
  expect(await appOfCheckout({ workspaces: [], change: '1m' })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^2 problems in the context of cdk\.json:\n( {2}- changewire\..*\n){2}$/),
  });
});
