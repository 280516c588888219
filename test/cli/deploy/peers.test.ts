import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { execute } from '../../../cli/deploy/execute.ts';
import { featureFlags } from '../../../cli/deploy/feature-flags.ts';
import { cdkProgram } from '../../../cli/deploy/peers.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Installs a package that is nothing but its manifest. */
function install(directory: string, name: string, content: object = {}): void {
  const path = join(directory, 'node_modules', name, 'package.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ name, ...content }));
}

describe('the CDK', () => {
  it("is the one of the user's folder, or else the one beside us", () => {
    const directory = temporaryDirectory();
    expect(cdkProgram(directory)).toBe(join(ROOT, 'node_modules/aws-cdk/bin/cdk'));
    install(directory, 'aws-cdk', { bin: { cdk: 'bin/cdk' } });
    expect(cdkProgram(directory)).toBe(join(directory, 'node_modules/aws-cdk/bin/cdk'));
  });

  it('that is not installed, wholly or in part, is refused with what installs it', () => {
    const directory = temporaryDirectory();
    const ours = pathToFileURL(join(directory, 'node_modules/changewire/cli.js')).href;
    const { 'aws-cdk-lib': lib, 'aws-cdk': cli, constructs } = manifest.peerDependencies;
    const all = `aws-cdk-lib@${lib} constructs@${constructs} aws-cdk@${cli}`;
    expect(() => cdkProgram(directory, ours)).toThrow(
      `The AWS CDK is not installed. Install it next to changewire: npm i ${all}`,
    );
    install(directory, 'aws-cdk-lib');
    install(directory, 'aws-cdk', { bin: { cdk: 'bin/cdk' } });
    expect(() => cdkProgram(directory, ours)).toThrow(`: npm i constructs@${constructs}`);
    install(directory, 'constructs');
    expect(cdkProgram(directory, ours)).toContain(directory);
  });

  it('is one that our own tests know: the versions that we test with are among those that we ask for', () => {
    for (const [name, range] of Object.entries<string>(manifest.peerDependencies)) {
      expect(range).toBe(`^${manifest.devDependencies[name]}`);
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });

  it('gets the feature flags of our cdk.json, and nothing else of it', () => {
    const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
    const flags = featureFlags();
    expect(Object.keys(flags).length).toBeGreaterThan(5);
    for (const [name, value] of Object.entries(flags)) expect([name, context[name]]).toEqual([name, value]);
    expect(Object.keys(context).filter(name => !(name in flags))).toEqual(['changewire', 'cli-telemetry']);
  });
});

/** A program of Node's with this text. */
function program(text: string): [string] {
  const path = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(path, text);
  return [path];
}

const never = new AbortController().signal;

describe('a program', () => {
  it('gets its arguments and variables, and gives its exit code', async () => {
    const [path] = program("process.exit(process.argv[2] === 'a b' && process.env.GIVEN === 'x' ? 3 : 4)");
    const variables = { GIVEN: 'x' };
    expect(await execute({ command: [path, 'a b'], variables, quiet: true }, never)).toBe(3);
  });

  it('is ended when somebody wants that, and has failed then', async () => {
    const ending = new AbortController();
    const command = program('setInterval(() => {}, 1000)');
    const ended = execute({ command, variables: {}, quiet: true }, ending.signal);
    ending.abort();
    expect(await ended).toBe(1);
  });
});
