/** What one run of a function used, measured and not estimated. */
export interface Used {
  /** Requests to AWS, by service and command: `dynamodb.Query`. */
  readonly requests: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** SQS requests as they are billed, one for each 64 KB; those for messages with a group, which cost
   *  more, are counted separately. */
  readonly sqs: number;
  readonly sqsGrouped: number;
  /** Messages published, one for each 64 KB. */
  readonly published: number;
  /** Bytes sent to the service and to receivers: what leaves AWS. */
  readonly sent: number;
  /** Requests to the service, and to receivers. */
  readonly asked: number;
  /** Bytes of lines that the function wrote, with what CloudWatch adds to each line. */
  readonly logged: number;
  /** Custom metrics for which it wrote a value: name and dimensions. */
  readonly metrics: readonly string[];
  /** ms in which at least one request was under way, if each takes `LATENCY`. */
  readonly waited: number;
  /** ms of processor time outside that, on one core of this machine. */
  readonly worked: number;
}

/** ms until an answer comes. Assumed, not measured: nothing here runs on AWS, and services differ. */
export const LATENCY = {
  /** The polled service, and each receiver of events. */
  service: 80,
  dynamodb: 5,
  sqs: 8,
  sns: 15,
  ssm: 10,
  secretsmanager: 10,
  lambda: 20,
} as const;

export type Party = keyof typeof LATENCY;

/** MB of memory with which Lambda gives a function one whole processor. */
const WHOLE_PROCESSOR_MB = 1_769;

/** ms that Lambda bills for a run: the time that it waits, and the time that its work takes with the part
 *  of a processor that its memory buys. */
export function billedMs({ waited, worked }: Pick<Used, 'waited' | 'worked'>, memoryMb: number): number {
  return Math.ceil(waited + worked * Math.max(1, WHOLE_PROCESSOR_MB / memoryMb));
}

/** The counters of a recorder, all 0. */
export const NOTHING_COUNTED = {
  requests: {} as Readonly<Record<string, number>>,
  readUnits: 0,
  writeUnits: 0,
  sqs: 0,
  sqsGrouped: 0,
  published: 0,
  sent: 0,
  asked: 0,
} satisfies Partial<Used>;

export const NOTHING: Used = { ...NOTHING_COUNTED, logged: 0, metrics: [], waited: 0, worked: 0 };

/** The sum of `one` and `factor` times `other`; metrics are those of both. */
export function plus(one: Used, other: Used, factor = 1): Used {
  const sum = (key: Exclude<keyof Used, 'requests' | 'metrics'>) => one[key] + factor * other[key];
  const names = new Set([...Object.keys(one.requests), ...Object.keys(other.requests)]);
  const requests = [...names].map(name => [
    name,
    (one.requests[name] ?? 0) + factor * (other.requests[name] ?? 0),
  ]);
  return {
    requests: Object.fromEntries(requests),
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    sqs: sum('sqs'),
    sqsGrouped: sum('sqsGrouped'),
    published: sum('published'),
    sent: sum('sent'),
    asked: sum('asked'),
    logged: sum('logged'),
    metrics: [...new Set([...one.metrics, ...other.metrics])].sort(),
    waited: sum('waited'),
    worked: sum('worked'),
  };
}

/** The mean of several runs; for processor time the median, which other work on the machine affects less. */
export function meanOf(runs: readonly Used[]): Used {
  const total = runs.reduce((sum, run) => plus(sum, run), NOTHING);
  const mean = plus(NOTHING, total, 1 / runs.length);
  const worked = runs.map(run => run.worked).toSorted((one, other) => one - other);
  return { ...mean, worked: worked[Math.floor(worked.length / 2)] ?? 0 };
}
