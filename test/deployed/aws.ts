import {
  CloudWatchLogsClient,
  FilterLogEventsCommand,
  GetQueryResultsCommand,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
} from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import type { Snapshots } from '../../functions/store/store.ts';
import { TABLE_TIMING } from '../kit/table.ts';
import { CREDENTIALS, REGION } from './emulator/environment.ts';

/** What an invocation came to: what the function returned, or the message of what it threw. */
export type Invocation = { readonly returned: unknown } | { readonly threw: string };

/** What an operator does by hand. */
export class Aws {
  readonly endpoint: string;
  readonly #dynamodb: DynamoDBClient;
  readonly #lambda: LambdaClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #secrets: SecretsManagerClient;
  readonly #sns: SNSClient;
  readonly #sqs: SQSClient;
  readonly #ssm: SSMClient;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    const options = { endpoint, region: REGION, credentials: CREDENTIALS };
    this.#dynamodb = new DynamoDBClient(options);
    this.#lambda = new LambdaClient({ ...options, maxAttempts: 1 });
    this.#logs = new CloudWatchLogsClient(options);
    this.#secrets = new SecretsManagerClient(options);
    this.#sns = new SNSClient(options);
    this.#sqs = new SQSClient(options);
    this.#ssm = new SSMClient(options);
  }

  /** @param credentials of somebody else */
  async invoke(functionName: string, event: object, credentials?: typeof CREDENTIALS): Promise<Invocation> {
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) });
    const options = { endpoint: this.endpoint, region: REGION, maxAttempts: 1 };
    const lambda = credentials ? new LambdaClient({ ...options, credentials }) : this.#lambda;
    const { FunctionError, Payload } = await lambda.send(command);
    const payload: unknown = JSON.parse(Payload?.transformToString() || 'null');
    if (FunctionError === undefined) return { returned: payload };
    return { threw: String((payload as { errorMessage?: string }).errorMessage) };
  }

  async functionExists(functionName: string): Promise<boolean> {
    try {
      await this.#lambda.send(new GetFunctionCommand({ FunctionName: functionName }));
      return true;
    } catch (error) {
      if ((error as Error).name === 'ResourceNotFoundException') return false;
      throw error;
    }
  }

  /** The lines of a log group since then that hold this text. */
  async logged(logGroupName: string, text: string, startTime: number): Promise<string[]> {
    const filter = { logGroupName, startTime, filterPattern: `"${text}"` };
    const { events = [] } = await this.#logs.send(new FilterLogEventsCommand(filter));
    return events.flatMap(({ message = '' }) => (message.includes(text) ? [message] : []));
  }

  /** What a query of Logs Insights finds, each row by its fields. */
  async query(logGroupNames: string[], queryString: string): Promise<Record<string, string>[]> {
    const [startTime, endTime] = [Math.floor(Date.now() / 1000) - 3_600, Math.floor(Date.now() / 1000) + 60];
    const asked = { logGroupNames, queryString, startTime, endTime };
    const { queryId } = await this.#logs.send(new StartQueryCommand(asked));
    const { results = [] } = await this.#logs.send(new GetQueryResultsCommand({ queryId }));
    return results.map(row => Object.fromEntries(row.map(({ field = '', value = '' }) => [field, value])));
  }

  /** What DynamoDB does for who asks for a table of an earlier moment; here it is that of now. */
  async restoreTable(SourceTableName: string, TargetTableName: string): Promise<void> {
    const UseLatestRestorableTime = true;
    const asked = { SourceTableName, TargetTableName, UseLatestRestorableTime };
    await this.#dynamodb.send(new RestoreTableToPointInTimeCommand(asked));
  }

  async createSecret(Name: string, value: object): Promise<void> {
    await this.#secrets.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(value) }));
  }

  async putParameter(Name: string, value: object): Promise<void> {
    const Value = JSON.stringify(value);
    await this.#ssm.send(new PutParameterCommand({ Name, Value, Type: 'SecureString' }));
  }

  async subscribe(TopicArn: string, Endpoint: string, Attributes: Record<string, string>): Promise<void> {
    await this.#sns.send(new SubscribeCommand({ TopicArn, Protocol: 'http', Endpoint, Attributes }));
  }

  snapshots(tableName: string): Snapshots {
    return createSnapshots({ client: this.#dynamodb, tableName, timing: TABLE_TIMING });
  }

  async tableStatus(TableName: string): Promise<string | undefined> {
    return (await this.#dynamodb.send(new DescribeTableCommand({ TableName }))).Table?.TableStatus;
  }

  /** How many messages wait in a queue, those in flight included. */
  async queueLength(QueueUrl: string): Promise<number> {
    const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] });
    const { Attributes = {} } = await this.#sqs.send(command);
    return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
  }

  stop(): void {
    const clients = [
      this.#dynamodb,
      this.#lambda,
      this.#logs,
      this.#secrets,
      this.#sns,
      this.#sqs,
      this.#ssm,
    ];
    for (const client of clients) client.destroy();
  }
}
