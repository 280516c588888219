import { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { sleep } from '../local/basics/sleep.ts';
import { restoreProcesses } from './restore/restore.ts';
import { restoredTable, tableOf } from './restore/restored-table.ts';

/** `npm run restore-table`: restores snapshots and states of the processes as they were at an earlier
 *  time, in the table of a stack that goes on (docs/runbook.md, docs/decisions/0101). It needs an
 *  administrator's credentials. It may be repeated. */

const USAGE = `npm run restore-table -- --stack NAME --region REGION --at TIME

  --at TIME     such as 2026-01-31T08:00:00Z: at most 35 days ago
  --from TABLE  a table that was restored already
`;

try {
  const { values } = parseArgs({
    options: {
      stack: { type: 'string' },
      region: { type: 'string' },
      at: { type: 'string' },
      from: { type: 'string' },
    },
  });
  await main(values);
} catch (error) {
  const isUsage = error instanceof TypeError;
  process.stderr.write(`${error instanceof Error ? error.message : error}\n${isUsage ? `\n${USAGE}` : ''}`);
  process.exitCode = isUsage ? 2 : 1;
}

async function main(asked: { stack?: string; region?: string; at?: string; from?: string }): Promise<void> {
  const { stack, region, at = '', from } = asked;
  if (stack === undefined || region === undefined) throw new TypeError('Say --stack and --region.');
  if (from === undefined && !/T.*(Z|[+-]\d\d:\d\d)$/.test(at))
    throw new TypeError('Say --at, a time with its zone.');
  const client = new DynamoDBClient({ region });
  const tableName = await tableOf(new LambdaClient({ region }), stack);
  say(`The table ${tableName}: ${from ?? `DynamoDB restores it as it was at ${at}, which takes a while.`}`);
  const restored = from ?? (await restoredTable(client, tableName, { at: new Date(at), sleep }));
  const patience = { clock: Date.now, random: Math.random, sleep };
  const table = (name: string) => ({ client, tableName: name, patience });
  await restoreProcesses({ to: table(tableName), from: table(restored), say });
  say(
    `Done. When it is as it should be: aws dynamodb delete-table --region ${region} --table-name ${restored}`,
  );
}

function say(text: string): void {
  stdout.write(`${text}\n`);
}
