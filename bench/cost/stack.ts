import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a checkout synthesises for a configuration, as far as it affects the cost. */
export interface Stack {
  /** The directory with the assembly; the caller removes it. */
  readonly directory: string;
  readonly functions: Readonly<Record<string, FunctionFacts>>;
  readonly facts: StackFacts;
}

export interface FunctionFacts {
  readonly memoryMb: number;
  /** The asset with its bundle. */
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether Lambda writes lines of its own for each run that succeeded. */
  readonly hasSystemLogs: boolean;
}

export interface StackFacts {
  readonly resources: number;
  /** Metrics that its alarms look at; an expression has several. */
  readonly alarmMetrics: number;
  readonly alarms: number;
  /** The number of metrics of each dashboard. */
  readonly dashboards: readonly number[];
  readonly queues: number;
  /** The queues and streams that Lambda reads for its functions, with the most that it takes at once and
   *  how long it waits for more. */
  readonly mappings: readonly {
    readonly source: string;
    readonly target: string;
    readonly batch: number;
    readonly seconds: number;
  }[];
  /** Starts by Scheduler a month, by function. */
  readonly starts: Readonly<Record<string, number>>;
  readonly isTopicEncrypted: boolean;
  readonly isRecoverable: boolean;
}

interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shapes of CloudFormation's many types
  readonly Properties: any;
}
type Resources = Readonly<Record<string, Resource>>;

/** 730 hours, which AWS's own estimates take for a month. */
export const MONTH_S = 730 * 3_600;

/** Synthesises the stacks of `config` from the code in `checkout`.
 *  @throws when that fails, with what it printed */
export function synthesise(checkout: string, config: object, queueUrl: (name: string) => string): Stack {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-cost-'));
  // In a file, as CDK's own command passes a context that is too long for the environment.
  const context = join(directory, 'context.json');
  writeFileSync(context, JSON.stringify({ changewire: config }));
  const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'infra/app.ts')], {
    cwd: checkout,
    encoding: 'utf8',
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      CONTEXT_OVERFLOW_LOCATION_ENV: context,
    },
  });
  const templates = readdirSync(directory).filter(file => file.endsWith('.template.json'));
  if (status !== 0 || templates.length === 0) throw new Error(`${checkout} does not synthesise: ${stderr}`);
  const of = (file: string) =>
    (JSON.parse(readFileSync(join(directory, file), 'utf8')) as { Resources?: Resources }).Resources ?? {};
  const main = of('Changewire.template.json');
  const all = Object.assign({}, ...templates.map(of)) as Resources;
  const functions = Object.fromEntries(
    ofType(main, 'AWS::Lambda::Function').map(([id, { Properties }]) => [
      nameOf(id),
      functionOf(Properties, directory, value => textOf(main, value, queueUrl)),
    ]),
  );
  return { directory, functions, facts: factsOf(main, all) };
}

const ofType = (resources: Resources, type: string) =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** `PollFunctionB53CB115` is `poll`. */
const nameOf = (id: string) => (/^(\w+?)(Function|Serve|Stream)/.exec(id)?.[1] ?? id).toLowerCase();

// biome-ignore lint/suspicious/noExplicitAny: as above
function functionOf(properties: any, directory: string, text: (value: unknown) => string): FunctionFacts {
  const { MemorySize, Code, Environment, LoggingConfig } = properties;
  const asset = String(Code.S3Key).replace(/\.zip$/, '');
  const level = LoggingConfig?.SystemLogLevel ?? 'INFO';
  return {
    memoryMb: MemorySize,
    bundle: join(directory, `asset.${asset}`),
    environment: Object.fromEntries(
      Object.entries(Environment?.Variables ?? {}).map(([name, value]) => [name, text(value)]),
    ),
    hasSystemLogs: level !== 'WARN',
  };
}

/** The text for a reference: for a queue its URL, for anything else its name. */
function textOf(resources: Resources, value: unknown, queueUrl: (name: string) => string): string {
  if (typeof value === 'string') return value;
  const { Ref, ...other } = value as Record<string, unknown>;
  if (typeof Ref === 'string') {
    if (Ref.startsWith('AWS::')) return 'us-east-1';
    if (resources[Ref]?.Type === 'AWS::SQS::Queue') return queueUrl(Ref);
    return resources[Ref]?.Type === 'AWS::SNS::Topic' ? `arn:aws:sns:us-east-1:123456789012:${Ref}` : Ref;
  }
  if ('Fn::ImportValue' in other) return 'changewire';
  const [, parts] = (other['Fn::Join'] as [string, unknown[]] | undefined) ?? ['', undefined];
  if (parts) return parts.map(part => textOf(resources, part, queueUrl)).join('');
  return 'named';
}

function factsOf(main: Resources, all: Resources): StackFacts {
  const alarms = ofType(all, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
  const starts: Record<string, number> = {};
  for (const [, { Properties }] of ofType(main, 'AWS::Scheduler::Schedule')) {
    const target = nameOf(JSON.stringify(Properties.Target.Arn).match(/"(\w+?Function)/)?.[1] ?? '');
    const [, count = '1', unit = 'minute'] =
      /rate\((\d+) (\w+?)s?\)/.exec(Properties.ScheduleExpression) ?? [];
    const seconds = Number(count) * ({ minute: 60, hour: 3_600, day: 86_400 }[unit] ?? 60);
    starts[target] = (starts[target] ?? 0) + MONTH_S / seconds;
  }
  return {
    resources: Object.keys(main).length,
    alarms: alarms.length,
    alarmMetrics: alarms.reduce((sum, { Metrics = [{}] }) => sum + metricsOf(Metrics), 0),
    dashboards: ofType(all, 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) =>
      metricsShown(Properties.DashboardBody),
    ),
    queues: ofType(all, 'AWS::SQS::Queue').length,
    mappings: ofType(main, 'AWS::Lambda::EventSourceMapping').map(([id, { Properties }]) => ({
      source: sourceOf(Properties.EventSourceArn),
      target: nameOf(id),
      batch: Properties.BatchSize,
      seconds: Properties.MaximumBatchingWindowInSeconds ?? 0,
    })),
    starts,
    isTopicEncrypted: ofType(main, 'AWS::SNS::Topic').some(([, { Properties }]) => Properties.KmsMasterKeyId),
    isRecoverable: JSON.stringify(all).includes('"PointInTimeRecoveryEnabled":true'),
  };
}

/** How many metrics an alarm looks at: one, or those in its expression. */
function metricsOf(metrics: readonly { MetricStat?: object }[]): number {
  return Math.max(1, metrics.filter(({ MetricStat }) => MetricStat !== undefined).length);
}

/** How many different metrics a dashboard shows. Its references are replaced by texts, and then it is
 *  JSON. */
export function metricsShown(body: unknown): number {
  const text = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const [separator = '', parts] = (value as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? [];
    return parts
      ? parts.map(text).join(separator)
      : String(Object.values(value as object)).replaceAll('"', '');
  };
  const { widgets } = JSON.parse(text(body)) as { widgets: { properties: { metrics?: unknown[][] } }[] };
  const metrics = widgets.flatMap(({ properties }) => properties.metrics ?? []);
  // A metric is its namespace, name and dimensions, all texts, and then an object that describes how it is
  // drawn; an expression has only the object.
  const names = metrics.map(metric => metric.filter(part => typeof part === 'string').join(' '));
  return new Set(names.filter(name => name !== '')).size;
}

/** The queue's logical id, or `stream`. */
function sourceOf(arn: Record<string, unknown>): string {
  const [queue] = (arn['Fn::GetAtt'] as string[] | undefined) ?? [];
  return queue ?? 'stream';
}
