import {
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import { operateFunction } from '../../functions/operate/identity.ts';

const ASK_AGAIN_MS = 5_000;

/** The name of a stack's table. @throws when there is no such stack, or it may not be asked */
export async function tableOf(lambda: LambdaClient, stackName: string): Promise<string> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: operateFunction(stackName) });
  const { Environment } = await lambda.send(command);
  const name = Environment?.Variables?.TABLE_NAME;
  if (name === undefined) throw new Error(`${stackName} is no stack of Changewire.`);
  return name;
}

/** Has DynamoDB make another table with what this one held at an earlier time, and waits for it: minutes
 *  to hours. If an earlier run of this command asked for it already, that one is waited for.
 *  @returns its name */
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
    await sleep(ASK_AGAIN_MS);
  }
}
