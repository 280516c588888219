import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type AttributeValue, BatchWriteItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../../functions/in-parallel.ts';
import { type Delivering, measureDelivery } from './measure-delivery.ts';
import { type Running, start } from './runner.ts';
import { configOf, processesOf, SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';
import { type FunctionFacts, type Stack, type StackFacts, synthesise } from './stack.ts';
import { meanOf, NOTHING, plus, type Used } from './used.ts';
import { openWorld, PROCESS } from './world.ts';

/** `initMs`: processor time until its code is loaded. `gzip`: bytes of that, compressed. */
export interface MeasuredFunction {
  readonly memoryMb: number;
  readonly initMs: number;
  readonly gzip: number;
}

/** What one checkout was seen to use. */
export interface Measured {
  readonly commit: string;
  /** YYYY-MM-DD */
  readonly date: string;
  readonly stacks: Readonly<Record<Size['name'], StackFacts & { readonly processes: number }>>;
  readonly functions: Readonly<Record<string, MeasuredFunction>>;
  readonly baseline: Used;
  readonly idlePass: Used;
  /** A message for a pass that is not due; where there are none, nothing. */
  readonly dropped: Used | null;
  /** What a change costs beside, in the pass that finds it and in those after it. */
  readonly change: Used;
  readonly sweep: Used;
  /** The most memory that the poll function had. */
  readonly pollPeakMb: number;
  readonly tick: Readonly<Record<Size['name'], Used>>;
  readonly delivering: Readonly<Record<'busy' | 'large', Delivering>>;
  /** Bytes that a project, and a change record, take in the table. */
  readonly projectBytes: number;
  readonly changeBytes: number;
  /** Those of an attempt to deliver. */
  readonly attemptBytes: number;
}

type World = Awaited<ReturnType<typeof openWorld>>;
/** CDK's resources for so many processes fitted into a stack when each had its own. */
const MOST_PROCESSES = 60;
const MINUTE = 60_000;

/** Runs the functions of a checkout, bundled and configured as its stack does it. */
export async function measure(
  checkout: string,
  commit: string,
  say: (text: string) => void,
  projects = 2_000,
): Promise<Measured> {
  const world = await openWorld(projects, TASKS_PER_PROJECT);
  const stacks = {} as Record<Size['name'], Stack & { size: Size }>;
  try {
    for (const size of SIZES) {
      say(`${commit}: synthesising ${size.title}`);
      stacks[size.name] = synthesiseLargest(checkout, size, world);
    }
    const [idle, busy, large] = [stacks.idle, stacks.busy, stacks.large];
    const poll = await start('poll', busy.functions.poll as never, world.forRunning);
    const inits: Record<string, number> = { poll: poll.init };
    const passes = await measurePasses(poll, busy, world, say);
    const tick = {} as Record<Size['name'], Used>;
    for (const stack of [idle, busy, large]) {
      say(`${commit}: tick, ${stack.size.processes} processes`);
      await passes.later();
      tick[stack.size.name] = await measureTick(stack, world, inits);
    }
    await poll.stop();
    const changes = await itemsOf(world, 'CHANGE#');
    const rows = await itemsOf(world, 'PROJECT#');
    const delivering: Measured['delivering'] = {
      busy: await measureDelivery(busy, changes, world, inits),
      large: await measureDelivery(large, changes, world, inits),
    };
    return {
      commit,
      date: new Date().toISOString().slice(0, 10),
      stacks: Object.fromEntries(
        SIZES.map(({ name }) => [name, { ...stacks[name].facts, processes: stacks[name].size.processes }]),
      ) as Measured['stacks'],
      functions: Object.fromEntries(
        Object.entries(inits).map(([name, initMs]) => [name, functionOf(busy, name, initMs)]),
      ),
      ...passes.measured,
      dropped: await measureDropped(checkout, world),
      tick,
      delivering,
      projectBytes: meanSize(rows),
      changeBytes: meanSize(changes),
      attemptBytes: meanSize(await itemsOf(world, 'ATTEMPT#', 'ENDPOINT#hook1')),
    };
  } finally {
    for (const { directory } of Object.values(stacks)) rmSync(directory, { recursive: true, force: true });
    await world.stop();
  }
}

function functionOf({ functions }: Stack, name: string, initMs: number): MeasuredFunction {
  const { memoryMb, bundle } = functions[name] as FunctionFacts;
  const gzip = gzipSync(readFileSync(join(bundle, 'index.mjs')), { level: 9 }).length;
  return { memoryMb, initMs: Math.round(initMs), gzip };
}

/** The stack of this size; where a stack can't hold so many processes, one of as many as it can. */
function synthesiseLargest(checkout: string, size: Size, world: World): Stack & { size: Size } {
  try {
    return { ...synthesise(checkout, configOf(size), world.queueUrl), size };
  } catch (error) {
    if (size.processes <= MOST_PROCESSES) throw error;
    process.stderr.write(`${size.processes} processes don't fit into a stack; ${MOST_PROCESSES} do.\n`);
    const smaller = { ...size, processes: MOST_PROCESSES, workspaces: 1, endpoints: 3 };
    return { ...synthesise(checkout, configOf(smaller), world.queueUrl), size: smaller };
  }
}

async function measurePasses(poll: Running, { facts }: Stack, world: World, say: (text: string) => void) {
  const isQueued = facts.mappings.some(({ target }) => target === 'poll');
  let peak = 0;
  const pass = async (mode: 'changes' | 'sweep') => {
    const message = { workspace: 'w1', processId: PROCESS, mode };
    const expiresAt = Date.now() + world.ahead() + MINUTE;
    const event = isQueued ? { Records: [record({ ...message, expiresAt })] } : message;
    const { used, peakMb } = await poll.run(event, world.ahead());
    peak = Math.max(peak, Math.round(peakMb));
    return used;
  };
  const later = async (mode: 'changes' | 'sweep' = 'changes') => {
    world.later(MINUTE);
    return pass(mode);
  };
  say('a baseline');
  const baseline = await pass('changes');
  say(`idle passes; the baseline waited ${Math.round(baseline.waited)} ms`);
  for (let warming = 0; warming < 15; warming++) await later();
  const idle: Used[] = [];
  for (let run = 0; run < 15; run++) idle.push(await later());
  const idlePass = meanOf(idle);
  say('changes');
  const changed: Used[] = [];
  for (let run = 0; run < 10; run++) {
    world.service.workspace.updateTask(
      PROCESS,
      String(1001 + run),
      String(500_001 + run * TASKS_PER_PROJECT),
      {
        status: 'Done',
      },
    );
    const three = [await later(), await later(), await later()].reduce(
      (sum, used) => plus(sum, used),
      NOTHING,
    );
    changed.push(plus(three, idlePass, -3));
  }
  say('a sweep');
  world.later(SWEEP.seconds * 1000);
  const sweep = await later('sweep');
  const measured = { baseline, idlePass, change: meanOf(changed), sweep, pollPeakMb: peak };
  return { measured, later };
}

/** What a message takes for which nothing is done: an adaptive process has more of them than passes. Null where none is adaptive. */
async function measureDropped(checkout: string, world: World): Promise<Used | null> {
  const config = configOf({ ...SIZES[0], processes: 1 } as Size) as object;
  const changes = { fastest: '10s', slowest: '5m' };
  let stack: Stack;
  try {
    stack = synthesise(checkout, { ...config, changes }, world.queueUrl);
  } catch {
    return null;
  }
  const poll = await start('poll', stack.functions.poll as never, world.forRunning);
  const message = async (later: number) => {
    world.later(later);
    const expiresAt = Date.now() + world.ahead() + MINUTE;
    const body = { workspace: 'w1', processId: PROCESS, mode: 'changes', expiresAt };
    return (await poll.run({ Records: [record(body)] }, world.ahead())).used;
  };
  try {
    // The first writes when the next is due; then each comes far too early.
    await message(5 * MINUTE);
    await message(5 * MINUTE);
    const runs: Used[] = [];
    for (let run = 0; run < 8; run++) runs.push(await message(100));
    return meanOf(runs.slice(3));
  } finally {
    await poll.stop();
    rmSync(stack.directory, { recursive: true, force: true });
  }
}

/** As Lambda hands a message of a queue over. */
export function record(body: object | string, more: object = {}) {
  return {
    messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
    receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    ...more,
  };
}

/** A tick a minute over processes of which each has just been walked. */
async function measureTick(
  stack: Stack & { size: Size },
  world: World,
  inits: Record<string, number>,
): Promise<Used> {
  const began = Date.now();
  await cloneProgress(stack.size, world);
  // To write thousands of rows takes minutes, in which nothing is polled.
  world.later(began - Date.now());
  const running = await start('tick', stack.functions.tick as never, world.forRunning);
  inits.tick = running.init;
  const runs: Used[] = [];
  try {
    const warming = stack.size.name === 'large' ? 3 : 10;
    for (let run = 0; run < warming; run++) {
      world.later(1_000);
      await running.run({}, world.ahead());
    }
    for (let run = 0; run < 3; run++) {
      world.later(MINUTE);
      runs.push((await running.run({}, world.ahead())).used);
      world.aws.takeSent();
    }
  } finally {
    await running.stop();
  }
  return meanOf(runs);
}

/** Gives every process of the size the rows that the one which was walked has, snapshots aside. */
async function cloneProgress(size: Size, world: World): Promise<void> {
  const rows = [...(await itemsOf(world, 'STATE')), ...(await itemsOf(world, 'PASS#'))];
  const [first, ...others] = processesOf(size);
  const pk = rows[0]?.pk?.S ?? '';
  const puts = others.flatMap(({ workspace, processId }) =>
    rows.map(row => ({
      PutRequest: {
        Item: {
          ...row,
          pk: { S: pk.replace(`#${first?.workspace}#`, `#${workspace}#`).replace(/[^#]*$/, processId) },
        },
      },
    })),
  );
  const { client, tableName } = world.table;
  const batches = Array.from({ length: Math.ceil(puts.length / 25) }, (_, at) =>
    puts.slice(25 * at, 25 * (at + 1)),
  );
  await inParallel(batches, 8, batch =>
    client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } })),
  );
}

type Item = Record<string, AttributeValue>;

/** The rows of a partition, by default that of the process that is walked, whose sort key begins so. */
async function itemsOf({ table }: World, prefix: string, pk = `W#w1#P#${PROCESS}`): Promise<Item[]> {
  const items: Item[] = [];
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': { S: pk }, ':prefix': { S: prefix } },
  };
  for await (const { Items = [] } of paginateQuery({ client: table.client }, query)) items.push(...Items);
  return items;
}

const meanSize = (items: readonly Item[]) =>
  Math.round(items.reduce((sum, item) => sum + sizeOf(item), 0) / Math.max(1, items.length));

/** Bytes for storage: names and values, and the 100 that DynamoDB adds to each item. */
function sizeOf(item: Item): number {
  const lengths = Object.entries(item).map(([name, value]) => {
    const { S, N, B } = value;
    if (S !== undefined) return name.length + Buffer.byteLength(S);
    return name.length + (B ?? N ?? JSON.stringify(value)).length;
  });
  return lengths.reduce((sum, length) => sum + length, 100);
}
