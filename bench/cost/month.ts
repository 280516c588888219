import type { Usage } from './bill.ts';
import type { Measured } from './measure.ts';
import type { IdleRun } from './measure-passes.ts';
import { type Item, PRICES } from './prices.ts';
import { CHANGES, type Size, SWEEP } from './sizes.ts';
import { MONTH_S, type StackFacts } from './stack.ts';
import { billedMs, NOTHING, plus, type Used } from './used.ts';

/** A part of the bill, and what causes it. */
export interface Cause {
  readonly cause: string;
  readonly usage: Usage;
}

/** How a stack is configured: its intervals, in s. */
export interface Rhythm {
  readonly changes: number;
  readonly sweep: number;
}
export const USUAL: Rhythm = { changes: CHANGES.seconds, sweep: SWEEP.seconds };

/** Assumptions about what no run of a function shows. */
export const ASSUMED = {
  daysPerMonth: MONTH_S / 86_400,
  /** Pollers of each queue's mapping while the queue is empty:
   *  https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
  pollers: 5,
  pollSeconds: 20,
  /** How many times a second Lambda reads a shard of the stream. */
  shardLooks: 4,
  shards: 4,
  /** How long a token of the service is valid, in s: each environment of poll reads the secret of each
   *  workspace as often. */
  tokenSeconds: 3_600,
  /** How long SNS keeps a data key, in s; it asks for two. */
  dataKeySeconds: 300,
  /** Environments of a function per environment that is busy all the time, on average; each is replaced
   *  that number of times a day. */
  environments: 2,
  startsPerDay: 12,
  /** CloudWatch stores logs compressed, to this share. */
  compressed: 0.15,
} as const;

const READING = 'changes: reading and committing';
const WATCHING = 'watching';

const none = () => Object.fromEntries(Object.keys(PRICES).map(item => [item, 0])) as Record<Item, number>;

/** The same with a service that is further away; it is as measured where that was not. */
export function slowed(measured: Measured): Measured {
  return measured.slow ? { ...measured, ...measured.slow } : measured;
}

/** What a run uses whose passes find nothing, and over how many processes. */
function idleRunOf({ idleRuns, idlePass }: Measured, { name }: Size): IdleRun {
  return idleRuns?.[name] ?? { processes: 1, used: idlePass };
}

/** What a month uses, by cause. */
export function monthOf(measured: Measured, size: Size, rhythm: Rhythm = USUAL): Cause[] {
  const facts = measured.stacks[size.name];
  const stacks = Math.ceil(size.processes / facts.processes);
  const { daysPerMonth } = ASSUMED;
  const idle = idleRunOf(measured, size);
  const passes = (size.processes * MONTH_S) / rhythm.changes / idle.processes;
  const sweeps = (size.processes * MONTH_S) / rhythm.sweep;
  const changes = size.changesPerDay * daysPerMonth;
  const ran = (name: string, runs: number, used: Used, more?: Used) =>
    runsOf(measured.functions[name] ?? { memoryMb: 0, initMs: 0 }, runs, used, more);
  const way =
    size.changesPerDay > 0 ? measured.delivering[size.name === 'large' ? 'large' : 'busy'] : undefined;
  const batches = (target: string, messages: number) => messages / batchOf(facts, target, messages / MONTH_S);
  const along = (name: 'publish' | 'route' | 'deliver', messages: number) => {
    if (!way || messages === 0) return none();
    const count = batches(name, messages);
    const used = plus(way[name].first, way[name].further, messages / count - 1);
    const secrets = name === 'deliver' ? size.endpoints : 0;
    const fresh = secrets * startsIn(measured.functions[name], count, used);
    return added(added(ran(name, count, used), takenFrom(facts, name, messages, count)), {
      ...none(),
      keyCalls: fresh,
    });
  };
  const deliveries = changes * size.wanted;
  const messages: Record<string, number> = { poll: passes + sweeps, route: changes, deliver: deliveries };
  const empty = allEmptyReceives(facts, stacks, target =>
    messages[target] ? batches(target, messages[target]) : 0,
  );
  return [
    {
      cause: 'passes that find nothing',
      usage: added(ran('poll', passes, idle.used), startsOf(facts, passes)),
    },
    { cause: 'sweeps', usage: added(ran('poll', sweeps, measured.sweep), startsOf(facts, sweeps)) },
    {
      cause: READING,
      usage: ran('poll', 0, NOTHING, scaled(measured.change, changes)),
    },
    { cause: 'changes: publishing', usage: along('publish', changes) },
    {
      cause: 'changes: routing',
      usage: added(along('route', changes), { ...none(), sqsRequests: way ? changes : 0 }),
    },
    { cause: 'changes: delivering', usage: along('deliver', deliveries) },
    { cause: 'tick', usage: ran('tick', (stacks * MONTH_S) / 60, measured.tick[size.name]) },
    { cause: 'queues without messages', usage: { ...none(), sqsRequests: empty } },
    { cause: WATCHING, usage: watching(measured, size, stacks) },
    { cause: 'what is kept', usage: kept(measured, size, passes) },
  ];
}

/** Runs of a workspace that are under way when an outage begins, at most: each has half of what the others
 *  leave of 16 requests. */
const MEETING = 5;
/** Minutes from one probe to the next in a long outage. */
const PROBE_MINUTES = 8;
/** What a process emits: that it is stalled, and that it is not any more. */
const STALL_EVENTS = 2;

/** What tick counts only in an outage: `ProcessesLate` and `WorkspacesPaused`. */
const OUTAGE_METRICS = 2;
/** Hours of the day in which events are published, by which CloudWatch bills the metrics that count them:
 *  when the stalls are emitted, and their ends. */
const EVENT_HOURS = 2;

/** What a day uses, by cause, in which the service of all workspaces answers nothing; undefined where that
 *  was not measured. What is found after it counts on its own days. */
export function outageOf(measured: Measured, size: Size): Cause[] | undefined {
  const { outage } = measured;
  if (!outage) return undefined;
  const { daysPerMonth } = ASSUMED;
  const facts = measured.stacks[size.name];
  const idle = monthOf(measured, { ...size, changesPerDay: size.processes * STALL_EVENTS });
  const ordinary = watching(measured, size, 1);
  const counting = watching(measured, { ...size, changesPerDay: 1 }, 1).metrics - ordinary.metrics;
  const metrics = ordinary.metrics + OUTAGE_METRICS + (counting * EVENT_HOURS) / 24;
  const watched = { cause: WATCHING, usage: times({ ...ordinary, metrics }, 1 / daysPerMonth) };
  const left = ['passes that find nothing', 'sweeps', READING, WATCHING];
  const isKept = ({ cause }: Cause) => !left.includes(cause);
  const groups = size.processes / idleRunOf(measured, size).processes;
  const met = Math.min(groups, size.workspaces * MEETING);
  const probes = size.workspaces * ((24 * 60) / PROBE_MINUTES);
  const ran = (runs: number, used: Used) =>
    added(runsOf(measured.functions.poll ?? { memoryMb: 0, initMs: 0 }, runs, used), startsOf(facts, runs));
  const share = idleRunOf(measured, size).processes / MEASURED_GROUP;
  return [
    ...idle.filter(isKept).map(({ cause, usage }) => ({ cause, usage: times(usage, 1 / daysPerMonth) })),
    watched,
    { cause: 'runs that meet the outage', usage: ran(met, outage.met) },
    { cause: 'probes', usage: ran(probes, outage.probe) },
    { cause: 'announcing', usage: ran(groups, plus(NOTHING, outage.announced, share)) },
    { cause: 'recovering', usage: ran(groups, plus(NOTHING, outage.recovered, share)) },
  ];
}

/** Processes of the runs in which an outage was measured. */
const MEASURED_GROUP = 25;

function times(usage: Usage, factor: number): Usage {
  const items = Object.keys(PRICES) as Item[];
  return Object.fromEntries(items.map(item => [item, usage[item] * factor])) as Usage;
}

/** What a month uses with one such day; undefined where that was not measured. */
export function monthWithOutage(measured: Measured, size: Size): Usage | undefined {
  const outage = outageOf(measured, size);
  const others = times(sumOf(monthOf(measured, size)), 1 - 1 / ASSUMED.daysPerMonth);
  return outage && added(others, sumOf(outage));
}

export function sumOf(causes: readonly Cause[]): Usage {
  return causes.reduce((sum, { usage }) => added(sum, usage), none());
}

function added(one: Usage, other: Usage): Record<Item, number> {
  const items = Object.keys(PRICES) as Item[];
  return Object.fromEntries(items.map(item => [item, one[item] + other[item]])) as Record<Item, number>;
}

const scaled = (used: Used, factor: number) => plus(NOTHING, used, factor);

/** How often an environment of a function is started, for this number of runs: each reads the secret of each
 *  endpoint once, and keeps it until its revision changes. */
function startsIn({ memoryMb }: { memoryMb: number } = { memoryMb: 0 }, runs: number, used: Used): number {
  const seconds = (runs * billedMs(used, memoryMb)) / 1000;
  return runs === 0 || memoryMb === 0
    ? 0
    : environmentsFor(seconds) * ASSUMED.startsPerDay * ASSUMED.daysPerMonth;
}

const environmentsFor = (seconds: number) => 1 + (ASSUMED.environments * seconds) / MONTH_S;

/** What a number of runs of a function use, and `more`, which is used in addition, in no run of its own. */
export function runsOf(
  { memoryMb, initMs }: { memoryMb: number; initMs: number },
  runs: number,
  used: Used,
  more: Used = NOTHING,
): Record<Item, number> {
  const gb = memoryMb / 1024;
  const seconds =
    (runs * billedMs(used, memoryMb) + (more === NOTHING ? 0 : billedMs(more, memoryMb))) / 1000;
  const environments = runs === 0 ? 0 : environmentsFor(seconds);
  const cold = (environments * ASSUMED.startsPerDay * ASSUMED.daysPerMonth * initMs) / 1000;
  const all = plus(more, used, runs);
  return {
    ...none(),
    lambdaRequests: runs,
    lambdaGbSeconds: gb * (seconds + cold),
    dynamodbReads: all.readUnits,
    dynamodbWrites: all.writeUnits,
    sqsRequests: all.sqs,
    sqsGrouped: all.sqsGrouped,
    snsPublished: all.published,
    keyCalls: all.requests['ssm.GetParameter'] ?? 0,
    dataOut: all.sent,
    logsWritten: all.logged,
    logsKept: all.logged * ASSUMED.compressed,
  };
}

/** What it takes to start passes: a start by Scheduler each, or a message each, which Lambda receives and
 *  deletes (sending it is counted in tick). */
function startsOf({ mappings }: StackFacts, passes: number): Usage {
  return mappings.some(({ target }) => target === 'poll')
    ? { ...none(), sqsRequests: 2 * passes, sqsGrouped: 2 * passes }
    : { ...none(), schedulerStarts: passes };
}

/** Messages in a batch: those that come while Lambda waits for more. */
function batchOf({ mappings }: StackFacts, target: string, perSecond: number): number {
  const mapping = mappings.find(each => each.target === target);
  if (!mapping) return 1;
  const { shardLooks, shards } = ASSUMED;
  const seconds =
    mapping.source === 'stream' ? Math.max(mapping.seconds, 1 / shardLooks) / shards : mapping.seconds;
  return Math.min(mapping.batch, Math.max(1, perSecond * seconds));
}

/** Lambda receives and deletes each batch of a queue; reading the stream is free. */
function takenFrom(facts: StackFacts, name: string, messages: number, batches: number): Usage {
  if (name === 'publish') return { ...none(), keyCalls: facts.isTopicEncrypted ? topicKeys(messages) : 0 };
  const requests = 2 * Math.max(batches, messages / 10);
  return { ...none(), sqsRequests: requests, sqsGrouped: name === 'deliver' ? requests : 0 };
}

const topicKeys = (messages: number) => Math.min(messages, (2 * MONTH_S) / ASSUMED.dataKeySeconds);

/** Receives in a month that find nothing. A poller waits for a fixed time, or until a batch comes. If x
 *  batches come in that time on average, at random moments, each batch takes 1 / (1 - e^(-x)) receives. */
export function emptyReceives(batches: number): number {
  const waits = (ASSUMED.pollers * MONTH_S) / ASSUMED.pollSeconds;
  return batches === 0 ? waits : batches / -Math.expm1(-batches / waits) - batches;
}

/** The empty receives of every queue that Lambda reads. `batchesOf` gives the batches a month of a
 *  function, all of which count for its first queue. */
function allEmptyReceives(
  { mappings }: StackFacts,
  stacks: number,
  batchesOf: (target: string) => number,
): number {
  const queues = mappings.filter(({ source }) => source !== 'stream');
  const isFirst = (target: string, at: number) => queues.findIndex(queue => queue.target === target) === at;
  return queues.reduce(
    (sum, { target }, at) =>
      sum + stacks * emptyReceives(isFirst(target, at) ? batchesOf(target) / stacks : 0),
    0,
  );
}

/** The most metrics of a dashboard that is free of charge. */
const FREE_DASHBOARD = 50;

function watching(measured: Measured, { name, processes, changesPerDay }: Size, stacks: number): Usage {
  const facts = measured.stacks[name];
  const way = Object.values(measured.delivering[name === 'large' ? 'large' : 'busy']);
  const seen = [measured.idleRuns?.[name].used ?? measured.idlePass, measured.sweep, measured.tick[name]];
  const all = [...seen, ...(changesPerDay > 0 ? way.map(({ first }) => first) : [])];
  const metrics = [...new Set(all.flatMap(used => used.metrics))];
  const ofProcess = metrics.filter(metric => metric.includes('processId=')).length;
  const perStack = { alarms: facts.alarmMetrics, ofEach: facts.processes };
  // The alarms of a stack are mostly about single processes, so they are scaled with their number; the
  // few others are ignored.
  const alarms = (perStack.alarms * processes) / perStack.ofEach;
  return {
    ...none(),
    metrics: ofProcess * processes + (metrics.length - ofProcess) * stacks,
    alarmMetrics: stacks === 1 ? perStack.alarms : alarms,
    dashboards: facts.dashboards.filter(metrics => metrics <= FREE_DASHBOARD).length * stacks,
    largeDashboards: facts.dashboards.filter(metrics => metrics > FREE_DASHBOARD).length * stacks,
    schedulerStarts: (stacks * MONTH_S) / 60,
  };
}

/** What is stored: secrets, and how often they are read for a new token; snapshots; change records, for
 *  30 days; attempts, for 7. */
function kept(measured: Measured, size: Size, passes: number): Usage {
  const { projectBytes, changeBytes, attemptBytes } = measured;
  const changes = size.changesPerDay * (30 * changeBytes + 7 * size.wanted * attemptBytes);
  const bytes = size.processes * size.projects * projectBytes + changes;
  const busy =
    (passes * billedMs(idleRunOf(measured, size).used, measured.functions.poll?.memoryMb ?? 0)) /
    1000 /
    MONTH_S;
  const environments = 1 + ASSUMED.environments * busy;
  const { isRecoverable } = measured.stacks[size.name];
  return {
    ...none(),
    dynamodbStorage: bytes,
    dynamodbRecovery: isRecoverable ? bytes : 0,
    secrets: size.workspaces,
    secretReads: Math.min(passes, environments * size.workspaces * (MONTH_S / ASSUMED.tokenSeconds)),
  };
}
