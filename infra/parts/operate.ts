import { Duration } from 'aws-cdk-lib';
import { Grant, type IGrantable, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import type { FailedQueueName, FunctionName } from '../../functions/operations/protocol/requests.ts';
import type { Alias } from '../../functions/operations/stack/identity.ts';
import { configurationFile } from '../bundle/configuration-file.ts';
import { ENTRIES } from '../bundle/options.ts';
import { forWritingEndpointSecrets } from './endpoint-secrets.ts';
import { type Binding, Handler, type Network } from './handler.ts';
import { mayUse } from './key-use.ts';
import { maySendMail } from './mail.ts';
import type { PassQueue } from './pass-queue.ts';
import type { Queues } from './queues.ts';
import { mayReadCredentials } from './secrets.ts';
import { sendingTo } from './sending.ts';
import type { SnapshotTable } from './table.ts';
import { forOperating } from './table-access.ts';

export interface OperateProps {
  readonly config: Config;
  readonly deployedInput: DeployedInput;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly network?: Network | undefined;
  readonly failedQueues: Readonly<Record<FailedQueueName, Queue>>;
  /** The other functions. */
  readonly handlers: Readonly<Record<Exclude<FunctionName, 'operate'>, Handler>>;
}

/** The function that serves the commands of operators. The command finds it by its name, `<name>-operate`. Only three
 *  policies permit invoking it: one the alias `look`, one all aliases, one the alias `pull` of consumers. */
export class Operate extends Handler {
  readonly policies: Readonly<Record<Alias, ManagedPolicy>>;

  constructor(scope: Construct, id: string, props: OperateProps) {
    const { config, deployedInput, table, handlers, network } = props;
    super(scope, id, {
      name: config.stackName,
      entry: ENTRIES.operate,
      network,
      functionName: `${config.stackName}-operate`,
      files: configurationFile(deployedInput),
      description: 'Changewire: serves the commands of operators',
      // The doctor reads pages as large as the poll function does.
      memoryMiB: 1024,
      // The doctor takes minutes; everything else takes seconds.
      timeout: Duration.minutes(10),
      logRetention: config.logRetentionDays,
      bindings: {
        TABLE_NAME: forOperating(table),
        STACK_NAME: { value: config.stackName },
        SECRETS_PATH: forWritingEndpointSecrets(scope, config.stackName),
        ...queueBindings(props),
        PUBLISH_FUNCTION: invoking(handlers.publish),
        ...logBindings(handlers),
      },
    });
    mayReadCredentials(this, config);
    // It sends test events.
    maySendMail(this, config);
    this.fn.addEnvironment('OPERATE_LOGS', this.fn.logGroup.logGroupName);
    this.role.addToPolicy(mayReadLog(this));
    this.policies = {
      look: this.#policy('Look', ['look']),
      act: this.#policy('Act', ['look', 'act', 'pull']),
      pull: this.#policy('Pull', ['pull']),
    };
  }

  /** Permits a principal to invoke these aliases, and nothing else. */
  grant(grantee: IGrantable, names: readonly Alias[]): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['lambda:InvokeFunction'],
      resourceArns: names.map(name => this.#alias(name).ref),
    });
  }

  #policy(id: string, names: readonly Alias[]): ManagedPolicy {
    return new ManagedPolicy(this, `${id}Policy`, {
      description: `Lets people ${names.join(' and ')} with the command changewire, and do nothing else`,
      statements: [
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: names.map(name => this.#alias(name).ref),
        }),
      ],
    });
  }

  /** An alias of the deployed code. Its reference is its ARN. */
  #alias(name: Alias): CfnAlias {
    const existing = this.node.tryFindChild(`Alias.${name}`) as CfnAlias | undefined;
    return (
      existing ??
      new CfnAlias(this, `Alias.${name}`, {
        name,
        functionName: this.fn.functionName,
        functionVersion: '$LATEST',
      })
    );
  }
}

/** The queues that it sends to, lists, clears, or moves messages back from. */
function queueBindings({ queues, passes, failedQueues }: OperateProps): Record<string, Binding> {
  const look = ['GetQueueAttributes', 'ReceiveMessage', 'PurgeQueue'];
  return {
    ...queues.forSending(),
    ...queues.forStartingDrains(),
    ...passes.forSending(),
    EVENTS_QUEUE_URL: sendingTo(queues.events),
    REJECTED_QUEUE_URL: allowing(failedQueues.rejected, look),
    UNPUBLISHED_QUEUE_URL: allowing(failedQueues.unpublished, look),
    UNSTARTED_QUEUE_URL: allowing(failedQueues.unstarted, look),
    UNSETTLED_QUEUE_URL: allowing(failedQueues.unsettled, [
      ...look,
      'ChangeMessageVisibility',
      'DeleteMessage',
    ]),
  };
}

function allowing(queue: Queue, actions: readonly string[]): Binding {
  return {
    value: queue.queueUrl,
    grant: grantee => {
      Grant.addToPrincipal({
        grantee,
        actions: actions.map(action => `sqs:${action}`),
        resourceArns: [queue.queueArn],
      });
      mayUse(queue.encryptionMasterKey, 'read', grantee);
    },
  };
}

function invoking({ fn }: Handler): Binding {
  return {
    value: fn.functionName,
    grant: role =>
      role.addToPolicy(
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] }),
      ),
  };
}

function logBindings(handlers: OperateProps['handlers']): Record<string, Binding> {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      `${name.toUpperCase()}_LOGS`,
      { value: handler.fn.logGroup.logGroupName, grant: role => role.addToPolicy(mayReadLog(handler)) },
    ]),
  );
}

function mayReadLog({ fn }: Handler): PolicyStatement {
  return new PolicyStatement({ actions: ['logs:FilterLogEvents'], resources: [fn.logGroup.logGroupArn] });
}
