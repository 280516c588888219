import type { Item } from './prices.ts';

/** What would halve an item of the bill, by the cause of the item. */
const BY_CAUSE: Readonly<Record<string, Partial<Record<Item, string>>>> = {
  'passes that find nothing': {
    dynamodbWrites:
      'Twice the interval halves it, and adaptive intervals do better (below). A run takes three: its share, the completions of its passes, and the end of its share.',
    lambdaGbSeconds: 'It waits for the service most of the time: twice the interval halves it.',
    logsWritten: 'Twice the interval halves it; so does one line less.',
    sqsRequests: 'Twice the interval halves it.',
    lambdaRequests: 'Twice the interval halves it.',
  },
  sweeps: {
    lambdaGbSeconds:
      '`"sweep": "12h"` halves it. It waits for the service, which is asked as much at once as it bears.',
    dynamodbReads: '`"sweep": "12h"` halves it.',
  },
  tick: {
    dynamodbReads: 'It reads the rows of the workspaces, and those of processes that are not idle.',
  },
  'what is kept': {
    dynamodbStorage: 'Fewer projects, or tasks that are no part of the snapshot: nothing else does.',
    dynamodbRecovery: 'Without point-in-time recovery it is gone, and with it the way back from a mistake.',
    secrets: 'Workspaces that share credentials share a secret.',
  },
  'changes: delivering': {
    lambdaGbSeconds:
      'A batching window of a second on the deliveries’ queue sends several requests in the time of one.',
    sqsRequests: 'A batching window of a second on the deliveries’ queue; each event then is a second later.',
  },
};

export function halving(cause: string, item: Item): string {
  return BY_CAUSE[cause]?.[item] ?? 'It follows what changes: half of it comes from half of the changes.';
}
