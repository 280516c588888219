import { randomBytes, randomUUID } from 'node:crypto';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import type * as z from 'zod';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { readCredentials } from './aws/credentials.ts';
import { parameterSecrets } from './aws/parameter-secrets.ts';
import { sendBySes } from './aws/ses.ts';
import { lambdaLog } from './aws/telemetry.ts';
import { lazy } from './basics/lazy.ts';
import { resolveBySystem } from './basics/proxy.ts';
import { SYSTEM } from './basics/system.ts';
import { operateEnvironment, parseEnvironment } from './config/environments.ts';
import { readDeployed } from './config/read.ts';
import { linkTemplatesOf, type WorkspaceSettings } from './config/workspace.ts';
import { wakeBy } from './delivery/queues.ts';
import { senderOf } from './delivery/sender.ts';
import { createDoctor } from './doctor/doctor.ts';
import { configuredIn } from './doctor/settings.ts';
import { createOperate, createWhoCalls, type Operate } from './handlers/create-operate.ts';
import type { OperationsContext, StackPorts } from './operations/context.ts';
import { createOperations } from './operations/operations.ts';
import { Refused } from './operations/refused.ts';
import { stsAddress } from './operations/stack/identity.ts';
import { cloudWatchLogs, failedQueue, publishAgain, retryUnsettled } from './operations/stack/stack.ts';
import { sendOne } from './queue/queue.ts';
import { sqsQueue } from './queue/sqs.ts';
import { askedPass, passIn } from './schedule/pass-message.ts';
import { connect } from './service/client.ts';
import type { ConnectOptions } from './service/options.ts';
import { openProbe } from './service/probe.ts';
import { openDynamoStore } from './store/dynamo/store.ts';
import type { ChangeRecords } from './store/store.ts';

/** Invoked by operators, through the command, by one of its aliases (design.md §13). A
 *  caller whom IAM allows to invoke an alias may make its requests, and needs no other permission.
 *  State: none. Changes are written to rows, with the caller's name in the action log; other functions
 *  carry out longer work. */
export const handler: Operate = lazy(() => configure(process.env));

type Settings = z.infer<typeof operateEnvironment>;

async function configure(environment: NodeJS.ProcessEnv): Promise<Operate> {
  const settings = parseEnvironment('operate.ts', operateEnvironment, environment);
  const log = lambdaLog();
  return createOperate({
    operations: createOperations(await openContext(settings)),
    whoCalls: createWhoCalls({
      region: settings.AWS_REGION,
      functionName: settings.AWS_LAMBDA_FUNCTION_NAME,
      sts: new URL(settings.AWS_ENDPOINT_URL ?? stsAddress(settings.AWS_REGION)),
      clock: Date.now,
      log,
    }),
    log,
  });
}

async function openContext(settings: Settings): Promise<OperationsContext> {
  const { TABLE_NAME, STACK_NAME, DRAINS_QUEUE_URL, SECRETS_PATH, AWS_REGION } = settings;
  const timeouts = bounded(CALL_TIMEOUTS.operate);
  const config = readDeployed(import.meta.url);
  const { workspaces, networks, proxy, keep } = config;
  const processes = processesOf(workspaces);
  const store = await openDynamoStore(TABLE_NAME, { client: timeouts, processes, keep, ...SYSTEM });
  const sqs = new SQSClient(timeouts);
  const ofService = new SecretsManagerClient(timeouts);
  const secrets = parameterSecrets(new SSMClient(timeouts), SECRETS_PATH, AWS_REGION);
  const address = { allowLoopback: false, networks, resolve: resolveBySystem };
  const passes = sqsQueue(sqs, settings.PASSES_QUEUE_URL);
  return {
    label: STACK_NAME,
    toApply: 'deploy',
    isRunning: true,
    configured: config.endpoints,
    ...store,
    queues: wakeBy(sqsQueue(sqs, DRAINS_QUEUE_URL)),
    ...{ secrets, address, randomBytes, clock: Date.now, log: lambdaLog() },
    ...senderOf({
      secrets,
      linkTemplates: linkTemplatesOf(config),
      ...SYSTEM,
      allowLoopback: false,
      networks,
      proxy,
      sendBySes,
    }),
    processes: async () => processes,
    startPass: (process, mode) => sendOne(passes, passIn(askedPass(process, mode, Date.now()))),
    doctor: createDoctor({
      open: name => openProbe(connectionOf(workspaces, name, ofService)),
      configured: configuredIn(workspaces),
      ...SYSTEM,
    }),
    connectService: (name, concurrency) =>
      connect({ ...connectionOf(workspaces, name, ofService), concurrency }),
    newId: randomUUID,
    stack: openStack(settings, store.changeRecords, sqs),
  };
}

/** The ports that only a stack has: its logs, its dead-letter queues, and functions to invoke. */
function openStack(settings: Settings, changeRecords: ChangeRecords, sqs: SQSClient): StackPorts {
  const unsettled = settings.UNSETTLED_QUEUE_URL;
  const sources = [
    settings.EVENTS_QUEUE_URL,
    settings.DELIVERIES_QUEUE_URL,
    settings.CHAT_QUEUE_URL,
    settings.PASSES_QUEUE_URL,
  ] as const;
  const timeouts = bounded(CALL_TIMEOUTS.operate);
  return {
    readLog: cloudWatchLogs(new CloudWatchLogsClient(timeouts), {
      poll: settings.POLL_LOGS,
      publish: settings.PUBLISH_LOGS,
      route: settings.ROUTE_LOGS,
      deliver: settings.DELIVER_LOGS,
      tick: settings.TICK_LOGS,
      operate: settings.OPERATE_LOGS,
    }),
    failedQueues: {
      rejected: failedQueue(sqs, 'rejected', settings.REJECTED_QUEUE_URL),
      unpublished: failedQueue(sqs, 'unpublished', settings.UNPUBLISHED_QUEUE_URL),
      unstarted: failedQueue(sqs, 'unstarted', settings.UNSTARTED_QUEUE_URL),
      unsettled: failedQueue(sqs, 'unsettled', unsettled),
    },
    retryUnsettled: () => retryUnsettled(sqs, { unsettled, sources, now: Date.now() }),
    changeRecords,
    publish: records => publishAgain(openPublisher(), settings.PUBLISH_FUNCTION, records),
  };
}

/** A client of the publish function, which may take longer to answer than any other. */
function openPublisher(): LambdaClient {
  const timeouts = bounded(CALL_TIMEOUTS.publishing);
  return new LambdaClient(timeouts);
}

function processesOf(workspaces: readonly WorkspaceSettings[]) {
  return workspaces.flatMap(({ name: workspace, processes }) =>
    processes.map(({ id: processId, changes, ignoreFields }) => ({
      ...{ workspace, processId, interval: changes.slowest, ignoreFields },
    })),
  );
}

/** The service of a workspace, with its credentials. @throws Refused for an unknown workspace */
function connectionOf(
  workspaces: readonly WorkspaceSettings[],
  name: string,
  secrets: SecretsManagerClient,
): ConnectOptions {
  const workspace = workspaces.find(each => each.name === name);
  if (!workspace) throw new Refused(`Unknown workspace "${name}".`);
  return { ...workspace, credentials: () => readCredentials(secrets, workspace.credentials), ...SYSTEM };
}
