import { CfnResource, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Alarm, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable, IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import {
  MAX_RESOURCES,
  MAX_SUBSCRIPTIONS,
  RESOURCES_OF_SUBSCRIPTION,
  secretsPath,
} from '../functions/config/endpoint.ts';
import type { Config } from '../functions/config/schema.ts';
import { type OwnMetric, ownMetric } from './alarms/own-metric.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import { followEvent } from './follow-event.ts';
import { Deliver } from './parts/deliver.ts';
import { Operate } from './parts/operate.ts';
import { PassQueue } from './parts/pass-queue.ts';
import { Poll } from './parts/poll.ts';
import { Publish } from './parts/publish.ts';
import { Queues } from './parts/queues.ts';
import { rootStack } from './parts/root-stack.ts';
import { Route } from './parts/route.ts';
import { Schedule } from './parts/schedule.ts';
import type { StorageOptions } from './parts/storage-options.ts';
import { HttpSubscription } from './parts/subscription.ts';
import { SnapshotTable } from './parts/table.ts';
import { Tick } from './parts/tick.ts';
import { ChangeTopic } from './parts/topic.ts';
import type { ChangewireProps } from './props/changewire.ts';
import { readProps } from './props/read.ts';

/** The functions of a Changewire, as `npx changewire logs` names them. */
export type FunctionName = 'poll' | 'publish' | 'route' | 'deliver' | 'tick' | 'operate';

/** The queues of a Changewire: for passes and events, and for failed messages. */
export type QueueName =
  | 'passes'
  | 'events'
  | 'deliveries'
  | 'chat'
  | 'drains'
  | 'unsettled'
  | 'rejected'
  | 'unpublished'
  | 'unstarted';

/** Changewire as a construct, for any stack, account and region. The number of its resources does not grow with the
 *  number of processes. The operate function, the dashboard, the alarms, the log query and the schedule group have
 *  fixed names. The table and the queues of failed messages outlive the stack unless `removalPolicy` is `DESTROY`. */
export class Changewire extends Construct {
  /** The value of `--stack` for the command `changewire`. */
  readonly name: string;
  /** The topic with every change event. */
  readonly topic: ITopic;
  /** The table with snapshots, change records and backlogs. */
  readonly table: Table;
  /** The topic that gets the alarms. */
  readonly alarmTopic: ITopic;
  /** All alarms. docs/runbook.md has a section for each. */
  readonly alarms: readonly Alarm[];
  /** The functions, with their log groups. */
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  /** The queues. */
  readonly queues: Readonly<Record<QueueName, IQueue>>;
  /** The dead-letter queue of each native subscription, by its name. */
  readonly undelivered: Readonly<Record<string, IQueue>>;
  /** The path of the SSM parameters with addresses and secrets of endpoints; add the name of an endpoint. */
  readonly secretsPath: string;
  /** Permits the read-only commands of `changewire`. Not attached. */
  readonly lookPolicy: IManagedPolicy;
  /** Permits all commands. Not attached. */
  readonly actPolicy: IManagedPolicy;
  /** Permits taking events from endpoints of kind pull. Not attached. */
  readonly pullPolicy: IManagedPolicy;
  readonly #operate: Operate;

  /** @throws ConfigError with every invalid property */
  constructor(scope: Construct, id: string, props: ChangewireProps) {
    super(scope, id);
    const { config, deployedInput } = readProps(this, props);
    const { removalPolicy = RemovalPolicy.RETAIN } = props;
    const storage: StorageOptions = { encryptionKey: props.encryptionKey, removalPolicy };
    const name = config.stackName;
    const table =
      props.snapshots ??
      new SnapshotTable(this, 'Snapshots', {
        removalPolicy,
        ...(props.encryptionKey && { encryptionKey: props.encryptionKey }),
      });
    const { subscriptionsIn = this } = props;
    const topic = new ChangeTopic(this, 'Changes', props.encryptionKey);
    const queues = new Queues(this, 'Queues', { topic: topic.topic, storage });
    const passes = new PassQueue(this, 'Passes', storage);
    const network = props.vpc && {
      vpc: props.vpc,
      ...(props.subnets && { vpcSubnets: props.subnets }),
      ...(props.securityGroups && { securityGroups: [...props.securityGroups] }),
    };
    const shared = { network, config, deployedInput, table, queues, passes, topic, storage };
    const poll = new Poll(this, 'Poll', shared);
    const publish = new Publish(this, 'Publish', shared);
    const route = new Route(this, 'Route', shared);
    const deliver = new Deliver(this, 'Deliver', shared);
    // A delivery for a newly configured endpoint must find a function that knows it.
    route.fn.node.addDependency(deliver.fn);
    const { rejected, unpublished } = publish;
    const failedQueues = { rejected, unpublished, unsettled: queues.unsettled };
    const tick = new Tick(this, 'Tick', {
      ...{ ...shared, failedQueues, subscriptionsIn },
      mappings: {
        poll: poll.mapping,
        publish: publish.mapping,
        route: route.mapping,
        deliver: deliver.mappings.deliveries,
        chat: deliver.mappings.chat,
        drains: deliver.mappings.drains,
      },
    });
    const { unstarted } = new Schedule(this, 'Schedule', { name, tick, storage });
    const handlers = { poll, publish, route, deliver, tick };
    const operate = new Operate(this, 'Operate', {
      ...{ ...shared, handlers },
      failedQueues: { ...failedQueues, unstarted },
    });
    const alarms = new Alarms(this, 'Alarms', {
      ...{ name, queues, handlers },
      hasSubscriptions: config.subscriptions.length > 0,
      topic: props.alarmTopic,
      email: config.alarmEmail,
    });
    new Dashboard(this, 'Dashboard', { name, table, topic: topic.topic, queues, passes, handlers });
    followEvent(this, name, handlers);
    const subscriptions = subscribed(subscriptionsIn, config, { topic: topic.topic, storage });
    // SNS keeps nothing for a later subscription, and the stream of a retained table already has records. Subscriptions
    // in another stack are always later, because that stack imports the topic from this one.
    publish.mapping.node.addDependency(queues);
    if (isWithin(Stack.of(subscriptionsIn), Stack.of(this)))
      publish.mapping.node.addDependency(...subscriptions.values());
    this.undelivered = Object.fromEntries([...subscriptions].map(([key, each]) => [key, each.undelivered]));
    if (rootStack(subscriptionsIn) !== rootStack(this)) exportAlways(topic.topic);

    this.name = name;
    this.topic = topic.topic;
    this.table = table.table;
    this.alarmTopic = alarms.topic;
    this.alarms = alarms.all;
    this.functions = {
      ...{ poll: poll.fn, publish: publish.fn, route: route.fn },
      ...{ deliver: deliver.fn, tick: tick.fn, operate: operate.fn },
    };
    const { events, deliveries, chat, drains } = queues;
    this.queues = { passes: passes.queue, events, deliveries, chat, drains, ...failedQueues, unstarted };
    this.secretsPath = secretsPath(name);
    this.lookPolicy = operate.policies.look;
    this.actPolicy = operate.policies.act;
    this.pullPolicy = operate.policies.pull;
    this.#operate = operate;
    this.node.addValidation({
      validate: () => [
        ...namedAlike(this),
        ...sharedTable(this, table),
        ...tooManyResources(Stack.of(subscriptionsIn), subscriptions.size),
      ],
    });
  }

  /** Permits a principal of the same account the read-only commands of `changewire`. */
  grantLook(grantee: IGrantable): Grant {
    return this.#operate.grant(grantee, ['look']);
  }

  /** Permits a principal of the same account all commands of `changewire`. */
  grantOperate(grantee: IGrantable): Grant {
    return this.#operate.grant(grantee, ['look', 'act', 'pull']);
  }

  /** Permits a principal of the same account to take events from endpoints of kind pull. */
  grantPull(grantee: IGrantable): Grant {
    return this.#operate.grant(grantee, ['pull']);
  }

  /** A metric of Changewire, by default with the sum of each minute. */
  metric(metricName: OwnMetric, options: MetricOptions = {}): Metric {
    return ownMetric(this.name, metricName, 'Sum').with(options);
  }
}

/** Creates the native subscriptions. @returns them by name */
function subscribed(
  scope: Construct,
  { subscriptions }: Config,
  shared: { readonly topic: ITopic; readonly storage: StorageOptions },
): Map<string, HttpSubscription> {
  return new Map(
    subscriptions.map(config => [
      config.name,
      new HttpSubscription(scope, `Subscription.${config.name}`, { ...shared, config }),
    ]),
  );
}

/** Whether a stack is this one, or nested in it. */
function isWithin(stack: Stack, outer: Stack): boolean {
  return (
    stack === outer || (stack.nestedStackParent !== undefined && isWithin(stack.nestedStackParent, outer))
  );
}

/** Exports the topic even while no other stack imports it. Removing the export with the last subscription would fail:
 *  the stack of the subscriptions is deployed after this one and still imports it. */
function exportAlways(topic: ITopic): void {
  rootStack(topic).exportValue(topic.topicArn);
}

/** A validation error if another Changewire of the app has the same name, account and region: only one of them could
 *  be deployed. */
function namedAlike(own: Changewire): string[] {
  return othersThan(own)
    .filter(each => each.name === own.name && environmentOf(each) === environmentOf(own))
    .map(
      other =>
        `${other.node.path} also has the name ${own.name}, in the same account and region. ` +
        'Give one of them another "name".',
    );
}

/** A validation error if another Changewire of the app has the same table: both would publish every change record, and
 *  share the leases of passes. */
function sharedTable(own: Changewire, { node }: SnapshotTable): string[] {
  return othersThan(own)
    .filter(each => each.table === own.table)
    .map(
      other =>
        `${other.node.path} also uses the table ${node.path}. Give each construct its own "snapshots", or none.`,
    );
}

function othersThan(own: Changewire): Changewire[] {
  return own.node.root.node
    .findAll()
    .filter(each => each instanceof Changewire && each !== own) as Changewire[];
}

/** A validation error if the stack has too many resources; CDK's own error names no remedy. */
function tooManyResources(stack: Stack, subscriptions: number): string[] {
  const isIn = (each: IConstruct) => CfnResource.isCfnResource(each) && Stack.of(each) === stack;
  const count = stack.node.findAll().filter(isIn).length;
  if (subscriptions === 0 || count <= MAX_RESOURCES) return [];
  return [
    `The stack ${stack.node.path} has ${count} resources, ${subscriptions * RESOURCES_OF_SUBSCRIPTION} of them for ${subscriptions} native ` +
      `subscriptions; CloudFormation allows ${MAX_RESOURCES}. Create the subscriptions in a stack of their own ("subscriptionsIn"), which has room for ${MAX_SUBSCRIPTIONS}.`,
  ];
}

const environmentOf = (scope: Construct): string => Stack.of(scope).environment;
