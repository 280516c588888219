import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { RunShare, takeShare } from '../../../functions/handlers/run-share.ts';
import { EMPTY_WORKSPACE, type WorkspaceRow } from '../../../functions/model/workspace-row.ts';
import type { Unsent } from '../../../functions/queue/queue.ts';
import { sqsQueue } from '../../../functions/queue/sqs.ts';
import { startPasses } from '../../../functions/schedule/due.ts';
import type { ScheduledProcess } from '../../../functions/schedule/scheduled.ts';
import type { WorkspaceRows } from '../../../functions/store/store.ts';
import { sendBatch } from '../../../functions/topic/send-batch.ts';
import type { Trips } from './trip.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const PROCESS: ScheduledProcess = {
  ...{ workspace: 'eu', processId: 'p', changes: { fastest: 10_000, slowest: 10_000 }, sweep: 3_600_000 },
};

/** Starts the passes of a minute, with a defect in a collaborator. */
const starting = (
  processes: readonly ScheduledProcess[],
  { from = AT, unsent = { indexes: [] as number[] } as Unsent } = {},
) =>
  startPasses(processes, () => undefined, {
    claims: { claim: async () => from },
    queue: { send: async () => unsent },
    clock: () => AT,
    log: { warn: () => undefined },
    rows: new Map(),
  });

const SHARING = { workspace: 'eu', run: 'run', ceiling: 8, isBulk: false, isAsked: false };
const rows = {
  change: async (_: string, decide: (row: WorkspaceRow) => WorkspaceRow | undefined) =>
    decide(EMPTY_WORKSPACE),
} as unknown as WorkspaceRows;

/** Each makes a part of a tick, of taking a share, or of sending. */
export const HANDLERS: Trips<'schedule' | 'share' | 'queue' | 'topic'> = {
  'schedule.claim-has-time': () => starting([PROCESS], { from: AT + 60_000 }),
  'schedule.process-once': () => starting([PROCESS, PROCESS]),
  'share.within-ceiling': () => takeShare(rows, { ...SHARING, ceiling: Number.NaN }, () => AT),
  'share.requests-are-counted': () => new RunShare(rows, SHARING, () => AT, { count: 1, at: AT }).end(),
  'queue.answer-is-complete': () => {
    const client = { send: async () => ({ Failed: [{ Id: '7' }] }) } as unknown as SQSClient;
    return sqsQueue(client, 'https://sqs.example/1/deliveries').send([{ body: 'x' }]);
  },
  'queue.unsent-are-given': () => starting([PROCESS], { unsent: { indexes: [99] } }),
  'topic.answer-is-complete': () => {
    const sns = { send: async () => ({ Failed: [{ Id: '7' }] }) } as unknown as SNSClient;
    const topic = { sns, topicArn: 'arn', sleep: async () => undefined, random: () => 0 };
    const message = { Message: 'x', MessageAttributes: {} };
    return sendBatch({ ...topic, isLate: () => false, refuse: async () => undefined }, [message]);
  },
};
