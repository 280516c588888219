import type { Item } from './prices.ts';

/** What would halve an item of the bill, by the cause of the item. */
const BY_CAUSE: Readonly<Record<string, Partial<Record<Item, string>>>> = {
  'passes that find nothing': {
    dynamodbWrites:
      'Twice the interval halves it, and adaptive intervals do better (below). A pass takes two: one to take its lease, and one to end.',
    lambdaGbSeconds:
      'It waits for the service most of the time: half of the memory, where baselines allow it, or twice the interval halves it.',
    logsWritten: 'Twice the interval halves it; so does one line less.',
    sqsRequests: 'Twice the interval halves it; so would messages that name two processes each.',
    lambdaRequests: 'Twice the interval halves it; so would messages that name two processes each.',
  },
  sweeps: {
    lambdaGbSeconds:
      '`"sweep": "12h"` halves it. It waits for the service, which is asked as much at once as it bears; half of the memory, where baselines allow it, halves it, too.',
    dynamodbReads: '`"sweep": "12h"` halves it.',
  },
  tick: {
    dynamodbReads: 'One row for what is read of a process, instead of three, would take a third.',
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
