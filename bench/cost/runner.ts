import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recorder } from './recorder.ts';
import type { FunctionFacts } from './stack.ts';
import type { Used } from './used.ts';

/** The addresses and secrets with which a function reaches the world. */
export interface World {
  readonly recorder: Recorder;
  readonly awsPort: number;
  readonly receiverPort: number;
  /** A file with the receiver's certificate. */
  readonly authority: string;
  /** Texts in settings, and the addresses of this machine that replace them. */
  readonly replaced: Readonly<Record<string, string>>;
}

export interface Running {
  /** ms of processor time until the code is loaded. */
  readonly init: number;
  /** One invocation, with a clock that runs `ahead` ms ahead. @throws what the function throws */
  run<Result>(event: unknown, ahead: number): Promise<{ used: Used; result: Result; peakMb: number }>;
  stop(): Promise<void>;
}

interface Answer {
  readonly ms: number;
  readonly cpu: number;
  readonly written: string;
  readonly result?: unknown;
  readonly error?: string;
  /** The most memory that the process ever had, in MB. */
  readonly peakMb: number;
}

export const RECEIVER = 'receiver.cost.example.com';
const INTERNET = new URL('../../test/deployed/emulator/internet.ts', import.meta.url).href;

/** Runs the bundle of a function as Lambda would, with the environment that the stack gives it. */
export async function start(name: string, facts: FunctionFacts, world: World): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-cost-'));
  const settle = (text: string) =>
    Object.entries(world.replaced).reduce((result, [from, to]) => result.replaceAll(from, to), text);
  cpSync(facts.bundle, directory, { recursive: true });
  for (const file of readdirSync(directory).filter(each => each.endsWith('.json')))
    writeFileSync(join(directory, file), settle(readFileSync(join(directory, file), 'utf8')));
  const environment = Object.entries(facts.environment).map(([key, value]) => [key, settle(value)]);
  const child = fork(new URL('child.ts', import.meta.url), [join(directory, 'index.mjs')], {
    execArgv: ['--import', INTERNET],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(environment),
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${world.awsPort}`,
      AWS_LAMBDA_FUNCTION_NAME: `Changewire-${name}`,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(facts.memoryMb),
      NODE_EXTRA_CA_CERTS: world.authority,
      TEST_INTERNET: JSON.stringify({ [RECEIVER]: world.receiverPort }),
    },
  });
  const [{ ready }] = (await once(child, 'message')) as [{ ready: { cpu: number } }];
  let runs = 0;
  return {
    init: ready.cpu,
    async run<Result>(event: unknown, ahead: number) {
      world.recorder.clear();
      child.send({ event, ahead, run: ++runs });
      const [answer] = (await once(child, 'message')) as [Answer];
      if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}\n${answer.written}`);
      return {
        used: usedOf(answer, world.recorder, facts),
        result: answer.result as Result,
        peakMb: answer.peakMb,
      };
    },
    async stop() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Bytes of `platform.start` and `platform.report`, which Lambda writes for a run that succeeded, in
 *  JSON. */
const SYSTEM_LINES = [150, 330];
/** Bytes that CloudWatch counts for each line in addition to its text. */
const LINE_BYTES = 26;

function usedOf({ ms, cpu, written }: Answer, recorder: Recorder, { hasSystemLogs }: FunctionFacts): Used {
  const { waitedHere, ...counted } = recorder.get();
  const lines = written.split('\n').filter(line => line !== '');
  const own = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + LINE_BYTES, 0);
  const system = hasSystemLogs ? SYSTEM_LINES.reduce((sum, size) => sum + size + LINE_BYTES, 0) : 0;
  return {
    ...counted,
    logged: own + system,
    metrics: [...new Set(lines.flatMap(metricsOf))].sort(),
    // Work that is done while a request is under way is part of `waited`; and time in which this
    // machine's processor was busy with other things is not counted.
    worked: Math.max(0, Math.min(cpu, ms - waitedHere)),
  };
}

interface Embedded {
  readonly _aws?: {
    readonly CloudWatchMetrics: readonly {
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** The metrics of a line in CloudWatch's embedded format: their names with their dimensions. */
export function metricsOf(line: string): string[] {
  if (!line.includes('CloudWatchMetrics')) return [];
  const embedded = JSON.parse(line) as Embedded;
  return (embedded._aws?.CloudWatchMetrics ?? []).flatMap(({ Dimensions, Metrics }) =>
    Dimensions.flatMap(names => {
      const where = names.map(name => `${name}=${String(embedded[name])}`).join(',');
      return Metrics.map(({ Name }) => `${Name} ${where}`);
    }),
  );
}
