import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { checkLayout, MIN_READ_LAYOUT, TABLE_LAYOUT } from '../../functions/store/dynamo/layout.ts';
import { getItem } from '../../functions/store/dynamo/requests.ts';
import type { Table } from '../../functions/store/dynamo/table.ts';
import { LAYOUT_KEY } from '../../functions/store/keys.ts';
import { userName } from '../../local/operate/server.ts';
import type { Place } from '../connect/connection.ts';
import { regionOf } from '../connect/region.ts';
import { restoreProcesses } from './restore.ts';
import { restoredTable, tableOf } from './restored-table.ts';

/** The table of a stack; requires an administrator's credentials. */
export interface StackTable {
  readonly name: string;
  readonly region: string;
  /** Restores snapshots and state of all processes. @returns the name of the source table */
  restore(source: RestoreSource, report: (text: string) => void): Promise<string>;
}

/** An existing table, or a time (ISO 8601) to which DynamoDB first restores a copy. */
export type RestoreSource = { readonly from: string } | { readonly at: string };

interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly region: string;
  readonly sleep: Sleep;
  /** Stops it at a safe point: in a wait, or after a process. */
  readonly signal: AbortSignal;
}

/** Finds the table of a stack. @throws Refused if the stack does not exist; the SDK's error if access is denied */
export async function openStackTable(
  place: Place,
  waiting: Pick<Clients, 'sleep' | 'signal'>,
): Promise<StackTable> {
  const region = regionOf(place);
  const clients = { dynamodb: new DynamoDBClient({ region }), lambda: new LambdaClient({ region }) };
  return stackTable(place.stack ?? '', { ...clients, ...waiting, region });
}

/** As {@link openStackTable}, with these clients. */
export async function stackTable(
  stack: string,
  { dynamodb: client, lambda, region, sleep, signal }: Clients,
): Promise<StackTable> {
  const name = await tableOf(lambda, stack, region);
  const timing = { clock: Date.now, random: Math.random, sleep };
  const tableNamed = (tableName: string): Table => ({ client, tableName, timing });
  return {
    name,
    region,
    restore: async (source, report) => {
      const to = tableNamed(name);
      await checkLayout(to);
      const restored = (at: string) =>
        restoredTable(client, name, { at: new Date(at), sleep: ms => sleep(ms, signal) });
      const from = tableNamed('at' in source ? await restored(source.at) : source.from);
      await checkSource(from);
      await restoreProcesses({ to, from, report, who: userName(), signal });
      return from.tableName;
    },
  };
}

/** Checks the source table without writing to it. @throws Refused if it has another layout, or none */
async function checkSource(table: Table): Promise<void> {
  const layout = (await getItem(table, LAYOUT_KEY))?.version?.N;
  if (Number(layout) >= MIN_READ_LAYOUT && Number(layout) <= TABLE_LAYOUT) return;
  throw new Refused(
    layout === undefined
      ? `${table.tableName} is not a Changewire table, or was not one at that time. Choose another time or table.`
      : `The table ${table.tableName} has layout ${layout}; this version supports layout ${TABLE_LAYOUT} only. Restore it with the version that wrote it.`,
  );
}
