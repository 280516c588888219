import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { installInto, link, packInto } from '../kit/package/tarball.ts';
import { ended } from './command.ts';
import { ACCOUNT, cleanEnvironment, REGION } from './emulator/environment.ts';

const TIMEOUT = 180_000;

/** The real stacks, as those deploy them who have the package: from a folder that holds it and a changewire.json, by its command and
 *  the real CDK CLI. */
export class DeployedStack {
  readonly name = 'Changewire';
  readonly names = [this.name, `${this.name}-Table`, `${this.name}-Subscriptions`];
  readonly #directory: string;
  readonly #endpoint: string;
  #running: ChildProcess | undefined;

  constructor(directory: string, endpoint: string) {
    this.#directory = join(directory, 'mine');
    this.#endpoint = endpoint;
  }

  /** Packs this checkout, and installs the package beside the CDK. */
  async install(): Promise<void> {
    const packed = join(this.#directory, '../packed');
    mkdirSync(packed);
    const { tarball } = await packInto(packed);
    await installInto(this.#directory, tarball);
    link(this.#directory, 'aws-cdk', 'aws-cdk-lib', 'constructs');
  }

  /** What the CLI's first use of an account and region asks for. */
  bootstrap(): Promise<string> {
    return this.#cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`);
  }

  /** Deploys this configuration. @returns what was said */
  deploy(config: object): Promise<string> {
    writeFileSync(
      `${this.#directory}/changewire.json`,
      JSON.stringify({ stackName: this.name, ...config }, undefined, 2),
    );
    return this.#changewire('deploy', '--yes', '--', '--outputs-file', 'outputs.json', ...PLAIN);
  }

  /** Destroys all but the table. */
  destroy(): Promise<string> {
    return this.#changewire('destroy', '--yes', '--', ...PLAIN);
  }

  /** Has the CDK destroy the table's stack, too, which the command never does. */
  destroyAll(): Promise<string> {
    return this.#cdk('destroy', '--all', '--force', '--app', 'cdk.out');
  }

  /** An output of the last deployment. @throws when there is none of that name */
  output(name: string): string {
    const outputs = JSON.parse(readFileSync(`${this.#directory}/outputs.json`, 'utf8'));
    const value: unknown = outputs[this.name]?.[name];
    if (typeof value !== 'string') throw new Error(`The stack has no output ${name}.`);
    return value;
  }

  /** Resources of a type, as the last deployment asked for them. */
  resources(type: string): Record<string, unknown>[] {
    const template = JSON.parse(
      readFileSync(`${this.#directory}/cdk.out/${this.name}.template.json`, 'utf8'),
    );
    return Object.values(template.Resources as Record<string, { Type: string; Properties: never }>)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => Properties);
  }

  /** Ends the CLI, if it runs. */
  stop(): void {
    this.#running?.kill('SIGKILL');
  }

  #cdk(...args: string[]): Promise<string> {
    return this.#run('aws-cdk/bin/cdk', ...args, ...PLAIN);
  }

  #changewire(...args: string[]): Promise<string> {
    return this.#run('changewire/cli/changewire.js', ...args);
  }

  async #run(program: string, ...args: string[]): Promise<string> {
    const child = spawn(execPath, [join(this.#directory, 'node_modules', program), ...args], {
      cwd: this.#directory,
      env: { ...cleanEnvironment(this.#directory), AWS_ENDPOINT_URL: this.#endpoint },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT,
    });
    this.#running = child;
    const { code, out, err } = await ended(child);
    this.#running = undefined;
    if (code === 0) return out + err;
    throw new Error(`${program} ${args[0]} ended with ${code}. It said:\n${(out + err).slice(-4_000)}`);
  }
}

/** For a log: one line for each thing that happens. */
const PLAIN = ['--ci', '--progress', 'events'];
