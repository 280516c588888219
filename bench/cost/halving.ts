import type { Item } from './prices.ts';

/** What would halve an item of the bill, by the cause of the item. */
const BY_CAUSE: Readonly<Record<string, Partial<Record<Item, string>>>> = {
  'passes that find nothing': {
    dynamodbWrites: 'Twice the interval halves it; adaptive intervals save more.',
    lambdaGbSeconds: 'Mostly waiting for the service. Twice the interval halves it.',
    logsWritten: 'Twice the interval halves it.',
    sqsRequests: 'Twice the interval halves it.',
    lambdaRequests: 'Twice the interval halves it.',
  },
  sweeps: {
    lambdaGbSeconds: 'Mostly waiting for the service. `"sweep": "12h"` halves it.',
    dynamodbReads: '`"sweep": "12h"` halves it.',
  },
  tick: {
    dynamodbReads: 'It grows with the number of workspaces and of processes that are not idle.',
  },
  'what is kept': {
    dynamodbStorage: 'It grows with the number of projects and tasks.',
    dynamodbRecovery: 'Point-in-time recovery, which permits to restore the table.',
    secrets: 'Workspaces that share credentials share a secret.',
  },
  'changes: delivering': {
    lambdaGbSeconds: 'A batching window of a second on the deliveries’ queue reduces it.',
    sqsRequests:
      'A batching window of a second on the deliveries’ queue reduces it; each event is then a second later.',
  },
};

export function halving(cause: string, item: Item): string {
  return BY_CAUSE[cause]?.[item] ?? 'It grows with the number of changes.';
}
