import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateQuery } from '@aws-sdk/client-dynamodb';
import { sizeOf } from '../../test/simulation/models/table-values.ts';
import { TABLE_NAME } from '../../test/support/table.ts';
import type { Size } from './content.ts';
import { House } from './house.ts';
import { type Findings, type Line, median, type Say, spread, told } from './line.ts';
import type { PassTaken } from './poller.ts';
import type { Taken } from './processor-time.ts';
import type { Profile } from './profile.ts';
import { usualConcurrency } from './settings.ts';

export interface SweepScale {
  readonly size: Size;
  readonly rounds: number;
}

const STORES = ['SQLite', 'DynamoDB'] as const;
type Ratios = Record<(typeof STORES)[number], number[]>;

/** Sweeps of what did not change, each beside a bare loop that reads the same pages; and what they ask of a table. */
export async function measureSweep({ size, rounds }: SweepScale, say: Say): Promise<Findings> {
  await using house = new House();
  const service = await house.service(size);
  const { origin } = service;
  const bare = await house.start('bare.ts', { origin, concurrency: usualConcurrency() });
  const table = await house.dynamodb();
  const pollers = {
    SQLite: await house.poller({ origin, store: house.sqlite() }),
    DynamoDB: await house.poller({ origin, store: table.store }),
  };
  for (const store of STORES) {
    say(`baseline over ${store}`);
    await pollers[store].pass({ mode: 'changes' });
  }
  let turn = 0;
  let last: PassTaken | undefined;
  let commits = 0;
  const rounded = async (kind: string, differs: boolean): Promise<Ratios> => {
    const ratios: Ratios = { SQLite: [], DynamoDB: [] };
    for (let round = 1; round <= rounds; round++) {
      if (differs) await service.control({ turn: ++turn });
      say(`sweep, ${kind}, round ${round} of ${rounds}`);
      const { cpu } = await bare.ask<Taken<unknown>>({});
      for (const store of STORES) {
        const sweep = await pollers[store].pass({ mode: 'sweep' });
        ratios[store].push(sweep.cpu / cpu);
        last = sweep;
        commits = Math.max(commits, sweep.report?.commits ?? 0);
      }
    }
    return ratios;
  };
  const same = await rounded('same bytes', false);
  const counts = (last as PassTaken | undefined)?.table;
  const requests = counts?.snapshotRequests ?? 0;
  const megabytes = (await bytesOfSnapshots(table.client)) / 1e6;
  const profiles: string[] = [];
  for (const store of STORES) {
    say(`profile over ${store}`);
    const { profile } = await pollers[store].pass({ mode: 'sweep', profiles: true });
    if (profile) profiles.push(`Where the time of that sweep goes, over ${store}: ${byRoom(profile)}.`);
  }
  const differing = await rounded('other bytes', true);
  const what = `sweep of ${told(size.projects)} unchanged projects of ${size.tasksPerProject} tasks: processor time ÷ a bare loop`;
  return {
    lines: [
      ...linesOf(`${what}, same bytes`, same, 1.5),
      ...linesOf(`${what}, other bytes that say the same`, differing, 2.5),
      {
        what: `snapshot requests of that sweep, for each MB of snapshots`,
        goal: '≤ 1',
        measured: `${told(requests / megabytes)} (${requests} requests, ${told(megabytes)} MB)`,
        isMet: requests <= megabytes,
      },
    ],
    notes: [
      ...profiles,
      ...(commits > 0
        ? [`Of the sweeps in which bytes alone differ some wrote snapshots: up to ${commits}.`]
        : []),
    ],
  };
}

function linesOf(what: string, ratios: Ratios, most: number): Line[] {
  return STORES.map(store => ({
    what: `${what}, over ${store}`,
    goal: `≤ ${most}`,
    measured: spread(ratios[store]),
    isMet: median(ratios[store]) <= most,
  }));
}

/** As DynamoDB counts them: keys, names and values of the items that hold projects. */
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

/** The rooms and packages that have at least a fiftieth of the time. */
function byRoom({ self }: Profile): string {
  const large = self.filter(({ share }) => share >= 0.02);
  return large.map(({ where, share }) => `${where} ${Math.round(share * 100)} %`).join(', ');
}
