import {
  DescribeTableCommand,
  type DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { operateFunction } from '../../functions/operations/stack/identity.ts';

const ASK_AGAIN_MS = 5_000;

/** The name of a stack's table. @throws Refused when there is no such stack; the SDK's error when it may not be asked */
export async function tableOf(lambda: LambdaClient, stackName: string, region: string): Promise<string> {
  const command = new GetFunctionConfigurationCommand({ FunctionName: operateFunction(stackName) });
  const configuration = await lambda.send(command).catch((error: Error) => {
    if (error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  });
  const name = configuration?.Environment?.Variables?.TABLE_NAME;
  if (name !== undefined) return name;
  throw new Refused(
    `There is no stack ${stackName} of Changewire in ${region}, in the account of your credentials. Name another with --stack and --region.`,
  );
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
