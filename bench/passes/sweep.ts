import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateQuery } from '@aws-sdk/client-dynamodb';
import { TABLE_NAME } from '../../test/kit/table.ts';
import { sizeOf } from '../../test/simulation/models/table-values.ts';
import type { Size } from './content.ts';
import { type Findings, type Line, median, type Print, rounded, spread } from './line.ts';
import { Measurement, type Poller } from './measurement.ts';
import type { PassTaken } from './poller.ts';
import type { Taken } from './processor-time.ts';
import type { Profile, Share } from './profile.ts';
import { usualConcurrency } from './settings.ts';

export interface SweepScale {
  readonly size: Size;
  readonly rounds: number;
  /** No further round begins after this number of seconds, if there were three. */
  readonly seconds: number;
}

const MIN_ROUNDS = 3;

const STORES = ['SQLite', 'DynamoDB'] as const;
type ByStore<Each> = Record<(typeof STORES)[number], Each>;

/** Sweeps over data that does not change, each after a bare loop that reads the same pages; and what they
 *  ask of a table. */
export async function measureSweep(scale: SweepScale, print: Print): Promise<Findings> {
  await using measurement = new Measurement();
  const { size } = scale;
  const parts = await open(measurement, size);
  for (const store of STORES) {
    print(`baseline over ${store}`);
    await parts.pollers[store].pass({ mode: 'changes' });
  }
  const same = await sweeps(parts, scale, print);
  const { snapshotRequests } = same.last.DynamoDB.table;
  const megabytes = (await bytesOfSnapshots(parts.table.client)) / 1e6;
  const profiles = await profilesOf(parts, 'the same bytes', print);
  const differing = await sweeps(parts, { ...scale, differs: true }, print);
  await parts.service.control({ turn: scale.rounds + 1 });
  profiles.push(...(await profilesOf(parts, 'other bytes', print)));
  const what = 'sweep ÷ a bare loop';
  return {
    lines: [
      ...linesOf(`${what}, same bytes`, same.ratios, 1.5),
      ...linesOf(`${what}, other bytes`, differing.ratios, 2.5),
      {
        what: 'snapshot requests for each MB',
        goal: '≤ 1',
        measured: `${rounded(snapshotRequests / megabytes)} (${snapshotRequests} requests, ${rounded(megabytes)} MB)`,
        isMet: snapshotRequests <= megabytes,
      },
    ],
    notes: [...profiles, ...commitsOf(differing.last)],
  };
}

type Parts = Awaited<ReturnType<typeof open>>;

async function open(measurement: Measurement, size: Size) {
  const service = await measurement.service(size);
  const { origin } = service;
  const table = await measurement.dynamodb();
  const pollers: ByStore<Poller> = {
    SQLite: await measurement.poller({ origin, store: measurement.sqlite() }),
    DynamoDB: await measurement.poller({ origin, store: table.store }),
  };
  const bare = await measurement.start('bare.ts', { origin, concurrency: usualConcurrency() });
  return { service, table, pollers, bare };
}

interface Sweeps {
  readonly ratios: ByStore<readonly number[]>;
  readonly last: ByStore<PassTaken>;
}

/** Makes sweeps in turn with the bare loop. `differs`: each round's answers have other bytes. */
async function sweeps(
  { service, bare, pollers }: Parts,
  { rounds, seconds, differs = false }: SweepScale & { readonly differs?: boolean },
  print: Print,
): Promise<Sweeps> {
  const until = performance.now() + seconds * 1_000;
  const ratios: ByStore<number[]> = { SQLite: [], DynamoDB: [] };
  const last: Partial<ByStore<PassTaken>> = {};
  for (let round = 1; round <= rounds; round++) {
    if (round > MIN_ROUNDS && performance.now() > until) break;
    print(`sweep, ${differs ? 'other' : 'same'} bytes, round ${round} of ${rounds}`);
    await service.control({ turn: differs ? round : 0 });
    const { cpu } = await bare.ask<Taken<unknown>>({});
    for (const store of STORES) {
      const sweep = await pollers[store].pass({ mode: 'sweep' });
      ratios[store].push(sweep.cpu / cpu);
      last[store] = sweep;
    }
  }
  return { ratios, last: last as ByStore<PassTaken> };
}

async function profilesOf({ pollers }: Parts, kind: string, print: Print): Promise<string[]> {
  const profiles: string[] = [];
  for (const store of STORES) {
    print(`profile over ${store}, ${kind}`);
    const { profile } = await pollers[store].pass({ mode: 'sweep', profiles: true });
    if (!profile) continue;
    print(`by function: ${largest(profile.functions)}`);
    print(`with all that is called from there: ${largest(profile.inclusive)}`);
    profiles.push(`Where the time of the sweep with ${kind} goes, over ${store}: ${byRoom(profile)}.`);
  }
  return profiles;
}

/** A line for each store to which the last sweep wrote snapshots: one that finds nothing new should write
 *  none. */
function commitsOf(last: ByStore<PassTaken>): string[] {
  return STORES.flatMap(store => {
    const commits = last[store].report?.commits ?? 0;
    return commits === 0
      ? []
      : [`The last sweep over ${store} whose bytes alone differed wrote ${rounded(commits)} snapshots.`];
  });
}

function linesOf(what: string, ratios: Sweeps['ratios'], most: number): Line[] {
  return STORES.map(store => ({
    what: `${what}, ${store}`,
    goal: `≤ ${most}`,
    measured: spread(ratios[store]),
    isMet: median(ratios[store]) <= most,
  }));
}

/** Bytes of the snapshots as DynamoDB counts them: keys, names and values of the items of projects. */
async function bytesOfSnapshots(client: DynamoDBClient): Promise<number> {
  const query = {
    TableName: TABLE_NAME,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': { S: 'W#bench#P#measured' }, ':prefix': { S: 'PROJECT#' } },
  };
  let bytes = 0;
  for await (const { Items = [] } of paginateQuery({ client }, query))
    bytes += Items.reduce((sum, item) => sum + sizeOf(item), 0);
  return bytes;
}

/** The rooms and packages that take at least a fiftieth of the time. */
const byRoom = ({ self }: Profile) => shares(self.filter(({ share }) => share >= 0.02));

const largest = (all: readonly Share[]) => shares(all.slice(0, 12));

const shares = (all: readonly Share[]) =>
  all.map(({ where, share }) => `${where} ${Math.round(share * 100)} %`).join(', ');
