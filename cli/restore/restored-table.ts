import {
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { operateFunction } from '../../functions/operations/stack/identity.ts';

const POLL_MS = 5_000;

/** The name of a stack's table. @throws Refused if the stack does not exist; the SDK's error if access is denied */
export async function tableOf(lambda: LambdaClient, stackName: string, region: string): Promise<string> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: operateFunction(stackName) });
  const configuration = await lambda.send(command).catch((error: Error) => {
    if (error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  });
  const name = configuration?.Environment?.Variables?.TABLE_NAME;
  if (name !== undefined) return name;
  throw new Refused(
    `The Changewire stack ${stackName} does not exist in ${region} in the account of your credentials. Check --stack and --region.`,
  );
}

/** Restores the table to a new table with its content at an earlier time, and waits for it: minutes to hours.
 *  If an earlier run of this command started the restore, waits for that one. @returns the new table's name */
export async function restoredTable(
  client: DynamoDBClient,
  SourceTableName: string,
  { at, sleep }: { readonly at: Date; readonly sleep: Sleep },
): Promise<string> {
  const TargetTableName = `${SourceTableName}-${at.toISOString().replaceAll(/[-:]|\..*/g, '')}`;
  try {
    await client.send(
      new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime: at }),
    );
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TableAlreadyExistsException')) throw error;
  }
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: TargetTableName }));
    if (Table?.TableStatus === 'ACTIVE') return TargetTableName;
    await sleep(POLL_MS);
  }
}
