import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ACCOUNT, cleanEnvironment, REGION } from './emulator/environment.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CDK = `${ROOT}node_modules/.bin/cdk`;
const TIMEOUT = 180_000;

/** The real stacks, through the real CDK CLI, from a directory of its own with a cdk.json of its own. */
export class DeployedStack {
  readonly name = 'Changewire';
  readonly names = [this.name, `${this.name}-Table`, `${this.name}-Subscriptions`];
  readonly #directory: string;
  readonly #endpoint: string;
  #running: ChildProcess | undefined;

  constructor(directory: string, endpoint: string) {
    this.#directory = directory;
    this.#endpoint = endpoint;
  }

  /** What the CLI's first use of an account and region asks for. */
  bootstrap(): Promise<string> {
    return this.#cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`);
  }

  /** Deploys with this `changewire` context; everything else of cdk.json is as committed. @returns what the CLI said */
  deploy(changewire: object): Promise<string> {
    const project = JSON.parse(readFileSync(`${ROOT}cdk.json`, 'utf8'));
    project.app = `node ${ROOT}infra/app.ts`;
    project.context.changewire = { stackName: this.name, ...changewire };
    writeFileSync(`${this.#directory}/cdk.json`, JSON.stringify(project, undefined, 2));
    return this.#cdk('deploy', '--all', '--require-approval', 'never', '--outputs-file', 'outputs.json');
  }

  /** Destroys all but the table: the subscriptions' stack goes with the one that it imports from. */
  destroy(): Promise<string> {
    return this.#cdk('destroy', this.name, '--force');
  }

  /** Destroys what can be destroyed. */
  destroyAll(): Promise<string> {
    return this.#cdk('destroy', '--all', '--force');
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

  async #cdk(...args: string[]): Promise<string> {
    const child = spawn(CDK, [...args, '--ci', '--progress', 'events'], {
      cwd: this.#directory,
      env: { ...cleanEnvironment(this.#directory), AWS_ENDPOINT_URL: this.#endpoint },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT,
    });
    this.#running = child;
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        said += text;
      });
    const [code, signal] = await once(child, 'close');
    this.#running = undefined;
    if (code === 0) return said;
    throw new Error(`cdk ${args[0]} ended with ${signal ?? code}. It said:\n${said.slice(-4_000)}`);
  }
}
