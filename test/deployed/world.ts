import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PassMessage } from '../../functions/schedule/pass-message.ts';
import type { SimulatedService } from '../../simulator/server.ts';
import { applyEvents, servedState, snapshotState, type Told } from '../kit/told.ts';
import type { Aws, Invocation } from './aws.ts';
import { PROCESS, WORKSPACE } from './config.ts';
import { type Edits, lineOf } from './edits.ts';
import type { Gate } from './emulator/gate.ts';
import type { Emulator } from './emulator/start.ts';
import type { Operators } from './operators.ts';
import type { ChatReceiver } from './receivers/chat.ts';
import type { NativeSubscriber } from './receivers/native.ts';
import type { Certificate, ReceivedEvents } from './receivers/server.ts';
import type { WebhookReceiver } from './receivers/webhook.ts';
import type { Report } from './report.ts';
import type { DeployedStack } from './stack.ts';
import { until } from './until.ts';

export { PROCESS, WORKSPACE };

/** The table's process. */
const KEY = { workspace: WORKSPACE, processId: PROCESS };

/** Receivers that the deliver function serves, and what makes them reachable for it. */
export interface EndpointReceivers {
  readonly webhook: WebhookReceiver;
  readonly slack: ChatReceiver;
  readonly teams: ChatReceiver;
  /** Endpoints that are added while all runs: one that is paused and resumed, and one that fails for a while. */
  readonly added: WebhookReceiver;
  readonly flaky: WebhookReceiver;
}

/** What only an emulator that the test started itself allows: to fail, and to reach receivers by HTTPS. */
export interface OwnEmulator {
  readonly emulator: Emulator;
  readonly gate: Gate;
  readonly receivers: EndpointReceivers;
  /** Where the receiver of the operations' contract is to listen, and with what. */
  readonly contract: { readonly port: number; readonly certificate: Certificate };
}

/** Everything that the parts of the test share. */
export interface World {
  readonly report: Report;
  readonly stack: DeployedStack;
  readonly aws: Aws;
  readonly service: SimulatedService;
  readonly edits: Edits;
  readonly everything: NativeSubscriber;
  readonly dueDates: NativeSubscriber;
  readonly own: OwnEmulator | undefined;
  /** Made once the stack is deployed. */
  readonly operators: () => Promise<Operators>;
}

/** One pass now, beside those that tick sends: the function is given a message as the queue hands it over. @returns once it is over */
export function pass(world: World, mode: 'changes' | 'sweep' = 'changes'): Promise<Invocation> {
  const { workspace, processId } = KEY;
  const message: PassMessage = {
    ...{ workspace, processes: [processId], mode },
    ...{ expiresAt: Date.now() + 60_000, isAsked: true },
  };
  return world.aws.invoke(world.stack.output('PollFunction'), {
    Records: [
      {
        messageId: randomUUID(),
        receiptHandle: 'not in the queue',
        body: JSON.stringify(message),
        attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
        messageAttributes: {},
        eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:passes',
      },
    ],
  });
}

/** What the service shows. */
export const served = (world: World): Told => servedState(world.service.workspace, PROCESS);

/** What the table holds. */
export const held = (world: World): Promise<Told> =>
  snapshotState(world.aws.snapshots(world.stack.output('TableName')), KEY);

/** Waits until every receiver of everything has what the edits foretold, and nothing else.
 *  @param passes whether to start passes, beside those of the schedules */
export async function untilTold(
  world: World,
  seconds: number,
  passes: 'start' | 'scheduled',
): Promise<string> {
  let next = 0;
  await until(seconds, async () => {
    if (passes === 'start' && Date.now() >= next) {
      await pass(world);
      next = Date.now() + 5_000;
    }
    for (const [name, received] of receiversOfAll(world)) {
      const lines = received.events.map(lineOf).sort();
      assert.deepEqual(lines, [...world.edits.expected].sort(), `what ${name} was told`);
    }
  });
  return `${world.edits.expected.length} events so far`;
}

/** Who gets every event, by name. */
export function receiversOfAll({ everything, own }: World): [name: string, received: ReceivedEvents][] {
  return [
    ['the SNS subscriber', everything.events],
    ...(own ? [['the webhook', own.receivers.webhook.events] as [string, ReceivedEvents]] : []),
  ];
}

/** Fails unless each event came once so far. */
export function onceEach(world: World): string {
  for (const [name, { repeated }] of receiversOfAll(world))
    assert.equal(repeated, 0, `${name} got events twice`);
  return 'no event came twice';
}

/** Fails unless a receiver that began with `baseline` and applied its events knows what the service shows. */
export function toldIsServed(world: World, baseline: Told): void {
  for (const [name, { events }] of receiversOfAll(world))
    assert.deepEqual(applyEvents(baseline, events), served(world), `what ${name} knows`);
}
